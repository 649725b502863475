// libprotobuf's messages as readers: fresh, used again, and on an arena. And what all rivals are compared with.
#ifndef HOTPB_BENCH_POOL_STOCK_H_
#define HOTPB_BENCH_POOL_STOCK_H_

#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <memory>
#include <string>
#include <string_view>

#include "bench/listing.pb.h"
#include "bench/otlp_logs.pb.h"
#include "bench/shapes.pb.h"
#include "pool/decode.h"
#include "prometheus/remote.pb.h"
#include "prometheus/write/v2/types.pb.h"
#include "view/stock.h"

namespace bench {

// Maps by key.
template <class Message>
std::string deterministic(const Message& message) {
  std::string out;
  google::protobuf::io::StringOutputStream stream(&out);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializePartialToCodedStream(&coded);
  coded.Trim();
  return out;
}

template <class Stock>
std::string canonical(const std::string& input) {
  Stock message;
  if (!message.ParseFromString(input)) std::abort();
  return deterministic(message);
}
template <class Stock, class Walk>
std::uint64_t sum_of(const std::string& input) {
  Stock message;
  if (!message.ParseFromString(input)) std::abort();
  StockAccess access;
  Sum sum;
  Walk::all(access, message, sum);
  return sum.value();
}

// The part that the ways to keep a message share.
template <class Self>
class StockReader {
 public:
  std::string reencoded() { return deterministic(self().message()); }
  template <class Walk>
  void walk(Sum& sum) {
    StockAccess access;
    Walk::all(access, self().message(), sum);
  }
  std::string_view encode() {
    out_.clear();
    if (!self().message().AppendPartialToString(&out_)) std::abort();
    return out_;
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }
  std::string out_;
};

template <class Message>
class PoolFresh : public StockReader<PoolFresh<Message>> {
 public:
  bool decode(std::string_view input) {
    message_ = std::make_unique<Message>();
    return message_->ParseFromArray(input.data(), static_cast<int>(input.size()));
  }
  const Message& message() const { return *message_; }

 private:
  std::unique_ptr<Message> message_;
};

template <class Message>
class PoolReused : public StockReader<PoolReused<Message>> {
 public:
  bool decode(std::string_view input) { return message_.ParseFromArray(input.data(), static_cast<int>(input.size())); }
  const Message& message() const { return message_; }

 private:
  Message message_;
};

// The arena keeps its first block, which holds all that it is asked for.
template <class Message>
class PoolArena : public StockReader<PoolArena<Message>> {
 public:
  PoolArena() : block_(new char[kBlock]), arena_(options()) {}
  bool decode(std::string_view input) {
    arena_.Reset();
    message_ = google::protobuf::Arena::CreateMessage<Message>(&arena_);
    return message_->ParseFromArray(input.data(), static_cast<int>(input.size()));
  }
  const Message& message() const { return *message_; }

 private:
  static constexpr std::size_t kBlock = std::size_t{64} << 20;
  google::protobuf::ArenaOptions options() {
    google::protobuf::ArenaOptions options;
    options.initial_block = block_.get();
    options.initial_block_size = kBlock;
    return options;
  }

  std::unique_ptr<char[]> block_;
  google::protobuf::Arena arena_;
  Message* message_ = nullptr;
};

}  // namespace bench

#endif  // HOTPB_BENCH_POOL_STOCK_H_
