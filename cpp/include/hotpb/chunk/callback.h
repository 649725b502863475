// A chunk source that consists of three callables, for memory of other kinds: a ring, a file mapping, a pool.
//
//   hotpb::CallbackSource source(
//       [&](std::uint64_t full_id, std::size_t used, std::uint32_t open_slots) { return hotpb::Chunk{...}; },
//       [&](std::uint64_t id, std::size_t offset, const std::uint8_t (&bytes)[4], std::uint32_t still_open) {...},
//       [&](std::uint64_t id, std::size_t used, const hotpb::MessageEnd& end) {...});
//   hotpb::WriteStream out(source);
//   { auto msg = out.message<TestMsgWriter>(); ... }
//
// chunk/source.h defines the calls. The second and the third return whether they succeeded, or nothing, which means
// that they did. The third may omit `end`. The source must outlive the stream.
#ifndef HOTPB_CHUNK_CALLBACK_H_
#define HOTPB_CHUNK_CALLBACK_H_

#include <type_traits>
#include <utility>

#include "hotpb/chunk/source.h"
#include "hotpb/detail/abi.h"

HOTPB_NAMESPACE_BEGIN

template <class Next, class Patch, class Finish>
class CallbackSource final : public ChunkSource {
 public:
  CallbackSource(Next next, Patch patch, Finish finish)
      : next_(std::move(next)), patch_(std::move(patch)), finish_(std::move(finish)) {}

  Chunk next(std::uint64_t full_id, std::size_t used, std::uint32_t open_slots) override {
    return next_(full_id, used, open_slots);
  }
  bool patch(std::uint64_t id, std::size_t offset, const std::uint8_t (&bytes)[4],
             std::uint32_t still_open) override {
    return went_well([&]() -> decltype(auto) { return patch_(id, offset, bytes, still_open); });
  }
  bool finish(std::uint64_t id, std::size_t used, const MessageEnd& end) override {
    if constexpr (std::is_invocable_v<Finish&, std::uint64_t, std::size_t, const MessageEnd&>) {
      return went_well([&]() -> decltype(auto) { return finish_(id, used, end); });
    } else {
      return went_well([&]() -> decltype(auto) { return finish_(id, used); });
    }
  }

 private:
  template <class Call>
  static bool went_well(Call call) {
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      return true;
    } else {
      static_assert(std::is_same_v<decltype(call()), bool>, "patch and finish must return bool or nothing");
      return call();
    }
  }

  Next next_;
  Patch patch_;
  Finish finish_;
};

HOTPB_NAMESPACE_END

#endif  // HOTPB_CHUNK_CALLBACK_H_
