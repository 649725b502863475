#include "emit_view_scan.h"

namespace hotpb {
namespace plugin {
namespace {

constexpr std::string_view kFail = "if (p == nullptr) return false;";

bool is_packable(const Field& field) {
  return field.repeated() && field.type != FieldType::Message && !is_text(field);
}

bool has_closed_values(const Field& field) { return is_map(field) && is_closed(map_value(field)); }

// One section of straight-line code for each field, each ending in a guess at the field that comes next (itself when it
// is repeated, then the one behind it), and a switch over tags for when the guess is wrong.
class ScanEmitter {
 public:
  ScanEmitter(const ViewNames& names, const ViewClass& view, Code& code) : names_(names), view_(view), code_(code) {}

  void emit() {
    code_.line();
    code_.line(names_.context().inlined(), "bool ", view_.name,
               "::scan_(const ::std::uint8_t* p, const ::std::uint8_t* const end) {");
    code_.indent();
    code_.line("const ::std::uint8_t* start;");
    code_.line("::std::uint32_t tag;");
    variables();
    if (!view_.fields.empty()) guess(*view_.fields[0]);
    label("next", "");
    code_.line("if (p == end) return true;");
    code_.line("start = p;");
    code_.line("p = ::hotpb::wire::read_tag(p, end, tag);");
    code_.line(kFail);
    if (!view_.fields.empty()) {
      code_.line("switch (tag) {");
      code_.indent();
      for (const Field* field : view_.fields) {
        code_.line("case ", tag_of(*field), "u: goto ", target(*field, false), ";");
        if (is_packable(*field)) {
          const std::uint32_t packed_tag = static_cast<std::uint32_t>(field->number) << 3 | 2u;
          code_.line("case ", packed_tag, "u: goto ", target(*field, true), ";");
        }
      }
      code_.line("default: break;");
      code_.dedent();
      code_.line("}");
    }
    drop();
    code_.line("p = raw_.skip(start, p, end, tag);");
    code_.line(kFail);
    code_.line("goto next;");
    for (std::size_t i = 0; i < view_.fields.size(); ++i) {
      section(i, false);
      if (is_packable(*view_.fields[i])) section(i, true);
    }
    code_.dedent();
    code_.line("}");
  }

 private:
  // Over the records of fields that are left out, whatever their wire type: none is a field that the schema lacks.
  void drop() {
    if (view_.dropped.empty()) return;
    std::string cases;
    for (const Field* field : view_.dropped) {
      cases += (cases.empty() ? "case " : " case ") + std::to_string(field->number) + "u:";
    }
    code_.line("switch (::hotpb::wire::tag_number(tag)) {");
    code_.indent();
    code_.line(cases, "  // left out");
    code_.indent();
    code_.line("p = raw_.drop(p, end, tag);");
    code_.line(kFail);
    code_.line("goto next;");
    code_.dedent();
    code_.line("default: break;");
    code_.dedent();
    code_.line("}");
  }

  // Labels stand one step to the left of the code.
  void label(const std::string& name, const std::string& comment) {
    code_.dedent();
    code_.line(name, ":", comment.empty() ? "" : "  // ", comment);
    code_.indent();
  }

  static std::string target(const Field& field, bool packed) {
    return (packed ? "packed_" : "field_") + std::to_string(static_cast<std::uint32_t>(field.number));
  }

  // A goto may not jump over a declaration: what the sections need is declared in front.
  void variables() {
    bool payload = false;
    bool count = false;
    bool entry = false;
    bool value = false;
    bool position = false;
    for (const Field* field : view_.fields) {
      payload = payload || is_text(*field) || is_map(*field) || is_packable(*field);
      count = count || (is_packable(*field) && wire_type(*field) == wire::WireType::Varint);
      entry = entry || is_map(*field);
      value = value || is_closed(*field);
      position = position || (is_closed(*field) && !field->repeated());
    }
    if (payload) code_.line("::hotpb::Bytes payload;");
    if (count) code_.line("::std::uint32_t count;");
    if (entry) code_.line("::hotpb::view::EntryScan entry;");
    if (value) code_.line("::std::uint64_t value;");
    if (position) code_.line("const ::std::uint8_t* at;");
  }

  void section(std::size_t index, bool packed) {
    const Field& field = *view_.fields[index];
    code_.line();
    label(target(field, packed), declaration(field) + (packed ? ", packed" : ""));
    if (packed) {
      packed_numbers(field);
    } else if (is_map(field)) {
      map(field);
    } else if (field.type == FieldType::Message) {
      message(field);
    } else if (is_text(field)) {
      text(field);
    } else {
      number(field);
    }
    if (field.repeated() && !field.packed) guess(field);
    if (index + 1 < view_.fields.size()) guess(*view_.fields[index + 1]);
    code_.line("goto next;");
  }

  // Straight to a field when its tag is what comes.
  void guess(const Field& field) {
    const std::string tag = tag_bytes(field, false);  // in hex
    if (tag.size() == 2) {
      code_.line("if (p != end && *p == 0x", tag, ") {");
    } else if (tag.size() == 4) {
      code_.line("if (end - p >= 2 && p[0] == 0x", tag.substr(0, 2), " && p[1] == 0x", tag.substr(2), ") {");
    } else {
      return;
    }
    code_.indent();
    code_.line("start = p;");
    code_.line("p += ", tag.size() / 2, ";");
    code_.line("goto ", target(field, field.packed), ";");
    code_.dedent();
    code_.line("}");
  }

  void read_payload() {
    code_.line("p = ::hotpb::wire::read_len(p, end, payload);");
    code_.line(kFail);
  }

  void add(const Field& field, const std::string& count) {
    code_.line(view_.slot(field), ".add(raw_.offset(start), raw_.offset(p), ", count, ");");
  }

  void packed_numbers(const Field& field) {
    read_payload();
    switch (wire_type(field)) {
      case wire::WireType::Fixed32:
      case wire::WireType::Fixed64: {
        const std::string width = wire_type(field) == wire::WireType::Fixed32 ? "4" : "8";
        code_.line("if (payload.size() % ", width, " != 0) return false;");
        code_.line("if (!payload.empty()) {");
        code_.indent();
        add(field, "static_cast<::std::uint32_t>(payload.size() / " + width + ")");
        code_.dedent();
        code_.line("}");
        return;
      }
      default: break;
    }
    if (is_closed(field)) {
      code_.line("if (!raw_.scan_closed(start, payload.begin(), p, ", names_.closed(*field.enumeration),
                 ", count)) return false;");
    } else {
      code_.line("if (!raw_.scan_varints(payload.begin(), p, count)) return false;");
    }
    code_.line("if (count != 0) ", view_.slot(field), ".add(raw_.offset(start), raw_.offset(p), count);");
  }

  void map(const Field& field) {
    const Field& key = map_key(field);
    const Field& value = map_value(field);
    const auto text = [](bool flag) { return flag ? "true" : "false"; };
    read_payload();
    code_.line("entry = raw_.scan_entry(");
    code_.line("    payload.begin(), p, {", tag_of(key), "u, ", tag_of(value), "u, ",
               text(key.type == FieldType::String), ", ", text(value.type == FieldType::String), ", ",
               text(names_.verify(key)), ", ", text(names_.verify(value)), ", ",
               is_closed(value) ? names_.closed(*value.enumeration) : std::string("nullptr"), "});");
    code_.line("if (entry == ::hotpb::view::EntryScan::Bad) return false;");
    if (!has_closed_values(field)) {
      add(field, "1");
      return;
    }
    code_.line("if (entry == ::hotpb::view::EntryScan::Known) {");
    code_.indent();
    add(field, "1");
    code_.dedent();
    code_.line("} else {");
    code_.indent();
    code_.line("raw_.keep_unknown(start, p);");
    code_.dedent();
    code_.line("}");
  }

  void message(const Field& field) {
    if (field.delimited) {
      code_.line("p = raw_.skip_group(p, end, ", field.number, ");");
    } else {
      code_.line("p = raw_.skip_len(p, end);");
    }
    code_.line(kFail);
    if (view_.in_oneof(field)) {
      code_.line(view_.slot(field), ".add_sub(", field.number, ", raw_.offset(start), raw_.offset(p));");
    } else if (field.repeated()) {
      add(field, "1");
    } else {
      code_.line(view_.slot(field), ".add(raw_.offset(start), raw_.offset(p));");
    }
  }

  void text(const Field& field) {
    read_payload();
    if (field.type == FieldType::String) {
      code_.line("if (", names_.verify(field) ? "" : "raw_.strict() && ",
                 "!::hotpb::utf8::is_valid(payload.data(), payload.size())) return false;");
    }
    const std::string span = "raw_.offset(payload.data()), static_cast<::std::uint32_t>(payload.size())";
    if (view_.in_oneof(field)) {
      code_.line(view_.slot(field), ".set_span(", field.number, ", ", span, ");");
    } else if (field.repeated()) {
      add(field, "1");
    } else {
      code_.line(view_.slot(field), " = {", span, "};");
    }
  }

  void number(const Field& field) {
    if (is_closed(field)) {
      closed_number(field);
      return;
    }
    if (!field.repeated()) note(field, "p");
    switch (wire_type(field)) {
      case wire::WireType::Fixed64: code_.line("if (end - p < 8) return false;"); code_.line("p += 8;"); break;
      case wire::WireType::Fixed32: code_.line("if (end - p < 4) return false;"); code_.line("p += 4;"); break;
      default: code_.line("p = ::hotpb::wire::skip_varint(p, end);"); code_.line(kFail); break;
    }
    if (field.repeated()) add(field, "1");
  }

  // Where the value of a singular number is.
  void note(const Field& field, const std::string& at) {
    if (view_.in_oneof(field)) {
      code_.line(view_.slot(field), ".set_scalar(", field.number, ", raw_.offset(", at, "));");
    } else {
      code_.line(view_.slot(field), " = raw_.offset(", at, ");");
    }
  }

  void closed_number(const Field& field) {
    if (!field.repeated()) code_.line("at = p;");
    code_.line("p = ::hotpb::wire::read_varint(p, end, value);");
    code_.line(kFail);
    code_.line("if (", names_.closed(*field.enumeration), "(static_cast<::std::int32_t>(value))) {");
    code_.indent();
    if (field.repeated()) {
      add(field, "1");
    } else {
      note(field, "at");
    }
    code_.dedent();
    code_.line("} else {");
    code_.indent();
    code_.line("raw_.keep_unknown(start, p);");
    code_.dedent();
    code_.line("}");
  }

  const ViewNames& names_;
  const ViewClass& view_;
  Code& code_;
};

std::string_view scan_kind(const ViewNames& names, const Field& field) {
  if (is_map(field)) return "Map";
  if (is_closed(field)) return "Closed";
  if (field.type == FieldType::String) return names.verify(field) ? "Utf8" : "String";
  if (field.type == FieldType::Bytes) return "Bytes";
  if (field.type == FieldType::Message) return field.delimited ? "Group" : "Message";
  switch (wire_type(field)) {
    case wire::WireType::Fixed32: return "Fixed32";
    case wire::WireType::Fixed64: return "Fixed64";
    default: return "Varint";
  }
}

// One entry of eight bytes for each field, and a loop of the runtime (hotpb/view/table.h).
void emit_scan_by_table(const ViewNames& names, const ViewClass& view, Code& code) {
  code.line();
  code.line(names.context().inlined(), "const ::hotpb::view::ScanEntry ", view.name, "::scan_fields_[",
            view.fields.size() + 1, "] = {");
  code.indent();
  for (const Field* field : view.fields) {
    const bool packed = field->packed && field->repeated();
    const std::uint32_t tag = packed ? static_cast<std::uint32_t>(field->number) << 3 | 2u : tag_of(*field);
    const std::string shape = field->repeated() ? "Repeated" : view.in_oneof(*field) ? "Member" : "Single";
    const std::string slot = view.slot(*field).substr(std::string_view("slots_.").size());
    code.line("{", tag, "u, offsetof(Slots, ", slot, ") / 4, ::hotpb::view::ScanKind::", scan_kind(names, *field),
              ", ::hotpb::view::ScanShape::", shape, "},");
  }
  code.line("{0u, 0, ::hotpb::view::ScanKind::Varint, ::hotpb::view::ScanShape::Single},");
  code.dedent();
  code.line("};");
  code.line();
  code.line(names.context().inlined(), "bool ", view.name,
            "::scan_(const ::std::uint8_t* p, const ::std::uint8_t* const end) {");
  code.indent();
  code.line("return ::hotpb::view::scan_by_table(raw_, &slots_, kTable, scan_fields_, p, end);");
  code.dedent();
  code.line("}");
}

}  // namespace

void emit_scan(const ViewNames& names, const ViewClass& view, Code& code) {
  if (view.straight) {
    ScanEmitter(names, view, code).emit();
  } else {
    emit_scan_by_table(names, view, code);
  }
}

}  // namespace plugin
}  // namespace hotpb
