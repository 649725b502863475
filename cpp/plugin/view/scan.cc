#include "view/scan.h"

#include "read/sections.h"

namespace hotpb {
namespace plugin {
namespace {

bool has_closed_values(const Field& field) { return is_map(field) && is_closed(map_value(field)); }

class ScanEmitter final : Sections {
 public:
  ScanEmitter(const ViewNames& names, const ViewClass& view, Code& code)
      : Sections(view.fields, "false", code), names_(names), view_(view), code_(code) {}

  void emit() {
    code_.text(R"(

$inlined$bool $view$::scan_(const ::std::uint8_t* p, const ::std::uint8_t* const end) {
  const ::std::uint8_t* start;
  ::std::uint32_t tag;
)", {{"inlined", names_.context().inlined()}, {"view", view_.name}});
    variables();
    guess_first();
    code_.text(R"(
next:
  if (p == end) return true;
  start = p;
  p = ::hotpb::wire::read_tag(p, end, tag);
  if (p == nullptr) return false;
)");
    dispatch();
    drop();
    code_.text(R"(
  p = raw_.skip(start, p, end, tag);
  if (p == nullptr) return false;
  goto next;
)");
    sections();
    code_.line("}");
  }

 private:
  // Skips the records of left-out fields, whatever their wire type: the schema defines them, so they are not unknown.
  void drop() {
    if (view_.dropped.empty()) return;
    std::string cases;
    for (const Field* field : view_.dropped) {
      cases += (cases.empty() ? "case " : " case ") + std::to_string(field->number) + "u:";
    }
    code_.text(R"(
  switch (::hotpb::wire::tag_number(tag)) {
    $cases$  // left out
      p = raw_.drop(p, end, tag);
      if (p == nullptr) return false;
      goto next;
    default: break;
  }
)", {{"cases", cases}});
  }

  // A goto must not jump over a declaration, so the variables of the sections are declared first.
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
    if (payload) code_.text("  ::hotpb::Bytes payload;");
    if (count) code_.text("  ::std::uint32_t count;");
    if (entry) code_.text("  ::hotpb::view::detail::EntryScan entry;");
    if (value) code_.text("  ::std::uint64_t value;");
    if (position) code_.text("  const ::std::uint8_t* at;");
  }

  // The values in templates for a field of any kind.
  Values values_of(const Field& field) const {
    return {{"number", static_cast<std::uint32_t>(field.number)}, {"slot", view_.slot(field)}};
  }

  bool needs_start(const Field&) const override { return true; }

  void record(std::size_t index, bool packed) override {
    const Field& field = *view_.fields[index];
    if (packed) {
      packed_numbers(field);
    } else if (is_map(field)) {
      map(field);
    } else if (field.type == FieldType::Message) {
      message(field);
    } else if (is_text(field)) {
      text(field);
    } else if (is_closed(field)) {
      closed_number(field);
    } else {
      number(field);
    }
  }

  void packed_numbers(const Field& field) {
    Values values = values_of(field);
    read_payload();
    if (wire_type(field) != wire::WireType::Varint) {
      values.add({{"width", wire_type(field) == wire::WireType::Fixed32 ? 4 : 8}});
      code_.text(R"(
  if (payload.size() % $width$ != 0) return false;
  if (!payload.empty()) {
    $slot$.add(raw_.offset(start), raw_.offset(p), static_cast<::std::uint32_t>(payload.size() / $width$));
  }
)", values);
      return;
    }
    if (is_closed(field)) values.add({{"closed", names_.closed(*field.enumeration)}});
    code_.text(is_closed(field) ? R"(
  if (!raw_.scan_closed(start, payload.begin(), p, $closed$, count)) return false;
)" : R"(
  if (!raw_.scan_varints(payload.begin(), p, count)) return false;
)", values);
    code_.text("  if (count != 0) $slot$.add(raw_.offset(start), raw_.offset(p), count);", values);
  }

  void map(const Field& field) {
    const Field& key = map_key(field);
    const Field& value = map_value(field);
    Values values = values_of(field);
    values.add({{"key_tag", tag_of(key)}, {"value_tag", tag_of(value)},
                {"key_text", flag(key.type == FieldType::String)},
                {"value_text", flag(value.type == FieldType::String)},
                {"verify_key", flag(names_.verify(key))}, {"verify_value", flag(names_.verify(value))},
                {"closed", is_closed(value) ? names_.closed(*value.enumeration) : "nullptr"}});
    read_payload();
    code_.text(R"(
  entry = raw_.scan_entry(
      payload.begin(), p, {$key_tag$u, $value_tag$u, $key_text$, $value_text$, $verify_key$, $verify_value$, $closed$});
  if (entry == ::hotpb::view::detail::EntryScan::Bad) return false;
)", values);
    code_.text(has_closed_values(field) ? R"(
  if (entry == ::hotpb::view::detail::EntryScan::Known) {
    $slot$.add(raw_.offset(start), raw_.offset(p), 1);
  } else {
    raw_.keep_unknown(start, p);
  }
)" : R"(
  $slot$.add(raw_.offset(start), raw_.offset(p), 1);
)", values);
  }

  void message(const Field& field) {
    const Values values = values_of(field);
    code_.text(field.delimited ? R"(
  p = raw_.skip_group(p, end, $number$);
  if (p == nullptr) return false;
)" : R"(
  p = raw_.skip_len(p, end);
  if (p == nullptr) return false;
)", values);
    code_.text(view_.in_oneof(field) ? R"(
  $slot$.add_sub($number$, raw_.offset(start), raw_.offset(p));
)" : field.repeated() ? R"(
  $slot$.add(raw_.offset(start), raw_.offset(p), 1);
)" : R"(
  $slot$.add(raw_.offset(start), raw_.offset(p));
)", values);
  }

  void text(const Field& field) {
    const Values values = values_of(field);
    read_payload();
    if (field.type == FieldType::String) {
      code_.text(names_.verify(field) ? R"(
  if (!::hotpb::utf8::is_valid(payload.data(), payload.size())) return false;
)" : R"(
  if (raw_.strict() && !::hotpb::utf8::is_valid(payload.data(), payload.size())) return false;
)");
    }
    code_.text(view_.in_oneof(field) ? R"(
  $slot$.set_span($number$, raw_.offset(payload.data()), static_cast<::std::uint32_t>(payload.size()));
)" : field.repeated() ? R"(
  $slot$.add(raw_.offset(start), raw_.offset(p), 1);
)" : R"(
  $slot$ = {raw_.offset(payload.data()), static_cast<::std::uint32_t>(payload.size())};
)", values);
  }

  void number(const Field& field) {
    const Values values = values_of(field);
    if (!field.repeated()) {
      code_.text(view_.in_oneof(field) ? R"(
  $slot$.set_scalar($number$, raw_.offset(p));
)" : R"(
  $slot$ = raw_.offset(p);
)", values);
    }
    switch (wire_type(field)) {
      case wire::WireType::Fixed64:
        code_.text(R"(
  if (end - p < 8) return false;
  p += 8;
)");
        break;
      case wire::WireType::Fixed32:
        code_.text(R"(
  if (end - p < 4) return false;
  p += 4;
)");
        break;
      default:
        code_.text(R"(
  p = ::hotpb::wire::skip_varint(p, end);
  if (p == nullptr) return false;
)");
        break;
    }
    if (field.repeated()) code_.text("  $slot$.add(raw_.offset(start), raw_.offset(p), 1);", values);
  }

  void closed_number(const Field& field) {
    Values values = values_of(field);
    values.add({{"closed", names_.closed(*field.enumeration)}});
    if (!field.repeated()) code_.text("  at = p;");
    code_.text(R"(
  p = ::hotpb::wire::read_varint(p, end, value);
  if (p == nullptr) return false;
  if ($closed$(static_cast<::std::int32_t>(value))) {
)", values);
    code_.text(field.repeated() ? R"(
    $slot$.add(raw_.offset(start), raw_.offset(p), 1);
)" : view_.in_oneof(field) ? R"(
    $slot$.set_scalar($number$, raw_.offset(at));
)" : R"(
    $slot$ = raw_.offset(at);
)", values);
    code_.text(R"(
  } else {
    raw_.keep_unknown(start, p);
  }
)");
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

// Emits an entry of eight bytes for each field, and a call of the runtime's loop (hotpb/view/table.h).
void emit_scan_by_table(const ViewNames& names, const ViewClass& view, Code& code) {
  const Values values{{"inlined", names.context().inlined()}, {"view", view.name}, {"entries", view.fields.size() + 1}};
  code.text(R"(

$inlined$const ::hotpb::view::detail::ScanEntry $view$::scan_fields_[$entries$] = {
)", values);
  for (const Field* field : view.fields) {
    const bool packed = field->packed && field->repeated();
    code.text(R"(
  {$tag$u, offsetof(Slots, $slot$) / 4, ::hotpb::view::detail::ScanKind::$kind$,
      ::hotpb::view::detail::ScanShape::$shape$},
)", {
        {"tag", packed ? packed_tag_of(*field) : tag_of(*field)},
        {"slot", view.slot(*field).substr(std::string_view("slots_.").size())},
        {"kind", scan_kind(names, *field)},
        {"shape", field->repeated() ? "Repeated" : view.in_oneof(*field) ? "Member" : "Single"}});
  }
  code.text(R"(
  {0u, 0, ::hotpb::view::detail::ScanKind::Varint, ::hotpb::view::detail::ScanShape::Single},
};

$inlined$bool $view$::scan_(const ::std::uint8_t* p, const ::std::uint8_t* const end) {
  return ::hotpb::view::detail::scan_by_table(raw_, &slots_, kTable, scan_fields_, p, end);
}
)", values);
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
