// The extra face builder: for each message a class FooEdit with its setters, and the alias FooBuilder, and the same for
// extensions (hotpb/pool/builder.h). Each setter is one call of the runtime, which edits by table.
#include "pool/names.h"

namespace hotpb {
namespace plugin {
namespace {

class BuilderEmitter {
 public:
  BuilderEmitter(const PoolNames& names, Code& code) : names_(names), code_(code) {}

  void message(const Message& message) {
    open(message);
    code_.text(R"(

// The setters of the message $message$.
class $class$ : public ::hotpb::pool::detail::EditOf<$handle$> {
 public:
  using ::hotpb::pool::detail::EditOf<$handle$>::EditOf;

)", {{"message", message.name}, {"class", class_}, {"handle", names_.qualified(message)}});
    for (const Field* field : fields_) {
      if (field != fields_[0]) code_.line();
      declare(*field);
    }
    const std::vector<std::string> oneofs = names_.accessors(message).oneofs;
    for (std::size_t i = 0; i < oneofs.size(); ++i) {
      for (std::size_t index = 0; index < fields_.size(); ++index) {
        if (fields_[index]->oneof != static_cast<int>(i)) continue;
        code_.line();
        code_.text("  // The members of oneof $oneof$.\n"
                   "  void $clear$() { Edit::clear_oneof_(Message::kType, $index$); }", {
            {"oneof", message.oneofs[i].name}, {"clear", method("clear_", oneofs[i])},
            {"index", index}});
        break;
      }
    }
    code_.text("};\nusing $builder$ = ::hotpb::Builder<$class$>;",
               {{"builder", names_.builder(message)}, {"class", class_}});
  }

  // After all classes: what needs those of other messages.
  void definitions(const Message& message) {
    open(message);
    for (const Field* field : fields_) define(*field);
  }

  void extension(const ExtensionOf& extension) {
    const Field& field = *extension.field;
    const Values values{{"declaration", declaration(field)}, {"extendee", extension.extendee->name},
                        {"class", names_.extension_edit(field)}, {"builder", names_.extension_builder(field)},
                        {"pool", names_.extension_pool(field)}, {"handle", names_.extension(field)},
                        {"extendee_type", names_.qualified(*extension.extendee)}, {"number", field.number},
                        {"child", field.message != nullptr ? names_.edit_from_root(*field.message) : ""}};
    if (extension.extendee->message_set) {
      code_.text(R"(

// The extension $declaration$ of $extendee$.
using $builder$ =
    ::hotpb::pool::SetItemBuilder<$child$, $pool$, $extendee_type$, $number$u>;
)", values);
      return;
    }
    class_ = names_.extension_edit(field);
    fields_ = {&field};
    members_ = {{&field, "value"}};
    code_.text(R"(

// The setters of the extension $declaration$ of $extendee$.
class $class$ : public ::hotpb::pool::detail::EditOf<$handle$> {
 public:
  using ::hotpb::pool::detail::EditOf<$handle$>::EditOf;

)", values);
    declare(field);
    code_.text("};\nusing $builder$ = ::hotpb::pool::ExtensionBuilder<$class$, $pool$, $extendee_type$>;", values);
    define(field);
  }

 private:
  void open(const Message& message) {
    class_ = names_.edit(message);
    fields_ = names_.context().selection.fields(message);
    members_ = names_.accessors(message).fields;
  }

  // A method cannot have the name of its class.
  std::string method(const std::string& verb, const std::string& name) const {
    return verb + name == class_ ? verb + name + "_" : verb + name;
  }

  Values values_of(const Field& field) const {
    const std::string& name = members_.at(&field);
    std::size_t index = 0;
    while (fields_[index] != &field) ++index;
    const Field& value = is_map(field) ? map_value(field) : field;
    Values values{{"declaration", declaration(field)}, {"deprecated", deprecation(field.deprecated)},
                  {"index", index}, {"class", class_}, {"value", names_.type(value)},
                  {"key", is_map(field) ? names_.type(map_key(field)) : ""},
                  {"child", value.message != nullptr ? names_.edit_from_root(*value.message) : ""},
                  {"kind", is_text(value) ? "text" : "number"}};
    for (const char* verb : {"set", "add", "insert", "erase", "clear", "put", "mutable"}) {
      values.add({{verb, method(std::string(verb) + "_", name)}});
    }
    return values;
  }

  void declare(const Field& field) {
    const Values values = values_of(field);
    code_.text("  // $declaration$", values);
    code_.indent();
    emit_comment(names_.context(), field.comment, code_);
    code_.dedent();
    if (is_map(field)) {
      code_.text(map_value(field).message != nullptr ? R"(
  $deprecated$$child$ $mutable$($key$ key);
  $deprecated$bool $put$($key$ key, const $value$& value) {
    return Edit::put_copy_(Message::kType, $index$, key, &value);
  }
)" : R"(
  $deprecated$bool $put$($key$ key, $value$ value) { return Edit::put_(Message::kType, $index$, key, value); }
)", values);
      code_.text("  $deprecated$bool $erase$($key$ key) { "
                 "return Edit::erase_key_(Message::kType, $index$, key); }", values);
    } else if (field.repeated()) {
      code_.text(field.message != nullptr ? R"(
  $deprecated$$child$ $mutable$(::std::size_t index);
  $deprecated$$child$ $add$();
  $deprecated$$child$ $insert$(::std::size_t index);
  $deprecated$bool $set$(::std::size_t index, const $value$& value);
  $deprecated$bool $add$(const $value$& value) {
    return Edit::insert_copy_(Message::kType, $index$, Edit::kEnd, &value);
  }
  $deprecated$bool $insert$(::std::size_t index, const $value$& value) {
    return Edit::insert_copy_(Message::kType, $index$, index, &value);
  }
)" : R"(
  $deprecated$bool $set$(::std::size_t index, $value$ value) {
    return Edit::put_$kind$_(Message::kType, $index$, index, value);
  }
  $deprecated$bool $add$($value$ value) { return Edit::insert_$kind$_(Message::kType, $index$, Edit::kEnd, value); }
  $deprecated$bool $insert$(::std::size_t index, $value$ value) {
    return Edit::insert_$kind$_(Message::kType, $index$, index, value);
  }
)", values);
      code_.text(R"(
  $deprecated$bool $erase$(::std::size_t index, ::std::size_t count = 1) {
    return Edit::erase_(Message::kType, $index$, index, count);
  }
)", values);
    } else {
      code_.text(field.message != nullptr ? R"(
  $deprecated$$child$ $mutable$();
  $deprecated$bool $set$(const $value$& value) { return Edit::set_child_(Message::kType, $index$, &value); }
)" : R"(
  $deprecated$bool $set$($value$ value) { return Edit::set_$kind$_(Message::kType, $index$, value); }
)", values);
    }
    code_.text("  $deprecated$void $clear$() { Edit::clear_(Message::kType, $index$); }", values);
  }

  void define(const Field& field) {
    const Values values = values_of(field);
    if (is_map(field)) {
      if (map_value(field).message == nullptr) return;
      code_.text(R"(

inline $child$ $class$::$mutable$($key$ key) {
  return $child$(heap_, Edit::value_(Message::kType, $index$, key), level_ + 2);
}
)", values);
    } else if (field.message != nullptr) {
      code_.text(field.repeated() ? R"(

inline $child$ $class$::$mutable$(::std::size_t index) {
  return $child$(heap_, Edit::element_child_(Message::kType, $index$, index), level_ + 1);
}
inline $child$ $class$::$add$() {
  return $child$(heap_, Edit::insert_child_(Message::kType, $index$, Edit::kEnd), level_ + 1);
}
inline $child$ $class$::$insert$(::std::size_t index) {
  return $child$(heap_, Edit::insert_child_(Message::kType, $index$, index), level_ + 1);
}
inline bool $class$::$set$(::std::size_t index, const $value$& value) {
  return $child$(heap_, Edit::element_child_(Message::kType, $index$, index), level_ + 1).set(value);
}
)" : R"(

inline $child$ $class$::$mutable$() {
  return $child$(heap_, Edit::child_(Message::kType, $index$), level_ + 1);
}
)", values);
    }
  }

  const PoolNames& names_;
  Code& code_;
  std::string class_;
  std::vector<const Field*> fields_;
  std::map<const Field*, std::string> members_;
};

}  // namespace

void emit_builder(const FileContext& context, const Output& out) {
  const PoolNames names(context);
  Code& code = out.header;
  code.line();
  for (const Message* const message : context.messages) code.line("class ", names.edit(*message), ";");
  BuilderEmitter emitter(names, code);
  for (const Message* const message : context.messages) emitter.message(*message);
  for (const Message* const message : context.messages) emitter.definitions(*message);
  for (const ExtensionOf& extension : context.extensions) emitter.extension(extension);
}

}  // namespace plugin
}  // namespace hotpb
