// One root message for all messages, which writes to another place each time, as a tracing thread keeps it.
#ifndef HOTPB_BENCH_PERFETTO_REUSED_ROOT_H_
#define HOTPB_BENCH_PERFETTO_REUSED_ROOT_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "protozero.h"

namespace bench {

template <class Message>
class ReusedRoot {
 public:
  Message& reset(std::uint8_t* out, std::size_t size) {
    begin_ = out;
    writer_.Reset(::protozero::ContiguousMemoryRange{out, out + size});
    message_.Reset(&writer_);
    return message_;
  }
  std::size_t finish() {
    message_.Finalize();
    return written();
  }
  std::size_t written() const { return static_cast<std::size_t>(writer_.write_ptr() - begin_); }

 private:
  struct Nowhere final : ::protozero::ScatteredStreamWriter::Delegate {
    ::protozero::ContiguousMemoryRange GetNewBuffer() override { std::abort(); }
  };

  Nowhere nowhere_;
  ::protozero::ScatteredStreamWriter writer_{&nowhere_};
  ::protozero::RootMessage<Message> message_;
  std::uint8_t* begin_ = nullptr;
};

}  // namespace bench

#endif  // HOTPB_BENCH_PERFETTO_REUSED_ROOT_H_
