// The classes of the view face; the scan of each is written by emit_view_scan.cc.
#include "emit_view.h"
#include "emit_view_scan.h"

namespace hotpb {
namespace plugin {
namespace {

bool has_presence(const Field& field) {
  return field.presence == Presence::Explicit || field.presence == Presence::Required;
}

// The number of the type in descriptor.proto's list, as FieldEntry has it.
std::string field_type(const Field& field) {
  if (field.delimited) return "Group";
  std::string name(type_name(field.type));
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

// One class: of a message, or of an extension, which is read as a message with that one field.
class ViewEmitter {
 public:
  ViewEmitter(const ViewNames& names, const Output& out)
      : names_(names), code_(out.header), source_(out.source), inlined_(names.context().inlined()) {}

  void message(const Message& message) {
    open(message);
    code_.line();
    code_.line("// Reads the message ", message.name, " where it lies.");
    left_out(message);
    code_.line("class ", view_.name, " : public ::hotpb::view::View<", view_.name, "> {");
    code_.line(" public:");
    code_.indent();
    bool first = true;
    for (const Field* field : view_.fields) {
      if (!first) code_.line();
      first = false;
      accessor(*field);
    }
    for (std::size_t i = 0; i < message.oneofs.size(); ++i) {
      if (!view_.oneofs[i].empty()) which(message.oneofs[i], view_.oneofs[i]);
    }
    code_.line();
    code_.line("// Looks for required fields that are absent, in the whole message.");
    if (selection().needs_required(message)) {
      code_.line("[[nodiscard]] ::hotpb::Error check_initialized() const;");
    } else {
      code_.line("[[nodiscard]] ::hotpb::Error check_initialized() const { return {}; }  // there are none");
    }
    code_.line();
    code_.line("// For hotpb::check() and other readers that are driven by tables.");
    code_.line("static const ::hotpb::MessageTable kTable;");
    privates(&message);
  }

  // Behind all classes: what needs them whole.
  void definitions(const Message& message) {
    open(message);
    for (const Field* field : view_.fields) {
      if (is_map(*field)) entry_table(*field);
    }
    dropped_numbers();
    table(view_.name + "::kTable", view_.name + "::fields_", view_.fields);
    emit_scan(names_, view_, source_);
    if (selection().needs_required(message)) check_initialized();
  }

  void extension(const ExtensionOf& extension) {
    const Field& field = *extension.field;
    const std::string extendee = names_.view(*extension.extendee);
    const bool set_item = extension.extendee->message_set;
    view_ = ViewClass();
    view_.name = names_.extension(field);
    view_.fields = {&field};
    view_.members[&field] = "value";
    view_.straight = false;
    code_.line();
    code_.line("// Reads the extension ", declaration(field), " of ", extension.extendee->name, ".");
    if (set_item) {
      code_.line("class ", view_.name, " : public ::hotpb::view::SetItemView<", extendee, ", ",
                 names_.view(*field.message), ", ", static_cast<std::uint32_t>(field.number), "u> {");
    } else {
      code_.line("class ", view_.name, " : public ::hotpb::view::ExtensionView<", view_.name, ", ", extendee, "> {");
    }
    code_.line(" public:");
    code_.indent();
    if (!set_item) {
      accessor(field);
      code_.line();
      code_.line("static const ::hotpb::MessageTable kTable;");
    }
    code_.line("// For UnknownFields::without().");
    code_.line("static ::hotpb::view::ExtensionEntry entry() { return {fields_, ", set_item ? "true" : "false", "}; }");
    if (set_item) {
      code_.line();
      code_.dedent();
      code_.line(" private:");
      code_.indent();
      code_.line("static const ::hotpb::FieldEntry fields_[1];");
      code_.dedent();
      code_.line("};");
      entries(view_.name + "::fields_", view_.fields);
      return;
    }
    privates(nullptr);
    table(view_.name + "::kTable", view_.name + "::fields_", view_.fields);
    emit_scan(names_, view_, source_);
  }

 private:
  void open(const Message& message) {
    view_ = ViewClass();
    view_.name = names_.view(message);
    view_.members = names_.members(message);
    view_.oneofs = names_.oneofs(message);
    view_.fields = selection().fields(message);
    view_.dropped = selection().dropped(message);
    view_.straight = selection().straight(message) || is_too_wide_for_table();
    for (const Field* field : selection().skipped(message)) {
      if (field->oneof >= 0) view_.oneofs[static_cast<std::size_t>(field->oneof)].clear();  // all of it is left out
    }
  }

  // A table says in 16 bits where a field's slot is, in units of four bytes. A slot has at most three.
  bool is_too_wide_for_table() const { return view_.fields.size() * 3 > 0xffff; }

  const Selection& selection() const { return names_.context().selection; }

  // What the view does not have.
  void left_out(const Message& message) {
    const std::vector<const Field*> skipped = selection().skipped(message);
    if (skipped.empty()) return;
    bool required = false;
    code_.line("//");
    code_.line("// Left out by only= or skip=:");
    for (const Field* field : skipped) {
      code_.line("//   ", declaration(*field));
      required = required || field->presence == Presence::Required;
    }
    code_.line("// Their records are checked as those of unknown fields are, and ",
               view_.dropped.empty() ? "kept among the unknown fields." : "dropped.",
               required ? " Required ones among them are not looked for." : "");
  }

  void accessor(const Field& field) {
    const std::string& name = view_.members.at(&field);
    const std::string slot = view_.slot(field);
    code_.line("// ", declaration(field));
    if (is_map(field)) {
      const std::string type = map_type(field);
      code_.line(type, " ", name, "() const {");
      body(type + "(raw_, " + slot + ", " + std::to_string(field.number) + ")");
      return;
    }
    if (field.repeated()) {
      const bool message = field.type == FieldType::Message;
      const std::string type = message ? "::hotpb::view::Messages<" + names_.view(*field.message) + ">"
                                       : "::hotpb::view::Repeated<" + names_.kind(field) + ">";
      code_.line(type, " ", name, "() const {");
      const std::uint32_t key = message ? tag_of(field) : static_cast<std::uint32_t>(field.number);
      body(type + "(raw_, " + slot + ", " + std::to_string(key) + ")");
      if (!message) overwriter(field, name, "this->" + name + "(), index", "::std::size_t index, ");
      return;
    }
    if (has_presence(field) || field.type == FieldType::Message) {
      code_.line("bool has_", name, "() const { return ", view_.has(field), "; }");
    }
    code_.line(names_.type(field), " ", name, "() const {");
    const std::string at = view_.at(field);
    if (field.type == FieldType::Message) {
      body("::hotpb::view::internal::sub_message<" + names_.view(*field.message) + ">(raw_, " + at + ", " +
           std::to_string(tag_of(field)) + ")");
    } else if (!is_text(field)) {
      body("::hotpb::view::internal::get<" + names_.open_kind(field) + ">(raw_, " + at + ", " + names_.fallback(field) +
           ")");
    } else {
      const std::string read = (field.type == FieldType::String ? "raw_.text(" : "raw_.payload(") + at + ")";
      body(field.has_default ? view_.has(field) + " ? " + read + " : " + names_.fallback(field) : read);
    }
    if (field.type != FieldType::Message) overwriter(field, name, at, "");
  }

  // See hotpb/view/overwrite.h.
  void overwriter(const Field& field, const std::string& name, const std::string& at, const std::string& index) {
    code_.line("bool overwrite_", name, "(::hotpb::Span<::std::uint8_t> buffer, ", index, names_.type(field),
               " value) const {");
    const std::string call = std::string("::hotpb::view::internal::overwrite") + (index.empty() ? "" : "_element");
    if (!is_text(field)) {
      body(call + "<" + names_.kind(field) + ">(raw_, buffer, " + at + ", value)");
      return;
    }
    const bool text = field.type == FieldType::String;
    const std::string verify = !text ? "false" : names_.verify(field) ? "true" : "raw_.strict()";
    body(call + "(raw_, buffer, " + at + ", value, " + verify + ")");
  }

  void body(const std::string& expression) {
    code_.indent();
    code_.line("return ", expression, ";");
    code_.dedent();
    code_.line("}");
  }

  std::string map_type(const Field& field) const {
    return "::hotpb::view::Map<" + names_.kind(map_key(field)) + ", " + names_.kind(map_value(field)) + ">";
  }

  void which(const Oneof& oneof, const std::string& name) {
    code_.line();
    code_.line("// The number of the member of oneof ", oneof.name, " that is set, or 0.");
    code_.line("::std::uint32_t which_", name, "() const { return slots_.", name, ".number; }");
  }

  void privates(const Message* message) {
    code_.line();
    code_.dedent();
    code_.line(" private:");
    code_.indent();
    code_.line("friend class ::hotpb::view::View<", view_.name, ">;");
    code_.line();
    code_.line("struct Slots {");
    code_.indent();
    for (const Field* field : view_.fields) {
      if (field->oneof < 0 || message == nullptr) {
        const std::string type = slot_type(*field);
        code_.line(type, " ", view_.members.at(field), type == "::std::uint32_t" ? " = 0;" : ";");
      }
    }
    for (const std::string& name : view_.oneofs) {
      if (!name.empty()) code_.line("::hotpb::view::Choice ", name, ";");
    }
    code_.dedent();
    code_.line("};");
    code_.line();
    if (!view_.fields.empty()) code_.line("static const ::hotpb::FieldEntry fields_[", view_.fields.size(), "];");
    if (!view_.dropped.empty()) code_.line("static const ::std::uint32_t dropped_[", view_.dropped.size(), "];");
    for (const Field* field : view_.fields) {
      if (!is_map(*field)) continue;
      code_.line("static const ::hotpb::FieldEntry ", view_.members.at(field), "_fields_[2];");
      code_.line("static const ::hotpb::MessageTable ", view_.members.at(field), "_table_;");
    }
    if (!view_.straight) {
      code_.line("static const ::hotpb::view::ScanEntry scan_fields_[", view_.fields.size() + 1, "];");
    }
    code_.line("bool scan_(const ::std::uint8_t* p, const ::std::uint8_t* end);");
    code_.line("void clear_() { slots_ = Slots(); }");
    code_.line();
    code_.line("Slots slots_;");
    code_.dedent();
    code_.line("};");
  }

  static std::string slot_type(const Field& field) {
    if (field.repeated()) return "::hotpb::view::Run";
    if (field.type == FieldType::Message) return "::hotpb::view::Sub";
    return is_text(field) ? "::hotpb::view::Extent" : "::std::uint32_t";
  }

  void entry_table(const Field& field) {
    const std::string stem = view_.name + "::" + view_.members.at(&field);
    table(stem + "_table_", stem + "_fields_", {&map_key(field), &map_value(field)});
  }

  void table(const std::string& name, const std::string& array, const std::vector<const Field*>& fields) {
    if (fields.empty()) {
      source_.line();
    } else {
      entries(array, fields);
    }
    const bool drops = name == view_.name + "::kTable" && !view_.dropped.empty();
    source_.line(inlined_, "const ::hotpb::MessageTable ", name, " = {",
               fields.empty() ? "nullptr" : array.substr(array.rfind(':') + 1), ", ", fields.size(),
               drops ? ", dropped_, " + std::to_string(view_.dropped.size()) : "", "};");
  }

  void dropped_numbers() {
    if (view_.dropped.empty()) return;
    std::string numbers;
    for (const Field* field : view_.dropped) {
      numbers += (numbers.empty() ? "" : ", ") + std::to_string(field->number) + "u";
    }
    source_.line();
    source_.line(inlined_, "const ::std::uint32_t ", view_.name, "::dropped_[", view_.dropped.size(), "] = {", numbers,
               "};");
  }

  void entries(const std::string& array, const std::vector<const Field*>& fields) {
    source_.line();
    source_.line(inlined_, "const ::hotpb::FieldEntry ", array, "[", fields.size(), "] = {");
    source_.indent();
    for (const Field* field : fields) {
      std::string child = "nullptr";
      if (is_map(*field)) {
        child = "&" + view_.members.at(field) + "_table_";
      } else if (field->message != nullptr) {
        child = "&" + names_.view(*field->message) + "::kTable";
      }
      const Field& closing = is_map(*field) ? map_value(*field) : *field;
      const std::string closed = is_closed(closing) ? ", " + names_.closed(*closing.enumeration) : ", nullptr";
      source_.line("{", static_cast<std::uint32_t>(field->number), "u, ::hotpb::FieldType::", field_type(*field),
                 field->repeated() ? ", true" : ", false", names_.verify(*field) ? ", true" : ", false", ", \"",
                 field->name, "\", ", child, closed, "},");
    }
    source_.dedent();
    source_.line("};");
  }

  void check_initialized() {
    source_.line();
    source_.line(inlined_, "::hotpb::Error ", view_.name, "::check_initialized() const {");
    source_.indent();
    for (const Field* field : view_.fields) {
      if (field->presence != Presence::Required) continue;
      source_.line("if (!has_", view_.members.at(field), "()) return missing(\"", field->name, "\");");
    }
    bool error = false;
    for (const Field* field : view_.fields) {
      if (field->message == nullptr || !selection().needs_required(*field->message)) continue;
      if (!error) source_.line("::hotpb::Error error;");
      error = true;
      const std::string name = view_.members.at(field);
      if (is_map(*field)) {
        source_.line("if (!check_entries(this->", name, "(), \"", field->name, "\", error)) return error;");
      } else if (field->repeated()) {
        source_.line("if (!check_children(this->", name, "(), \"", field->name, "\", error)) return error;");
      } else {
        source_.line("if (has_", name, "() && !check_child(this->", name, "(), \"", field->name,
                   "\", -1, error)) return error;");
      }
    }
    source_.line(error ? "return error;" : "return {};");
    source_.dedent();
    source_.line("}");
  }

  const ViewNames& names_;
  Code& code_;    // the header
  Code& source_;  // what is compiled once
  const std::string inlined_;
  ViewClass view_;
};

}  // namespace

std::string ViewClass::at(const Field& field) const {
  if (!in_oneof(field)) return slot(field);
  const char* const call = field.type == FieldType::Message ? ".sub(" : is_text(field) ? ".span(" : ".at(";
  return slot(field) + call + std::to_string(field.number) + ")";
}

std::string ViewClass::has(const Field& field) const {
  if (in_oneof(field)) return slot(field) + ".number == " + std::to_string(field.number);
  if (field.type == FieldType::Message || is_text(field)) return slot(field) + ".has()";
  return slot(field) + " != 0";
}

void emit_view(const FileContext& context, const Output& out) {
  const ViewNames names(context);
  ViewEmitter emitter(names, out);
  for (const Message* const message : context.messages) emitter.message(*message);
  for (const Message* const message : context.messages) emitter.definitions(*message);
  for (const ExtensionOf& extension : context.extensions) emitter.extension(extension);
  if (!context.options.sources) return;
  // What all views have is compiled once, too.
  const auto instantiate = [&](const std::string& view) {
    const std::string type = "class ::hotpb::view::View<::" + cpp_namespace(context.file) + "::" + view + ">;";
    out.header_end.line("extern template ", type);
    out.source_end.line("template ", type);
  };
  for (const Message* const message : context.messages) instantiate(names.view(*message));
  for (const ExtensionOf& extension : context.extensions) {
    if (!extension.extendee->message_set) instantiate(names.extension(*extension.field));
  }
}

}  // namespace plugin
}  // namespace hotpb
