// The harness of ProtoZero's design document, and the contents of its two workloads.
//
// An operation writes one message into the next 512 bytes of a working set of 64 MiB, like a tracing service's buffer.
// Then it reads the bytes back in a chain of dependent XORs, so that no store can be optimised away. The chain is most
// of the cost of the empty harness (`floor`). Case `hot-loop` writes to the same place again and again, with nothing
// around it.
#ifndef HOTPB_BENCH_PROTOZERO_DOCUMENT_H_
#define HOTPB_BENCH_PROTOZERO_DOCUMENT_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <type_traits>

#include "grid/harness.h"

#define BENCH_INLINE inline __attribute__((always_inline))

namespace bench {

constexpr std::size_t kRoom = 512;  // more than a message needs
constexpr std::size_t kWorkingSet = std::size_t{64} << 20;

// Varints of five bytes and a string of 31, as in the document.
struct Inputs {
  std::uint64_t numbers[4] = {0x12345678, 0x90abcdef, 0x11111111, 0xffffffff};
  char text[32] = "fffffffffffffffffffffffffffffff";
};
extern Inputs inputs;

// A child is a handle or a pointer.
template <class T>
BENCH_INLINE T& message(T& handle) { return handle; }
template <class T>
BENCH_INLINE T& message(T* pointer) { return *pointer; }

struct Simple {
  static constexpr bool kNested = false;
  template <class Message>
  static BENCH_INLINE void fill(Message& out) {
    asm volatile("" : "+m"(inputs) : : "memory");
    out.set_field_int32(static_cast<std::int32_t>(inputs.numbers[0]));
    out.set_field_uint32(static_cast<std::uint32_t>(inputs.numbers[1]));
    out.set_field_int64(static_cast<std::int64_t>(inputs.numbers[2]));
    out.set_field_uint64(inputs.numbers[3]);
    out.set_field_string(inputs.text);
  }
};

// The same four times, each inside of the previous one.
template <int kDepth>
struct NestedFrom {
  static constexpr bool kNested = true;
  template <class Message>
  static BENCH_INLINE void fill(Message& out) {
    Simple::fill(out);
    if constexpr (kDepth < 3) {
      auto child = out.add_field_nested();
      NestedFrom<kDepth + 1>::fill(message(child));
    }
  }
};
using Nested = NestedFrom<0>;

// Whether libprotobuf reads the bytes as the intended message. Returns the difference, or "".
std::string differs_from_stock(const std::uint8_t* bytes, std::size_t size, bool nested);
// The bytes that libprotobuf writes.
std::string encoded_by_stock(bool nested);

class WorkingSet {
 public:
  WorkingSet() : memory_(new std::uint8_t[kWorkingSet]()) {}  // zeroed, so that the system has mapped every page

  std::uint8_t* at() { return at_; }

  BENCH_INLINE void clobber(std::uint64_t operation) {
    clobber_memory();  // whatever type the bytes were stored as, they are in memory now
    std::uint64_t* const words = reinterpret_cast<std::uint64_t*>(at_);
    constexpr std::size_t kWords = kRoom / sizeof(std::uint64_t);
    words[0] = reinterpret_cast<std::uintptr_t>(this);
    for (std::size_t i = 1; i < kWords; ++i) words[i] ^= words[i - 1];
    if (words[kWords - 1] == 42) std::abort();
    use(words);
    at_ = memory_.get() + operation % (kWorkingSet / kRoom) * kRoom;
    clobber_memory();
  }

 private:
  std::unique_ptr<std::uint8_t[]> memory_;
  std::uint8_t* at_ = memory_.get();
};

// Rival: `template <class Fill> std::size_t write(std::uint8_t* out)` writes one message at the start of kRoom bytes
// and returns its size. std::string check(out, size, nested) returns the error of the message, or "".
template <class Rival, class Fill>
class DocumentContender final : public Contender {
 public:
  explicit DocumentContender(bool hot_loop) : hot_loop_(hot_loop), rival_(Fill::kNested) {}

  void run(std::uint64_t operations) override {
    if (hot_loop_) return bare(operations);
    for (std::uint64_t i = 0; i < operations; ++i) {
      rival_.template write<Fill>(set_.at());
      set_.clobber(i);
    }
  }
  void bare(std::uint64_t operations) override {
    for (std::uint64_t i = 0; i < operations; ++i) {
      rival_.template write<Fill>(set_.at());
      clobber_memory();
    }
  }
  std::string verify() override {
    const std::size_t size = rival_.template write<Fill>(set_.at());
    return rival_.check(set_.at(), size, Fill::kNested);
  }
  std::size_t size() const override { return encoded_by_stock(Fill::kNested).size(); }

 private:
  bool hot_loop_;
  Rival rival_;
  WorkingSet set_;
};

// The base class of rivals that write protobuf.
class ProtobufRival {
 public:
  explicit ProtobufRival(bool) {}
  std::string check(const std::uint8_t* out, std::size_t size, bool nested) {
    return differs_from_stock(out, size, nested);
  }
};

template <class Rival, class Fill>
void add_document_task(Grid& grid, const char* task, const char* rival, const char* note) {
  grid.add(task, rival, note, [](const Request& request) -> std::unique_ptr<Contender> {
    if (request.case_name != "harness" && request.case_name != "hot-loop") return nullptr;
    return std::make_unique<DocumentContender<Rival, Fill>>(request.case_name == "hot-loop");
  });
}

template <class Rival>
void add_document_rival(Grid& grid, const char* rival, const char* note) {
  add_document_task<Rival, Simple>(grid, "protozero-simple", rival, note);
  add_document_task<Rival, Nested>(grid, "protozero-nested", rival, note);
}

}  // namespace bench

#endif  // HOTPB_BENCH_PROTOZERO_DOCUMENT_H_
