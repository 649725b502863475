// +reencodepool: a function for each message that walks the public accessors of the pooled message and appends the
// canonical bytes, and a list of them by the messages' names.
#include "emit_test.h"
#include "pool/names.h"
#include "view/names.h"

namespace hotpb {
namespace plugin {
namespace {

constexpr std::string_view kRuntime = "::hotpb::pool::reencode::";

class ReencodePoolEmitter {
 public:
  ReencodePoolEmitter(const PoolNames& names, const ViewNames& kinds, const Message& message, Code& code)
      : names_(names), kinds_(kinds), message_(message), code_(code), members_(names.accessors(message).fields) {}

  void emit() {
    code_.line();
    code_.line("inline bool append_canonical(const ", names_.qualified(message_),
               "& m, ::std::string& out, ::hotpb::Error& error) {");
    code_.indent();
    code_.line("static_cast<void>(error);");
    const std::vector<const Field*> extensions = declared_extensions(names_.context(), message_);
    const std::vector<const Field*> fields = sorted_fields(extensions, names_.context(), message_);
    for (const Field* field : fields) {
      code_.line("// ", declaration(*field));
      if (members_.count(field) != 0) {
        member(*field, "m", members_.at(field));
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
  static std::string number(const Field& field) {
    return std::to_string(static_cast<std::uint32_t>(field.number)) + "u";
  }

  // Writes the field that the accessor `name` of `object` returns.
  void member(const Field& field, const std::string& object, const std::string& name) {
    const std::string get = object + "." + name + "()";
    const std::string tag = std::to_string(tag_of(field)) + "u";
    if (is_map(field)) {
      map(field, get);
    } else if (field.type == FieldType::Message) {
      const std::string call = std::string(kRuntime) + (field.repeated() ? "put_messages" : "put_message") + "(out, " +
                               tag + ", " + get + ", error)";
      const std::string has = field.repeated() ? "" : object + ".has_" + name + "() && ";
      code_.line("if (", has, "!", call, ") return false;");
    } else if (field.repeated()) {
      code_.line(kRuntime, field.packed ? "put_packed<" : "put_unpacked<", kinds_.open_kind(field), ">(out, ",
                 number(field), ", ", get, ");");
    } else if (field.presence == Presence::Implicit) {
      code_.line(kRuntime, "put_implicit<", kinds_.open_kind(field), ">(out, ", number(field), ", ", get, ");");
    } else {
      code_.line("if (", object, ".has_", name, "()) ", kRuntime, "put<", kinds_.open_kind(field), ">(out, ",
                 number(field), ", ", get, ");");
    }
  }

  void map(const Field& field, const std::string& get) {
    const Field& value = map_value(field);
    code_.line("if (!", kRuntime, "put_map<", kinds_.open_kind(map_key(field)), ">(out, ", number(field), ", ", get,
               ", [&](const auto& value) {");
    code_.indent();
    code_.indent();
    if (value.type == FieldType::Message) {
      code_.line("return ", kRuntime, "put_message(out, ", tag_of(value), "u, value, error);");
    } else {
      code_.line(kRuntime, "put<", kinds_.open_kind(value), ">(out, 2, value);");
      code_.line("return true;");
    }
    code_.dedent();
    code_.line("})) {");
    code_.line("return false;");
    code_.dedent();
    code_.line("}");
  }

  void extension(const Field& field) {
    const std::string type = names_.extension_pool(field);
    if (message_.message_set) {
      code_.line("if (!", kRuntime, "put_item<", type, ">(out, ", number(field), ", m, error)) return false;");
      return;
    }
    code_.line("if (!", kRuntime, "put_extension<", type, ">(m, error, [&](const auto& x) {");
    code_.indent();
    code_.indent();
    member(field, "x", "value");
    code_.line("return true;");
    code_.dedent();
    code_.line("})) {");
    code_.line("return false;");
    code_.dedent();
    code_.line("}");
  }

  void unknown(const std::vector<const Field*>& extensions) {
    if (extensions.empty()) {
      code_.line(kRuntime, "put_unknown(out, m);");
      return;
    }
    code_.line("const ", kRuntime, "ReadExtension extensions[] = {");
    for (const Field* field : extensions) {
      const std::string type = names_.extension_pool(*field);
      const std::string entry = message_.message_set ? "nullptr" : "&" + type + "::entry()";
      code_.line("    {", type, "::takes, ", entry, "},");
    }
    code_.line("};");
    code_.line(kRuntime, "put_unknown(out, m, extensions, ", extensions.size(), ");");
  }

  const PoolNames& names_;
  const ViewNames& kinds_;
  const Message& message_;
  Code& code_;
  const std::map<const Field*, std::string> members_;
};

}  // namespace

void emit_reencode_pool(const FileContext& context, const Output& out) {
  Code& code = out.header;
  if (context.messages.empty()) return;
  code.line("#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"");  // it uses all accessors
  const PoolNames names(context);
  const ViewNames kinds(context);
  code.line();
  for (const Message* const message : context.messages) {
    code.line("inline bool append_canonical(const ", names.qualified(*message),
              "& m, ::std::string& out, ::hotpb::Error& error);");
  }
  for (const Message* const message : context.messages) ReencodePoolEmitter(names, kinds, *message, code).emit();
  code.line();
  code.line("inline const ::hotpb::pool::Reencoder pool_reencoders_", flat_path(context.file.name), "[] = {");
  code.indent();
  for (const Message* const message : context.messages) {
    const std::string type = names.qualified(*message);
    code.line("{\"", message->name, "\", &", type, "::kTable, ", kRuntime, "reencode<", type, ">, ", kRuntime,
              "encode<", type, ">, ", kRuntime, "unknown_fields<", type, ">, ",
              kRuntime, "debug<", type, ">},");
  }
  code.dedent();
  code.line("};");
}

}  // namespace plugin
}  // namespace hotpb
