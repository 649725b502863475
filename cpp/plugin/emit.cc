// The scaffolding of generated headers; the faces have files of their own.
#include "emit.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "hotpb/version.h"

namespace hotpb {
namespace plugin {
namespace {

// A face of this version: one line.
constexpr Face kFaces[] = {
    {"writer", "", "hotpb/writer.h", "Writer", false, false, true, emit_writer},
    {"view", "", "hotpb/view.h", "View", true, true, false, emit_view},
    {"reencode", "view", "hotpb/view_reencode.h", "", true, true, true, emit_reencode},
    {"rewrite", "writer+view", "hotpb/view_rewrite.h", "", true, false, true, emit_rewrite},
};

// What cpp/amalgamate.py makes: all of the runtime, and the well-known types.
constexpr char kSingleHeader[] = "hotpb.h";
constexpr char kSingleReadyHeader[] = "hotpb_wkt.h";

std::set<std::string> runtime_headers(const Options& options) {
  if (options.single_header) return {kSingleHeader};
  std::set<std::string> headers{"hotpb/field_info.h", "hotpb/version.h"};
  for (const Face* const face : options.faces) headers.insert(std::string(face->header));
  return headers;
}

// The headers of the types that the file's code names.
std::set<std::string> imported_headers(const FileContext& context) {
  std::set<std::string> headers;
  const auto add_file = [&](const File& file) {
    if (&file == &context.file) return;
    const std::string name = header_name(file);
    headers.insert(context.options.single_header && is_well_known(file) ? kSingleReadyHeader : name);
  };
  const auto add = [&](const Field& field) {
    if (field.message != nullptr) add_file(*field.message->file);
    if (field.enumeration != nullptr) add_file(*field.enumeration->file);
  };
  for (const Message* const message : context.messages) {
    for (const Field* const field : context.selection.fields(*message)) {
      add(*field);
      if (!is_map(*field)) continue;
      for (const Field& part : field->message->fields) add(part);
    }
  }
  for (const ExtensionOf& extension : context.extensions) {
    add(*extension.field);
    add_file(*extension.extendee->file);
  }
  return headers;
}

std::string guard_of(const std::string& header) {
  std::string guard = "HOTPB_GENERATED_";
  for (const char c : header) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
    const bool lower = c >= 'a' && c <= 'z';
    guard += plain ? c : lower ? static_cast<char>(c - 'a' + 'A') : '_';
  }
  // Paths that differ in other characters than these, or in case, have guards that differ, too: FNV-1a of the path.
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : header) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  guard += '_';
  for (int shift = 60; shift >= 0; shift -= 4) guard += "0123456789ABCDEF"[hash >> shift & 15];
  return guard;
}

std::string number_text(std::int64_t number) {
  // The literal of the lowest has no negative of itself.
  return number == INT32_MIN ? "(-2147483647 - 1)" : std::to_string(number);
}

// A comparison for a few runs of values, a switch for many: what compilers make the least of.
void emit_is_defined(const std::string& name, const Enum& enumeration, Code& code) {
  constexpr std::size_t kFewRuns = 3;
  std::set<std::int32_t> values;
  for (const EnumValue& value : enumeration.values) values.insert(value.number);
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;  // first and last
  for (const std::int64_t value : values) {
    if (runs.empty() || runs.back().second + 1 != value) runs.emplace_back(value, value);
    runs.back().second = value;
  }
  code.line();
  code.line("// Does the schema define this value?");
  code.line("constexpr bool enum_is_defined(", name, " value) {");
  code.indent();
  if (runs.size() > kFewRuns) {
    code.line("switch (static_cast<::std::int32_t>(value)) {");
    code.indent();
    std::string cases;
    for (const std::int32_t value : values) cases += (cases.empty() ? "case " : " case ") + number_text(value) + ":";
    code.line(cases);
    code.indent();
    code.line("return true;");
    code.dedent();
    code.line("default: return false;");
    code.dedent();
    code.line("}");
  } else {
    code.line("const ::std::int32_t number = static_cast<::std::int32_t>(value);");
    std::string condition;
    for (const auto& run : runs) {
      if (!condition.empty()) condition += " || ";
      const std::string first = number_text(run.first);
      const std::string last = number_text(run.second);
      if (run.first == run.second) {
        condition += "number == " + first;
      } else {
        const std::string both = "number >= " + first + " && number <= " + last;
        condition += runs.size() == 1 ? both : "(" + both + ")";
      }
    }
    code.line("return ", condition, ";");
  }
  code.dedent();
  code.line("}");
}

// enum class, and the names of its values.
void emit_enum(const FileContext& context, const Enum& enumeration, Code& code) {
  const std::string name = context.names.type(enumeration);
  code.line();
  code.line("// enum ", enumeration.name, enumeration.closed ? " (closed)" : " (open: other values may come)");
  code.line("enum class ", name, " : ::std::int32_t {");
  code.indent();
  for (const EnumValue& value : enumeration.values) {
    if (value.number == INT32_MIN) {
      code.line(context.names.value(value), " = -2147483647 - 1,");  // the literal has no negative of itself
    } else {
      code.line(context.names.value(value), " = ", value.number, ",");
    }
  }
  code.dedent();
  code.line("};");
  code.line();
  code.line("// The name in the schema (of aliases the first one), \"\" for a value that it does not define.");
  code.line("constexpr ::std::string_view enum_name(", name, " value) {");
  code.indent();
  code.line("switch (static_cast<::std::int32_t>(value)) {");
  code.indent();
  std::set<std::int32_t> seen;
  for (const EnumValue& value : enumeration.values) {
    if (!seen.insert(value.number).second) continue;
    if (value.number == INT32_MIN) {
      code.line("case -2147483647 - 1: return \"", value.name, "\";");
    } else {
      code.line("case ", value.number, ": return \"", value.name, "\";");
    }
  }
  code.line("default: return {};");
  code.dedent();
  code.line("}");
  code.dedent();
  code.line("}");
  emit_is_defined(name, enumeration, code);
}

// Numbers and names of a message's fields.
void emit_fields(const FileContext& context, const Message& message, Code& code) {
  const std::string name = context.names.type(message, "Fields");
  code.line();
  code.line("// The fields of ", message.name, ": numbers and names.");
  if (message.fields.empty()) {
    code.line("struct ", name, " {};");
    return;
  }
  code.line("struct ", name, " {");
  code.indent();
  const std::vector<std::string>& constants = context.names.constants(message);
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const Field& field = message.fields[i];
    code.line("static constexpr ::hotpb::FieldInfo ", constants[i], "{", field.number, ", \"", field.name, "\"};");
  }
  code.dedent();
  code.line("};");
}

std::string emit_file(const FileContext& context) {
  const std::string guard = guard_of(header_name(context.file));
  Code code;
  code.line("// Generated by protoc-gen-hotpb-cpp from ", context.file.name, ". DO NOT EDIT.");
  code.line("#ifndef ", guard);
  code.line("#define ", guard);
  code.line();
  code.line("#include <cstdint>");
  code.line("#include <string_view>");
  code.line();
  const std::set<std::string> runtime = runtime_headers(context.options);
  for (const std::string& header : runtime) code.line("#include \"", header, "\"");
  const std::set<std::string> imported = imported_headers(context);
  if (!imported.empty()) code.line();
  for (const std::string& header : imported) code.line("#include \"", header, "\"");
  code.line();
  code.line("static_assert(::hotpb::kRuntimeVersion == ", kRuntimeVersion, ", \"", header_name(context.file),
            " was generated for another version of hotpb: generate it again\");");
  code.line();
  const std::string name_space = cpp_namespace(context.file);
  code.line("namespace ", name_space, " {");
  code.line("inline namespace HOTPB_ABI {");
  bool declared = false;
  for (const Face* const face : context.options.faces) {
    if (face->suffix.empty()) continue;
    if (!context.messages.empty()) code.line();
    for (const Message* const message : context.messages) {
      const std::string note = context.names.dodged(*message, face->suffix)
                                   ? "  // with an underscore: the schema has the name without"
                                   : "";
      code.line("class ", context.names.type(*message, face->suffix), ";", note);
      declared = true;
    }
  }
  if (!declared) code.line();
  for (const Enum* const enumeration : context.enums) emit_enum(context, *enumeration, code);
  for (const Message* const message : context.messages) emit_fields(context, *message, code);
  for (const Face* const face : context.options.faces) face->emit(context, code);
  code.line();
  code.line("}  // inline namespace HOTPB_ABI");
  code.line("}  // namespace ", name_space);
  code.line();
  code.line("#endif  // ", guard);
  return code.text();
}

}  // namespace

Span<const Face> all_faces() { return {kFaces, std::size(kFaces)}; }

bool emit_files(const Plan& plan, const Options& options, std::vector<GeneratedFile>& files, std::string& error) {
  Selection selection;
  if (!selection.choose(plan, options, error)) return false;
  const Names names(plan);
  for (const auto& file : plan.files) {
    if (!file->requested) continue;
    FileContext context{plan, names, options, selection, *file, {}, {}, {}};
    for (const auto& message : plan.messages) {
      if (message->file == file.get() && !message->map_entry && selection.has(*message)) {
        context.messages.push_back(message.get());
      }
    }
    for (const auto& enumeration : plan.enums) {
      if (enumeration->file == file.get() && selection.has(*enumeration)) {
        context.enums.push_back(enumeration.get());
      }
    }
    for (const Extendee& extendee : plan.extensions) {
      if (!selection.has(*extendee.message)) continue;
      for (const Field& field : extendee.fields) {
        if (field.file == file.get()) context.extensions.push_back({extendee.message, &field});
      }
    }
    files.push_back({header_name(*file), emit_file(context)});
  }
  return true;
}

std::string flat_path(std::string_view path) {
  std::string flat;
  for (const char c : path) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    flat += plain ? c : '_';
  }
  return flat;
}

std::string cpp_type(const Field& field, const Names& names, const File& from) {
  switch (field.type) {
    case FieldType::Int32:
    case FieldType::Sint32:
    case FieldType::Sfixed32: return "::std::int32_t";
    case FieldType::Int64:
    case FieldType::Sint64:
    case FieldType::Sfixed64: return "::std::int64_t";
    case FieldType::Uint32:
    case FieldType::Fixed32: return "::std::uint32_t";
    case FieldType::Uint64:
    case FieldType::Fixed64: return "::std::uint64_t";
    case FieldType::Float: return "float";
    case FieldType::Double: return "double";
    case FieldType::Bool: return "bool";
    case FieldType::Enum: return names.type_in(*field.enumeration, from);
    case FieldType::String: return "::std::string_view";
    case FieldType::Bytes: return "::hotpb::Bytes";
    default: return {};
  }
}

}  // namespace plugin
}  // namespace hotpb
