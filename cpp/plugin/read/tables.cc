#include "read/tables.h"

namespace hotpb {
namespace plugin {

void ReadClass::select(const Selection& selection, const Message& message, const Accessors& accessors) {
  members = accessors.fields;
  oneofs = accessors.oneofs;
  fields = selection.fields(message);
  dropped = selection.dropped(message);
  straight = selection.straight(message);
  for (const Field* field : selection.skipped(message)) {
    if (field->oneof >= 0) oneofs[static_cast<std::size_t>(field->oneof)].clear();  // its members are left out
  }
}

void emit_left_out(const Selection& selection, const Message& message, const LeftOutWords& words, Code& code) {
  const std::vector<const Field*> skipped = selection.skipped(message);
  if (skipped.empty()) return;
  bool required = false;
  code.text(R"(
//
// Left out by only= or skip=:
)");
  for (const Field* field : skipped) {
    code.text("//   $declaration$", {{"declaration", declaration(*field)}});
    required = required || field->presence == Presence::Required;
  }
  const bool kept = selection.dropped(message).empty();
  code.text("// Their records are checked $checked$, and $fate$$required$", {
      {"checked", words.checked}, {"fate", kept ? "kept among the unknown fields." : words.dropped},
      {"required", required ? words.required : ""}});
}

void emit_dropped(const FileContext& context, const ReadClass& message, Code& code) {
  if (message.dropped.empty()) return;
  std::string numbers;
  for (const Field* field : message.dropped) {
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(field->number) + "u";
  }
  code.text(R"(

$inlined$const ::std::uint32_t $class$::dropped_[$count$] = {$numbers$};
)", {{"inlined", context.inlined()}, {"class", message.name}, {"count", message.dropped.size()}, {"numbers", numbers}});
}

bool can_lack(const Selection& selection, const Field& field) {
  return field.presence == Presence::Required ||
         (field.message != nullptr && selection.needs_required(*field.message));
}

void emit_needs(const FileContext& context, const ReadClass& message, const std::vector<Need>& needs, Code& code) {
  if (needs.empty()) return;
  code.text(R"(

$inlined$const ::hotpb::detail::NeedEntry $class$::needs_[$count$] = {
)", {{"inlined", context.inlined()}, {"class", message.name}, {"count", needs.size()}});
  for (const Need& need : needs) {
    code.text("  {$field$u, $slot$u, $required$, $map$},  // $name$", {
        {"field", need.field}, {"slot", need.slot}, {"required", flag(need.is_required)}, {"map", flag(need.is_map)},
        {"name", message.fields[need.field]->name}});
  }
  code.line("};");
}

std::string table_rest(const ReadClass& message, const std::vector<Need>& needs) {
  std::string rest;
  if (!message.dropped.empty()) {
    rest = ", dropped_, " + std::to_string(message.dropped.size());
  } else if (!needs.empty()) {
    rest = ", nullptr, 0";
  }
  if (!needs.empty()) rest += ", needs_, " + std::to_string(needs.size());
  return rest;
}

}  // namespace plugin
}  // namespace hotpb
