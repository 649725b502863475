// The encoder of one message, which writes its last field first: straight code for a hot message, a call of the runtime
// for any other.
#include "pool/names.h"

namespace hotpb {
namespace plugin {
namespace {

class EncodeEmitter {
 public:
  EncodeEmitter(const PoolNames& names, const PoolClass& message, Code& code)
      : names_(names), message_(message), code_(code) {}

  void emit() {
    code_.text(R"(
  const Stored_& f = *static_cast<const Stored_*>(message);
  e.unknown(f.unknown);
)");
    for (std::size_t i = message_.fields.size(); i != 0; --i) {
      // Numbers that follow one another ask for room once.
      if (room_ == 0) {
        while (room_ < i && room_ < kNumbers && is_plain_number(*message_.fields[i - 1 - room_])) ++room_;
        if (room_ > 1) code_.text("  e.numbers($count$);", {{"count", room_}});
        together_ = room_ > 1;
      }
      field(i - 1);
      if (room_ != 0) --room_;
    }
  }

 private:
  // Of what the encoder's first block has room for.
  static constexpr std::size_t kNumbers = 8;

  bool is_plain_number(const Field& field) const {
    return !field.repeated() && !message_.in_oneof(field) && field.type != FieldType::Message && !is_text(field);
  }

  void field(std::size_t index) {
    const Field& field = *message_.fields[index];
    Values values{{"declaration", declaration(field)}, {"at", "f." + message_.stored(field)}, {"index", index},
                  {"tag", tag_of(field)}, {"number", static_cast<std::uint32_t>(field.number)},
                  {"type", names_.type(field)}, {"present", present(field)},
                  {"choice", message_.in_oneof(field) ? message_.choice(field) : ""}};
    code_.text("  // $declaration$", values);
    const bool message = field.type == FieldType::Message && !is_map(field) && !field.delimited;
    if (message && is_quick_message(names_, *field.message)) {
      code_.text(field.repeated() ? R"(
  for (::std::uint32_t i = $at$.size; i != 0; --i) {
    e.leaf($tag$u, ::hotpb::pool::detail::list<$type$>($at$)[i - 1]);
  }
)" : message_.in_oneof(field) ? R"(
  if ($present$) e.leaf($tag$u, ::hotpb::pool::detail::message<$type$>(f.$choice$, $number$u));
)" : R"(
  if ($present$) e.leaf($tag$u, *static_cast<const $type$*>($at$));
)", values);
    } else if (message && field.repeated()) {
      code_.text(R"(
  for (::std::uint32_t i = $at$.size; i != 0; --i) {
    const ::std::size_t before = e.size();
    $type$::encode_(e, ::hotpb::pool::detail::list<$type$>($at$).data() + (i - 1));
    e.length($tag$u, before);
  }
)", values);
    } else if (field.repeated() || message_.in_oneof(field) || field.delimited) {
      code_.text("  if ($present$) e.field(kType, $index$, message);", values);
    } else if (message) {
      code_.text(R"(
  if ($present$) {
    const ::std::size_t before = e.size();
    $type$::encode_(e, $at$);
    e.length($tag$u, before);
  }
)", values);
    } else if (is_text(field)) {
      values.add({{"size", "f." + message_.size(field)}});
      code_.text("  if ($present$) e.text($tag$u, $at$, $size$);", values);
    } else {
      const bool alone = room_ == 0 || !together_;
      values.add({{"put", alone ? put(field)
                          : put(field) != "varint" ? "fixed"
                          : field.type == FieldType::Enum ? "small_number" : "number"},
                  {"value", value(field, "f." + message_.stored(field))}});
      code_.text("  if ($present$) e.$put$($tag$u, $value$);", values);
    }
  }

  // The fields of a message that is written at one go.
 public:
  void quick() {
    code_.text(R"(

HOTPB_INLINE ::std::size_t $class$::room_(const void* message) {
  const Stored_& f = *static_cast<const Stored_*>(message);
  static_cast<void>(f);
)", {{"class", message_.name}});
    std::string room = std::to_string(message_.fields.size()) + " * ::hotpb::pool::detail::backward::kFieldRoom";
    for (const Field* field : message_.fields) {
      if (is_text(*field)) room += " + f." + message_.size(*field);
    }
    code_.text(R"(
  return $room$;
}

HOTPB_INLINE ::std::uint8_t* $class$::write_(const void* message, ::std::uint8_t* p) {
  const Stored_& f = *static_cast<const Stored_*>(message);
)", {{"class", message_.name}, {"room", room}});
    for (std::size_t i = message_.fields.size(); i != 0; --i) {
      const Field& field = *message_.fields[i - 1];
      Values values{{"at", "f." + message_.stored(field)}, {"tag", tag_of(field)}, {"present", present(field)}};
      if (is_text(field)) {
        values.add({{"size", "f." + message_.size(field)}});
        code_.text("  if ($present$) p = ::hotpb::pool::detail::backward::text(p, $tag$u, $at$, $size$);", values);
      } else {
        values.add({{"put", put(field) == "varint" ? "number" : "fixed"},
                    {"value", value(field, "f." + message_.stored(field))}});
        code_.text("  if ($present$) p = ::hotpb::pool::detail::backward::$put$(p, $tag$u, $value$);", values);
      }
    }
    code_.text(R"(
  return p;
}
)");
  }

 private:
  std::string present(const Field& field) const {
    const std::string at = "f." + message_.stored(field);
    if (message_.in_oneof(field)) return "f." + message_.choice(field) + ".number == " + std::to_string(field.number);
    if (field.repeated()) return at + ".size != 0";
    const auto bit = message_.bits.find(&field);
    if (bit != message_.bits.end()) {
      return "(f.has_bits[" + std::to_string(bit->second / 32) + "] & " + std::to_string(1u << bit->second % 32) +
             "u) != 0";
    }
    if (field.type == FieldType::Message || (is_text(field) && has_presence(field))) return at + " != nullptr";
    if (is_text(field)) return "f." + message_.size(field) + " != 0";
    switch (field.type) {
      case FieldType::Bool: return at;
      case FieldType::Float: return "::hotpb::detail::port::bits_as<::std::uint32_t>(" + at + ") != 0";
      case FieldType::Double: return "::hotpb::detail::port::bits_as<::std::uint64_t>(" + at + ") != 0";
      case FieldType::Enum: return "static_cast<::std::int32_t>(" + at + ") != 0";
      default: return at + " != 0";
    }
  }

  static std::string put(const Field& field) {
    switch (wire_type(field)) {
      case wire::WireType::Fixed32: return "fixed32";
      case wire::WireType::Fixed64: return "fixed64";
      default: return "varint";
    }
  }

  // The expression that is written for a value.
  static std::string value(const Field& field, const std::string& at) {
    switch (field.type) {
      case FieldType::Float: return "::hotpb::detail::port::bits_as<::std::uint32_t>(" + at + ")";
      case FieldType::Double: return "::hotpb::detail::port::bits_as<::std::uint64_t>(" + at + ")";
      case FieldType::Sfixed32: return "static_cast<::std::uint32_t>(" + at + ")";
      case FieldType::Int64:
      case FieldType::Sfixed64: return "static_cast<::std::uint64_t>(" + at + ")";
      case FieldType::Int32: return "static_cast<::std::uint64_t>(::std::int64_t{" + at + "})";
      case FieldType::Enum:
        return "static_cast<::std::uint64_t>(::std::int64_t{static_cast<::std::int32_t>(" + at + ")})";
      case FieldType::Sint32: return "::hotpb::wire::zigzag32(" + at + ")";
      case FieldType::Sint64: return "::hotpb::wire::zigzag64(" + at + ")";
      default: return at;
    }
  }

  const PoolNames& names_;
  const PoolClass& message_;
  Code& code_;
  std::size_t room_ = 0;   // numbers that there is room for
  bool together_ = false;  // more than one asked for it
};

}  // namespace

void emit_pool_quick_encoder(const PoolNames& names, const PoolClass& message, Code& code) {
  EncodeEmitter(names, message, code).quick();
}

void emit_pool_encoder(const PoolNames& names, const PoolClass& message, Code& code) {
  code.text(R"(

$inlined$void $class$::encode_(::hotpb::pool::detail::Encoder& e, const void* message) {
)", {{"inlined", names.context().inlined()}, {"class", message.name}});
  if (message.encodes_straight) {
    EncodeEmitter(names, message, code).emit();
  } else {
    code.text("  e.by_table(kType, message);");
  }
  code.line("}");
}

}  // namespace plugin
}  // namespace hotpb
