// The view face of one file: a class FooView for each message, and a class for each extension (hotpb/view.h). scan.cc
// has the scan of each class.
#include "view/names.h"
#include "view/scan.h"

namespace hotpb {
namespace plugin {
namespace {

// Emits one class: for a message, or for an extension, which is read as a message with only this field.
class ViewEmitter {
 public:
  ViewEmitter(const ViewNames& names, const Output& out)
      : names_(names), code_(out.header), source_(out.source), inlined_(names.context().inlined()) {}

  void message(const Message& message) {
    open(message);
    const Values values{{"view", view_.name}, {"message", message.name}};
    code_.text(R"(

// Reads the message $message$ where it lies.
)", values);
    emit_left_out(selection(), message,
                  {"like those of unknown fields", "discarded.", " Required fields among them are not checked."}, code_);
    emit_comment(names_.context(), message.comment, code_);
    code_.text(R"(
class $view$ : public ::hotpb::view::View<$view$> {
 public:
  static constexpr ::std::string_view kFullName = "$message$";
)", values);
    for (const Field* field : view_.fields) {
      code_.line();
      accessor(*field);
    }
    for (std::size_t i = 0; i < message.oneofs.size(); ++i) {
      if (!view_.oneofs[i].empty()) which(message.oneofs[i], view_.oneofs[i]);
    }
    code_.text(R"(

  // For hotpb::check() and other readers that use tables.
  static const ::hotpb::MessageTable kTable;
)");
    privates(&message);
  }

  // Emits the definitions that need all classes to be complete.
  void definitions(const Message& message) {
    open(message);
    for (const Field* field : view_.fields) {
      if (is_map(*field)) entry_table(*field);
    }
    emit_dropped(names_.context(), view_, source_);
    table(view_.name + "::kTable", view_.name + "::fields_", view_.fields);
    emit_scan(names_, view_, source_);
  }

  void extension(const ExtensionOf& extension) {
    const Field& field = *extension.field;
    view_ = ViewClass();
    view_.name = names_.extension(field);
    view_.fields = {&field};
    view_.members[&field] = "value";
    view_.straight = false;
    Values values{{"view", view_.name}, {"extendee", extension.extendee->name}, {"declaration", declaration(field)},
                  {"extendee_view", names_.view(*extension.extendee)}, {"number", field.number}};
    code_.text(R"(

// Reads the extension $declaration$ of $extendee$.
)", values);
    if (extension.extendee->message_set) {
      values.add({{"child", names_.view(*field.message)}});
      code_.text(R"(
class $view$ : public ::hotpb::view::SetItemView<$extendee_view$, $child$, $number$u> {
 public:
  // For UnknownFields::without().
  static ::hotpb::view::ExtensionEntry entry() { return {fields_, true}; }

 private:
  static const ::hotpb::FieldEntry fields_[1];
};
)", values);
      entries(view_.name + "::fields_", view_.fields);
      return;
    }
    code_.text(R"(
class $view$ : public ::hotpb::view::ExtensionView<$view$, $extendee_view$> {
 public:
)", values);
    accessor(field);
    code_.text(R"(

  static const ::hotpb::MessageTable kTable;
  // For UnknownFields::without().
  static ::hotpb::view::ExtensionEntry entry() { return {fields_, false}; }
)");
    privates(nullptr);
    table(view_.name + "::kTable", view_.name + "::fields_", view_.fields);
    emit_scan(names_, view_, source_);
  }

 private:
  // The schema's comment on the next declaration.
  void comment(std::string_view text) {
    code_.indent();
    emit_comment(names_.context(), text, code_);
    code_.dedent();
  }

  void open(const Message& message) {
    view_ = ViewClass();
    view_.name = names_.view(message);
    view_.select(selection(), message, names_.accessors(message));
    view_.straight = view_.straight || is_too_wide_for_table();
  }

  // A table has 16 bits for the place of a slot, in units of four bytes. A slot has at most three units.
  bool is_too_wide_for_table() const { return view_.fields.size() * 3 > 0xffff; }

  const Selection& selection() const { return names_.context().selection; }

  // The values in templates for a field of any kind.
  Values values_of(const Field& field) const {
    return {{"declaration", declaration(field)},
            {"deprecated", deprecation(field.deprecated)},
            {"name", view_.members.at(&field)},
            {"number", static_cast<std::uint32_t>(field.number)},
            {"slot", view_.slot(field)}};
  }

  void accessor(const Field& field) {
    if (is_map(field)) {
      list(field, "::hotpb::view::Map<" + names_.kind(map_key(field)) + ", " + names_.kind(map_value(field)) + ">");
    } else if (!field.repeated()) {
      singular(field);
    } else if (field.type == FieldType::Message) {
      list(field, "::hotpb::view::Messages<" + names_.view(*field.message) + ">");
    } else {
      list(field, "::hotpb::view::Repeated<" + names_.kind(field) + ">");
    }
  }

  void list(const Field& field, const std::string& type) {
    Values values = values_of(field);
    const bool messages = field.type == FieldType::Message && !is_map(field);
    values.add({{"type", type}, {"key", messages ? tag_of(field) : static_cast<std::uint32_t>(field.number)}});
    code_.text(R"(
  // $declaration$
)", values);
    comment(field.comment);
    code_.text(R"(
  $deprecated$$type$ $name$() const {
    return $type$(raw_, $slot$, $key$);
  }
)", values);
    if (field.type == FieldType::Message) return;
    values.add({{"element", names_.type(field)}, {"kind", overwritten(field)}, {"verify", verified(field)},
                {"list", field.deprecated ? type + "(raw_, " + *values.find("slot") + ", " + *values.find("key") + ")"
                                          : "this->" + *values.find("name") + "()"}});
    code_.text(R"(
  $deprecated$bool overwrite_$name$(::hotpb::Span<::std::uint8_t> buffer, ::std::size_t index, $element$ value) const {
    return ::hotpb::view::detail::overwrite_element$kind$(raw_, buffer, $list$, index, value$verify$);
  }
)", values);
  }

  void singular(const Field& field) {
    Values values = values_of(field);
    const bool is_message = field.type == FieldType::Message;
    values.add({{"type", names_.type(field)}, {"at", view_.at(field)}, {"has", view_.has(field)}});
    code_.text("  // $declaration$", values);
    comment(field.comment);
    if (has_presence(field) || is_message) {
      code_.text("  $deprecated$bool has_$name$() const { return $has$; }", values);
    }
    if (is_message) {
      values.add({{"child", names_.view(*field.message)}, {"tag", tag_of(field)}});
      code_.text(R"(
  $deprecated$$type$ $name$() const {
    return ::hotpb::view::detail::sub_message<$child$>(raw_, $at$, $tag$);
  }
)", values);
      return;
    }
    values.add({{"fallback", names_.fallback(field)}, {"kind", overwritten(field)}, {"verify", verified(field)}});
    if (is_text(field)) {
      values.add({{"read", field.type == FieldType::String ? "text" : "payload"}});
      code_.text(field.has_default ? R"(
  $deprecated$$type$ $name$() const {
    return $has$ ? raw_.$read$($at$) : $fallback$;
  }
)" : R"(
  $deprecated$$type$ $name$() const {
    return raw_.$read$($at$);
  }
)", values);
    } else {
      values.add({{"open_kind", names_.open_kind(field)}});
      code_.text(R"(
  $deprecated$$type$ $name$() const {
    return ::hotpb::view::detail::get<$open_kind$>(raw_, $at$, $fallback$);
  }
)", values);
    }
    code_.text(R"(
  $deprecated$bool overwrite_$name$(::hotpb::Span<::std::uint8_t> buffer, $type$ value) const {
    return ::hotpb::view::detail::overwrite$kind$(raw_, buffer, $at$, value$verify$);
  }
)", values);
  }

  // The template argument and the last argument of overwrite() and overwrite_element(), see hotpb/view/overwrite.h.
  std::string overwritten(const Field& field) const { return is_text(field) ? "" : "<" + names_.kind(field) + ">"; }
  std::string verified(const Field& field) const {
    if (!is_text(field)) return "";
    if (field.type != FieldType::String) return ", false";
    return names_.verify(field) ? ", true" : ", raw_.strict()";
  }

  void which(const Oneof& oneof, const std::string& name) {
    code_.text(R"(

  // The number of the member of the oneof $oneof$ that is set, or 0.
  ::std::uint32_t which_$name$() const { return slots_.$name$.number; }
)", {{"oneof", oneof.name}, {"name", name}});
  }

  void privates(const Message* message) {
    const Values values{{"view", view_.name}, {"fields", view_.fields.size()}, {"entries", view_.fields.size() + 1},
                        {"dropped", view_.dropped.size()}};
    code_.text(R"(

 private:
  friend class ::hotpb::view::View<$view$>;

  struct Slots {
    HOTPB_INLINE Slots() { ::hotpb::detail::port::clear<sizeof(Slots)>(this); }

)", values);
    for (const Field* field : view_.fields) {
      if (field->oneof < 0 || message == nullptr) {
        code_.text("    $type$;", {{"type", slot_declaration(*field)}});
      }
    }
    for (const std::string& name : view_.oneofs) {
      if (!name.empty()) code_.text("    ::hotpb::view::detail::Choice $name$;", {{"name", name}});
    }
    code_.text(R"(
  };

)");
    if (!view_.fields.empty()) code_.text("  static const ::hotpb::FieldEntry fields_[$fields$];", values);
    if (!view_.dropped.empty()) code_.text("  static const ::std::uint32_t dropped_[$dropped$];", values);
    if (const std::size_t count = needs().size()) {
      code_.text("  static const ::hotpb::detail::NeedEntry needs_[$count$];", {{"count", count}});
    }
    for (const Field* field : view_.fields) {
      if (!is_map(*field)) continue;
      code_.text(R"(
  static const ::hotpb::FieldEntry $name$_fields_[2];
  static const ::hotpb::MessageTable $name$_table_;
)", values_of(*field));
    }
    if (!view_.straight) code_.text("  static const ::hotpb::view::detail::ScanEntry scan_fields_[$entries$];", values);
    code_.text(R"(
  bool scan_(const ::std::uint8_t* p, const ::std::uint8_t* end);
  void clear_() { slots_ = Slots(); }

  Slots slots_;
};
)");
  }

  std::string slot_declaration(const Field& field) const {
    const std::string& name = view_.members.at(&field);
    if (field.repeated()) return "::hotpb::view::detail::Run " + name;
    if (field.type == FieldType::Message) return "::hotpb::view::detail::Sub " + name;
    return is_text(field) ? "::hotpb::view::detail::Extent " + name : "::std::uint32_t " + name;
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
    std::string rest;
    if (name == view_.name + "::kTable") {  // not the table of a map's entry
      const std::vector<Need> needed = needs();
      emit_needs(names_.context(), view_, needed, source_);
      rest = table_rest(view_, needed);
    }
    source_.text("$inlined$const ::hotpb::MessageTable $name$ = {$fields$, $count$$rest$};", {
        {"inlined", inlined_}, {"name", name}, {"count", fields.size()},
        {"fields", fields.empty() ? "nullptr" : array.substr(array.rfind(':') + 1)},
        {"rest", rest}});
  }

  void entries(const std::string& array, const std::vector<const Field*>& fields) {
    const auto entry_table = [&](const Field& field) {
      if (is_map(field)) return view_.members.at(&field) + "_table_";
      return names_.view(*field.message) + "::kTable";
    };
    emit_entries(names_, array, fields, entry_table, source_);
  }

  // With a field of a oneof, all fields of the oneof, which share a slot.
  std::vector<Need> needs() const {
    std::vector<Need> found;
    std::set<std::int32_t> oneofs;
    bool any = false;
    for (const Field* field : view_.fields) {
      if (!can_lack(selection(), *field)) continue;
      any = true;
      if (view_.in_oneof(*field)) oneofs.insert(field->oneof);
    }
    if (!any) return found;
    std::map<std::int32_t, std::size_t> slots;
    for (std::size_t i = 0; i < view_.fields.size(); ++i) {
      const Field& field = *view_.fields[i];
      const bool member = view_.in_oneof(field) && oneofs.count(field.oneof) != 0;
      if (!member && !is_map(field) && !can_lack(selection(), field)) continue;
      const std::size_t own = found.size();
      const std::size_t slot = member ? slots.emplace(field.oneof, own).first->second : own;
      found.push_back({i, slot, field.presence == Presence::Required, is_map(field)});
    }
    return found;
  }

  const ViewNames& names_;
  Code& code_;    // the header
  Code& source_;  // the code that is compiled once
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
  // The functions of the base class are also compiled once.
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
