#include "read/sections.h"

#include <string>

#include "read/fields.h"

namespace hotpb {
namespace plugin {

void Sections::guess_first() {
  if (!fields_.empty()) guess(*fields_[0]);
}

void Sections::dispatch() {
  if (fields_.empty()) return;
  code_.text("  switch (tag) {");
  for (const Field* field : fields_) {
    const Values values{{"number", static_cast<std::uint32_t>(field->number)}, {"tag", tag_of(*field)},
                        {"packed_tag", packed_tag_of(*field)}};
    code_.text("    case $tag$u: goto field_$number$;", values);
    if (is_packable(*field)) code_.text("    case $packed_tag$u: goto packed_$number$;", values);
  }
  code_.text(R"(
    default: break;
  }
)");
}

void Sections::sections() {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    section(i, false);
    if (is_packable(*fields_[i])) section(i, true);
  }
}

void Sections::section(std::size_t index, bool packed) {
  const Field& field = *fields_[index];
  code_.text(packed ? R"(

packed_$number$:  // $declaration$, packed
)" : R"(

field_$number$:  // $declaration$
)", {{"number", static_cast<std::uint32_t>(field.number)}, {"declaration", declaration(field)}});
  record(index, packed);
  if (field.repeated() && !field.packed) guess(field);
  if (index + 1 < fields_.size()) guess(*fields_[index + 1]);
  code_.text("  goto next;");
}

// Jumps to a field if its tag is the next one.
void Sections::guess(const Field& field) {
  const std::string tag = tag_bytes(field, false);  // in hex
  if (tag.size() != 2 && tag.size() != 4) return;
  const Values values{{"first", tag.substr(0, 2)}, {"second", tag.substr(2)}, {"bytes", tag.size() / 2},
                      {"kind", field.packed ? "packed" : "field"},
                      {"number", static_cast<std::uint32_t>(field.number)}};
  code_.text(tag.size() == 2 ? R"(
  if (p != end && *p == 0x$first$) {
)" : R"(
  if (end - p >= 2 && p[0] == 0x$first$ && p[1] == 0x$second$) {
)", values);
  if (needs_start(field)) code_.text("    start = p;");
  code_.text(R"(
    p += $bytes$;
    goto $kind$_$number$;
  }
)", values);
}

void Sections::read_payload() {
  code_.text(R"(
  p = ::hotpb::wire::read_len(p, end, payload);
  if (p == nullptr) return $failure$;
)", {{"failure", failure_}});
}

}  // namespace plugin
}  // namespace hotpb
