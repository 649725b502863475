// Packets for the tests of shared memory: random messages, and a function that makes the lengths of their bytes
// minimal.
#ifndef HOTPB_TESTS_SHM_PACKETS_H_
#define HOTPB_TESTS_SHM_PACKETS_H_

#include <cstdint>
#include <string>

#include "hotpb/vectors.hot.h"
#include "hotpb/wire/varint.h"
#include "hotpb/writer.h"

namespace hotpb_test {

inline std::string hex(const std::uint8_t* data, std::size_t size) {
  std::string out;
  for (std::size_t i = 0; i < size; ++i) {
    static const char* const kDigits = "0123456789abcdef";
    out += kDigits[data[i] >> 4];
    out += kDigits[data[i] & 15];
  }
  return out;
}

using hotpb::vectors::p3::hot::ChildWriter;

struct Dice {
  std::uint64_t state;
  std::uint64_t next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
  }
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }
};

// About `budget` bytes of strings, in nested messages.
inline void write_random(ChildWriter& message, Dice& dice, std::size_t budget, int depth = 0) {
  static const std::string kText(1 << 16, 't');
  message.set_id(static_cast<std::int32_t>(dice.next()));
  while (budget > 0) {
    const std::size_t part = 1 + dice.below(budget);
    budget -= part;
    switch (depth < 12 ? dice.below(6) : 0) {
      case 0:
      case 1: message.set_name(std::string_view(kText).substr(0, part < kText.size() ? part : kText.size())); break;
      case 2: message.add_counts("key", static_cast<std::int32_t>(part)); break;
      case 3: {
        auto numbers = message.packed_numbers();
        for (std::size_t i = 0; i < part && i < 500; ++i) numbers.add(static_cast<std::int32_t>(i * part));
        break;
      }
      case 4: message.set_child([&](ChildWriter& child) { write_random(child, dice, part, depth + 1); }); break;
      default: message.add_children([&](ChildWriter& child) { write_random(child, dice, part, depth + 1); }); break;
    }
  }
}

// The same message with minimal lengths; kNone if the bytes are not a message.
inline const std::string kNone = "no message";
inline std::string minimal(const std::uint8_t* p, const std::uint8_t* end) {
  std::string out;
  const auto put = [&out](std::uint64_t value) {
    std::uint8_t bytes[hotpb::wire::kVarintRoom];
    out.append(reinterpret_cast<const char*>(bytes),
               static_cast<std::size_t>(hotpb::wire::write_varint(bytes, value) - bytes));
  };
  while (p != end) {
    std::uint64_t tag = 0;
    std::uint64_t value = 0;
    if ((p = hotpb::wire::read_varint(p, end, tag)) == nullptr) return kNone;
    if ((p = hotpb::wire::read_varint(p, end, value)) == nullptr) return kNone;
    put(tag);
    if ((tag & 7) == 2) {
      if (value > static_cast<std::uint64_t>(end - p)) return kNone;
      const std::uint64_t field = tag >> 3;
      std::string content(reinterpret_cast<const char*>(p), static_cast<std::size_t>(value));
      if (field == 3 || field == 9) content = minimal(p, p + value);
      if (content == kNone) return kNone;
      p += value;
      put(content.size());
      out += content;
    } else {
      if ((tag & 7) != 0) return kNone;
      put(value);
    }
  }
  return out;
}
inline std::string minimal(hotpb::Bytes bytes) { return minimal(bytes.begin(), bytes.end()); }

// The same calls into separate memory.
inline std::string expected(Dice dice, std::size_t budget) {
  static thread_local hotpb::HeapBuffer buffer([] {
    hotpb::HeapOptions options;
    options.policy = hotpb::LengthPolicy::minimal;
    return options;
  }());
  buffer.clear();
  {
    auto message = buffer.message<ChildWriter>();
    write_random(message, dice, budget);
  }
  std::string out;
  return buffer.append_to(out).ok() ? out : kNone;
}

}  // namespace hotpb_test

#endif  // HOTPB_TESTS_SHM_PACKETS_H_
