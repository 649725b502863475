// Checks whether a whole message is valid, with all messages in it. It reads the tables of check.h, but it is fast, and
// answers only yes or no.
//
// Promise: it takes time linear in the input (with the contents of unknown groups and packed records) and allocates
// nothing. The depth limit bounds its recursion. If the answer is no, check() reports the error.
#ifndef HOTPB_VIEW_VALID_H_
#define HOTPB_VIEW_VALID_H_

#include <cstddef>
#include <cstdint>

#include "hotpb/check.h"
#include "hotpb/detail/abi.h"
#include "hotpb/wire.h"
#include "hotpb/wire/utf8.h"

HOTPB_NAMESPACE_BEGIN
namespace view {
namespace detail {

class Validator {
 public:
  explicit Validator(bool strict) : strict_(strict) {}

  // Checks the fields in [p, end), up to the end tag of `group` if that is not 0. Returns the byte after them, or
  // nullptr.
  const std::uint8_t* message(const MessageTable* table, const std::uint8_t* p, const std::uint8_t* end,
                              std::uint32_t group, std::uint32_t levels_left) const {
    std::size_t hint = 0;
    while (p != end) {
      std::uint32_t tag;
      p = wire::read_tag(p, end, tag);
      if (p == nullptr) return nullptr;
      const std::uint32_t number = wire::tag_number(tag);
      const wire::WireType type = wire::tag_type(tag);
      if (type == wire::WireType::EndGroup) return number == group ? p : nullptr;
      const FieldEntry* const field = hotpb::detail::find_field(*table, tag, hint);
      if (field == nullptr) {
        p = wire::skip_value(p, end, tag, levels_left);
      } else if (type == wire::WireType::Len) {
        p = len(*field, p, end, levels_left);
      } else if (type == wire::WireType::StartGroup) {
        p = levels_left == 0 ? nullptr : message(field->child, p, end, number, levels_left - 1);
      } else {
        p = wire::skip_value(p, end, tag, levels_left);
      }
      if (p == nullptr) return nullptr;
    }
    return group == 0 ? p : nullptr;
  }

 private:
  const std::uint8_t* len(const FieldEntry& field, const std::uint8_t* p, const std::uint8_t* end,
                          std::uint32_t levels_left) const {
    Bytes payload;
    p = wire::read_len(p, end, payload);
    if (p == nullptr) return nullptr;
    switch (field.type) {
      case FieldType::Message:
        if (levels_left == 0) return nullptr;
        return message(field.child, payload.begin(), payload.end(), 0, levels_left - 1);
      case FieldType::String:
        if (!field.verify_utf8 && !strict_) return p;
        return utf8::is_valid(payload.data(), payload.size()) ? p : nullptr;
      case FieldType::Bytes: return p;
      default: break;
    }
    switch (hotpb::detail::element_wire_type(field.type)) {  // packed
      case wire::WireType::Fixed32: return payload.size() % 4 == 0 ? p : nullptr;
      case wire::WireType::Fixed64: return payload.size() % 8 == 0 ? p : nullptr;
      default: break;
    }
    for (const std::uint8_t* at = payload.begin(); at != p;) {
      at = wire::skip_varint(at, p);
      if (at == nullptr) return nullptr;
    }
    return p;
  }

  const bool strict_;
};

inline bool is_valid(const MessageTable& table, Bytes message, std::uint32_t levels, bool strict) {
  if (message.empty()) return true;
  return detail::Validator(strict).message(&table, message.begin(), message.end(), 0, levels) != nullptr;
}

}  // namespace detail
}  // namespace view
HOTPB_NAMESPACE_END

#endif  // HOTPB_VIEW_VALID_H_
