#include <cstdlib>
#include <memory>

#include "bench/many.pb.h"
#include "many/rivals.h"

namespace bench {
namespace many {
namespace {

template <class Message>
class Fresh final : public Decoder {
  std::uint64_t decode(const std::string& bytes) override {
    Message message;
    if (!message.ParseFromString(bytes)) std::abort();
    return read(message);
  }
};

template <class Message>
class Reused final : public Decoder {
  std::uint64_t decode(const std::string& bytes) override {
    if (!message_.ParseFromString(bytes)) std::abort();
    return read(message_);
  }

  Message message_;
};

template <class Message>
class Filled final : public Encoder {
  void keep(const Wide<std::string>& message) override { write(message_, message); }
  std::size_t encode(std::uint8_t* out) override {
    if (!message_.SerializeToArray(out, static_cast<int>(kRoom))) std::abort();
    return static_cast<std::size_t>(message_.GetCachedSize());
  }

  Message message_;
};

#define BENCH_FRESH(nn) std::make_unique<Fresh<hotpb::bench::many::Wide##nn>>(),
#define BENCH_REUSED(nn) std::make_unique<Reused<hotpb::bench::many::Wide##nn>>(),
#define BENCH_FILLED(nn) std::make_unique<Filled<hotpb::bench::many::Wide##nn>>(),

Decoders fresh() { return {BENCH_WIDE_TYPES(BENCH_FRESH)}; }
Decoders reused() { return {BENCH_WIDE_TYPES(BENCH_REUSED)}; }
Encoders filled() { return {BENCH_WIDE_TYPES(BENCH_FILLED)}; }

}  // namespace

void add_libprotobuf(Grid& grid) {
  add_decoders(grid, "libprotobuf", "3.21; parsed into a fresh message", fresh);
  add_decoders(grid, "libprotobuf:reuse", "3.21; one message for each type, parsed again and again", reused);
  add_encoders(grid, "libprotobuf", "3.21; SerializeToArray of a message that is filled", filled);
}

}  // namespace many
}  // namespace bench
