// +rewrite: a function for each message that walks the public accessors of its view and calls the
// setters of its writer, and a list of them by the messages' names (hotpb_test/rewrite.h).
#include "emit_test.h"
#include "view/names.h"

namespace hotpb {
namespace plugin {
namespace {

constexpr std::string_view kRuntime = "::hotpb::rewrite::";

class RewriteEmitter {
 public:
  RewriteEmitter(const ViewNames& names, const Message& message, Code& code)
      : names_(names), message_(message), code_(code), members_(names.accessors(message).fields) {}

  void emit() {
    const std::string view = names_.view(message_);
    const std::vector<const Field*> extensions = declared_extensions(names_.context(), message_);
    const std::vector<const Field*> fields = sorted_fields(extensions, names_.context(), message_);
    // In three functions, so that the frame of the recursive one stays small.
    begin("rewrite_values", view);
    for (const Field* field : fields) {
      if (!fails(*field)) one_field(*field, view);
    }
    end();
    begin("rewrite_unknown", view);
    unknown(extensions);
    end();
    begin("rewrite_fields", view);
    code_.line("if (!rewrite_values(v, w, ways)) return false;");
    for (const Field* field : fields) {
      if (fails(*field)) one_field(*field, view);
    }
    code_.line("return rewrite_unknown(v, w, ways);");
    code_.dedent();
    code_.line("}");
  }

 private:
  const std::string& setter(const Field& field) const {
    return names_.context().names.setters(message_)[static_cast<std::size_t>(&field - message_.fields.data())];
  }

  void begin(std::string_view name, const std::string& view) {
    code_.line();
    code_.line("inline bool ", name, "(const ", view, "& v, ", writer(message_), "& w, ", kRuntime, "Ways& ways) {");
    code_.indent();
    code_.line("static_cast<void>(v), static_cast<void>(w), static_cast<void>(ways);");
  }
  void end() {
    code_.line("return true;");
    code_.dedent();
    code_.line("}");
  }

  void one_field(const Field& field, const std::string& view) {
    code_.line("// ", declaration(field));
    if (members_.count(&field) != 0) {
      statement(field, call(field, view, "v", members_.at(&field), "w." + verb(field) + setter(field) + "("));
    } else {
      extension(field);
    }
  }

  std::string writer(const Message& message) const { return names_.context().names.qualified(message, "Writer"); }
  static std::string verb(const Field& field) { return field.repeated() ? "add_" : "set_"; }
  static bool fails(const Field& field) {
    return field.type == FieldType::Message && (!is_map(field) || map_value(field).message != nullptr);
  }

  void statement(const Field& field, const std::string& call) {
    if (fails(field)) {
      code_.line("if (!", call, ") return false;");
    } else {
      code_.line(call, ";");
    }
  }

  // A callable around the setter. `setter` is the start of a call: "w.set_x(", "set_x(w, ".
  static std::string call(const std::string& setter) { return "[&](const auto& value) { " + setter + "value); }"; }
  static std::string any(const std::string& setter) {
    return "[&](auto&&... value) { return " + setter + "static_cast<decltype(value)&&>(value)...); }";
  }

  // The call that passes the value of the accessor `name` of `object` to the setter.
  std::string call(const Field& field, const std::string& view, const std::string& object, const std::string& name,
                   const std::string& setter) {
    const std::string runtime(kRuntime);
    const std::string has = ", &" + view + "::has_" + name;
    const std::string get = ", &" + view + "::" + name + ", ";
    if (is_map(field)) {
      if (fails(field)) return runtime + "put_message_map(ways, " + object + get + any(setter) + ")";
      const std::string entry = "[&](const auto& key, const auto& value) { " + setter + "key, value); }";
      return runtime + "put_map(" + object + get + entry + ")";
    }
    if (field.type == FieldType::Message) {
      if (field.repeated()) return runtime + "put_messages(ways, " + object + get + any(setter) + ")";
      return runtime + "put_message(ways, " + object + has + get + any(setter) + ")";
    }
    if (field.packed) return runtime + "put_packed(ways, " + object + get + call(setter) + ", " + opening(field) + ")";
    const std::string text = is_text(field) ? "_text" : "";
    const std::string first = is_text(field) ? "(ways, " : "(";
    if (field.repeated()) return runtime + "put_each" + text + first + object + get + call(setter) + ")";
    if (field.presence == Presence::Implicit) {
      return runtime + "put" + text + "_implicit" + first + object + get + call(setter) + ")";
    }
    return runtime + "put" + text + "_explicit" + first + object + has + get + call(setter) + ")";
  }

  // A callable that returns the handle of a packed field.
  std::string opening(const Field& field) const {
    if (members_.count(&field) != 0) return "[&] { return w.packed_" + setter(field) + "(); }";
    return "[&] { return packed_" + names_.context().names.setter(field) + "(w); }";
  }

  void extension(const Field& field) {
    const std::string type = names_.extension(field);
    const std::string setter = verb(field) + names_.context().names.setter(field) + "(w, ";
    if (message_.message_set) {
      code_.line("if (!", kRuntime, "put_item<", type, ">(ways, v, ", any_extension(field), ")) return false;");
      return;
    }
    code_.line("if (!", kRuntime, "put_extension<", type, ">(ways, v, [&](const ", type, "& x) {");
    code_.indent();
    code_.indent();
    const std::string put = field.type == FieldType::Message
                                ? message_extension(field, type)
                                : call(field, type, "x", "value", setter);
    if (fails(field)) {
      code_.line("return ", put, ";");
    } else {
      code_.line(put, ";");
      code_.line("return true;");
    }
    code_.dedent();
    code_.line("})) {");
    code_.line("return false;");
    code_.dedent();
    code_.line("}");
  }

  // Setters of extensions take the writer first, and then maybe no other argument.
  std::string any_extension(const Field& field) const {
    return "[&](auto&&... value) { return " + verb(field) + names_.context().names.setter(field) +
           "(w, static_cast<decltype(value)&&>(value)...); }";
  }
  std::string message_extension(const Field& field, const std::string& type) const {
    const std::string get = ", &" + type + "::value, " + any_extension(field) + ")";
    if (field.repeated()) return std::string(kRuntime) + "put_messages(ways, x" + get;
    return std::string(kRuntime) + "put_message(ways, x, &" + type + "::has_value" + get;
  }

  void unknown(const std::vector<const Field*>& extensions) {
    if (extensions.empty()) {
      code_.line(kRuntime, "put_unknown(v, w);");
      return;
    }
    code_.line("const ::hotpb::view::ExtensionEntry extensions[] = {");
    for (const Field* field : extensions) code_.line("    ", names_.extension(*field), "::entry(),");
    code_.line("};");
    code_.line(kRuntime, "put_unknown(v, w, extensions, ", extensions.size(), ");");
  }

  const ViewNames& names_;
  const Message& message_;
  Code& code_;
  const std::map<const Field*, std::string> members_;
};

}  // namespace

void emit_rewrite(const FileContext& context, const Output& out) {
  Code& code = out.header;
  if (context.messages.empty()) return;
  code.line("#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"");  // it uses all accessors
  const ViewNames names(context);
  const auto writer = [&](const Message& message) { return context.names.qualified(message, "Writer"); };
  code.line();
  for (const Message* const message : context.messages) {
    code.line("inline bool rewrite_fields(const ", names.view(*message), "& v, ", writer(*message), "& w, ", kRuntime,
              "Ways& ways);");
  }
  for (const Message* const message : context.messages) RewriteEmitter(names, *message, code).emit();
  code.line();
  code.line("inline const ", kRuntime, "Rewriter rewriters_", flat_path(context.file.name), "[] = {");
  code.indent();
  for (const Message* const message : context.messages) {
    code.line("{\"", message->name, "\", ", kRuntime, "rewrite<", names.view(*message), ", ", writer(*message),
              ">, ::hotpb::view::reencode::unknown_fields<", names.view(*message), ">},");
  }
  code.dedent();
  code.line("};");
}

}  // namespace plugin
}  // namespace hotpb
