// hotpb's contenders for a message type.
#ifndef HOTPB_BENCH_PEERS_HOTPB_H_
#define HOTPB_BENCH_PEERS_HOTPB_H_

#include <memory>
#include <new>
#include <string>
#include <vector>

#include "contender.h"
#include "hotpb/pool.h"
#include "hotpb/view.h"
#include "sum.h"

namespace peers {

// Fresh: a pool for each message. Else one that is used again.
template <class Message, class W, bool kFresh>
class Pool final : public Contender {
 public:
  bool takes(Task task) const override { return !kFresh || task == Task::Decode || task == Task::DecodeRead; }
  bool decode(std::string_view record, std::uint64_t& checksum) override {
    if (!pool_.decode(record).ok()) return false;
    checksum = W::sum(*pool_);
    return true;
  }
  bool hold(const Records& records) override {
    held_ = std::vector<hotpb::Pool<Message>>(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (!held_[i].decode(records[i]).ok()) return false;
    }
    return true;
  }
  std::string encoded(Task, std::size_t i) override {
    if (!buffer_.encode(*held_[i]).ok()) return {};
    return std::string(buffer_.bytes().text());
  }
  bool run(Task task, const Records& records, std::uint64_t operations) override {
    switch (task) {
      case Task::Decode:
        return in_turn(records.size(), operations, [&](std::size_t i) {
          return with_pool([&](auto& pool) { return pool.decode(records[i]).ok() && (use(&*pool), true); });
        });
      case Task::DecodeRead:
        return in_turn(records.size(), operations, [&](std::size_t i) {
          return with_pool([&](auto& pool) { return pool.decode(records[i]).ok() && (use(W::sum(*pool)), true); });
        });
      case Task::Encode:
        return in_turn(records.size(), operations, [&](std::size_t i) {
          if (!buffer_.encode(*held_[i]).ok()) return false;
          use(buffer_.bytes().data());
          return true;
        });
      default:
        return in_turn(records.size(), operations, [&](std::size_t i) {
          if (!buffer_.encode(*held_[i]).ok()) return false;
          const std::string fresh(buffer_.bytes().text());
          use(fresh.data());
          return true;
        });
    }
  }

 private:
  template <class F>
  bool with_pool(F f) {
    if constexpr (kFresh) {
      hotpb::Pool<Message> fresh;
      return f(fresh);
    } else {
      return f(pool_);
    }
  }

  hotpb::Pool<Message> pool_;
  std::vector<hotpb::Pool<Message>> held_;
  hotpb::EncodeBuffer buffer_;
};

// Encodes each message into a buffer of its own.
template <class Message>
class OwnBuffer final : public Contender {
 public:
  bool takes(Task task) const override { return task == Task::EncodeFresh; }
  bool decode(std::string_view, std::uint64_t&) override { return false; }
  bool hold(const Records& records) override {
    held_ = std::vector<hotpb::Pool<Message>>(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (!held_[i].decode(records[i]).ok()) return false;
    }
    return true;
  }
  std::string encoded(Task, std::size_t i) override {
    hotpb::EncodeBuffer buffer;
    if (!buffer.encode(*held_[i]).ok()) return {};
    return std::string(buffer.bytes().text());
  }
  bool run(Task, const Records& records, std::uint64_t operations) override {
    return in_turn(records.size(), operations, [&](std::size_t i) {
      hotpb::EncodeBuffer buffer;
      if (!buffer.encode(*held_[i]).ok()) return false;
      use(buffer.bytes().data());
      return true;
    });
  }

 private:
  std::vector<hotpb::Pool<Message>> held_;
};

// Validates the whole message (kWhole), or reads every field, where each level is checked when it is opened.
template <class V, class W, bool kWhole>
class View final : public Contender {
 public:
  bool takes(Task task) const override { return task == (kWhole ? Task::Decode : Task::DecodeRead); }
  bool decode(std::string_view record, std::uint64_t& checksum) override {
    V view;
    if (!view.decode(record).ok() || (kWhole && !view.validate().ok())) return false;
    checksum = W::sum(view);
    return true;
  }
  bool run(Task, const Records& records, std::uint64_t operations) override {
    return in_turn(records.size(), operations, [&](std::size_t i) {
      V view;
      if (!view.decode(records[i]).ok()) return false;
      if constexpr (kWhole) {
        if (!view.validate().ok()) return false;
        use(&view);
      } else {
        use(W::sum(view));
      }
      return true;
    });
  }
};

template <class Message, class V, class W>
struct Hotpb {
  explicit Hotpb(const char* message)
      : pool(message, "hotpb-pool"),
        fresh(message, "hotpb-pool:fresh"),
        buffer(message, "hotpb-pool:own-buffer"),
        view(message, "hotpb-view"),
        validate(message, "hotpb-view:validate") {}
  Registration<Pool<Message, W, false>> pool;
  Registration<Pool<Message, W, true>> fresh;
  Registration<OwnBuffer<Message>> buffer;
  Registration<View<V, W, false>> view;
  Registration<View<V, W, true>> validate;
};

}  // namespace peers

#endif  // HOTPB_BENCH_PEERS_HOTPB_H_
