// The decoder of one message: straight code for a hot message, a call of the runtime for any other.
#include "pool/names.h"
#include "read/sections.h"

namespace hotpb {
namespace plugin {
namespace {

// The value of a number that was read.
std::string converted_number(const PoolNames& names, const Field& field) {
  const std::string type = names.type(field);
  switch (field.type) {
    case FieldType::Bool: return "word != 0";
    case FieldType::Sint32: return "::hotpb::wire::unzigzag32(static_cast<::std::uint32_t>(word))";
    case FieldType::Sint64: return "::hotpb::wire::unzigzag64(word)";
    case FieldType::Enum: return "static_cast<" + type + ">(static_cast<::std::int32_t>(word))";
    case FieldType::Float: return "::hotpb::detail::port::bits_as<float>(half)";
    case FieldType::Double: return "::hotpb::detail::port::bits_as<double>(word)";
    default: break;
  }
  return "static_cast<" + type + ">(" + (wire_type(field) == wire::WireType::Fixed32 ? "half" : "word") + ")";
}

// The form in which packed varints are stored.
const char* packed_as(const Field& field) {
  switch (field.type) {
    case FieldType::Bool: return "::std::uint8_t, ::hotpb::pool::detail::AsBool";
    case FieldType::Sint32: return "::std::int32_t, ::hotpb::pool::detail::AsSint32";
    case FieldType::Sint64: return "::std::int64_t, ::hotpb::pool::detail::AsSint64";
    case FieldType::Int64:
    case FieldType::Uint64: return "::std::uint64_t, ::hotpb::pool::detail::AsNumber";
    default: return "::std::uint32_t, ::hotpb::pool::detail::AsNumber";
  }
}

// Is the message decoded without a look at its end in between, when its fields come in order? Few singular fields, none
// of messages.
bool is_quick(const PoolNames& names, const Message& message) {
  const std::vector<const Field*> fields = names.context().selection.fields(message);
  if (fields.empty() || fields.size() > 4) return false;
  for (const Field* field : fields) {
    if (field->repeated() || field->oneof >= 0 || field->type == FieldType::Message) return false;
    if (is_closed(*field) || field->number > 15) return false;
  }
  return true;
}

class DecodeEmitter final : Sections {
 public:
  DecodeEmitter(const PoolNames& names, const PoolClass& message, Code& code)
      : Sections(message.fields, "nullptr", code), names_(names), message_(message), code_(code) {}

  void emit() {
    // Nothing is stored before all of it has been read.
    code_.text(R"(
  Stored_& f = *static_cast<Stored_*>(message);
  const ::std::uint8_t* start;
  ::std::uint32_t tag;
)");
    variables();
    guess_first();
    code_.text(R"(
next:
  if (p == end) return end_tag == 0 ? p : nullptr;
  start = p;
  tag = *p;
  p = tag < 0x80 ? p + 1 : ::hotpb::wire::read_tag(p, end, tag);
  if (p == nullptr) return nullptr;
)");
    dispatch();
    code_.text(R"(
  if (!::hotpb::wire::is_valid_tag(tag)) return nullptr;
  if (tag == end_tag) return p;
  p = d.unknown(kType, message, start, p, end, tag, level);
  if (p == nullptr) return nullptr;
  goto next;
)");
    sections();
  }

 private:
  // A goto may not jump over a declaration: what the sections need is declared in front.
  void variables() {
    bool payload = false;
    bool word = false;
    bool half = false;
    bool place = false;
    bool child = false;
    for (const Field* field : message_.fields) {
      const bool number = is_number(*field);
      const bool message = field->type == FieldType::Message && !is_map(*field);
      payload = payload || is_text(*field) || (message && !field->delimited);
      half = half || (number && wire_type(*field) == wire::WireType::Fixed32);
      word = word || (number && wire_type(*field) != wire::WireType::Fixed32);
      place = place || (field->repeated() && field->type != FieldType::Message);
      child = child || message;
    }
    if (payload) code_.text("  ::hotpb::Bytes payload;");
    if (word) code_.text("  ::std::uint64_t word;");
    if (half) code_.text("  ::std::uint32_t half;");
    if (place) code_.text("  ::std::uint8_t* place;");
    if (child) code_.text("  void* child;");
  }

  // The values for templates of a field of any kind.
  Values values_of(const Field& field) const {
    Values values{{"number", static_cast<std::uint32_t>(field.number)}, {"type", names_.type(field)},
                  {"at", "f." + message_.stored(field)}};
    if (message_.in_oneof(field)) values.add({{"choice", "f." + message_.choice(field)}});
    if (is_text(field)) values.add({{"size", "f." + message_.size(field)}});
    const auto bit = message_.bits.find(&field);
    if (bit != message_.bits.end()) {
      values.add({{"word_index", bit->second / 32}, {"bit", 1u << bit->second % 32}});
    }
    return values;
  }

  bool needs_start(const Field& field) const override { return is_map(field); }

  void record(std::size_t index, bool packed) override {
    const Field& field = *message_.fields[index];
    Values values = values_of(field);
    values.add({{"index", index}});
    if (packed) {
      values.add({{"as", packed_as(field)}, {"width", number_width(field)}});
      if (is_closed(field)) {
        code_.text("  p = d.packed_closed(fields_[$index$], $at$, message, p, end, level);", values);
      } else if (wire_type(field) != wire::WireType::Varint) {
        code_.text("  p = d.packed_fixed($at$, $width$, p, end, level);", values);
      } else {
        code_.text("  p = d.packed<$as$>($at$, p, end, level);", values);
      }
      code_.text("  if (p == nullptr) return nullptr;");
    } else if (is_map(field)) {
      const Field& value = map_value(field);
      values.add({{"key_type", field_type(map_key(field))}, {"value_type", field_type(value)},
                  {"entry", names_.entry(field)}});
      code_.text(is_closed(value) ? R"(
  p = d.map(fields_[$index$], entry_$number$_type_, $at$, message, start, p, end, level);
  if (p == nullptr) return nullptr;
)" : R"(
  p = d.map<::hotpb::FieldType::$key_type$, ::hotpb::FieldType::$value_type$,
      sizeof(::hotpb::pool::detail::Entry<$entry$>)>(entry_$number$_type_, $at$, p, end, level);
  if (p == nullptr) return nullptr;
)", values);
    } else if (field.type == FieldType::Message) {
      message(field);
    } else if (is_text(field)) {
      text(field);
    } else {
      number(field);
    }
  }

  void message(const Field& field) {
    Values values = values_of(field);
    if (in_runs(field)) {
      values.add({{"tag", tag_bytes(field, false)}});
      code_.text("  if (!d.run<$type$, 0x$tag$>(level, $at$, p, end)) {", values);
      code_.indent();
    }
    if (!field.delimited) read_payload();
    code_.text("  if (!d.may_nest(level)) return nullptr;");
    if (message_.in_oneof(field)) {
      code_.text("  child = d.child<$type$>(level[1], $choice$, $number$u);", values);
    } else if (field.repeated()) {
      code_.text("  child = d.add<$type$>(level[1], $at$);", values);
    } else {
      code_.text("  child = d.child<$type$>(level[1], $at$);", values);
    }
    code_.text("  if (child == nullptr) return nullptr;");
    values.add({{"end_tag", static_cast<std::uint32_t>(field.number) << 3 | 4u}});
    code_.text(field.delimited ? R"(
  p = $type$::decode_(d, child, p, end, $end_tag$u, level + 1);
  if (p == nullptr) return nullptr;
)" : R"(
  if ($type$::decode_(d, child, payload.begin(), payload.end(), 0, level + 1) == nullptr) return nullptr;
)", values);
    if (!in_runs(field)) return;
    code_.dedent();
    code_.line("  }");
  }

  bool in_runs(const Field& field) const {
    return field.repeated() && !field.delimited && field.number < 16 && is_quick(names_, *field.message);
  }

  void text(const Field& field) {
    const Values values = values_of(field);
    read_payload();
    if (field.type == FieldType::String) {
      code_.text("  if (!d.$check$(payload)) return nullptr;",
                 {{"check", names_.verify(field) ? "is_utf8" : "is_accepted"}});
    }
    const bool bytes = field.type == FieldType::Bytes;
    if (field.repeated()) {
      code_.text(bytes ? R"(
  place = d.append(level[1], $at$, sizeof(::hotpb::Bytes));
  if (place == nullptr) return nullptr;
  new (place) ::hotpb::Bytes(payload);
)" : R"(
  place = d.append(level[1], $at$, sizeof(::std::string_view));
  if (place == nullptr) return nullptr;
  new (place) ::std::string_view(payload.text());
)", values);
    } else if (message_.in_oneof(field)) {
      code_.text("  ::hotpb::pool::detail::set_text($choice$, $number$u, payload);", values);
    } else {
      code_.text(R"(
  $at$ = payload.data();
  $size$ = static_cast<::std::uint32_t>(payload.size());
)", values);
    }
  }

  std::string converted(const Field& field) const { return converted_number(names_, field); }

  void number(const Field& field) {
    Values values = values_of(field);
    values.add({{"value", converted(field)}, {"width", number_width(field)}});
    switch (wire_type(field)) {
      case wire::WireType::Fixed64: code_.text("  p = ::hotpb::wire::read_fixed64(p, end, word);"); break;
      case wire::WireType::Fixed32: code_.text("  p = ::hotpb::wire::read_fixed32(p, end, half);"); break;
      default:
        // Bools and enums have one byte nearly always.
        code_.text(field.type == FieldType::Bool || field.type == FieldType::Enum
                       ? "  p = d.small_varint(p, end, word);"
                       : "  p = d.varint(p, end, word);");
        break;
    }
    code_.text("  if (p == nullptr) return nullptr;");
    if (is_closed(field)) {
      values.add({{"closed", names_.closed(*field.enumeration)}});
      code_.text(R"(
  if (!$closed$(static_cast<::std::int32_t>(word))) {
    if (!d.undefined(message, $number$u, word, level)) return nullptr;
    goto next;
  }
)", values);
    }
    if (field.repeated()) {
      code_.text(R"(
  place = d.append(level[1], $at$, $width$);
  if (place == nullptr) return nullptr;
  ::hotpb::detail::port::store<$type$>(place, $value$);
)", values);
    } else if (message_.in_oneof(field)) {
      code_.text("  ::hotpb::pool::detail::set_number<$type$>($choice$, $number$u, $value$);", values);
    } else {
      code_.text("  $at$ = $value$;", values);
      if (message_.bits.count(&field) != 0) code_.text("  f.has_bits[$word_index$] |= $bit$u;", values);
    }
  }

  const PoolNames& names_;
  const PoolClass& message_;
  Code& code_;
};

// The whole message at one go, where the input goes on after it: false where it is anything but its fields, with short
// strings. Fields that are out of order are read in a second round; strings are checked with the whole message then,
// since one that came before may have been replaced.
class QuickEmitter {
 public:
  QuickEmitter(const PoolNames& names, const PoolClass& message, Code& code)
      : names_(names), message_(message), code_(code) {}

  void emit() {
    code_.text(R"(

HOTPB_INLINE bool $class$::quick_(::hotpb::pool::detail::Decoder& d, void* message, const ::std::uint8_t* p,
    const ::std::uint8_t* const end) {
  static_cast<void>(d);
)", {{"class", message_.name}});
    // Variables: a position and a size of each string, the values of the others, presence.
    bool texts = true;
    bool word = false;
    for (const Field* field : message_.fields) {
      texts = texts && is_text(*field);
      word = word || (is_number(*field) && wire_type(*field) == wire::WireType::Varint);
    }
    texts = texts && message_.fields.size() > 1;
    if (texts) code_.text("  const ::std::uint8_t* const begin = p;");
    if (word) code_.text("  ::std::uint64_t word;");
    for (const Field* field : message_.fields) {
      code_.text(is_text(*field) ? R"(
  const ::std::uint8_t* $at$ = nullptr;
  ::std::uint32_t $size$ = 0;
)" : R"(
  $type$ $at$ = {};
)", values_of(*field));
    }
    if (!message_.bits.empty()) code_.text("  ::std::uint32_t has_bits = 0;");
    // What is to be checked in the end.
    std::string checks;
    for (const Field* field : message_.fields) {
      if (field->type != FieldType::String) continue;
      checks += checks.empty() ? "" : " && ";
      // An absent one has no bytes to look at.
      checks += "(" + message_.size(*field) + " == 0 || d." + (names_.verify(*field) ? "is_utf8" : "is_accepted") +
                "(::hotpb::Bytes(" + message_.stored(*field) + ", " + message_.size(*field) + ")))";
    }
    // The fields in order, and once more for those that were not; then the strings.
    const bool rounds = message_.fields.size() > 1 && (texts || checks.empty());
    for (const Field* field : message_.fields) part(*field);
    if (rounds) {
      if (!checks.empty()) code_.text("  const bool second_round = p != end;");
      code_.text("  if (HOTPB_UNLIKELY(p != end)) {");
      code_.indent();
      for (const Field* field : message_.fields) part(*field);
      code_.text("  if (p != end) return false;");
      code_.dedent();
      code_.line("  }");
    } else {
      code_.text("  if (p != end) return false;");
    }
    if (!checks.empty()) {
      code_.text("  if ($plain$!($checks$)$close$) return false;", {
          {"checks", checks}, {"close", texts ? ")" : ""},
          {"plain", texts ? "!d.is_plain(begin, static_cast<::std::size_t>(end - begin)) && (second_round || " : ""}});
    }
    code_.text(R"(
  Stored_& f = *static_cast<Stored_*>(message);
  f.unknown = nullptr;
)");
    for (const Field* field : message_.fields) {
      code_.text("  f.$at$ = $at$;", values_of(*field));
      if (is_text(*field)) code_.text("  f.$size$ = $size$;", values_of(*field));
    }
    if (!message_.bits.empty()) code_.text("  f.has_bits[0] = has_bits;");
    code_.text(R"(
  return true;
}
)");
  }

 private:
  Values values_of(const Field& field) const {
    return {{"tag", tag_bytes(field, false)}, {"at", message_.stored(field)}, {"type", names_.type(field)},
            {"size", is_text(field) ? message_.size(field) : ""}};
  }

  void part(const Field& field) {
    Values values = values_of(field);
    code_.text("  if (*p == 0x$tag$) {  // $declaration$",
               {{"tag", tag_bytes(field, false)}, {"declaration", declaration(field)}});
    if (is_text(field)) {
      code_.text(R"(
    if (p[1] >= 0x80) return false;
    $size$ = p[1];
    $at$ = p + 2;
    p = $at$ + $size$;
)", values);
    } else if (wire_type(field) == wire::WireType::Varint) {
      values.add({{"value", converted_number(names_, field)}});
      code_.text(R"(
    p = d.varint(p + 1, end, word);
    if (p == nullptr) return false;
    $at$ = $value$;
)", values);
    } else {
      values.add({{"width", number_width(field)}});
      code_.text(R"(
    $at$ = ::hotpb::detail::port::load<$type$>(p + 1);
    p += 1 + $width$;
)", values);
    }
    const auto bit = message_.bits.find(&field);
    if (bit != message_.bits.end()) {
      code_.text("    has_bits |= $bit$u;", {{"bit", 1u << bit->second}});
    }
    if (is_text(field) || wire_type(field) != wire::WireType::Varint) code_.text("    if (p > end) return false;");
    code_.text("  }");
  }

  const PoolNames& names_;
  const PoolClass& message_;
  Code& code_;
};

}  // namespace

bool is_quick_message(const PoolNames& names, const Message& message) { return is_quick(names, message); }

void emit_pool_quick(const PoolNames& names, const PoolClass& message, Code& code) {
  QuickEmitter(names, message, code).emit();
}

void emit_pool_decoder(const PoolNames& names, const PoolClass& message, Code& code) {
  code.text(R"(

$inlined$const ::std::uint8_t* $class$::decode_(::hotpb::pool::detail::Decoder& d, void* message,
    const ::std::uint8_t* p, const ::std::uint8_t* const end, const ::std::uint32_t end_tag,
    ::hotpb::pool::detail::Level* const level) {
)", {{"inlined", names.context().inlined()}, {"class", message.name}});
  if (message.straight) {
    DecodeEmitter(names, message, code).emit();
  } else {
    code.text("  return d.by_table(kType, message, p, end, end_tag, level);");
  }
  code.line("}");
}

}  // namespace plugin
}  // namespace hotpb
