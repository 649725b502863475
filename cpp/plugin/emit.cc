// The scaffolding of generated headers; the faces have files of their own.
#include "emit.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace hotpb {
namespace plugin {
namespace {

// A face of this version: one line.
constexpr Face kFaces[] = {
    {"writer", "", "hotpb/writer.h", "Writer", false, emit_writer},
    {"view", "", "hotpb/view.h", "View", true, emit_view},
    {"reencode", "view", "hotpb/view_reencode.h", "", true, emit_reencode},
    {"rewrite", "writer+view", "hotpb/view_rewrite.h", "", true, emit_rewrite},
};

constexpr std::string_view kAllowed = "allowed: faces=, messages=, utf8=, emit_plan=FILE";

const Face* find_face(std::string_view name) {
  for (const Face& face : kFaces) {
    if (face.name == name) return &face;
  }
  return nullptr;
}

std::string face_names() {
  std::string names;
  for (const Face& face : kFaces) {
    if (!names.empty()) names += ", ";
    names += face.name;
  }
  return names;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// The faces named, in the order of the table; empty with the error.
std::vector<const Face*> read_faces(std::string_view value, std::string& error) {
  std::vector<const Face*> faces;
  for (const std::string_view name : split(value, '+')) {
    const Face* const face = find_face(name);
    if (face == nullptr) {
      error = "the face \"" + std::string(name) + "\" is not in this version for C++; it has " + face_names();
      return {};
    }
    if (std::find(faces.begin(), faces.end(), face) != faces.end()) {
      error = std::string(name) + " is named twice";
      return {};
    }
    faces.push_back(face);
  }
  for (const Face* const face : faces) {
    if (face->of.empty()) continue;
    for (const std::string_view other : split(face->of, '+')) {
      if (std::find(faces.begin(), faces.end(), find_face(other)) != faces.end()) continue;
      error = std::string(face->name) + " goes with " + std::string(face->of) + "; allowed: faces=" +
              std::string(face->of) + "+" + std::string(face->name);
      return {};
    }
  }
  std::sort(faces.begin(), faces.end());
  return faces;
}

// messages= and all that these need, through the extensions of the requested files too.
struct Selection {
  bool all = true;
  std::set<const Message*> messages;
  std::set<const Enum*> enums;
};

bool select(const Plan& plan, const Options& options, Selection& selection, std::string& error) {
  selection.all = options.messages.empty();
  std::vector<const Message*> open;
  const auto reach = [&](const Field& field) {
    if (field.enumeration != nullptr) selection.enums.insert(field.enumeration);
    if (field.message != nullptr && selection.messages.insert(field.message).second) open.push_back(field.message);
  };
  for (const std::string& name : options.messages) {
    const auto found = std::find_if(plan.messages.begin(), plan.messages.end(),
                                    [&](const auto& message) { return message->name == name && !message->map_entry; });
    if (found == plan.messages.end() || !(*found)->file->requested) {
      error = "option messages=" + name + ": not a message of the files to generate; full names are allowed";
      return false;
    }
    if (selection.messages.insert(found->get()).second) open.push_back(found->get());
  }
  while (!open.empty()) {
    const Message* const message = open.back();
    open.pop_back();
    for (const Field& field : message->fields) reach(field);
    for (const Extendee& extendee : plan.extensions) {
      if (extendee.message != message) continue;
      for (const Field& field : extendee.fields) reach(field);
    }
  }
  return true;
}

// The headers of the types that the file's code names.
std::set<std::string> imported_headers(const FileContext& context) {
  std::set<std::string> headers;
  const auto add = [&](const Field& field) {
    if (field.message != nullptr && field.message->file != &context.file) headers.insert(header_name(*field.message->file));
    if (field.enumeration != nullptr && field.enumeration->file != &context.file) {
      headers.insert(header_name(*field.enumeration->file));
    }
  };
  for (const Message* const message : context.messages) {
    for (const Field& field : message->fields) {
      add(field);
      if (!is_map(field)) continue;
      for (const Field& part : field.message->fields) add(part);
    }
  }
  for (const ExtensionOf& extension : context.extensions) {
    add(*extension.field);
    if (extension.extendee->file != &context.file) headers.insert(header_name(*extension.extendee->file));
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
  return guard + '_';
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
  for (const Field& field : message.fields) {
    code.line("static constexpr ::hotpb::FieldInfo ", identifier(field.name), "{", field.number, ", \"", field.name,
              "\"};");
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
  std::set<std::string> runtime{"hotpb/field_info.h", "hotpb/version.h"};
  for (const Face* const face : context.options.faces) {
    if (!face->header.empty()) runtime.insert(std::string(face->header));
  }
  for (const std::string& header : runtime) code.line("#include \"", header, "\"");
  const std::set<std::string> imported = imported_headers(context);
  if (!imported.empty()) code.line();
  for (const std::string& header : imported) code.line("#include \"", header, "\"");
  code.line();
  code.line("static_assert(::hotpb::kRuntimeVersion == 1, \"", header_name(context.file),
            " was generated for another version of hotpb: generate it again\");");
  code.line();
  const std::string name_space = cpp_namespace(context.file);
  code.line("namespace ", name_space, " {");
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
  code.line("}  // namespace ", name_space);
  code.line();
  code.line("#endif  // ", guard);
  return code.text();
}

}  // namespace

bool Options::has(std::string_view face) const {
  return std::any_of(faces.begin(), faces.end(), [&](const Face* one) { return one->name == face; });
}

bool parse_options(std::string_view parameter, Options& options, std::string& error) {
  std::set<std::string_view> given;
  for (const std::string_view text : split(parameter, ',')) {
    if (text.empty()) continue;
    const std::size_t equals = text.find('=');
    const std::string_view key = text.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
    const std::string shown = "option " + std::string(text) + ": ";
    std::string problem;
    if (key == "only" || key == "skip") {
      problem = "field selection is not in this version for any C++ face; " + std::string(kAllowed);
    } else if (key != "faces" && key != "messages" && key != "utf8" && key != "emit_plan") {
      problem = "not known; " + std::string(kAllowed);
    } else if (value.empty()) {
      problem = "a value is missing; " + std::string(kAllowed);
    } else if (!given.insert(key).second) {
      problem = std::string(key) + " is given twice";
    } else if (key == "faces") {
      options.faces = read_faces(value, problem);
    } else if (key == "messages") {
      for (const std::string_view name : split(value, '+')) {
        if (name.empty()) problem = "full message names joined by + are allowed";
        options.messages.emplace_back(name);
      }
    } else if (key == "utf8") {
      if (value != "schema" && value != "strict") problem = "schema and strict are allowed";
      options.strict = value == "strict";
    } else {
      options.emit_plan = std::string(value);
    }
    if (!problem.empty()) {
      error = shown + problem;
      return false;
    }
  }
  if (options.faces.empty() && options.emit_plan.empty()) {
    for (const Face& face : kFaces) {
      if (face.of.empty()) options.faces.push_back(&face);
    }
  }
  if (options.strict) {
    for (const Face* const face : options.faces) {
      if (face->strict) continue;
      error = "option utf8=strict: the face " + std::string(face->name) + " has only schema in this version";
      return false;
    }
  }
  if (options.faces.empty() && (options.strict || !options.messages.empty())) {
    error = "option emit_plan: the plan alone does not depend on messages= or utf8=; add faces= or leave them out";
    return false;
  }
  return true;
}

bool emit_files(const Plan& plan, const Options& options, std::vector<GeneratedFile>& files, std::string& error) {
  Selection selection;
  if (!select(plan, options, selection, error)) return false;
  const Names names(plan);
  for (const auto& file : plan.files) {
    if (!file->requested) continue;
    FileContext context{plan, names, options, *file, {}, {}, {}};
    for (const auto& message : plan.messages) {
      if (message->file == file.get() && !message->map_entry &&
          (selection.all || selection.messages.count(message.get()) != 0)) {
        context.messages.push_back(message.get());
      }
    }
    for (const auto& enumeration : plan.enums) {
      if (enumeration->file == file.get() && (selection.all || selection.enums.count(enumeration.get()) != 0)) {
        context.enums.push_back(enumeration.get());
      }
    }
    for (const Extendee& extendee : plan.extensions) {
      if (!selection.all && selection.messages.count(extendee.message) == 0) continue;
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
