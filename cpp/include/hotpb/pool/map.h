// Map fields: one entry a key, in the order of the input (by key in a large map whose keys were chosen to collide).
//
//   for (const auto [key, value] : m.counts()) ...
//   if (const auto found = m.counts().find("a"); found != m.counts().end()) use(found->value);
#ifndef HOTPB_POOL_MAP_H_
#define HOTPB_POOL_MAP_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>

#include "hotpb/detail/abi.h"
#include "hotpb/detail/arrow.h"
#include "hotpb/pool/hash.h"
#include "hotpb/pool/memory.h"
#include "hotpb/pool/table.h"
#include "hotpb/wire.h"

HOTPB_NAMESPACE_BEGIN
namespace pool {
namespace detail {

// A key or value as an entry stores it.
template <class T>
struct Stored {
  T value;
  const T& get() const { return value; }
};
struct StoredText {
  const std::uint8_t* data;
  std::uint32_t size;
};
template <>
struct Stored<std::string_view> : StoredText {
  std::string_view get() const { return {reinterpret_cast<const char*>(data), size}; }
};
template <>
struct Stored<Bytes> : StoredText {
  Bytes get() const { return {data, size}; }
};
// A value of a closed enum; an absent one is `Default`.
template <class E, E Default>
struct Closed {
  E value;
  std::uint32_t state;
};
template <class E, E Default>
struct Stored<Closed<E, Default>> : Closed<E, Default> {
  E get() const { return this->state == 0 ? Default : this->value; }
};

template <class Key, class Value>
struct Entry {
  Stored<Key> key;
  Stored<Value> value;
};

// Where an entry has them.
template <class Key, class Value>
struct Offsets {
  using Type = Entry<Key, Value>;
  static constexpr std::uint32_t kKey = offsetof(Type, key);
  static constexpr std::uint32_t kValue = offsetof(Type, value);
};

}  // namespace detail

template <class Key, class Value>
struct KeyValue {
  Key key;
  Value value;
};

template <class Key, class Value>
class Map {
  using Stored = detail::Entry<Key, Value>;

 public:
  using KeyType = Key;
  // The type in which a value is returned: messages by reference.
  using ValueType = decltype(std::declval<const pool::detail::Stored<Value>&>().get());
  using value_type = KeyValue<Key, ValueType>;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = KeyValue<Key, ValueType>;
    using difference_type = std::ptrdiff_t;
    using reference = value_type;
    using pointer = hotpb::detail::Arrow<value_type>;

    Iterator() = default;
    explicit Iterator(const Stored* entry) : entry_(entry) {}
    value_type operator*() const { return {entry_->key.get(), entry_->value.get()}; }
    pointer operator->() const { return pointer(**this); }
    Iterator& operator++() {
      ++entry_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(entry_++); }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.entry_ == b.entry_; }
    friend bool operator!=(const Iterator& a, const Iterator& b) { return a.entry_ != b.entry_; }

   private:
    const Stored* entry_ = nullptr;
  };
  using iterator = Iterator;
  using const_iterator = Iterator;

  Map() = default;
  explicit Map(const detail::Array& entries)
      : data_(reinterpret_cast<const Stored*>(entries.data)), size_(entries.size), room_(entries.room) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Iterator begin() const { return Iterator(data_); }
  Iterator end() const { return Iterator(data_ + size_); }
  // The entry with this key, or end(). In a map of more than a few entries it searches by halves, or in a table that
  // the decode has built.
  Iterator find(const Key& key) const {
    if (size_ > detail::kSmallMap && room_ >= detail::kHashedMap) {
      return Iterator(room_ >= detail::kSortedMap ? by_halves(key) : by_hash(key));
    }
    const Stored* entry = data_;
    while (entry != data_ + size_ && !(entry->key.get() == key)) ++entry;
    return Iterator(entry);
  }
  bool contains(const Key& key) const { return find(key) != end(); }

 private:
  const Stored* by_halves(const Key& key) const {
    const Stored* low = data_;
    for (std::size_t left = size_; left != 0;) {
      const std::size_t half = left / 2;
      if (low[half].key.get() < key) {
        low += half + 1;
        left -= half + 1;
      } else {
        left = half;
      }
    }
    return low != data_ + size_ && low->key.get() == key ? low : data_ + size_;
  }
  const Stored* by_hash(const Key& key) const {
    std::uint64_t hash;
    if constexpr (std::is_same_v<Key, std::string_view>) {
      hash = detail::hash_text(reinterpret_cast<const std::uint8_t*>(key.data()), key.size());
    } else if constexpr (std::is_same_v<Key, bool>) {
      hash = detail::mix(key);
    } else {
      hash = detail::mix(static_cast<std::make_unsigned_t<Key>>(key));
    }
    const std::uint8_t* const table = reinterpret_cast<const std::uint8_t*>(data_ + size_);
    const std::size_t slot_count = detail::slots_of(size_);
    for (std::size_t slot = hash & (slot_count - 1);; slot = (slot + 1) & (slot_count - 1)) {
      const std::uint32_t index = detail::port::load<std::uint32_t>(table + slot * sizeof(std::uint32_t));
      if (index == 0) return data_ + size_;
      if (data_[index - 1].key.get() == key) return data_ + (index - 1);
    }
  }

  const Stored* data_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t room_ = 0;  // of a map of a builder, and of one that has come by key: kSortedMap; see hash.h
};

}  // namespace pool
HOTPB_NAMESPACE_END

#endif  // HOTPB_POOL_MAP_H_
