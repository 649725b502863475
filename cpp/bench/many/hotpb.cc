#include <cstdlib>
#include <memory>

#include "bench/many.hot.h"
#include "many/rivals.h"

namespace bench {
namespace many {
namespace {

template <class View>
class Reader final : public Decoder {
  std::uint64_t decode(const std::string& bytes) override {
    View view;
    const hotpb::Bytes input(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    if (!view.decode(input).ok()) std::abort();
    return read(view);
  }
};

template <class MessageWriter>
class Writer final : public Encoder {
  void keep(const Wide<std::string>& message) override { message_ = message; }
  std::size_t encode(std::uint8_t* out) override {
    buffer_.clear(out, kRoom);
    {
      auto message = buffer_.message<MessageWriter>();
      write(message, message_);
    }
    return buffer_.bytes().size();
  }

  Wide<std::string> message_;
  hotpb::FixedBuffer buffer_{nullptr, 0};
};

Decoders readers() {
#define BENCH_TYPE(nn) std::make_unique<Reader<hotpb::bench::many::hot::Wide##nn##View>>(),
  return {BENCH_WIDE_TYPES(BENCH_TYPE)};
#undef BENCH_TYPE
}

Encoders writers() {
#define BENCH_TYPE(nn) std::make_unique<Writer<hotpb::bench::many::hot::Wide##nn##Writer>>(),
  return {BENCH_WIDE_TYPES(BENCH_TYPE)};
#undef BENCH_TYPE
}

}  // namespace

void add_hotpb(Grid& grid) {
  add_decoders(grid, "hotpb-view", "by table, as the rule has it for forty fields", readers);
  add_encoders(grid, "hotpb-writer", "from a plain struct; one FixedBuffer for each type", writers);
}

}  // namespace many
}  // namespace bench
