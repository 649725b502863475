// The work after the bytes are read: maps get one entry a key, and absent required fields are found.
//
// This header serves generated code; users meet pool.h.
#ifndef HOTPB_POOL_FINISH_H_
#define HOTPB_POOL_FINISH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/pool/hash.h"
#include "hotpb/pool/memory.h"
#include "hotpb/pool/table.h"

HOTPB_NAMESPACE_BEGIN
namespace pool {
namespace detail {

// Calls `each` with every message that is in the field, and its index.
template <class Each>
bool for_each_message(const FieldEntry& field, const Place& place, void* message, Each each) {
  if (place.shape == Shape::Repeated || place.shape == Shape::Map) {
    const Array array = port::load<Array>(at(message, place.at));
    for (std::uint32_t i = 0; i < array.size; ++i) {
      if (!each(array.data + std::size_t{place.child->size} * i, i)) return false;
    }
    return true;
  }
  if (!has(field, place, message)) return true;
  return each(const_cast<void*>(message_at(place, message)), 0);
}

// A map's entries as keys. They are ordered as spec/wire.md orders them: numbers by value, strings by their bytes.
class Keys {
 public:
  Keys(const Type& entry, const Array& entries)
      : entries_(entries), width_(entry.size), at_(entry.places[0].at), size_at_(entry.places[0].more),
        type_(entry.table->fields[0].type) {}

  // The same for equal keys.
  std::uint64_t hash(std::uint32_t index) const {
    if (type_ != FieldType::String) {
      switch (number_width(type_)) {
        case 8: return mix(port::load<std::uint64_t>(key(index)));
        case 4: return mix(port::load<std::uint32_t>(key(index)));
        default: return mix(*key(index));
      }
    }
    return hash_text(port::load<const std::uint8_t*>(key(index)), size(index));
  }
  bool equal(std::uint32_t a, std::uint32_t b) const {
    if (type_ != FieldType::String) return compare(a, b) == 0;
    const std::uint32_t size_a = size(a);
    return size_a == size(b) && (size_a == 0 || std::memcmp(port::load<const void*>(key(a)),
                                                            port::load<const void*>(key(b)), size_a) == 0);
  }
  // Below zero, zero or above.
  int compare(std::uint32_t a, std::uint32_t b) const {
    if (type_ == FieldType::String) return compare_text(a, b);
    switch (type_) {
      case FieldType::Int32:
      case FieldType::Sint32:
      case FieldType::Sfixed32: return compare_as<std::int32_t>(a, b);
      case FieldType::Int64:
      case FieldType::Sint64:
      case FieldType::Sfixed64: return compare_as<std::int64_t>(a, b);
      case FieldType::Uint64:
      case FieldType::Fixed64: return compare_as<std::uint64_t>(a, b);
      case FieldType::Bool: return compare_as<std::uint8_t>(a, b);
      default: return compare_as<std::uint32_t>(a, b);
    }
  }

 private:
  const std::uint8_t* key(std::uint32_t index) const { return entries_.data + width_ * index + at_; }
  template <class T>
  int compare_as(std::uint32_t a, std::uint32_t b) const {
    const T first = port::load<T>(key(a));
    const T second = port::load<T>(key(b));
    return first < second ? -1 : first > second ? 1 : 0;
  }
  int compare_text(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t size_a = size(a);
    const std::uint32_t size_b = size(b);
    const std::size_t common = size_a < size_b ? size_a : size_b;
    const int order =
        common == 0 ? 0 : std::memcmp(port::load<const void*>(key(a)), port::load<const void*>(key(b)), common);
    return order != 0 ? order : size_a < size_b ? -1 : size_a > size_b ? 1 : 0;
  }
  std::uint32_t size(std::uint32_t index) const {
    return port::load<std::uint32_t>(entries_.data + width_ * index + size_at_);
  }

  Array entries_;
  std::size_t width_;
  std::uint32_t at_;
  std::uint32_t size_at_;
  FieldType type_;
};

// Sorts indexes of entries by their keys, and those of equal keys by themselves.
HOTPB_NOINLINE inline void sort(const Keys& keys, std::uint32_t* begin, std::uint32_t* end) {
  std::sort(begin, end, [&](std::uint32_t a, std::uint32_t b) {
    const int by_key = keys.compare(a, b);
    return by_key != 0 ? by_key < 0 : a < b;
  });
}

// Only these entries, in ascending order.
inline void keep(const Type& entry, Array& entries, const std::uint32_t* order, std::uint32_t count) {
  const std::size_t width = entry.size;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (order[i] != i) std::memcpy(entries.data + width * i, entries.data + width * order[i], width);
  }
  entries.size = count;
}

// The last entry of each key, last ones first: how many there are, or -1 when the table is of no use for these keys.
inline std::int64_t find_last(const Keys& keys, std::uint32_t size, std::uint32_t* order, std::uint32_t* table,
                              std::size_t slot_count) {
  std::memset(table, 0, slot_count * sizeof *table);
  std::size_t steps = 8 * std::size_t{size} + 64;
  std::uint32_t count = 0;
  for (std::uint32_t i = size; i != 0; --i) {
    std::size_t slot = keys.hash(i - 1) & (slot_count - 1);
    while (table[slot] != 0 && !keys.equal(table[slot] - 1, i - 1)) {
      if (--steps == 0) return -1;
      slot = (slot + 1) & (slot_count - 1);
    }
    if (table[slot] != 0) continue;
    table[slot] = i;
    order[count++] = i - 1;
  }
  return count;
}

// A large map moves to a place where its table follows it. Without memory it has no table.
inline void keep_table(Memory& memory, const Type& entry, Array& entries, const std::uint32_t* table,
                       std::size_t slot_count) {
  if (entries.size <= kSmallMap) return;
  const std::size_t size = std::size_t{entry.size} * entries.size;
  std::uint8_t* const place = memory.take(memory.levels()[0], size + slot_count * sizeof *table);
  if (place == nullptr) return;
  std::memcpy(place, entries.data, size);
  std::memcpy(place + size, table, slot_count * sizeof *table);
  entries = Array{place, entries.size, kHashedMap};
}

// Of several entries with one key the last stays, in its place (MAP-5). False if there is no memory.
inline bool make_unique(Memory& memory, const Type& entry, Array& entries) {
  const Keys keys(entry, entries);
  std::uint32_t sorted = 1;  // most maps come in the order of their keys, with each key once
  while (sorted < entries.size && keys.compare(sorted - 1, sorted) < 0) ++sorted;
  entries.room = 0;
  if (sorted >= entries.size) {
    entries.room = kSortedMap;
    return true;
  }
  // A table of those that stay; as many numbers before it for their order.
  const std::size_t slot_count = slots_of(entries.size);
  std::uint32_t* const order = memory.scratch(entries.size + slot_count);
  if (order == nullptr) return false;
  const std::int64_t found = find_last(keys, entries.size, order, order + entries.size, slot_count);
  if (found == entries.size) {
    keep_table(memory, entry, entries, order + entries.size, slot_count);
    return true;
  }
  if (found >= 0) {
    std::reverse(order, order + found);
    keep(entry, entries, order, static_cast<std::uint32_t>(found));
    // Once more, with the indexes that they have now.
    if (entries.size <= kSmallMap) return true;
    const std::size_t fewer = slots_of(entries.size);
    std::uint32_t* const table = order + entries.size;
    if (find_last(Keys(entry, entries), entries.size, order, table, fewer) >= 0) {
      keep_table(memory, entry, entries, table, fewer);
      return true;
    }
  }
  // Somebody has chosen the keys. So that look-ups are fast too, the entries move into the order of their keys.
  for (std::uint32_t i = 0; i < entries.size; ++i) order[i] = i;
  sort(keys, order, order + entries.size);
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < entries.size; ++i) {
    if (i + 1 == entries.size || keys.compare(order[i], order[i + 1]) != 0) order[kept++] = order[i];
  }
  const std::size_t width = entry.size;
  std::uint8_t* const place = memory.take(memory.levels()[0], width * kept);
  if (place == nullptr) return false;
  for (std::uint32_t i = 0; i < kept; ++i) std::memcpy(place + width * i, entries.data + width * order[i], width);
  entries = Array{place, kept, kSortedMap};
  return true;
}

// In the whole message. As deep as the message is.
inline bool make_maps_unique(Memory& memory, const Type& type, void* message) {
  for (std::size_t i = 0; i < type.table->field_count; ++i) {
    const FieldEntry& field = type.table->fields[i];
    const Place& place = type.places[i];
    if (!is_message(field.type)) continue;
    if (place.shape == Shape::Map &&
        !make_unique(memory, *place.child, *reinterpret_cast<Array*>(at(message, place.at)))) {
      return false;
    }
    if (!place.child->maps) continue;
    const bool good = for_each_message(field, place, message, [&](void* child, std::uint32_t) {
      return make_maps_unique(memory, *place.child, child);
    });
    if (!good) return false;
  }
  return true;
}

// The way from the root to a message.
struct Step {
  const Step* before;
  const FieldEntry* field;
  std::uint32_t index;
  bool in_map;
};

HOTPB_COLD inline std::string path_of(const Step* last, const char* name) {
  std::string path;
  for (const Step* step = last; step != nullptr; step = step->before) {
    std::string part = step->field->name;
    if (step->field->repeated) part += '[' + std::to_string(step->index) + ']';
    if (step->in_map) part += ".value";
    path = part + '.' + path;
  }
  return path + name;
}

// The first required field that is absent, with its path (ERR-10); Ok if there is none.
inline bool find_missing(const Type& type, void* message, const Step* before, std::string& path) {
  const MessageTable& table = *type.table;
  for (std::size_t i = 0; i < table.need_count; ++i) {
    const std::size_t index = table.needs[i].field;
    if (table.needs[i].is_required && !has(table.fields[index], type.places[index], message)) {
      path = path_of(before, table.fields[index].name);
      return true;
    }
  }
  for (std::size_t i = 0; i < table.need_count; ++i) {
    const FieldEntry& field = table.fields[table.needs[i].field];
    const Place& place = type.places[table.needs[i].field];
    if (!is_message(field.type)) continue;
    // Of a map the values.
    const Place* const value = place.shape == Shape::Map ? &place.child->places[1] : nullptr;
    const Type* const child_type = value != nullptr ? value->child : place.child;
    if (child_type == nullptr || child_type->table->need_count == 0) continue;
    const bool whole = for_each_message(field, place, message, [&](void* child, std::uint32_t index) {
      const Step step{before, &field, index, value != nullptr};
      return !find_missing(*child_type, value != nullptr ? at(child, value->at) : child, &step, path);
    });
    if (!whole) return true;
  }
  return false;
}

inline Error check_required(const Type& type, const void* message, std::uint64_t offset) {
  std::string path;
  if (type.table->need_count == 0 || !find_missing(type, const_cast<void*>(message), nullptr, path)) return {};
  return Error{Code::MissingRequired, offset, path};
}

}  // namespace detail
}  // namespace pool
HOTPB_NAMESPACE_END

#endif  // HOTPB_POOL_FINISH_H_
