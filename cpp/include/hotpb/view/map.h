// Map fields: iteration in the order of the input, look-up, and the entries that count.
//
//   for (const auto [key, value] : v.counts()) ...          // also entries that a later one with their key replaces
//   if (auto count = v.counts().find("a")) use(*count);     // the last entry of a key counts
//   for (const auto& entry : v.counts().collect()) ...      // one entry for each key, ordered by key (allocates)
//
// A message value is returned as Message<V>, which you open. On the wire each entry is a message that has its key and
// value in any order. A key or value that is absent is the default of its type:
//
//   3a 05  0a 01 61  10 03      counts = 7: key 1 = "a", value 2 = 3
//   3a 02  10 04                the empty key, value 4
#ifndef HOTPB_VIEW_MAP_H_
#define HOTPB_VIEW_MAP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "hotpb/detail/abi.h"
#include "hotpb/detail/arrow.h"
#include "hotpb/view/message.h"
#include "hotpb/view/raw.h"
#include "hotpb/view/repeated.h"
#include "hotpb/wire.h"

HOTPB_NAMESPACE_BEGIN
namespace view {

// The type of a map's message values. view/repeated.h has the other types.
template <class V>
struct MessageKind {
  static constexpr wire::WireType kWire = wire::WireType::Len;
  using Value = Message<V>;
};

template <class Key, class Value>
struct MapEntry {
  Key key;
  Value value;
};

namespace detail {

// Where the key and value of a map entry are. The bytes of a number start at its value; those of other types are the
// payload.
struct EntryParts {
  hotpb::Bytes key;
  hotpb::Bytes value;
  bool has_key = false;
  bool has_value = false;
  std::uint32_t value_records = 0;
  hotpb::Bytes value_run;  // all records of the value, with their tags
};

inline hotpb::Bytes part_of(const std::uint8_t* p, const std::uint8_t* stop, std::uint32_t tag) {
  hotpb::Bytes part(p, static_cast<std::size_t>(stop - p));
  if (wire::tag_type(tag) == wire::WireType::Len) wire::read_len(p, stop, part);
  return part;
}

// Finds key and value in an entry that has been checked.
inline EntryParts find_parts(hotpb::Bytes entry, std::uint32_t key_tag, std::uint32_t value_tag) {
  EntryParts parts;
  const std::uint8_t* first = nullptr;
  for (const std::uint8_t* p = entry.begin(); p != entry.end();) {
    const std::uint8_t* const start = p;
    std::uint32_t tag;
    p = wire::read_tag(p, entry.end(), tag);
    if (p == nullptr) break;
    const std::uint8_t* const at = p;
    p = skip_checked(p, entry.end(), tag);
    if (p == nullptr) break;
    if (tag == key_tag) {
      parts.key = part_of(at, p, tag);
      parts.has_key = true;
    } else if (tag == value_tag) {
      parts.value = part_of(at, p, tag);
      parts.has_value = true;
      if (parts.value_records++ == 0) first = start;
      parts.value_run = hotpb::Bytes(first, static_cast<std::size_t>(p - first));
    }
  }
  return parts;
}

// Reads a key or value. An absent one is the default of its type, which is zero for all types.
template <class Kind>
struct PartReader {
  static typename Kind::Value read(hotpb::Bytes part, bool present) {
    if (!present) return typename Kind::Value();
    typename Kind::Word word = 0;
    Kind::read(part.begin(), part.end(), word);
    return Kind::decode(word);
  }
};
template <>
struct PartReader<String> {
  static std::string_view read(hotpb::Bytes part, bool) { return part.text(); }
};
template <>
struct PartReader<ByteString> {
  static hotpb::Bytes read(hotpb::Bytes part, bool) { return part; }
};

template <class Kind>
struct ValueReader {
  static typename Kind::Value read(const EntryParts& parts, const Rules&) {
    return PartReader<Kind>::read(parts.value, parts.has_value);
  }
  static bool is_known(const EntryParts& parts) {
    if constexpr (IsClosed<Kind>::value) {
      std::uint64_t word = 0;
      if (parts.has_value) Kind::read(parts.value.begin(), parts.value.end(), word);
      return !parts.has_value || Kind::known(word);
    }
    return true;
  }
};
template <class V>
struct ValueReader<MessageKind<V>> {
  static Message<V> read(const EntryParts& parts, const Rules& entry_rules) {
    Rules rules = entry_rules.below();
    if (!parts.has_value) {
      if (rules.levels < 0) rules.levels = 0;
      return Message<V>(MessageRef(hotpb::Bytes(), rules));
    }
    if (parts.value_records == 1) return Message<V>(MessageRef(parts.value, rules));
    const Records records(parts.value_run, wire::make_tag(2, wire::WireType::Len));
    return Message<V>(MessageRef(records, rules));
  }
  static bool is_known(const EntryParts&) { return true; }
};

}  // namespace detail

template <class KeyKind, class ValueKind>
class Map {
 public:
  using Key = typename KeyKind::Value;
  using Value = typename ValueKind::Value;
  using Entry = MapEntry<Key, Value>;
  using value_type = Entry;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    using pointer = hotpb::detail::Arrow<Entry>;
    using reference = Entry;

    Iterator() = default;
    Iterator(const detail::Records& records, const detail::Rules& rules, std::uint32_t left)
        : records_(records), rules_(rules), left_(left) {
      if (left_ != 0) step();
    }

    Key key() const { return detail::PartReader<KeyKind>::read(parts_.key, parts_.has_key); }
    Value value() const { return detail::ValueReader<ValueKind>::read(parts_, rules_); }
    Entry operator*() const { return Entry{key(), value()}; }
    pointer operator->() const { return pointer(**this); }
    Iterator& operator++() {
      if (--left_ != 0) step();
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.left_ == b.left_; }
    friend bool operator!=(const Iterator& a, const Iterator& b) { return a.left_ != b.left_; }

   private:
    void step() {
      hotpb::Bytes entry;
      do {
        if (!records_.next(entry)) {
          left_ = 0;
          return;
        }
        parts_ = detail::find_parts(entry, wire::make_tag(1, KeyKind::kWire), wire::make_tag(2, ValueKind::kWire));
      } while (!detail::ValueReader<ValueKind>::is_known(parts_));
    }

    detail::Records records_;
    detail::EntryParts parts_;
    detail::Rules rules_;
    std::uint32_t left_ = 0;
  };
  using iterator = Iterator;
  using const_iterator = Iterator;

  Map() = default;
  Map(const detail::Raw& raw, detail::Run run, std::uint32_t number)
      : records_(raw, run.first, run.end, wire::make_tag(number, wire::WireType::Len)),
        rules_(raw.rules().below()),
        count_(run.count) {}

  // The number of entries in the input, with those that a later entry replaces.
  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  Iterator begin() const { return Iterator(records_, rules_, count_); }
  Iterator end() const { return Iterator(); }

  // Returns the value of the last entry with this key. Walks over all entries.
  std::optional<Value> find(const Key& key) const {
    std::optional<Value> found;
    for (Iterator at = begin(); at != end(); ++at) {
      if (at.key() == key) found = at.value();
    }
    return found;
  }
  bool contains(const Key& key) const { return find(key).has_value(); }

  // Returns the entries that count, the last one of each key, ordered by key.
  std::vector<Entry> collect() const { return surviving(true); }
  // Returns the same entries in the order of the input.
  std::vector<Entry> collect_in_order() const { return surviving(false); }

 private:
  std::vector<Entry> surviving(bool by_key) const {
    struct Placed {
      Entry entry;
      std::size_t place;
    };
    std::vector<Placed> all;
    for (Iterator at = begin(); at != end(); ++at) all.push_back(Placed{*at, all.size()});
    std::sort(all.begin(), all.end(), [](const Placed& a, const Placed& b) {
      if (a.entry.key < b.entry.key || b.entry.key < a.entry.key) return a.entry.key < b.entry.key;
      return a.place < b.place;
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i + 1 < all.size() && all[i].entry.key == all[i + 1].entry.key) continue;  // a later entry replaces it
      all[kept++] = all[i];
    }
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(kept), all.end());
    if (!by_key) std::sort(all.begin(), all.end(), [](const Placed& a, const Placed& b) { return a.place < b.place; });
    std::vector<Entry> entries;
    entries.reserve(kept);
    for (const Placed& placed : all) entries.push_back(placed.entry);
    return entries;
  }

  detail::Records records_;
  detail::Rules rules_;
  std::uint32_t count_ = 0;
};

}  // namespace view
HOTPB_NAMESPACE_END

#endif  // HOTPB_VIEW_MAP_H_
