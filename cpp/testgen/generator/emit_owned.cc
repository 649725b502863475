// +owned: a visitor for each message that fills a builder, and a list of both by the messages' names.
#include "emit_test.h"
#include "pool/names.h"

namespace hotpb {
namespace plugin {
namespace {

class OwnedEmitter {
 public:
  OwnedEmitter(const PoolNames& names, const Message& message, Code& code)
      : names_(names), message_(message), code_(code), class_(filler(message)),
        members_(names.accessors(message).fields), fields_(names.context().selection.fields(message)) {}

  void declare() {
    code_.text(R"(

struct $class$ : $visitor$ {
  $edit$ m;
  explicit $class$(const $edit$& edit) : m(edit) {}
)", {{"class", class_}, {"visitor", names_.visitor(message_)}, {"edit", names_.edit(message_)}});
    for (const Field* field : fields_) code_.line("  bool ", head(*field, ""), ";");
    code_.text(R"(
  bool unknown_fields(const ::hotpb::pool::UnknownField& field) { return m.add_unknown_fields(field.record()); }
};
)");
  }

  void define() {
    for (const Field* field : fields_) {
      const bool map = is_map(*field);
      const Field& value = map ? map_value(*field) : *field;
      code_.text(R"(

inline bool $head$ {
$body$
}
)", {{"head", head(*field, class_ + "::")}, {"body", body(*field, value, map)}});
    }
  }

  static std::string filler(const PoolNames& names, const Message& message) {
    return names.context().names.type(message, "Filler");
  }

 private:
  std::string filler(const Message& message) const { return filler(names_, message); }

  std::string head(const Field& field, const std::string& prefix) const {
    const std::string name = prefix + members_.at(&field) + "(";
    const auto value = [&](const Field& part) {
      return part.message != nullptr ? "::hotpb::Records<" + names_.qualified(*part.message) + ">& value"
                                    : names_.type(part) + " value";
    };
    if (is_map(field)) return name + names_.type(map_key(field)) + " key, " + value(map_value(field)) + ")";
    if (field.message == nullptr && is_packable(field)) {
      return name + "const ::hotpb::Elements<::hotpb::FieldType::" + field_type(field) + ", " + names_.type(field) +
             ">& value)";
    }
    return name + value(field) + ")";
  }

  std::string body(const Field& field, const Field& value, bool map) const {
    const std::string& name = members_.at(&field);
    if (value.message != nullptr) {
      const std::string fill = names_.context().names.qualified(*value.message, "Filler");
      if (field.repeated() && !map) {
        return "  while (value.next()) {\n    value.visit(" + fill + "(m.add_" + name + "()));\n  }\n  return true;";
      }
      return std::string("  auto child = m.mutable_") + name + (map ? "(key);\n  child.clear();" : "();") +
             "\n  return value.visit_each(" + fill + "(child));";
    }
    if (map) return "  return m.put_" + name + "(key, value);";
    if (!field.repeated()) return "  return m.set_" + name + "(value);";
    if (is_text(field)) return "  return m.add_" + name + "(value);";
    return "  for (const " + names_.type(field) + " one : value) {\n    if (!m.add_" + name +
           "(one)) return false;\n  }\n  return true;";
  }

  const PoolNames& names_;
  const Message& message_;
  Code& code_;
  const std::string class_;
  const std::map<const Field*, std::string> members_;
  const std::vector<const Field*> fields_;
};

}  // namespace

void emit_owned(const FileContext& context, const Output& out) {
  Code& code = out.header;
  if (context.messages.empty()) return;
  code.line("#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"");
  const PoolNames names(context);
  for (const Message* const message : context.messages) OwnedEmitter(names, *message, code).declare();
  for (const Message* const message : context.messages) OwnedEmitter(names, *message, code).define();
  code.line();
  code.line("inline const ::hotpb::pool::Owned owned_", flat_path(context.file.name), "[] = {");
  code.indent();
  for (const Message* const message : context.messages) {
    const std::string arguments = "<" + names.builder(*message) + ", " + OwnedEmitter::filler(names, *message) + ", " +
                           names.visitor(*message) + ">";
    code.line("{\"", message->name, "\", ::hotpb::pool::owned::build", arguments, ", ::hotpb::pool::owned::fill",
              arguments, ", ::hotpb::pool::owned::look", arguments, "},");
  }
  code.dedent();
  code.line("};");
}

}  // namespace plugin
}  // namespace hotpb
