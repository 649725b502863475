// libprotobuf's messages as readers: parsed into a fresh message, or into one on an arena.
#ifndef HOTPB_BENCH_VIEW_STOCK_H_
#define HOTPB_BENCH_VIEW_STOCK_H_

#include <google/protobuf/arena.h>

#include "view/reader.h"

namespace bench {

struct StockAccess {
  template <class List, class F>
  void each(const List& list, F f) {
    for (const auto& message : list) f(message);
  }
  template <class List, class F>
  void at(const List& list, std::size_t index, F f) { f(list[static_cast<int>(index)]); }
  template <class Message, class F>
  void child(const Message& message, F f) { f(message); }
};

template <class Message>
class FreshReader {
 public:
  template <class Walk, Read kRead>
  void read(const std::string& bytes, Sum& sum) {
    Message message;
    if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) std::abort();
    StockAccess access;
    walk<kRead, Walk>(access, message, sum);
  }
};

// The arena keeps its first block, which is large enough for all its messages.
template <class Message>
class ArenaReader {
 public:
  ArenaReader() : block_(new char[kBlock]), arena_(options()) {}
  template <class Walk, Read kRead>
  void read(const std::string& bytes, Sum& sum) {
    Message* const message = google::protobuf::Arena::CreateMessage<Message>(&arena_);
    if (!message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) std::abort();
    StockAccess access;
    walk<kRead, Walk>(access, *message, sum);
    arena_.Reset();
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{32} << 20;
  google::protobuf::ArenaOptions options() {
    google::protobuf::ArenaOptions options;
    options.initial_block = block_.get();
    options.initial_block_size = kBlock;
    return options;
  }

  std::unique_ptr<char[]> block_;
  google::protobuf::Arena arena_;
};

}  // namespace bench

#endif  // HOTPB_BENCH_VIEW_STOCK_H_
