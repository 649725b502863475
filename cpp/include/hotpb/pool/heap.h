// The memory of a builder: one block for each string, list and message, which is freed when its value goes. And what is
// done to whole messages by table: to copy them, and to free what they hold.
//
// A message in a builder has the form of a message in a pool (table.h). All that it points to are blocks of the
// builder.
//
// This header serves builder.h.
#ifndef HOTPB_POOL_HEAP_H_
#define HOTPB_POOL_HEAP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/pool/finish.h"
#include "hotpb/pool/hash.h"
#include "hotpb/pool/memory.h"
#include "hotpb/pool/table.h"
#include "hotpb/pool/unknown.h"
#include "hotpb/wire.h"

HOTPB_NAMESPACE_BEGIN
namespace pool {
namespace detail {

class Heap {
 public:
  explicit Heap(PoolAllocator* allocator = nullptr) : allocator_(allocator) {}

  PoolAllocator* allocator() const { return allocator_; }
  Code error() const { return error_; }
  void forget_error() { error_ = Code::Ok; }
  void set_error(Code code) { error_ = code; }
  // Keeps the first error. Returns false.
  HOTPB_COLD bool refuse(Code code) {
    if (error_ == Code::Ok) error_ = code;
    return false;
  }

  // A block; nullptr, with the error, if there is no memory.
  std::uint8_t* take(std::size_t size) {
    void* const place = allocator_ != nullptr ? allocator_->allocate(kHeader + size) : std::malloc(kHeader + size);
    if (place == nullptr) {
      refuse(Code::BufferExhausted);
      return nullptr;
    }
    std::memcpy(place, &size, sizeof size);
    return static_cast<std::uint8_t*>(place) + kHeader;
  }
  std::uint8_t* take_zero(std::size_t size) {
    std::uint8_t* const block = take(size);
    if (block != nullptr) std::memset(block, 0, size);
    return block;
  }
  std::uint8_t* copy(Bytes bytes) {
    if (bytes.size() > kMaxMessageSize) {
      refuse(Code::SizeExceeded);
      return nullptr;
    }
    std::uint8_t* const block = take(bytes.size());
    if (block != nullptr && !bytes.empty()) std::memcpy(block, bytes.data(), bytes.size());
    return block;
  }
  static std::size_t size_of(const void* block) {
    std::size_t size;
    std::memcpy(&size, static_cast<const std::uint8_t*>(block) - kHeader, sizeof size);
    return size;
  }
  void release(const void* block) {
    if (block == nullptr) return;
    void* const place = const_cast<std::uint8_t*>(static_cast<const std::uint8_t*>(block)) - kHeader;
    if (allocator_ != nullptr) {
      allocator_->release(place, kHeader + size_of(block));
    } else {
      std::free(place);
    }
  }

  static constexpr std::size_t kMostElements = kHashedMap - 1;

  // Bytes of one element of a list.
  static std::size_t width(const FieldEntry& field, const Place& place) {
    if (detail::is_message(field.type)) return place.child->size;
    return detail::is_text(field.type) ? sizeof(std::string_view) : detail::number_width(field.type);
  }
  static Bytes text_at(const FieldEntry& field, const std::uint8_t* element) {
    if (field.type == FieldType::Bytes) return port::load<Bytes>(element);
    return port::load<std::string_view>(element);
  }
  static void put_text(const FieldEntry& field, std::uint8_t* element, Bytes text) {
    if (field.type == FieldType::Bytes) {
      port::store(element, text);
    } else {
      port::store(element, text.text());
    }
  }

  // `count` elements more at index `at`, all zero. Nothing has changed when it returns nullptr.
  std::uint8_t* open(Array& array, std::size_t width, std::size_t at, std::size_t count) {
    const std::size_t size = array.size + count;
    if (size > kMostElements || count > kMostElements) {
      refuse(Code::SizeExceeded);
      return nullptr;
    }
    if (size > (array.room & kMostElements)) {
      const std::size_t wanted = (std::max)({size, 2 * std::size_t{array.size}, std::size_t{4}});
      const std::size_t room = (std::min)(wanted, kMostElements);
      std::uint8_t* const block = take(room * width);
      if (block == nullptr) return nullptr;
      if (array.size != 0) std::memcpy(block, array.data, array.size * width);
      release(array.data);
      array.data = block;
      array.room = static_cast<std::uint32_t>(room) | (array.room & kSortedMap);
    }
    std::uint8_t* const place = array.data + at * width;
    std::memmove(place + count * width, place, (array.size - at) * width);
    std::memset(place, 0, count * width);
    array.size = static_cast<std::uint32_t>(size);
    return place;
  }

  // Frees what `count` elements hold.
  void free_elements(const FieldEntry& field, const Place& place, std::uint8_t* element, std::size_t count) {
    const std::size_t width = this->width(field, place);
    for (; count != 0; --count, element += width) {
      if (detail::is_message(field.type)) {
        free_parts(*place.child, element);
      } else if (detail::is_text(field.type)) {
        release(text_at(field, element).data());
      } else {
        return;
      }
    }
  }
  void free_child(const Type& type, void* message) {
    if (message == nullptr) return;
    free_parts(type, message);
    release(message);
  }
  // A oneof has no member then.
  void free_choice(const Type& type, Choice& choice) {
    if (choice.number == 0) return;
    const FieldEntry* const field = find_entry(*type.table, choice.number);
    void* const block = port::load<void*>(&choice.word);
    if (field != nullptr && detail::is_message(field->type)) {
      free_child(*type.places[field - type.table->fields].child, block);
    } else if (field != nullptr && detail::is_text(field->type)) {
      release(block);
    }
    choice = Choice{0, 0, 0};
  }
  // The content of one field. The field is absent then; its list keeps its block.
  void free_field(const Type& type, std::size_t index, void* message) {
    const FieldEntry& field = type.table->fields[index];
    const Place& place = type.places[index];
    std::uint8_t* const slot = detail::at(message, place.at);
    switch (place.shape) {
      case Shape::Member:
        if (port::load<Choice>(slot).number == field.number) free_choice(type, *reinterpret_cast<Choice*>(slot));
        return;
      case Shape::Repeated:
      case Shape::Map: {
        Array& array = *reinterpret_cast<Array*>(slot);
        free_elements(field, place, array.data, array.size);
        array.size = 0;
        return;
      }
      case Shape::Inline: return free_parts(*place.child, slot);
      default: break;
    }
    if (detail::is_message(field.type)) {
      free_child(*place.child, port::load<void*>(slot));
      return port::store(slot, static_cast<void*>(nullptr));
    }
    if (detail::is_text(field.type)) {
      release(port::load<const void*>(slot));
      port::store(slot, static_cast<const void*>(nullptr));
      return port::store(detail::at(message, place.more), std::uint32_t{0});
    }
    std::memset(slot, 0, detail::number_width(field.type));
    if (place.shape == Shape::Explicit) {
      std::uint8_t* const bits = detail::at(message, 4 * (place.more / 32));
      port::store(bits, port::load<std::uint32_t>(bits) & ~(1u << place.more % 32));
    } else if (place.more != 0) {
      port::store(detail::at(message, place.more), std::uint32_t{0});
    }
  }
  // All that a message holds, but not its own bytes, which are zero then.
  void free_parts(const Type& type, void* message) {
    if (!type.is_entry) free_unknown(message);
    for (std::size_t i = 0; i < type.table->field_count; ++i) {
      free_field(type, i, message);
      const Place& place = type.places[i];
      if (place.shape == Shape::Repeated || place.shape == Shape::Map) {
        release(port::load<Array>(detail::at(message, place.at)).data);
      }
    }
    std::memset(message, 0, type.size);
  }
  void free_unknown(void* message) {
    UnknownList* const list = port::load<UnknownList*>(message);
    if (list == nullptr) return;
    if (list->ranges.size != 0) release(range_of(*list).data());
    release(list->ranges.data);
    release(list);
    port::store(message, static_cast<UnknownList*>(nullptr));
  }
  // The unknown fields of a message in a builder are one range.
  static Bytes& range_of(UnknownList& list) { return *reinterpret_cast<Bytes*>(list.ranges.data); }
  static Bytes unknown_of(const void* message) {
    UnknownList* const list = port::load<UnknownList*>(message);
    return list == nullptr ? Bytes() : range_of(*list);
  }
  // Adds records to the unknown fields, among whose bytes they may be.
  bool add_unknown(void* message, Bytes records) {
    if (records.empty()) return true;
    UnknownList* list = port::load<UnknownList*>(message);
    const Bytes old = list == nullptr ? Bytes() : range_of(*list);
    const std::size_t size = old.size() + records.size();
    if (records.size() > kMaxMessageSize || size > kMaxMessageSize) return refuse(Code::SizeExceeded);
    if (list == nullptr) {
      list = reinterpret_cast<UnknownList*>(take_zero(sizeof(UnknownList)));
      std::uint8_t* const range = list == nullptr ? nullptr : take(sizeof(Bytes));
      std::uint8_t* const bytes = range == nullptr ? nullptr : copy(records);
      if (bytes == nullptr) {
        release(range);
        release(list);
        return false;
      }
      list->ranges = Array{range, 1, 1};
      range_of(*list) = Bytes(bytes, size);
      port::store(message, list);
      return true;
    }
    if (size <= size_of(old.data())) {
      std::memmove(const_cast<std::uint8_t*>(old.end()), records.data(), records.size());
      range_of(*list) = Bytes(old.data(), size);
      return true;
    }
    std::uint8_t* const bytes = take((std::max)(size, 2 * old.size()));
    if (bytes == nullptr) return false;
    std::memcpy(bytes, old.data(), old.size());
    std::memcpy(bytes + old.size(), records.data(), records.size());
    release(old.data());
    range_of(*list) = Bytes(bytes, size);
    return true;
  }

  // Copies a message, of a pool or a builder, to `to`, which is all zero. At most `left` levels below it. After false
  // `to` holds a part of it.
  bool copy_parts(const Type& type, const void* from, void* to, std::uint32_t left) {
    if (!type.is_entry && !copy_unknown(from, to)) return false;
    for (std::size_t i = 0; i < type.table->field_count; ++i) {
      if (!copy_field(type, i, from, to, left)) return false;
    }
    return true;
  }
  // A block with a copy of the message; nullptr, with the error, if that fails.
  void* copy_child(const Type& type, const void* from, std::uint32_t left) {
    if (left == 0) {
      refuse(Code::DepthExceeded);
      return nullptr;
    }
    void* const child = take_zero(type.size);
    if (child == nullptr || copy_parts(type, from, child, left - 1)) return child;
    free_child(type, child);
    return nullptr;
  }

 private:
  // Before each block: its size, and padding that keeps the block aligned, also where a size has four bytes.
  static constexpr std::size_t kHeader = kAlign;
  static_assert(kHeader >= sizeof(std::size_t), "a size fits");

  bool copy_unknown(const void* from, void* to) {
    const UnknownList* const list = port::load<UnknownList*>(from);
    if (list == nullptr) return true;
    for (const Bytes range : UnknownFields(list).ranges()) {
      if (!add_unknown(to, range)) return false;
    }
    return true;
  }

  bool copy_field(const Type& type, std::size_t index, const void* from, void* to, std::uint32_t left) {
    const FieldEntry& field = type.table->fields[index];
    const Place& place = type.places[index];
    const std::uint8_t* const source = detail::at(from, place.at);
    std::uint8_t* const slot = detail::at(to, place.at);
    switch (place.shape) {
      case Shape::Inline:
        return left != 0 ? copy_parts(*place.child, source, slot, left - 1) : refuse(Code::DepthExceeded);
      case Shape::Repeated:
      case Shape::Map: return copy_list(field, place, port::load<Array>(source), *reinterpret_cast<Array*>(slot), left);
      case Shape::Member:
        return copy_member(field, place, port::load<Choice>(source), *reinterpret_cast<Choice*>(slot), left);
      default: break;
    }
    if (detail::is_message(field.type)) {
      const void* const child = port::load<const void*>(source);
      if (child == nullptr) return true;
      void* const copy = copy_child(*place.child, child, left);
      port::store(slot, copy);
      return copy != nullptr;
    }
    if (detail::is_text(field.type)) {
      const std::uint8_t* const text = port::load<const std::uint8_t*>(source);
      const std::uint32_t size = port::load<std::uint32_t>(detail::at(from, place.more));
      if (text == nullptr || (place.shape == Shape::Implicit && size == 0)) return true;
      const std::uint8_t* const block = copy(Bytes(text, size));
      if (block == nullptr) return false;
      port::store(slot, block);
      port::store(detail::at(to, place.more), size);
      return true;
    }
    std::memcpy(slot, source, detail::number_width(field.type));
    if (place.shape == Shape::Explicit) {
      const std::uint32_t at = 4 * (place.more / 32);
      const std::uint32_t bit = port::load<std::uint32_t>(detail::at(from, at)) & 1u << place.more % 32;
      port::store(detail::at(to, at), port::load<std::uint32_t>(detail::at(to, at)) | bit);
    } else if (place.more != 0) {  // the state of a closed enum in a map's entry
      port::store(detail::at(to, place.more), port::load<std::uint32_t>(detail::at(from, place.more)));
    }
    return true;
  }

  bool copy_member(const FieldEntry& field, const Place& place, const Choice& from, Choice& to, std::uint32_t left) {
    if (from.number != field.number) return true;
    if (!detail::is_message(field.type) && !detail::is_text(field.type)) {
      to = from;
      return true;
    }
    const void* const source = port::load<const void*>(&from.word);
    const void* const block =
        detail::is_message(field.type)
            ? copy_child(*place.child, source, left)
            : copy(Bytes(static_cast<const std::uint8_t*>(source), from.size));
    if (block == nullptr) return false;
    to = Choice{0, from.size, from.number};
    std::memcpy(&to.word, &block, sizeof block);
    return true;
  }

  bool copy_list(const FieldEntry& field, const Place& place, const Array& from, Array& to, std::uint32_t left) {
    if (from.size == 0) return true;
    if (from.size > kMostElements) return refuse(Code::SizeExceeded);
    const std::size_t width = this->width(field, place);
    std::uint8_t* const all = take_zero(from.size * width);
    if (all == nullptr) return false;
    to = Array{all, from.size, from.size};
    if (!detail::is_message(field.type) && !detail::is_text(field.type)) {
      std::memcpy(all, from.data, from.size * width);
      return true;
    }
    if (detail::is_message(field.type) && left == 0) return refuse(Code::DepthExceeded);
    for (std::size_t i = 0; i < from.size; ++i) {
      const std::uint8_t* const source = from.data + i * width;
      if (detail::is_message(field.type)) {
        if (!copy_parts(*place.child, source, all + i * width, left - 1)) return false;
        continue;
      }
      const Bytes text = text_at(field, source);
      if (text.empty()) continue;
      const std::uint8_t* const block = copy(text);
      if (block == nullptr) return false;
      put_text(field, all + i * width, Bytes(block, text.size()));
    }
    return place.shape != Shape::Map || sort(*place.child, to);
  }

  // A builder keeps maps by key (POL-36).
  bool sort(const Type& entry, Array& array) {
    array.room |= kSortedMap;
    const detail::Keys keys(entry, array);
    std::uint32_t sorted = 1;
    while (sorted < array.size && keys.compare(sorted - 1, sorted) < 0) ++sorted;
    if (sorted >= array.size) return true;
    std::uint32_t* const order = reinterpret_cast<std::uint32_t*>(take(array.size * sizeof(std::uint32_t)));
    std::uint8_t* const all = order == nullptr ? nullptr : take(std::size_t{array.size} * entry.size);
    if (all == nullptr) {
      release(order);
      return false;
    }
    for (std::uint32_t i = 0; i < array.size; ++i) order[i] = i;
    std::sort(order, order + array.size, [&](std::uint32_t a, std::uint32_t b) { return keys.compare(a, b) < 0; });
    for (std::size_t i = 0; i < array.size; ++i) {
      std::memcpy(all + i * entry.size, array.data + std::size_t{order[i]} * entry.size, entry.size);
    }
    release(order);
    release(array.data);
    array.data = all;
    return true;
  }

  PoolAllocator* allocator_;
  Code error_ = Code::Ok;
};

}  // namespace detail
}  // namespace pool
HOTPB_NAMESPACE_END

#endif  // HOTPB_POOL_HEAP_H_
