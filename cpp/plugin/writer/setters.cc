// FooWriter: the typed setters of a message (spec/faces.md, writer).
//
//   singular x        set_x(value)                    strings and bytes also from ByteRanges
//   repeated x        add_x(value)                    packed: add_x(span), or packed_x() and its add(value)
//   message x         set_x()/add_x() -> XWriter      or with a callable, or with a RawMessage
//   map x             add_x(key, value)               message values: add_x(key), as for messages
//   extension x       set_x(writer, ...)              functions outside of the classes
//
// With utf8=check or utf8=strict, setters of strings check them (hotpb/writer/checked.h).
//
// Every method starts with one of these prefixes, so fields cannot collide with each other or with methods of the base
// class.
#include "emit.h"

namespace hotpb {
namespace plugin {
namespace {

bool is_varint(FieldType type) {
  switch (type) {
    case FieldType::Double:
    case FieldType::Float:
    case FieldType::Fixed32:
    case FieldType::Fixed64:
    case FieldType::Sfixed32:
    case FieldType::Sfixed64:
    case FieldType::String:
    case FieldType::Bytes: return false;
    default: return true;
  }
}

// A function of MessageWriter, such as put_int32.
std::string put_function(FieldType type) {
  if (type == FieldType::Enum) return "put_enum";
  if (type == FieldType::String) return "put_string";
  if (!is_varint(type)) return type == FieldType::Bytes ? "put_bytes" : "put_fixed";
  return "put_" + std::string(type_name(type));
}

// How the elements of a packed field are encoded.
std::string_view packed_encoding(FieldType type) {
  switch (type) {
    case FieldType::Int32:
    case FieldType::Int64:
    case FieldType::Enum: return "::hotpb::PackedInt";
    case FieldType::Uint32:
    case FieldType::Uint64: return "::hotpb::PackedUint";
    case FieldType::Sint32: return "::hotpb::PackedSint32";
    case FieldType::Sint64: return "::hotpb::PackedSint64";
    default: return "::hotpb::PackedFixed";
  }
}

// Emits the setters of one field: members, or functions that take the writer as their first parameter.
class FieldEmitter {
 public:
  FieldEmitter(const FileContext& context, const Message& owner, const Field& field, std::string name, bool extension)
      : context_(context), owner_(owner), field_(field), extension_(extension),
        values_{{"name", name},
                {"number", field.number},
                {"verb", field.repeated() ? "add" : "set"},
                // For the function of an extension: its first parameter, and the object of the call.
                {"writer", extension ? owner_class() + "& writer" : std::string()},
                {"writer,", extension ? owner_class() + "& writer, " : std::string()},
                {"deprecated", deprecation(field.deprecated)},
                {"object", extension ? "writer" : "*this"},
                {"call", extension ? "::hotpb::detail::Access::fields(writer)." : ""},
                {"start", deprecation(field.deprecated) + std::string(extension ? "inline " : "")}} {
    if (is_map(field_)) {
      values_.add({{"key", parameter(value_type(part(0))) + " key"}, {"key_part", entry_part(part(0), "key")}});
    }
    if (child() != nullptr) values_.add({{"child", context_.names.qualified(*child()->message, "Writer")}});
  }

  // Emits the declarations, in the class or in the namespace.
  void declare(Code& code) {
    if (is_map(field_)) return declare_map(code);
    if (field_.message != nullptr) return declare_message(code);
    if (field_.packed) return declare_packed(code);
    values_.add({{"value", parameter(value_type(field_))}, {"put", put_function(field_.type)}});
    if (checks(field_)) {
      code.text(R"(
$deprecated$HOTPB_SETTER void $verb$_$name$($writer,$$value$ value) noexcept {
  ::hotpb::detail::check_text($object$, value);
  $call$$put$<$number$>(value);
}
$start$void $verb$_$name$($writer,$::hotpb::ByteRanges ranges) noexcept {
  ::hotpb::detail::check_text($object$, ranges);
  $call$put_ranges<$number$>(ranges);
}
)", values_);
      return;
    }
    code.text(R"(
$deprecated$HOTPB_SETTER void $verb$_$name$($writer,$$value$ value) noexcept { $call$$put$<$number$>(value); }
)", values_);
    if (field_.type == FieldType::String || field_.type == FieldType::Bytes) {
      code.text(R"(
$start$void $verb$_$name$($writer,$::hotpb::ByteRanges ranges) noexcept { $call$put_ranges<$number$>(ranges); }
)", values_);
    }
  }

  // Emits the definitions that need the classes of other messages to be complete.
  void define(Code& code) {
    if (child() == nullptr) return;
    if (is_map(field_)) {
      values_.add({{"class", context_.names.type(owner_, "Writer")}});
      values_.add({{"opened", "::hotpb::detail::Access::open_entry<" + *values_.find("child") + ">(*this, " +
                                  std::to_string(field_.number) + ", " + *values_.find("key_part") + ")"}});
      code.text(R"(

inline $child$ $class$::add_$name$($key$) noexcept {
)", values_);
      check(code, part(0), "key");
      code.text(R"(
  return $opened$;
}
template <class Write>
HOTPB_SETTER void $class$::add_$name$($key$, Write&& write) {
)", values_);
      if (field_.deprecated) check(code, part(0), "key");
      // A deprecated setter does not call the other one, which would be a warning.
      values_.add({{"own", field_.deprecated ? *values_.find("opened") : "add_" + *values_.find("name") + "(key)"}});
      code.text(R"(
  fill_child($own$, ::std::forward<Write>(write));
}
)", values_);
      return;
    }
    const std::string number = std::to_string(field_.number);
    const std::string& child = *values_.find("child");
    values_.add({{"scope", extension_ ? std::string() : context_.names.type(owner_, "Writer") + "::"},
                 {"attribute", extension_ ? deprecation(field_.deprecated) : ""},
                 {"opened", owner_.message_set
                                ? "::hotpb::detail::Access::open_item<" + child + ">(writer, " + number + ")"
                                : *values_.find("call") + (field_.delimited ? "open_group<" : "open<") + child + ", " +
                                      number + ">()"}});
    // A deprecated setter does not call the other one, which would be a warning.
    const std::string name = *values_.find("verb") + "_" + *values_.find("name");
    values_.add({{"own", field_.deprecated ? *values_.find("opened") : name + (extension_ ? "(writer)" : "()")}});
    code.text(R"(

$attribute$HOTPB_SETTER $child$ $scope$$verb$_$name$($writer$) noexcept {
  return $opened$;
}
template <class Write>
$attribute$HOTPB_SETTER void $scope$$verb$_$name$($writer,$Write&& write) {
  $call$fill_child($own$, ::std::forward<Write>(write));
}
)", values_);
  }

 private:
  std::string owner_class() const { return context_.names.qualified(owner_, "Writer"); }

  // Whether the setter checks that a string is UTF-8.
  bool checks(const Field& field) const {
    const Options& options = context_.options;
    return options.check && field.type == FieldType::String && (field.verify_utf8 || options.strict);
  }
  // Emits the check of a map's key or value.
  void check(Code& code, const Field& part, std::string_view variable) const {
    if (checks(part)) code.line("  ::hotpb::detail::check_text(*this, ", variable, ");");
  }

  static std::string parameter(const std::string& type) {
    if (type == "::std::string_view") return "::hotpb::Text";
    return type == "bool" ? "::hotpb::ExactBool" : type;
  }

  std::string value_type(const Field& field) const {
    if (field.enumeration != nullptr) return context_.names.qualified(*field.enumeration);
    return cpp_type(field, context_.names, context_.file);
  }
  const Field& part(std::size_t index) const { return field_.message->fields[index]; }

  // The field that has a handle for its message: the field itself, or the value of a map.
  const Field* child() const {
    if (is_map(field_)) return part(1).message != nullptr ? &part(1) : nullptr;
    return field_.message != nullptr ? &field_ : nullptr;
  }

  // An expression for the key or value of a map entry.
  static std::string entry_part(const Field& field, const std::string& value) {
    const std::string number = std::to_string(field.number) + ", ";
    switch (field.type) {
      case FieldType::String: return "::hotpb::detail::EntryPart::bytes(" + number + value + ".view())";
      case FieldType::Bytes: return "::hotpb::detail::EntryPart::bytes(" + number + value + ")";
      case FieldType::Sint32:
        return "::hotpb::detail::EntryPart::varint(" + number + "::hotpb::PackedSint32::bits(" + value + "))";
      case FieldType::Sint64:
        return "::hotpb::detail::EntryPart::varint(" + number + "::hotpb::PackedSint64::bits(" + value + "))";
      case FieldType::Int32:
      case FieldType::Int64:
      case FieldType::Enum:
        return "::hotpb::detail::EntryPart::varint(" + number + "::hotpb::PackedInt::bits(" + value + "))";
      case FieldType::Bool: return "::hotpb::detail::EntryPart::varint(" + number + value + " ? 1 : 0)";
      case FieldType::Uint32:
      case FieldType::Uint64: return "::hotpb::detail::EntryPart::varint(" + number + value + ")";
      default: return "::hotpb::detail::EntryPart::fixed(" + number + value + ")";
    }
  }

  void declare_map(Code& code) {
    if (child() == nullptr) {
      values_.add({{"value", parameter(value_type(part(1)))}, {"value_part", entry_part(part(1), "value")}});
      code.text(R"(
$deprecated$void add_$name$($key$, $value$ value) noexcept {
)", values_);
      check(code, part(0), "key");
      check(code, part(1), "value");
      code.text(R"(
  ::hotpb::detail::Access::entry(*this, $number$, $key_part$,
                                 $value_part$);
}
)", values_);
      return;
    }
    code.text(R"(
$deprecated$$child$ add_$name$($key$) noexcept;
template <class Write>
$deprecated$void add_$name$($key$, Write&& write);
$deprecated$void add_$name$($key$, ::hotpb::RawMessage value) noexcept {
)", values_);
    check(code, part(0), "key");
    code.text(R"(
  ::hotpb::detail::Access::entry(*this, $number$, $key_part$,
                                 ::hotpb::detail::EntryPart::bytes(2, value.encoded));
}
)", values_);
  }

  void declare_message(Code& code) {
    if (!extension_) {  // define() emits the functions of extensions
      code.text(R"(
$deprecated$$child$ $verb$_$name$() noexcept;
template <class Write>
$deprecated$void $verb$_$name$(Write&& write);
)", values_);
    }
    if (owner_.message_set) return;
    values_.add({{"put", field_.delimited ? "put_group" : "put_bytes"}});
    code.text(R"(
$start$void $verb$_$name$($writer,$::hotpb::RawMessage value) noexcept { $call$$put$<$number$>(value.encoded); }
)", values_);
  }

  void declare_packed(Code& code) {
    const std::string value = value_type(field_);
    const std::string encoding(packed_encoding(field_.type));
    const std::string number = std::to_string(field_.number);
    const std::string arguments = encoding == "::hotpb::PackedFixed" ? number : number + ", " + encoding;
    values_.add({{"value", value},
                 {"put", (arguments == number ? "put_packed_fixed<" : "put_packed_varint<") + arguments + ">"},
                 {"handle", "::hotpb::PackedWriter<" + encoding + ", " + value + ">"}});
    code.text(R"(
$start$void add_$name$($writer,$::hotpb::Span<const $value$> values) noexcept { $call$$put$(values); }
$start$$handle$ packed_$name$($writer$) noexcept { return $call$open<$handle$, $number$>(); }
)", values_);
  }

  const FileContext& context_;
  const Message& owner_;
  const Field& field_;
  const bool extension_;
  Values values_;
};

void emit_class(const FileContext& context, const Message& message, Code& code) {
  const Values values{{"writer", context.names.type(message, "Writer")},
                      {"base", context.selection.hot(message) ? "::hotpb::InlinedWriter" : "::hotpb::MessageWriter"},
                      {"message", message.name}};
  code.text(R"(

// Writes a $message$.
)", values);
  emit_comment(context, message.comment, code);
  code.text(R"(
class $writer$ final : public $base$ {
 public:
  static constexpr ::std::string_view kFullName = "$message$";
  HOTPB_SETTER explicit $writer$(::hotpb::detail::WriterKey key) noexcept : $base$(key) {}
)", values);
  code.indent();
  const std::vector<std::string>& setters = context.names.setters(message);
  for (std::size_t i = 0; i < message.fields.size(); ++i) {
    const Field& field = message.fields[i];
    code.text(R"(

// $kind$$type$ $field$ = $number$
)", {{"kind", is_map(field) ? "map " : field.packed ? "packed " : field.repeated() ? "repeated " : ""},
      {"type", type_name(field.type)}, {"field", field.name}, {"number", field.number}});
    emit_comment(context, field.comment, code);
    FieldEmitter(context, message, field, setters[i], false).declare(code);
  }
  code.dedent();
  code.text(R"(
};
static_assert(sizeof($writer$) == sizeof(::hotpb::MessageWriter), "a writer has no state of its own");
)", values);
}

}  // namespace

void emit_writer(const FileContext& context, const Output& out) {
  Code& code = out.header;
  for (const Message* const message : context.messages) emit_class(context, *message, code);
  for (const Message* const message : context.messages) {
    const std::vector<std::string>& setters = context.names.setters(*message);
    for (std::size_t i = 0; i < message->fields.size(); ++i) {
      FieldEmitter(context, *message, message->fields[i], setters[i], false).define(code);
    }
  }
  for (const ExtensionOf& extension : context.extensions) {
    const Field& field = *extension.field;
    code.text(R"(

// Extension $field$ = $number$ of $extendee$
)", {{"field", field.name}, {"number", field.number}, {"extendee", extension.extendee->name}});
    emit_comment(context, field.comment, code);
    FieldEmitter emitter(context, *extension.extendee, field, context.names.setter(field), true);
    emitter.declare(code);
    emitter.define(code);
  }
}

}  // namespace plugin
}  // namespace hotpb
