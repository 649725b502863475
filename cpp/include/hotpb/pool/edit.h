// Edits of messages in a builder, by table: what the setters of generated classes call.
//
// Each call changes all that it says or nothing: it builds the new value before it frees the old one, so that arguments
// may be parts of the message itself.
//
// This header serves generated code; users meet builder.h.
#ifndef HOTPB_POOL_EDIT_H_
#define HOTPB_POOL_EDIT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include "hotpb/check.h"
#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/pool/heap.h"
#include "hotpb/pool/memory.h"
#include "hotpb/pool/message.h"
#include "hotpb/pool/table.h"
#include "hotpb/pool/unknown.h"
#include "hotpb/wire.h"
#include "hotpb/wire/utf8.h"

HOTPB_NAMESPACE_BEGIN
namespace pool {
namespace detail {

// A message of a builder that can be edited: a small value, which refers to the builder. The class without a message is
// what a call returns that failed; it drops all edits.
class Edit {
 public:
  Edit() = default;

  // The first edit of the builder that failed; Ok if none has.
  Code error() const { return heap_ == nullptr ? Code::HandleMisuse : heap_->error(); }

  // Adds records, tags included, to the unknown fields. Refuses what is cut off or malformed.
  bool add_unknown_fields(Bytes records) {
    if (message_ == nullptr) return false;
    ReadOptions options;
    options.depth = kMaxDepth;
    const Error error = hotpb::check(records, options);
    return error.ok() ? heap_->add_unknown(message_, records) : heap_->refuse(error.code);
  }
  void clear_unknown_fields() {
    if (message_ != nullptr) heap_->free_unknown(message_);
  }
  // Keeps those unknown fields for which `keep` returns true.
  template <class Keep>
  void retain_unknown_fields(Keep keep) {
    if (message_ == nullptr) return;
    const Bytes all = Heap::unknown_of(message_);
    std::uint8_t* to = const_cast<std::uint8_t*>(all.begin());
    for (const UnknownField& field : UnknownFields(port::load<const UnknownList*>(message_))) {
      if (!keep(field)) continue;
      const Bytes record = field.record();
      std::memmove(to, record.data(), record.size());  // to lower addresses: what follows is not yet read
      to += record.size();
    }
    const std::size_t size = static_cast<std::size_t>(to - all.begin());
    if (size == all.size()) return;
    if (size == 0) return heap_->free_unknown(message_);
    Heap::range_of(*port::load<UnknownList*>(message_)) = Bytes(all.data(), size);
  }

 protected:
  Edit(Heap* heap, void* message, std::uint32_t level) : heap_(heap), message_(message), level_(level) {}

  // The whole message.
  void clear_all_(const Type& type) {
    if (message_ != nullptr) heap_->free_parts(type, message_);
  }
  bool set_all_(const Type& type, const void* from) {
    if (message_ == nullptr) return false;
    void* const copy = copy_(type, from, level_);
    if (copy == nullptr) return false;
    heap_->free_parts(type, message_);
    std::memcpy(message_, copy, type.size);
    heap_->release(copy);
    return true;
  }

  void clear_(const Type& type, std::size_t index) {
    if (message_ != nullptr) heap_->free_field(type, index, message_);
  }
  void clear_oneof_(const Type& type, std::size_t member) {
    if (message_ != nullptr) heap_->free_choice(type, *at_<Choice>(type.places[member]));
  }

  // Singular fields.
  template <class T>
  bool set_number_(const Type& type, std::size_t index, T value) {
    const FieldEntry& field = type.table->fields[index];
    const Place& place = type.places[index];
    if (message_ == nullptr || !takes_(field, value)) return false;
    std::uint8_t* slot = at_<std::uint8_t>(place);
    if (place.shape == Shape::Member) {
      Choice& choice = *at_<Choice>(place);
      if (choice.number != field.number) heap_->free_choice(type, choice);
      choice = Choice{0, 0, field.number};
      std::memcpy(&choice.word, &value, sizeof value);
      return true;
    }
    port::store(slot, value);
    if (place.shape == Shape::Explicit) {
      std::uint8_t* const bits = detail::at(message_, 4 * (place.more / 32));
      port::store(bits, port::load<std::uint32_t>(bits) | 1u << place.more % 32);
    }
    return true;
  }
  bool set_text_(const Type& type, std::size_t index, Bytes text) {
    const FieldEntry& field = type.table->fields[index];
    const Place& place = type.places[index];
    if (message_ == nullptr || !takes_(field, text)) return false;
    std::uint8_t* const block = heap_->copy(text);
    if (block == nullptr) return false;
    if (place.shape == Shape::Member) {
      Choice& choice = *at_<Choice>(place);
      heap_->free_choice(type, choice);
      choice = Choice{0, static_cast<std::uint32_t>(text.size()), field.number};
      std::memcpy(&choice.word, &block, sizeof block);
      return true;
    }
    put_text_(place, message_, block, text.size());
    return true;
  }
  // The message of a field, which is created if it is absent.
  void* child_(const Type& type, std::size_t index) {
    const FieldEntry& field = type.table->fields[index];
    const Place& place = type.places[index];
    if (message_ == nullptr || !below_()) return nullptr;
    if (place.shape == Shape::Member) {
      Choice& choice = *at_<Choice>(place);
      if (choice.number == field.number) return port::load<void*>(&choice.word);
      void* const child = heap_->take_zero(place.child->size);
      return child != nullptr ? put_child_(type, field, choice, child) : nullptr;
    }
    void*& slot = *at_<void*>(place);
    if (slot == nullptr) slot = heap_->take_zero(place.child->size);
    return slot;
  }
  bool set_child_(const Type& type, std::size_t index, const void* from) {
    const Place& place = type.places[index];
    if (message_ == nullptr) return false;
    void* const child = copy_(*place.child, from, level_ + 1);
    if (child == nullptr) return false;
    if (place.shape == Shape::Member) {
      put_child_(type, type.table->fields[index], *at_<Choice>(place), child);
    } else {
      void*& slot = *at_<void*>(place);
      heap_->free_child(*place.child, slot);
      slot = child;
    }
    return true;
  }

  // Repeated fields: a new element at `at`, or at the end.
  static constexpr std::size_t kEnd = ~std::size_t{0};
  template <class T>
  bool insert_number_(const Type& type, std::size_t index, std::size_t at, T value) {
    const FieldEntry& field = type.table->fields[index];
    if (!takes_(field, value)) return false;
    std::uint8_t* const place = open_(type, index, at);
    if (place == nullptr) return false;
    port::store(place, value);
    return true;
  }
  bool insert_text_(const Type& type, std::size_t index, std::size_t at, Bytes text) {
    const FieldEntry& field = type.table->fields[index];
    if (message_ == nullptr || !takes_(field, text)) return false;
    std::uint8_t* const block = heap_->copy(text);
    std::uint8_t* const place = block == nullptr ? nullptr : open_(type, index, at);
    if (place == nullptr) {
      heap_->release(block);
      return false;
    }
    Heap::put_text(field, place, Bytes(block, text.size()));
    return true;
  }
  void* insert_child_(const Type& type, std::size_t index, std::size_t at) {
    return message_ != nullptr && below_() ? open_(type, index, at) : nullptr;
  }
  bool insert_copy_(const Type& type, std::size_t index, std::size_t at, const void* from) {
    const Type& child = *type.places[index].child;
    void* const copy = message_ == nullptr ? nullptr : copy_(child, from, level_ + 1);
    if (copy == nullptr) return false;
    std::uint8_t* const place = open_(type, index, at);
    if (place == nullptr) {
      heap_->free_child(child, copy);
      return false;
    }
    std::memcpy(place, copy, child.size);
    heap_->release(copy);
    return true;
  }
  template <class T>
  bool put_number_(const Type& type, std::size_t index, std::size_t at, T value) {
    std::uint8_t* const place = element_(type, index, at);
    if (place == nullptr || !takes_(type.table->fields[index], value)) return false;
    port::store(place, value);
    return true;
  }
  bool put_text_(const Type& type, std::size_t index, std::size_t at, Bytes text) {
    const FieldEntry& field = type.table->fields[index];
    std::uint8_t* const place = element_(type, index, at);
    if (place == nullptr || !takes_(field, text)) return false;
    std::uint8_t* const block = heap_->copy(text);
    if (block == nullptr) return false;
    heap_->release(Heap::text_at(field, place).data());
    Heap::put_text(field, place, Bytes(block, text.size()));
    return true;
  }
  void* element_child_(const Type& type, std::size_t index, std::size_t at) {
    return message_ != nullptr && below_() ? element_(type, index, at) : nullptr;
  }
  bool erase_(const Type& type, std::size_t index, std::size_t first, std::size_t count) {
    const FieldEntry& field = type.table->fields[index];
    const Place& place = type.places[index];
    if (message_ == nullptr) return false;
    Array& array = *at_<Array>(place);
    if (first > array.size || count > array.size - first) return heap_->refuse(Code::HandleMisuse);
    if (count != 0) erase_elements_(field, place, array, first, count);
    return true;
  }

  // Maps. A key of a map of messages gets an empty message if there is none.
  template <class Key>
  void* value_(const Type& type, std::size_t index, const Key& key) {
    const Type& entry = *type.places[index].child;
    if (message_ == nullptr || !below_(2)) return nullptr;
    std::uint8_t* const place = entry_(type, index, key);
    return place == nullptr ? nullptr : detail::at(place, entry.places[1].at);
  }
  template <class Key, class T>
  bool put_(const Type& type, std::size_t index, const Key& key, T value) {
    const Type& entry = *type.places[index].child;
    const FieldEntry& field = entry.table->fields[1];
    if (message_ == nullptr || !takes_(field, value)) return false;
    if constexpr (std::is_convertible_v<T, Bytes>) {
      const Bytes text(value);
      std::uint8_t* const block = heap_->copy(text);
      std::uint8_t* const place = block == nullptr ? nullptr : entry_(type, index, key);
      if (place == nullptr) {
        heap_->release(block);
        return false;
      }
      put_text_(entry.places[1], place, block, text.size());
    } else {
      std::uint8_t* const place = entry_(type, index, key);
      if (place == nullptr) return false;
      port::store(detail::at(place, entry.places[1].at), value);
      if (field.closed != nullptr) port::store(detail::at(place, entry.places[1].more), kDefinedValue);
    }
    return true;
  }
  template <class Key>
  bool put_copy_(const Type& type, std::size_t index, const Key& key, const void* from) {
    const Type& entry = *type.places[index].child;
    const Type& child = *entry.places[1].child;
    void* const copy = message_ == nullptr ? nullptr : copy_(child, from, level_ + 2);
    if (copy == nullptr) return false;
    std::uint8_t* const place = entry_(type, index, key);
    if (place == nullptr) {
      heap_->free_child(child, copy);
      return false;
    }
    std::uint8_t* const value = detail::at(place, entry.places[1].at);
    heap_->free_parts(child, value);
    std::memcpy(value, copy, child.size);
    heap_->release(copy);
    return true;
  }
  // False if the map does not have the key.
  template <class Key>
  bool erase_key_(const Type& type, std::size_t index, const Key& key) {
    const Place& place = type.places[index];
    if (message_ == nullptr) return false;
    Array& array = *at_<Array>(place);
    const std::size_t at = lower_bound_(*place.child, array, key);
    if (at == array.size || compare_(*place.child, array, at, key) != 0) return false;
    erase_elements_(type.table->fields[index], place, array, at, 1);
    return true;
  }

  Heap* heap_ = nullptr;
  void* message_ = nullptr;
  std::uint32_t level_ = 0;

 private:
  template <class T>
  T* at_(const Place& place) const {
    return reinterpret_cast<T*>(detail::at(message_, place.at));
  }

  // Would a reader refuse the value?
  template <class T>
  bool takes_(const FieldEntry& field, const T& value) const {
    if constexpr (std::is_enum_v<T>) {
      if (field.closed == nullptr || field.closed(static_cast<std::int32_t>(value))) return true;
      return heap_ != nullptr && heap_->refuse(Code::TypeMismatch);
    } else if constexpr (std::is_convertible_v<T, Bytes>) {
      const Bytes text(value);
      if (field.type != FieldType::String || !field.verify_utf8 || utf8::is_valid(text.data(), text.size())) {
        return true;
      }
      return heap_ != nullptr && heap_->refuse(Code::InvalidUtf8);
    } else {
      return true;
    }
  }

  // May there be a message so many levels below this one?
  bool below_(std::uint32_t levels = 1) {
    return level_ + levels <= kMaxDepth || heap_->refuse(Code::DepthExceeded);
  }
  // A block with a copy of a message that is to be on this level.
  void* copy_(const Type& type, const void* from, std::uint32_t level) {
    return heap_->copy_child(type, from, level > kMaxDepth ? 0 : kMaxDepth - level + 1);
  }

  void put_text_(const Place& place, void* message, const std::uint8_t* block, std::size_t size) {
    std::uint8_t* const slot = detail::at(message, place.at);
    heap_->release(port::load<const void*>(slot));
    port::store(slot, block);
    port::store(detail::at(message, place.more), static_cast<std::uint32_t>(size));
  }
  void* put_child_(const Type& type, const FieldEntry& field, Choice& choice, void* child) {
    heap_->free_choice(type, choice);
    choice = Choice{0, 0, field.number};
    std::memcpy(&choice.word, &child, sizeof child);
    return child;
  }

  std::uint8_t* open_(const Type& type, std::size_t index, std::size_t at) {
    const Place& place = type.places[index];
    if (message_ == nullptr) return nullptr;
    Array& array = *at_<Array>(place);
    if (at == kEnd) at = array.size;
    if (at > array.size) {
      heap_->refuse(Code::HandleMisuse);
      return nullptr;
    }
    return heap_->open(array, Heap::width(type.table->fields[index], place), at, 1);
  }
  std::uint8_t* element_(const Type& type, std::size_t index, std::size_t at) {
    const Place& place = type.places[index];
    if (message_ == nullptr) return nullptr;
    const Array& array = *at_<Array>(place);
    if (at < array.size) return array.data + at * Heap::width(type.table->fields[index], place);
    heap_->refuse(Code::HandleMisuse);
    return nullptr;
  }
  void erase_elements_(const FieldEntry& field, const Place& place, Array& array, std::size_t first,
                       std::size_t count) {
    const std::size_t width = Heap::width(field, place);
    std::uint8_t* const from = array.data + first * width;
    heap_->free_elements(field, place, from, count);
    std::memmove(from, from + count * width, (array.size - first - count) * width);
    array.size -= static_cast<std::uint32_t>(count);
  }

  // The order of keys is that of spec/wire.md: numbers by value, strings by their bytes.
  template <class Key>
  static int compare_(const Type& entry, const Array& array, std::size_t at, const Key& key) {
    const std::uint8_t* const place = array.data + at * entry.size;
    const std::uint8_t* const slot = detail::at(place, entry.places[0].at);
    if constexpr (std::is_same_v<Key, std::string_view>) {
      return text(port::load<const std::uint8_t*>(slot),
                  port::load<std::uint32_t>(detail::at(place, entry.places[0].more))).compare(key);
    } else {
      const Key stored = port::load<Key>(slot);
      return stored < key ? -1 : key < stored ? 1 : 0;
    }
  }
  template <class Key>
  static std::size_t lower_bound_(const Type& entry, const Array& array, const Key& key) {
    std::size_t low = 0;
    for (std::size_t high = array.size; low < high;) {
      const std::size_t middle = low + (high - low) / 2;
      if (compare_(entry, array, middle, key) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
  // The entry of a key, which is created if there is none: its value is not set then.
  template <class Key>
  std::uint8_t* entry_(const Type& type, std::size_t index, const Key& key) {
    const Place& place = type.places[index];
    const Type& entry = *place.child;
    if (!takes_(entry.table->fields[0], key)) return nullptr;
    Array& array = *at_<Array>(place);
    const std::size_t at = lower_bound_(entry, array, key);
    if (at != array.size && compare_(entry, array, at, key) == 0) return array.data + at * entry.size;
    std::uint8_t* found = nullptr;
    array.room |= kSortedMap;
    if constexpr (std::is_same_v<Key, std::string_view>) {
      const std::uint8_t* const block = heap_->copy(key);
      found = block == nullptr ? nullptr : heap_->open(array, entry.size, at, 1);
      if (found == nullptr) {
        heap_->release(block);
        return nullptr;
      }
      port::store(detail::at(found, entry.places[0].at), block);
      port::store(detail::at(found, entry.places[0].more), static_cast<std::uint32_t>(key.size()));
    } else {
      found = heap_->open(array, entry.size, at, 1);
      if (found != nullptr) port::store(detail::at(found, entry.places[0].at), key);
    }
    return found;
  }
};

// The same of messages of one type, whose generated class derives from it.
template <class M>
class EditOf : public Edit {
 public:
  using Message = M;

  EditOf() = default;
  EditOf(Heap* heap, void* message, std::uint32_t level) : Edit(heap, message, level) {}

  // The message as it is, with the accessors of a message in a pool.
  const M& message() const HOTPB_LIFETIMEBOUND { return pool::detail::message<M>(message_); }
  const M& operator*() const HOTPB_LIFETIMEBOUND { return message(); }
  const M* operator->() const HOTPB_LIFETIMEBOUND { return &message(); }

  // Replaces it by a copy of another message of a pool or builder.
  bool set(const M& from) { return set_all_(M::kType, &from); }
  // Clears all fields, unknown ones included.
  void clear() { clear_all_(M::kType); }
};

}  // namespace detail
}  // namespace pool
HOTPB_NAMESPACE_END

#endif  // HOTPB_POOL_EDIT_H_
