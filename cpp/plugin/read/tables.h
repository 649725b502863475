// What the class of a view and that of a pooled message have in common: its fields, and the tables of hotpb/check.h.
#ifndef HOTPB_PLUGIN_READ_TABLES_H_
#define HOTPB_PLUGIN_READ_TABLES_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "code.h"
#include "emit.h"
#include "plan.h"
#include "read/fields.h"
#include "select.h"

namespace hotpb {
namespace plugin {

// The class that is being emitted, of a message or of an extension.
struct ReadClass {
  std::string name;
  std::vector<const Field*> fields;
  std::map<const Field*, std::string> members;
  std::vector<std::string> oneofs;  // accessors; empty for the class of an extension; that of a left-out oneof is empty
  std::vector<const Field*> dropped;
  bool straight = true;  // else it is read by table

  void select(const Selection& selection, const Message& message, const Accessors& accessors);
  bool in_oneof(const Field& field) const { return field.oneof >= 0 && !oneofs.empty(); }
};

inline const char* flag(bool set) { return set ? "true" : "false"; }

// The comment that lists the fields that the class does not have.
struct LeftOutWords {
  const char* checked;   // how their records are checked
  const char* dropped;
  const char* required;  // a sentence about the required fields among them
};
void emit_left_out(const Selection& selection, const Message& message, const LeftOutWords& words, Code& code);

// The list of the numbers of left-out fields.
void emit_dropped(const FileContext& context, const ReadClass& message, Code& code);

// The fields that the search for absent required fields must know.
struct Need {
  std::size_t field;
  std::size_t slot;
  bool is_required;
  bool is_map;
};
// Whether the field is required, or can hold a message that lacks a required field.
bool can_lack(const Selection& selection, const Field& field);
void emit_needs(const FileContext& context, const ReadClass& message, const std::vector<Need>& needs, Code& code);

// The members of the class's MessageTable after the number of its fields.
std::string table_rest(const ReadClass& message, const std::vector<Need>& needs);

// A list of FieldEntry. `table` returns the name of the table of a message, or of a map's entry.
template <class Names, class Table>
void emit_entries(const Names& names, const std::string& array, const std::vector<const Field*>& fields,
                  const Table& table, Code& code) {
  code.text(R"(

$inlined$const ::hotpb::FieldEntry $array$[$count$] = {
)", {{"inlined", names.context().inlined()}, {"array", array}, {"count", fields.size()}});
  for (const Field* field : fields) {
    const Field& closing = is_map(*field) ? map_value(*field) : *field;
    code.text("  {$number$u, ::hotpb::FieldType::$type$, $repeated$, $verify$, \"$name$\", $child$, $closed$},", {
        {"number", static_cast<std::uint32_t>(field->number)}, {"type", field_type(*field)}, {"name", field->name},
        {"repeated", flag(field->repeated())}, {"verify", flag(names.verify(*field))},
        {"child", field->message != nullptr ? "&" + table(*field) : "nullptr"},
        {"closed", is_closed(closing) ? names.closed(*closing.enumeration) : "nullptr"}});
  }
  code.line("};");
}

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_READ_TABLES_H_
