// Messages as text, for logs, tests and debuggers. Only a program that includes this header has its code.
//
//   std::puts(hotpb::debug_string(view).c_str());        // a view, or a message of a pool
//   hotpb::debug_string(demo::hot::EventView::kTable, body)    // any bytes
//
//   time_ns: 1700000000
//   name: "parse"
//   children {
//     name: "send\n"
//   }
//   7: 0x0000002a
//
// This is protobuf's text format, with enums as numbers and groups under the name of their field. Unknown fields and
// extensions have numbers instead of names. Strings are escaped: the text is ASCII, whatever the bytes are.
//
// Views and bytes show their records as they came. A message of a pool shows its values by ascending numbers, and then
// its unknown fields. For the canonical bytes of a message the texts are equal.
//
// Bytes with an error are shown as far as they can be read, and the last line is the error:
//
//   name: "pa"
//   # Truncated at byte 4: name
//
// Promise: the text has at most DebugOptions::size bytes before the lines that start with #, and messages deeper than
// DebugOptions::depth are left out, which such a line says.
#ifndef HOTPB_DEBUG_H_
#define HOTPB_DEBUG_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "hotpb/check.h"
#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/pool.h"
#include "hotpb/view.h"
#include "hotpb/wire.h"

HOTPB_NAMESPACE_BEGIN

struct DebugOptions {
  std::size_t size = 64 * 1024;         // bytes of text
  std::uint32_t depth = kDefaultDepth;  // levels below the root
};

namespace detail {

// The name of a field, or its number.
struct DebugLabel {
  const FieldEntry* field;
  std::uint32_t number;
};

// The text itself: lines with indentation, up to a limit.
class DebugText {
 public:
  explicit DebugText(std::size_t limit) : limit_(limit) {}

  bool full() const { return full_; }

  void value(const DebugLabel& label, std::string_view text) {
    begin(label);
    put(": ");
    put(text);
    put("\n");
  }
  void quoted(const DebugLabel& label, Bytes bytes) {
    begin(label);
    put(": \"");
    for (const std::uint8_t byte : bytes) {
      if (full_) return;
      escape(byte);
    }
    put("\"\n");
  }
  void open(const DebugLabel& label) {
    begin(label);
    put(" {\n");
    ++levels_;
  }
  void close() {
    --levels_;
    indent();
    put("}\n");
  }
  // A line that is no part of the message.
  void remark(std::string_view text) {
    if (full_) return;
    indent();
    out_ += "# ";
    out_ += text;
    out_ += '\n';
    limit_ += text.size() + 3;
  }

  std::string finish(const Error& error) {
    if (full_ && !out_.empty() && out_.back() != '\n') out_ += '\n';
    levels_ = 0;
    if (full_) out_ += "# cut here\n";
    if (!error.ok()) out_ += "# " + to_string(error) + "\n";
    return std::move(out_);
  }

 private:
  void begin(const DebugLabel& label) {
    indent();
    put(label.field != nullptr ? std::string_view(label.field->name) : std::to_string(label.number));
  }
  void indent() {
    for (std::size_t i = 0; i < levels_ && !full_; ++i) put("  ");
  }
  void put(std::string_view text) {
    if (full_) return;
    full_ = text.size() > limit_ - out_.size();
    out_ += text.substr(0, limit_ - out_.size());
  }
  void escape(std::uint8_t byte) {
    const char text[] = {'\\', static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + (byte >> 3 & 7)),
                         static_cast<char>('0' + (byte & 7))};
    switch (byte) {
      case '\n': return put("\\n");
      case '\r': return put("\\r");
      case '\t': return put("\\t");
      case '"': return put("\\\"");
      case '\'': return put("\\'");
      case '\\': return put("\\\\");
      default: break;
    }
    const char plain = static_cast<char>(byte);
    put(byte >= 0x20 && byte < 0x7f ? std::string_view(&plain, 1) : std::string_view(text, sizeof text));
  }

  std::string out_;
  std::size_t limit_;
  std::size_t levels_ = 0;
  bool full_ = false;
};

// The shortest of two usual lengths that reads back as the same number.
template <class T>
std::string debug_float(T value, int digits, int more) {
  if (value != value) return "nan";
  if (value - value != value - value) return value > 0 ? "inf" : "-inf";
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, static_cast<double>(value));
  if (static_cast<T>(std::strtod(text, nullptr)) != value) {
    std::snprintf(text, sizeof text, "%.*g", more, static_cast<double>(value));
  }
  for (char& c : text) {
    if (c == '\0') break;
    if (std::strchr("0123456789+-e", c) == nullptr) c = '.';  // the point of the program's locale
  }
  return text;
}

// A number as its record has it: the varint, or the bits of a fixed width.
inline std::string debug_number(FieldType type, std::uint64_t word) {
  const std::uint32_t half = static_cast<std::uint32_t>(word);
  switch (type) {
    case FieldType::Double: return debug_float(port::bits_as<double>(word), 15, 17);
    case FieldType::Float: return debug_float(port::bits_as<float>(half), 6, 9);
    case FieldType::Bool: return word != 0 ? "true" : "false";
    case FieldType::Sint32: return std::to_string(wire::unzigzag32(half));
    case FieldType::Sint64: return std::to_string(wire::unzigzag64(word));
    case FieldType::Int64:
    case FieldType::Sfixed64: return std::to_string(static_cast<std::int64_t>(word));
    case FieldType::Uint32:
    case FieldType::Fixed32: return std::to_string(half);
    case FieldType::Uint64:
    case FieldType::Fixed64: return std::to_string(word);
    default: return std::to_string(static_cast<std::int32_t>(half));
  }
}

// Shows records where they lie, also those of a message that has an error.
class DebugRecords {
 public:
  explicit DebugRecords(DebugText& text) : text_(text) {}

  // The records from `p` to the end, or to the end tag of the group. Returns the byte after them, or nullptr when the
  // walk cannot go on. Without a table all fields are unknown.
  const std::uint8_t* show(const MessageTable* table, const std::uint8_t* p, const std::uint8_t* end,
                           std::uint32_t group, std::uint32_t levels) {
    while (p != end) {
      std::uint32_t tag = 0;
      p = text_.full() ? nullptr : wire::read_tag(p, end, tag);
      if (p == nullptr) return nullptr;
      if (wire::tag_type(tag) == wire::WireType::EndGroup) return wire::tag_number(tag) == group ? p : nullptr;
      const FieldEntry* field = nullptr;
      if (table != nullptr) {
        if (table->dropped_count != 0 && is_dropped(*table, wire::tag_number(tag))) {
          p = wire::skip_value(p, end, tag, kMaxDepth);
          if (p == nullptr) return nullptr;
          continue;
        }
        std::size_t hint = 0;
        field = find_field(*table, tag, hint);
      }
      p = record(DebugLabel{field, wire::tag_number(tag)}, wire::tag_type(tag), p, end, levels);
      if (p == nullptr) return nullptr;
    }
    return group == 0 ? p : nullptr;
  }

 private:
  // An unknown field may be a message: so many levels are tried, like in text format.
  static constexpr unsigned kGuesses = 10;

  const std::uint8_t* record(DebugLabel label, wire::WireType type, const std::uint8_t* p, const std::uint8_t* end,
                             std::uint32_t levels) {
    if (type == wire::WireType::Len) return len(label, p, end, levels);
    if (type == wire::WireType::StartGroup) {
      const MessageTable* const table = label.field != nullptr ? label.field->child : nullptr;
      if (levels == 0) {
        Bytes content;
        p = wire::read_group(p, end, label.number, content, kMaxDepth);
        left_out(label);
        return p;
      }
      text_.open(label);
      p = show(table, p, end, label.number, levels - 1);
      text_.close();
      return p;
    }
    std::uint64_t word = 0;
    p = number(type, p, end, word);
    if (p == nullptr) return nullptr;
    const FieldEntry* const field = label.field;
    if (field != nullptr && field->closed != nullptr && !field->closed(static_cast<std::int32_t>(word))) {
      label.field = nullptr;
    }
    if (label.field != nullptr) {
      text_.value(label, debug_number(label.field->type, word));
    } else if (type == wire::WireType::Varint) {
      text_.value(label, std::to_string(word));
    } else {
      char hex[24];
      std::snprintf(hex, sizeof hex, "0x%0*llx", type == wire::WireType::Fixed32 ? 8 : 16,
                    static_cast<unsigned long long>(word));
      text_.value(label, hex);
    }
    return p;
  }

  static const std::uint8_t* number(wire::WireType type, const std::uint8_t* p, const std::uint8_t* end,
                                    std::uint64_t& word) {
    if (type == wire::WireType::Fixed64) return wire::read_fixed64(p, end, word);
    if (type == wire::WireType::Varint) return wire::read_varint(p, end, word);
    std::uint32_t half = 0;
    p = wire::read_fixed32(p, end, half);
    word = half;
    return p;
  }

  const std::uint8_t* len(DebugLabel label, const std::uint8_t* p, const std::uint8_t* end, std::uint32_t levels) {
    std::uint64_t length = 0;
    p = wire::read_varint(p, end, length);
    if (p == nullptr) return nullptr;
    // Of a record that ends too early, what there is.
    const std::size_t left = static_cast<std::size_t>(end - p);
    const bool whole = length <= left;
    const Bytes payload(p, whole ? static_cast<std::size_t>(length) : left);
    if (label.field != nullptr && label.field->closed != nullptr && label.field->type == FieldType::Message &&
        !has_known_value(*label.field, payload)) {
      label.field = nullptr;
    }
    bool good = true;
    if (label.field == nullptr) {
      unknown(label, payload, levels);
    } else if (label.field->type == FieldType::Message) {
      good = message(label, label.field->child, payload, levels);
    } else if (is_packable(label.field->type)) {
      good = packed(label, payload);
    } else {
      text_.quoted(label, payload);
    }
    return good && whole ? payload.end() : nullptr;
  }

  bool message(const DebugLabel& label, const MessageTable* table, Bytes payload, std::uint32_t levels) {
    if (levels == 0) {
      left_out(label);
      return true;
    }
    text_.open(label);
    const bool good = show(table, payload.begin(), payload.end(), 0, levels - 1) != nullptr;
    text_.close();
    return good;
  }

  void unknown(const DebugLabel& label, Bytes payload, std::uint32_t levels) {
    if (payload.empty() || guesses_ == 0 || !check(payload).ok()) return text_.quoted(label, payload);
    --guesses_;
    message(label, nullptr, payload, levels);
    ++guesses_;
  }

  bool packed(DebugLabel label, Bytes payload) {
    const FieldEntry& field = *label.field;
    for (const std::uint8_t* p = payload.begin(); p != payload.end() && !text_.full();) {
      p = record(label, element_wire_type(field.type), p, payload.end(), 0);
      if (p == nullptr) return false;
    }
    return true;
  }

  // Of a map whose values are of a closed enum: does the entry have a value that the enum defines, or none?
  static bool has_known_value(const FieldEntry& field, Bytes entry) {
    bool known = true;
    for (const std::uint8_t* p = entry.begin(); p != entry.end();) {
      std::uint32_t tag = 0;
      const std::uint8_t* const value = wire::read_tag(p, entry.end(), tag);
      p = value == nullptr ? nullptr : wire::skip_value(value, entry.end(), tag, kMaxDepth);
      if (p == nullptr) return true;
      std::uint64_t word = 0;
      if (tag != wire::make_tag(2, wire::WireType::Varint)) continue;
      wire::read_varint(value, p, word);
      known = field.closed(static_cast<std::int32_t>(word));
    }
    return known;
  }

  void left_out(const DebugLabel& label) {
    text_.open(label);
    text_.remark("deeper");
    text_.close();
  }

  DebugText& text_;
  unsigned guesses_ = kGuesses;
};

// Shows a message of a pool.
class DebugPooled {
 public:
  explicit DebugPooled(DebugText& text) : text_(text) {}

  void show(const pool::detail::Type& type, const void* message, std::uint32_t levels) {
    for (std::size_t i = 0; i < type.table->field_count && !text_.full(); ++i) field(type, i, message, levels);
    if (type.is_entry) return;
    // The first member of every message.
    for (const Bytes range : pool::UnknownFields(port::load<const pool::detail::UnknownList*>(
                                 static_cast<const std::uint8_t*>(message))).ranges()) {
      DebugRecords(text_).show(nullptr, range.begin(), range.end(), 0, levels);
    }
  }

 private:
  void field(const pool::detail::Type& type, std::size_t index, const void* message, std::uint32_t levels) {
    const FieldEntry& field = type.table->fields[index];
    const pool::detail::Place& place = type.places[index];
    const std::uint8_t* const slot = pool::detail::at(message, place.at);
    const DebugLabel label{&field, field.number};
    if (type.is_entry && place.shape != pool::detail::Shape::Inline) return part(type, label, place, message);
    if (!pool::detail::has(field, place, message)) return;
    if (place.shape == pool::detail::Shape::Repeated || place.shape == pool::detail::Shape::Map) {
      const pool::detail::Array array = port::load<pool::detail::Array>(slot);
      for (std::uint32_t i = 0; i < array.size && !text_.full(); ++i) element(label, place, array, i, levels);
    } else if (pool::detail::is_message(field.type)) {
      child(label, *place.child, pool::detail::message_at(place, message), levels);
    } else if (pool::detail::is_text(field.type)) {
      const std::uint32_t size = place.shape == pool::detail::Shape::Member
                                     ? port::load<pool::detail::Choice>(slot).size
                                     : port::load<std::uint32_t>(pool::detail::at(message, place.more));
      text_.quoted(label, Bytes(port::load<const std::uint8_t*>(slot), size));
    } else {
      number(label, slot);
    }
  }

  void element(const DebugLabel& label, const pool::detail::Place& place, const pool::detail::Array& array,
               std::size_t index, std::uint32_t levels) {
    switch (label.field->type) {
      case FieldType::Message:
      case FieldType::Group:
        return child(label, *place.child, array.data + std::size_t{place.child->size} * index, levels);
      case FieldType::String:
        return text_.quoted(label, reinterpret_cast<const std::string_view*>(array.data)[index]);
      case FieldType::Bytes: return text_.quoted(label, reinterpret_cast<const Bytes*>(array.data)[index]);
      default: return number(label, array.data + pool::detail::number_width(label.field->type) * index);
    }
  }

  // The key or the value of a map's entry, which always exist.
  void part(const pool::detail::Type& entry, const DebugLabel& label, const pool::detail::Place& place,
            const void* message) {
    const std::uint8_t* const slot = pool::detail::at(message, place.at);
    if (pool::detail::is_text(label.field->type)) {
      const std::uint32_t size = port::load<std::uint32_t>(pool::detail::at(message, place.more));
      return text_.quoted(label, Bytes(port::load<const std::uint8_t*>(slot), size));
    }
    if (label.field->closed != nullptr && port::load<std::uint32_t>(pool::detail::at(message, place.more)) == 0) {
      return text_.value(label, std::to_string(entry.absent_value));
    }
    number(label, slot);
  }

  void child(const DebugLabel& label, const pool::detail::Type& type, const void* message, std::uint32_t levels) {
    text_.open(label);
    if (levels == 0) {
      text_.remark("deeper");
    } else {
      show(type, message, levels - 1);
    }
    text_.close();
  }

  void number(const DebugLabel& label, const std::uint8_t* slot) {
    const FieldType type = label.field->type;
    std::uint64_t word = 0;
    switch (element_wire_type(type)) {
      case wire::WireType::Fixed32: word = port::load<std::uint32_t>(slot); break;
      case wire::WireType::Fixed64: word = port::load<std::uint64_t>(slot); break;
      default: word = pool::detail::varint_of(type, slot); break;
    }
    text_.value(label, debug_number(type, word));
  }

  DebugText& text_;
};

inline std::uint32_t debug_levels(const DebugOptions& options) {
  return options.depth < kMaxDepth ? options.depth : kMaxDepth;
}

template <class M, class = void>
constexpr bool is_pooled = false;
template <class M>
constexpr bool is_pooled<M, std::void_t<decltype(M::kType)>> = true;

}  // namespace detail

// Any bytes as a message of this table, read with the default options. FooView::kTable is the table of Foo.
inline std::string debug_string(const MessageTable& table, Bytes bytes, const DebugOptions& options = {}) {
  detail::DebugText text(options.size);
  detail::DebugRecords(text).show(&table, bytes.begin(), bytes.end(), 0, detail::debug_levels(options));
  return text.finish(check(table, bytes));
}

// A view that was decoded or opened, with all messages in it, or a message of a pool.
template <class M>
std::string debug_string(const M& message, const DebugOptions& options = {}) {
  detail::DebugText text(options.size);
  if constexpr (detail::is_pooled<M>) {
    detail::DebugPooled(text).show(M::kType, &message, detail::debug_levels(options));
    return text.finish(Error());
  } else {
    for (const Bytes piece : message.pieces()) {
      if (detail::DebugRecords(text).show(&M::kTable, piece.begin(), piece.end(), 0,
                                          detail::debug_levels(options)) == nullptr) {
        break;
      }
    }
    return text.finish(message.validate());
  }
}

HOTPB_NAMESPACE_END

#endif  // HOTPB_DEBUG_H_
