// The limit: as in the document, an appender that stores the values in their form in memory, aligned, without encoding
// and without checks. Its output is not protobuf; it is verified by reading it back.
#include <cstring>
#include <new>

#include "protozero/document.h"
#include "protozero/rivals.h"

namespace bench {
namespace {

class RawMessage {
 public:
  BENCH_INLINE void set_field_int32(std::int32_t value) { append(value); }
  BENCH_INLINE void set_field_uint32(std::uint32_t value) { append(value); }
  BENCH_INLINE void set_field_int64(std::int64_t value) { append(value); }
  BENCH_INLINE void set_field_uint64(std::uint64_t value) { append(value); }
  BENCH_INLINE void set_field_string(const char* text) { at_ = std::strcpy(at_, text); }
  // A child follows its parent.
  BENCH_INLINE RawMessage* add_field_nested() { return new (this + 1) RawMessage(); }

  bool holds_inputs() const {
    const char* from = storage_;
    return next<std::int32_t>(from) == static_cast<std::int32_t>(inputs.numbers[0]) &&
           next<std::uint32_t>(from) == static_cast<std::uint32_t>(inputs.numbers[1]) &&
           next<std::int64_t>(from) == static_cast<std::int64_t>(inputs.numbers[2]) &&
           next<std::uint64_t>(from) == inputs.numbers[3] && std::strcmp(from, inputs.text) == 0;
  }

 private:
  template <class T>
  BENCH_INLINE void append(T value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }
  template <class T>
  static T next(const char*& from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    from += sizeof value;
    return value;
  }

  char storage_[sizeof(Inputs)];
  char* at_ = storage_;
};

struct SpeedOfLight {
  explicit SpeedOfLight(bool) {}
  template <class Fill>
  BENCH_INLINE std::size_t write(std::uint8_t* out) {
    RawMessage* const message = new (out) RawMessage();
    Fill::fill(*message);
    return (Fill::kNested ? 4 : 1) * sizeof(RawMessage);
  }
  std::string check(const std::uint8_t* out, std::size_t size, bool) {
    const RawMessage* const messages = reinterpret_cast<const RawMessage*>(out);
    for (std::size_t i = 0; i < size / sizeof(RawMessage); ++i) {
      if (!messages[i].holds_inputs()) return "what was stored is not what was put in";
    }
    return {};
  }
};

}  // namespace

void add_speed_of_light(Grid& grid) {
  add_document_rival<SpeedOfLight>(grid, "speed-of-light", "raw aligned stores without encoding, as in the document");
}

}  // namespace bench
