// The checksum of all fields of a message. Generated code has a struct for each message type, whose sum() adds up its
// fields by these functions; they take what an accessor of any runtime returns.
#ifndef HOTPB_BENCH_PEERS_SUM_H_
#define HOTPB_BENCH_PEERS_SUM_H_

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

namespace peers {

using Sum = std::uint64_t;

// The value of a field.
inline Sum bytes(const void* data, std::size_t size) {
  const auto* const p = static_cast<const unsigned char*>(data);
  return size == 0 ? 0 : size + 256 * Sum{p[0]} + 65536 * Sum{p[size - 1]};
}
template <class T>
inline Sum word(const T& value) {
  if constexpr (std::is_same_v<T, double>) {
    Sum bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  } else if constexpr (std::is_same_v<T, float>) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<Sum>(static_cast<std::int64_t>(static_cast<std::int32_t>(value)));
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<Sum>(static_cast<std::int64_t>(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<Sum>(value);
  } else {
    return bytes(value.data(), value.size());
  }
}

// All values of a repeated field.
template <class List>
inline Sum words(const List& list) {
  Sum sum = 0;
  for (const auto& value : list) sum += word(value);
  return sum;
}

// A message, whose fields W adds up.
template <class W, class M>
inline Sum child(const M& message) {
  return 1 + W::sum(message);
}
template <class W, class List>
inline Sum children(const List& list) {
  Sum sum = 0;
  for (const auto& message : list) sum += child<W>(message);
  return sum;
}

#ifdef HOTPB_VIEW_H_
// A view opens, and so checks, each message that it reads.
template <class W, class V>
inline Sum child(const hotpb::view::Message<V>& message) {
  V view;
  if (!view.open(message).ok()) std::abort();
  return 1 + W::sum(view);
}
template <class W, class V>
inline Sum children(const hotpb::view::Messages<V>& list) {
  Sum sum = 0;
  V view;
  for (const auto& message : list) {
    if (!view.open(message).ok()) std::abort();
    sum += 1 + W::sum(view);
  }
  return sum;
}
#endif

// An entry of a map: a pair in libprotobuf.
template <class E>
inline auto key_of(const E& entry) -> decltype((entry.first)) { return entry.first; }
template <class E>
inline auto key_of(const E& entry) -> decltype((entry.key)) { return entry.key; }
template <class E>
inline auto value_of(const E& entry) -> decltype((entry.second)) { return entry.second; }
template <class E>
inline auto value_of(const E& entry) -> decltype((entry.value)) { return entry.value; }

// W is void for values that are no messages.
template <class W, class Map>
inline Sum entries(const Map& map) {
  Sum sum = 0;
  for (const auto& entry : map) {
    Sum value;
    if constexpr (std::is_void_v<W>) {
      value = word(value_of(entry));
    } else {
      value = child<W>(value_of(entry));
    }
    sum += 1 + 3 * word(key_of(entry)) + 5 * value;
  }
  return sum;
}

}  // namespace peers

#endif  // HOTPB_BENCH_PEERS_SUM_H_
