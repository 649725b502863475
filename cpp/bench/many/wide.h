// The thirty types of proto/bench/wide.proto, the contents of their messages, and functions that read them.
#ifndef HOTPB_BENCH_MANY_WIDE_H_
#define HOTPB_BENCH_MANY_WIDE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "view/walk.h"

// X(type, name, number) for each field.
#define BENCH_WIDE_FIELDS(X)                                                                                    \
  X(string, name, 1) X(int64, id, 2) X(uint32, kind, 3) X(bool, active, 4) X(string, owner, 5)                  \
  X(int32, priority, 6) X(uint64, created, 7) X(string, region, 8) X(fixed64, fingerprint, 9)                   \
  X(sint32, offset, 10) X(string, parent, 11) X(int32, retries, 12) X(bool, locked, 13) X(string, title, 14)    \
  X(uint32, amount, 15) X(int64, updated, 16) X(string, folder, 17) X(int32, limit, 18) X(fixed32, checksum, 19)\
  X(bool, hidden, 20) X(string, host, 21) X(uint64, sequence, 22) X(int32, status, 23) X(string, agent, 24)     \
  X(sint64, balance, 25) X(bool, confirmed, 26) X(bytes, token, 27) X(string, zone, 28) X(uint32, port, 29)     \
  X(uint64, expires, 30) X(double, ratio, 31) X(string, label, 32) X(int32, depth, 33) X(bool, archived, 34)    \
  X(string, source, 35) X(string, target, 36) X(int64, total, 37) X(float, score, 38) X(string, comment, 39)    \
  X(int64, version, 40)

// X(NN) for each type: WideNN.
#define BENCH_WIDE_TYPES(X)                                                                                     \
  X(00) X(01) X(02) X(03) X(04) X(05) X(06) X(07) X(08) X(09) X(10) X(11) X(12) X(13) X(14)                     \
  X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29)

namespace bench {
namespace many {

constexpr std::size_t kTypes = 30;
constexpr std::size_t kRoom = 1024;  // more than a message needs

// The type of a field in a plain struct; Text is the type of strings.
template <class Text>
struct Kept {
  using as_string = Text;
  using as_bytes = Text;
  using as_int32 = std::int32_t;
  using as_sint32 = std::int32_t;
  using as_int64 = std::int64_t;
  using as_sint64 = std::int64_t;
  using as_uint32 = std::uint32_t;
  using as_fixed32 = std::uint32_t;
  using as_uint64 = std::uint64_t;
  using as_fixed64 = std::uint64_t;
  using as_float = float;
  using as_double = double;
  using as_bool = bool;
};

template <class Text>
struct Wide {
#define BENCH_FIELD(type, name, number) typename Kept<Text>::as_##type name{};
  BENCH_WIDE_FIELDS(BENCH_FIELD)
#undef BENCH_FIELD
};

inline bool is_set(const std::string& text) { return !text.empty(); }
template <class Number>
bool is_set(Number number) {
  return number != 0;
}

// The same messages as in Rust and Go (go/bench/messages/many.go), with the types in the same order.
const std::vector<std::string>& inputs();
const std::vector<std::size_t>& turn();
// Message `i` as libprotobuf reads it.
Wide<std::string> wide(std::size_t i);

// Adds a field to a checksum, however the library returns it.
inline void add(Sum& sum, std::string_view text) { sum.text(text); }
template <class Value>
auto add(Sum& sum, const Value& bytes) -> decltype(bytes.text(), void()) {
  sum.text(bytes.text());
}
template <class Value>
auto add(Sum& sum, Value number) -> std::enable_if_t<std::is_arithmetic_v<Value>> {
  sum.number(number);
}

// Reads every field of a message through its accessors.
template <class Message>
std::uint64_t read(const Message& message) {
  Sum sum;
#define BENCH_FIELD(type, name, number) add(sum, message.name());
  BENCH_WIDE_FIELDS(BENCH_FIELD)
#undef BENCH_FIELD
  return sum.value();
}

// Writes every field that is set to a message with setters.
template <class Message>
void write(Message& message, const Wide<std::string>& from) {
#define BENCH_FIELD(type, name, number) \
  if (is_set(from.name)) message.set_##name(from.name);
  BENCH_WIDE_FIELDS(BENCH_FIELD)
#undef BENCH_FIELD
}

}  // namespace many
}  // namespace bench

#endif  // HOTPB_BENCH_MANY_WIDE_H_
