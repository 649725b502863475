// Hashes of the keys of maps, for maps whose entries do not come by key: the decode finds repeated keys with a table,
// and look-ups in a large map use the table.
//
// This header serves generated code; users meet pool.h.
#ifndef HOTPB_POOL_HASH_H_
#define HOTPB_POOL_HASH_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hotpb/detail/abi.h"
#include "hotpb/detail/port.h"

HOTPB_NAMESPACE_BEGIN
namespace pool {
namespace detail {

// What Array::room says of a map after the decode: its entries are in the order of their keys; or the table follows
// them.
constexpr std::uint32_t kSortedMap = 1u << 31;
constexpr std::uint32_t kHashedMap = 1u << 30;
// A map of no more entries has no table: a look-up walks.
constexpr std::uint32_t kSmallMap = 16;

inline std::uint64_t mix(std::uint64_t word) {
  word = (word ^ word >> 32) * 0x9e3779b97f4a7c15u;
  return word ^ word >> 29;
}
inline std::uint64_t hash_text(const std::uint8_t* p, std::size_t left) {
  std::uint64_t sum = left;
  for (; left >= 8; left -= 8, p += 8) sum = mix(sum ^ port::load<std::uint64_t>(p));
  std::uint64_t rest = 0;
  if (left != 0) std::memcpy(&rest, p, left);
  return mix(sum ^ rest);
}
// The slots of a table of indexes (one is added to each, 0 is empty), at least twice as large as the map.
inline std::size_t slots_of(std::size_t size) {
  std::size_t slot_count = 16;
  while (slot_count < 2 * size) slot_count *= 2;
  return slot_count;
}

}  // namespace detail
}  // namespace pool
HOTPB_NAMESPACE_END

#endif  // HOTPB_POOL_HASH_H_
