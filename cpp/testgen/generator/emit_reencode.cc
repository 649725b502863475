// +reencode: a function for each message that walks the public accessors of its view and appends the
// canonical bytes, and a list of them by the messages' names.
#include "emit_test.h"
#include "view/names.h"

namespace hotpb {
namespace plugin {
namespace {

constexpr std::string_view kRuntime = "::hotpb::view::reencode::";

class ReencodeEmitter {
 public:
  ReencodeEmitter(const ViewNames& names, const Message& message, Code& code)
      : names_(names), message_(message), code_(code), members_(names.accessors(message).fields) {}

  void emit() {
    code_.line();
    const std::string view = names_.view(message_);
    code_.line("inline bool append_canonical(const ", view, "& v, ::std::string& out, ::hotpb::Error& error) {");
    code_.indent();
    if (!can_fail()) code_.line("static_cast<void>(error);");
    const std::vector<const Field*> extensions = declared_extensions(names_.context(), message_);
    const std::vector<const Field*> fields = sorted_fields(extensions, names_.context(), message_);
    for (const Field* field : fields) {
      code_.line("// ", declaration(*field));
      if (members_.count(field) != 0) {
        statement(member(*field, view, "v", members_.at(field)), fails(*field));
      } else {
        extension(*field);
      }
    }
    unknown(extensions);
    code_.line("return true;");
    code_.dedent();
    code_.line("}");
  }

 private:
  static bool fails(const Field& field) { return field.type == FieldType::Message; }

  bool can_fail() const {
    for (const Field* field : names_.context().selection.fields(message_)) {
      if (fails(*field)) return true;
    }
    return !declared_extensions(names_.context(), message_).empty();
  }

  void statement(const std::string& call, bool fails) {
    if (fails) {
      code_.line("if (!", call, ") return false;");
    } else {
      code_.line(call, ";");
    }
  }

  // The call that writes the field that the accessor `name` of `object` returns.
  std::string member(const Field& field, const std::string& view, const std::string& object, const std::string& name) {
    const std::string runtime(kRuntime);
    const std::string number = std::to_string(static_cast<std::uint32_t>(field.number)) + "u";
    const std::string tag = std::to_string(tag_of(field)) + "u";
    const std::string has = ", &" + view + "::has_" + name;
    const std::string get = ", &" + view + "::" + name;
    const auto from = [&](const std::string& key) { return "(out, " + key + ", " + object; };
    if (is_map(field)) return runtime + "put_map" + from(number) + get + ", error)";
    if (field.type == FieldType::Message) {
      if (field.repeated()) return runtime + "put_messages" + from(tag) + get + ", error)";
      return runtime + "put_message" + from(tag) + has + get + ", error)";
    }
    if (field.repeated()) return runtime + (field.packed ? "put_packed" : "put_unpacked") + from(number) + get + ")";
    if (field.presence == Presence::Implicit) {
      return runtime + "put_implicit<" + names_.kind(field) + ">" + from(number) + get + ")";
    }
    return runtime + "put_explicit<" + names_.open_kind(field) + ">" + from(number) + has + get + ")";
  }

  void extension(const Field& field) {
    const std::string type = names_.extension(field);
    if (message_.message_set) {
      statement(std::string(kRuntime) + "put_item<" + type + ">(out, " +
                    std::to_string(static_cast<std::uint32_t>(field.number)) + "u, v, error)",
                true);
      return;
    }
    code_.line("if (!", kRuntime, "put_extension<", type, ">(v, error, [&](const ", type, "& x) {");
    code_.indent();
    code_.indent();
    const std::string call = member(field, type, "x", "value");
    if (fails(field)) {
      code_.line("return ", call, ";");
    } else {
      code_.line(call, ";");
      code_.line("return true;");
    }
    code_.dedent();
    code_.line("})) {");
    code_.line("return false;");
    code_.dedent();
    code_.line("}");
  }

  void unknown(const std::vector<const Field*>& extensions) {
    if (extensions.empty()) {
      code_.line(kRuntime, "put_unknown(out, v);");
      return;
    }
    code_.line("const ::hotpb::view::ExtensionEntry extensions[] = {");
    for (const Field* field : extensions) code_.line("    ", names_.extension(*field), "::entry(),");
    code_.line("};");
    code_.line(kRuntime, "put_unknown(out, v, extensions, ", extensions.size(), ");");
  }

  const ViewNames& names_;
  const Message& message_;
  Code& code_;
  const std::map<const Field*, std::string> members_;
};

}  // namespace

void emit_reencode(const FileContext& context, const Output& out) {
  Code& code = out.header;
  if (context.messages.empty()) return;
  code.line("#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"");  // it uses all accessors
  const ViewNames names(context);
  code.line();
  for (const Message* const message : context.messages) {
    code.line("inline bool append_canonical(const ", names.view(*message),
              "& v, ::std::string& out, ::hotpb::Error& error);");
  }
  for (const Message* const message : context.messages) ReencodeEmitter(names, *message, code).emit();
  code.line();
  code.line("inline const ::hotpb::view::Reencoder reencoders_", flat_path(context.file.name), "[] = {");
  code.indent();
  for (const Message* const message : context.messages) {
    const std::string view = names.view(*message);
    code.line("{\"", message->name, "\", &", view, "::kTable, ", kRuntime, "reencode<", view, ">, ", kRuntime,
              "unknown_fields<", view, ">},");
  }
  code.dedent();
  code.line("};");
}

}  // namespace plugin
}  // namespace hotpb
