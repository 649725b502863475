// Extensions of pooled messages: their records stay among the unknown fields until you ask for one.
//
//   demo::hot::colorPool color;                            // a pool of its own, for one extension
//   if (hotpb::Error error = color.open(message); !error.ok()) return error;
//   if (color->has_value()) use(color->value());
//
// open() decodes and checks the extension's records by the rules of an ordinary field. What it reads borrows the bytes
// of `message`, and the memory of `color`.
#ifndef HOTPB_POOL_EXTENSION_H_
#define HOTPB_POOL_EXTENSION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/pool/message.h"
#include "hotpb/pool/unknown.h"
#include "hotpb/wire.h"

HOTPB_NAMESPACE_BEGIN
namespace pool {
namespace detail {

// An item of a message set: a group of field 1 with the fields type_id (2) and message (3).
constexpr std::uint32_t kItemTag = wire::make_tag(1, wire::WireType::StartGroup);
constexpr std::uint32_t kItemTypeTag = wire::make_tag(2, wire::WireType::Varint);
constexpr std::uint32_t kItemMessageTag = wire::make_tag(3, wire::WireType::Len);

// The number of an item that has both parts; of several type_ids the last wins. `messages` gets the message records.
inline bool read_item(Bytes value, std::uint32_t& number, std::vector<Bytes>* messages) {
  Bytes item;
  if (wire::read_group(value.begin(), value.end(), 1, item, kMaxDepth) == nullptr) return false;
  bool has_number = false;
  bool has_message = false;
  for (const std::uint8_t* p = item.begin(); p != item.end();) {
    std::uint32_t tag;
    p = wire::read_tag(p, item.end(), tag);
    if (p == nullptr) return false;
    const std::uint8_t* const at = p;
    p = wire::skip_value(p, item.end(), tag, kMaxDepth);
    if (p == nullptr) return false;
    if (tag == kItemTypeTag) {
      std::uint64_t word = 0;
      wire::read_varint(at, p, word);
      number = static_cast<std::uint32_t>(word);
      has_number = true;
    } else if (tag == kItemMessageTag) {
      Bytes payload;
      wire::read_len(at, p, payload);
      if (messages != nullptr) messages->push_back(payload);
      has_message = true;
    }
  }
  return has_number && has_message;
}

}  // namespace detail

// `V` is generated: a message that has only the extension, as its field `value`.
template <class V, class Extendee>
class ExtensionPool : public Pool<V> {
 public:
  // Offsets of errors count from the first record of the extension.
  [[nodiscard]] Error open(const Extendee& message, const DecodeOptions& options = {}) {
    std::vector<Bytes> records;
    std::uint64_t size = 0;
    for (const UnknownField& field : message.unknown_fields()) {
      if (!takes(field)) continue;
      const Bytes record = field.record();
      size += record.size();
      if (!records.empty() && records.back().end() == record.begin()) {
        records.back() = Bytes(records.back().begin(), records.back().size() + record.size());
      } else {
        records.push_back(record);
      }
    }
    return this->decode_parts(records.empty() ? nullptr : records[0].begin(), size, records, options);
  }
  // Is it a record of the extension, as far as its tag says?
  static bool takes(const UnknownField& field) {
    const FieldEntry* const entry = find_entry(*V::kType.table, field.number());
    return entry != nullptr && hotpb::detail::takes(*entry, field.type());
  }
  static const FieldEntry& entry() { return V::kType.table->fields[0]; }
};

// An extension of a message set: the message in its items, which merge.
template <class M, class Extendee, std::uint32_t Number>
class SetItemPool : public Pool<M> {
 public:
  [[nodiscard]] Error open(const Extendee& message, const DecodeOptions& options = {}) {
    std::vector<Bytes> parts;
    std::uint64_t size = 0;
    for (const UnknownField& field : message.unknown_fields()) {
      std::vector<Bytes> payloads;
      if (!find(field, payloads)) continue;
      for (const Bytes payload : payloads) {
        parts.push_back(payload);
        size += payload.size();
      }
    }
    has_value_ = !parts.empty();
    if (!has_value_) {
      this->clear();
      return {};
    }
    return this->decode_parts(parts[0].begin(), size, parts, options);
  }
  bool has_value() const { return has_value_; }

  static bool takes(const UnknownField& field) {
    std::vector<Bytes> ignored;
    return find(field, ignored);
  }

 private:
  static bool find(const UnknownField& field, std::vector<Bytes>& payloads) {
    if (field.tag() == detail::kItemTag) {
      std::uint32_t number = 0;
      return detail::read_item(field.value(), number, &payloads) && number == Number;
    }
    constexpr std::uint32_t kTag = wire::make_tag(Number & wire::kMaxFieldNumber, wire::WireType::Len);
    if (Number > wire::kMaxFieldNumber || field.tag() != kTag) return false;
    Bytes payload;
    wire::read_len(field.value().begin(), field.value().end(), payload);
    payloads.push_back(payload);
    return true;
  }

  bool has_value_ = false;
};

}  // namespace pool
HOTPB_NAMESPACE_END

#endif  // HOTPB_POOL_EXTENSION_H_
