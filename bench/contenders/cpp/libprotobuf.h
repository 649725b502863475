// libprotobuf's contenders for a message type, and the judgement of the stock runtime.
#ifndef HOTPB_BENCH_PEERS_LIBPROTOBUF_H_
#define HOTPB_BENCH_PEERS_LIBPROTOBUF_H_

#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <memory>
#include <string>
#include <vector>

#include "contender.h"
#include "sum.h"

namespace peers {

template <class Message>
inline bool parse(Message& message, std::string_view record) {
  return message.ParseFromArray(record.data(), static_cast<int>(record.size()));
}

enum class Memory { Fresh, Reused, Arena };

template <class Message, class W, Memory kMemory>
class Stocked final : public Contender {
 public:
  Stocked() : block_(kMemory == Memory::Arena ? 1 << 21 : 0) {
    google::protobuf::ArenaOptions options;
    options.initial_block = block_.data();
    options.initial_block_size = block_.size();
    if (kMemory == Memory::Arena) arena_.reset(new google::protobuf::Arena(options));
  }
  bool takes(Task task) const override {
    return kMemory == Memory::Fresh || task == Task::Decode || task == Task::DecodeRead;
  }
  bool decode(std::string_view record, std::uint64_t& checksum) override {
    return with_message(record, [&](const Message& message) { checksum = W::sum(message); });
  }
  bool hold(const Records& records) override {
    held_ = std::vector<Message>(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (!parse(held_[i], records[i])) return false;
    }
    return true;
  }
  std::string encoded(Task task, std::size_t i) override {
    if (task == Task::EncodeFresh) return held_[i].SerializeAsString();
    write(held_[i]);
    return std::string(out_.get(), size_);
  }
  bool run(Task task, const Records& records, std::uint64_t operations) override {
    switch (task) {
      case Task::Decode:
        return in_turn(records.size(), operations, [&](std::size_t i) {
          return with_message(records[i], [](const Message& message) { use(&message); });
        });
      case Task::DecodeRead:
        return in_turn(records.size(), operations, [&](std::size_t i) {
          return with_message(records[i], [](const Message& message) { use(W::sum(message)); });
        });
      case Task::Encode:
        return in_turn(records.size(), operations, [&](std::size_t i) {
          write(held_[i]);
          use(out_.get());
          return true;
        });
      default:
        return in_turn(records.size(), operations, [&](std::size_t i) {
          const std::string fresh = held_[i].SerializeAsString();
          use(fresh.data());
          return true;
        });
    }
  }

 private:
  template <class F>
  bool with_message(std::string_view record, F f) {
    if constexpr (kMemory == Memory::Fresh) {
      Message message;
      if (!parse(message, record)) return false;
      f(message);
    } else if constexpr (kMemory == Memory::Reused) {
      if (!parse(message_, record)) return false;
      f(message_);
    } else {
      Message* const message = google::protobuf::Arena::CreateMessage<Message>(arena_.get());
      if (!parse(*message, record)) return false;
      f(*message);
      arena_->Reset();
    }
    return true;
  }
  // Its size, then its bytes: neither a string that is cleared with zeros nor a stream.
  void write(const Message& message) {
    size_ = message.ByteSizeLong();
    if (size_ > room_) {
      out_.reset(new char[size_]);
      room_ = size_;
    }
    message.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(out_.get()));
  }

  std::vector<char> block_;
  std::unique_ptr<google::protobuf::Arena> arena_;
  Message message_;
  std::vector<Message> held_;
  std::unique_ptr<char[]> out_;
  std::size_t room_ = 0, size_ = 0;
};

// Encodes each message into an array of exactly its size, which is not filled in before.
template <class Message>
class FreshArray final : public Contender {
 public:
  bool takes(Task task) const override { return task == Task::EncodeFresh; }
  bool decode(std::string_view, std::uint64_t&) override { return false; }
  bool hold(const Records& records) override {
    held_ = std::vector<Message>(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (!parse(held_[i], records[i])) return false;
    }
    return true;
  }
  std::string encoded(Task, std::size_t i) override {
    const auto out = write(held_[i]);
    return std::string(reinterpret_cast<const char*>(out.get()), held_[i].ByteSizeLong());
  }
  bool run(Task, const Records& records, std::uint64_t operations) override {
    return in_turn(records.size(), operations, [&](std::size_t i) {
      const auto out = write(held_[i]);
      use(out.get());
      return true;
    });
  }

 private:
  static std::unique_ptr<std::uint8_t[]> write(const Message& message) {
    std::unique_ptr<std::uint8_t[]> out(new std::uint8_t[message.ByteSizeLong()]);
    message.SerializeWithCachedSizesToArray(out.get());
    return out;
  }
  std::vector<Message> held_;
};

template <class Message, class W>
struct Libprotobuf {
  explicit Libprotobuf(const char* name)
      : fresh(name, "libprotobuf"),
        reused(name, "libprotobuf:reused"),
        arena(name, "libprotobuf:arena"),
        array(name, "libprotobuf:array") {
    rows()[name].stock.checksum = [](std::string_view record, std::uint64_t& checksum) {
      Message message;
      if (!parse(message, record)) return false;
      checksum = W::sum(message);
      return true;
    };
    rows()[name].stock.reencode = [](std::string_view bytes, std::string& reencoded) {
      Message message;
      if (!parse(message, bytes)) return false;
      reencoded.clear();
      google::protobuf::io::StringOutputStream stream(&reencoded);
      google::protobuf::io::CodedOutputStream coded(&stream);
      coded.SetSerializationDeterministic(true);
      return message.SerializeToCodedStream(&coded);
    };
  }
  Registration<Stocked<Message, W, Memory::Fresh>> fresh;
  Registration<Stocked<Message, W, Memory::Reused>> reused;
  Registration<Stocked<Message, W, Memory::Arena>> arena;
  Registration<FreshArray<Message>> array;
};

}  // namespace peers

#endif  // HOTPB_BENCH_PEERS_LIBPROTOBUF_H_
