#include <google/protobuf/arena.h>

#include "lite/bench/events.pb.h"
#include "protozero/document.h"
#include "protozero/rivals.h"

namespace bench {
namespace {

using Event = lite::hotpb::bench::Event;

BENCH_INLINE std::size_t serialize(const Event& event, std::uint8_t* out) {
  event.SerializeToArray(out, static_cast<int>(kRoom));
  return static_cast<std::size_t>(event.GetCachedSize());
}

// A new message each time, on the stack.
struct Fresh : ProtobufRival {
  using ProtobufRival::ProtobufRival;
  template <class Fill>
  BENCH_INLINE std::size_t write(std::uint8_t* out) {
    Event event;
    Fill::fill(event);
    return serialize(event, out);
  }
};

// On an arena that keeps its first block.
class OnArena : public ProtobufRival {
 public:
  explicit OnArena(bool nested) : ProtobufRival(nested), block_(new char[kBlock]), arena_(options()) {}
  template <class Fill>
  BENCH_INLINE std::size_t write(std::uint8_t* out) {
    Event* const event = google::protobuf::Arena::CreateMessage<Event>(&arena_);
    Fill::fill(*event);
    const std::size_t size = serialize(*event, out);
    arena_.Reset();
    return size;
  }

 private:
  static constexpr std::size_t kBlock = 4096;
  google::protobuf::ArenaOptions options() {
    google::protobuf::ArenaOptions options;
    options.initial_block = block_.get();
    options.initial_block_size = kBlock;
    return options;
  }

  std::unique_ptr<char[]> block_;
  google::protobuf::Arena arena_;
};

// One message, which is cleared and filled again. It keeps its children and strings.
class Reused : public ProtobufRival {
 public:
  using ProtobufRival::ProtobufRival;
  template <class Fill>
  BENCH_INLINE std::size_t write(std::uint8_t* out) {
    event_.Clear();
    Fill::fill(event_);
    return serialize(event_, out);
  }

 private:
  Event event_;
};

}  // namespace

void add_libprotobuf_lite(Grid& grid) {
  add_document_rival<Fresh>(grid, "libprotobuf-lite", "3.21; a message on the stack");
  add_document_rival<OnArena>(grid, "libprotobuf-lite:arena", "3.21; arena with room for all, reset each time");
  add_document_rival<Reused>(grid, "libprotobuf-lite:reused", "3.21; one message, cleared each time");
}

}  // namespace bench
