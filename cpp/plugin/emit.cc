// The parts of generated headers that all faces share. The faces have files of their own.
#include "emit.h"

#include <algorithm>
#include <set>

#include "comments.h"
#include "hotpb/version.h"
#include "reserved.h"
#include "text.h"

namespace hotpb {
namespace plugin {
namespace {

// The faces of this version, one line for each.
std::vector<Face>& faces() {
  static std::vector<Face> list{
      {"writer", "", "hotpb/writer.h", "Writer", true, false, true, emit_writer},
      {"view", "", "hotpb/view.h", "View", true, true, false, emit_view},
      {"pool", "", "hotpb/pool.h", "", true, true, false, emit_pool},
      {"builder", "pool", "hotpb/pool/builder.h", "", true, true, true, emit_builder, true},
      {"visitor", "pool", "hotpb/pool/visit.h", "", true, true, false, emit_visitor, true},
  };
  return list;
}

// The version of the generated code. It grows when the code needs another runtime: then the range in hotpb/version.h
// changes too.
constexpr int kGeneratedVersion = 6;
static_assert(kGeneratedVersion >= kMinGenerated && kGeneratedVersion <= kMaxGenerated,
              "the runtime of this repository must accept the code of its generator");

// The output of cpp/amalgamate.py: the whole runtime, and the well-known types.
constexpr char kSingleHeader[] = "hotpb.h";
constexpr char kSingleReadyHeader[] = "hotpb_wkt.h";
constexpr char kSingleExtrasHeader[] = "hotpb_extras.h";  // has both, and builders and visitors

std::set<std::string> runtime_headers(const Options& options) {
  if (options.single_header) return {kSingleHeader};
  std::set<std::string> headers{"hotpb/wire/field_info.h", "hotpb/version.h"};
  for (const Face* const face : options.faces) {
    if (!face->beside) headers.insert(std::string(face->header));
  }
  if (options.check && options.has("writer")) headers.insert("hotpb/writer/checked.h");
  return headers;
}

// x.hot.h -> x.view.hot.h (option `split`).
std::string part_name(const std::string& header, std::string_view part) {
  const std::size_t ending = header.size() - std::string_view("hot.h").size();
  return header.substr(0, ending) + std::string(part) + "." + header.substr(ending);
}

// Whether code includes only the parts of `file` that its faces need. The runtime's types come in parts; those that are
// generated here are as the option `split` says.
bool in_parts(const File& file, const Options& options) {
  if (options.split) return true;
  if (!is_well_known(file) || file.requested) return false;
  std::size_t parts = 0;
  for (const Face& face : all_faces()) parts += face.base.empty();
  for (const Face* const face : options.faces) {
    if (!face->base.empty() && !face->beside) return false;  // an extra that reads several parts
    parts -= face->base.empty();
  }
  return parts != 0;
}

// The files of the types that the file's code names; of messages only, without enums, for code in a header beside.
std::set<const File*> imported_files(const FileContext& context, bool messages_only = false) {
  std::set<const File*> files;
  const auto add_file = [&](const File& file) {
    if (&file != &context.file) files.insert(&file);
  };
  const auto add = [&](const Field& field) {
    if (field.message != nullptr) add_file(*field.message->file);
    if (field.enumeration != nullptr && !messages_only) add_file(*field.enumeration->file);
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
    if (!messages_only) add_file(*extension.extendee->file);
  }
  return files;
}

// The headers of these types, with the code of all faces in x.hot.h.
std::set<std::string> imported_headers(const FileContext& context) {
  std::set<std::string> headers;
  for (const File* const file : imported_files(context)) {
    const std::string name = header_name(*file);
    if (context.options.single_header && is_well_known(*file)) {
      headers.insert(kSingleReadyHeader);
    } else if (in_parts(*file, context.options)) {
      for (const Face* const face : context.options.faces) {
        if (!face->beside) headers.insert(part_name(name, face->name));
      }
    } else {
      headers.insert(name);
    }
  }
  return headers;
}

// Files of one name and different namespaces (namespace=) may meet in one program.
std::string guard_of(const File& file, std::string header) {
  if (!is_well_known(file) && file.last_namespace != "hot") header += "/" + file.last_namespace;
  std::string guard = "HOTPB_GENERATED_";
  for (const char c : header) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
    const bool lower = c >= 'a' && c <= 'z';
    guard += plain ? c : lower ? static_cast<char>(c - 'a' + 'A') : '_';
  }
  // A hash of the path (FNV-1a) distinguishes paths that differ only in case or in other characters.
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : header) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  guard += '_';
  for (int shift = 60; shift >= 0; shift -= 4) guard += "0123456789ABCDEF"[hash >> shift & 15];
  return guard;
}

// Emits a comparison for a few runs of values, and a switch for many: compilers turn these into the smallest code.
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
  code.line("// Whether the schema defines this value.");
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
        const std::string range = "number >= " + first + " && number <= " + last;
        condition += runs.size() == 1 ? range : "(" + range + ")";
      }
    }
    code.line("return ", condition, ";");
  }
  code.dedent();
  code.line("}");
}

// Emits an enum class, and the names of its values.
void emit_enum(const FileContext& context, const Enum& enumeration, Code& code) {
  const std::string name = context.names.type(enumeration);
  code.line();
  code.line("// enum ", enumeration.name, enumeration.closed ? " (closed)" : " (open: other values may occur)");
  emit_comment(context, enumeration.comment, code);
  code.line("enum class ", name, " : ::std::int32_t {");
  code.indent();
  for (const EnumValue& value : enumeration.values) {
    emit_comment(context, value.comment, code);
    const char* const attribute = value.deprecated ? " [[deprecated]]" : "";
    if (value.number == INT32_MIN) {
      code.line(context.names.value(value), attribute, " = -2147483647 - 1,");  // the number has no literal
    } else {
      code.line(context.names.value(value), attribute, " = ", value.number, ",");
    }
  }
  code.dedent();
  code.line("};");
  code.line();
  code.line("// The name in the schema, the first one if there are aliases; \"\" if the schema does not define it.");
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
  code.line();
  code.line("// Sets the value that has this name in the schema; if there is none, returns false and changes nothing.");
  // The enum itself may be called as a parameter is.
  const std::string text = name == "name" ? "text" : "name";
  const std::string result = name == "value" ? "result" : "value";
  code.line("constexpr bool enum_parse(::std::string_view ", text, ", ", name, "& ", result, ") {");
  code.indent();
  for (const EnumValue& value : enumeration.values) {
    code.line("if (", text, " == \"", value.name, "\") return ", result, " = static_cast<", name, ">(",
              number_text(value.number), "), true;");
  }
  code.line("return false;");
  code.dedent();
  code.line("}");
}

// Emits the numbers and names of a message's fields.
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

// x.hot.h -> x.hot.cc, x.hot.fwd.h.
std::string beside(const std::string& header, const char* ending) {
  return header.substr(0, header.size() - 1) + ending;
}

void open_header(const std::string& name, const FileContext& context, Code& code) {
  code.line("// Generated by protoc-gen-hotpb-cpp from ", context.file.name, ". DO NOT EDIT.");
  code.line("#ifndef ", guard_of(context.file, name));
  code.line("#define ", guard_of(context.file, name));
  code.line();
}

// The names in the code of a file that may be macros (reserved.h): its own, and those of the files whose types it
// names.
std::set<std::string> guarded_names(const FileContext& context) {
  std::set<const File*> files = imported_files(context);
  files.insert(&context.file);
  std::set<std::string> names;
  const auto add = [&](std::string_view name) {
    if (is_guarded(name)) names.emplace(name);
  };
  for (const File* const file : files) {
    for (const std::string_view part : split(file->package, '.')) add(part);
  }
  for (const auto& message : context.plan.messages) {
    if (files.count(message->file) == 0 || message->map_entry) continue;
    add(flat_name(message->name, *message->file));
    for (const Field& field : message->fields) add(field.name);
    for (const Oneof& oneof : message->oneofs) add(oneof.name);
  }
  for (const auto& enumeration : context.plan.enums) {
    if (files.count(enumeration->file) == 0) continue;
    add(flat_name(enumeration->name, *enumeration->file));
    for (const EnumValue& value : enumeration->values) add(value.name);
  }
  return names;
}

void open_namespace(const FileContext& context, Code& code) {
  for (const std::string& name : guarded_names(context)) {
    code.line("#pragma push_macro(\"", name, "\")");
    code.line("#undef ", name);
  }
  code.line("namespace ", cpp_namespace(context.file), " {");
  code.line("inline namespace HOTPB_ABI {");
}

// `end` follows the namespace.
void close_namespace(const FileContext& context, Code& code, const Code& end = {}) {
  code.line();
  code.line("}  // inline namespace HOTPB_ABI");
  code.line("}  // namespace ", cpp_namespace(context.file));
  if (!end.text().empty()) code.line();
  code.append(end);
  for (const std::string& name : guarded_names(context)) code.line("#pragma pop_macro(\"", name, "\")");
}

// Declares all classes of all faces before the code that uses them.
void declare_classes(const FileContext& context, Code& code) {
  bool declared = false;
  for (const Face* const face : context.options.faces) {
    if (face->suffix.empty() && face->name != "pool") continue;
    if (!context.messages.empty()) code.line();
    for (const Message* const message : context.messages) {
      const std::string note = context.names.dodged(*message, face->suffix)
                                   ? "  // with an underscore, because the schema uses the name without it"
                                   : "";
      code.line("class ", context.names.type(*message, face->suffix), ";", note);
      declared = true;
    }
  }
  if (!declared) code.line();
}

std::string forward_header(const std::string& name, const FileContext& context) {
  Code code;
  open_header(name, context, code);
  code.line("#include <cstdint>");
  code.line();
  code.line("#include \"", context.options.single_header ? kSingleHeader : "hotpb/detail/abi.h", "\"");
  code.line();
  open_namespace(context, code);
  declare_classes(context, code);
  if (!context.enums.empty()) code.line();
  for (const Enum* const enumeration : context.enums) {
    code.line("enum class ", context.names.type(*enumeration), " : ::std::int32_t;");
  }
  close_namespace(context, code);
  code.line();
  code.line("#endif  // ", guard_of(context.file, name));
  return code.text();
}

void include(const std::set<std::string>& headers, Code& code) {
  for (const std::string& header : headers) code.line("#include \"", header, "\"");
}

void check_version(const std::string& name, Code& code) {
  code.line("static_assert(", kGeneratedVersion, " >= ::hotpb::kMinGenerated, \"", name,
            " is older than hotpb supports: generate it again with the generator of hotpb's version\");");
  code.line("static_assert(", kGeneratedVersion, " <= ::hotpb::kMaxGenerated, \"", name,
            " is newer than hotpb supports: update hotpb to the version of the generator\");");
  code.line();
}

void close_file(const std::string& name, const FileContext& context, std::vector<GeneratedFile>& files, Code& code) {
  code.line();
  code.line("#endif  // ", guard_of(context.file, name));
  files.push_back({name, code.text()});
}

// Whether an extra needs a face.
bool needs(const Face& extra, std::string_view face) {
  return ('+' + std::string(extra.base) + '+').find('+' + std::string(face) + '+') != std::string::npos;
}

// The code of a face in a header of its own, beside x.hot.h: x.builder.hot.h.
void emit_beside(const Face& face, const FileContext& context, std::vector<GeneratedFile>& files) {
  const Options& options = context.options;
  const std::string whole = header_name(context.file);
  const std::string name = part_name(whole, face.name);
  std::set<std::string> headers;
  headers.insert(options.single_header ? kSingleExtrasHeader : std::string(face.header));
  for (const Face* const part : options.faces) {
    if (!needs(face, part->name)) continue;
    headers.insert(part->beside || options.split ? part_name(whole, part->name) : whole);
  }
  for (const File* const file : imported_files(context, true)) {
    if (options.single_header && is_well_known(*file)) continue;
    headers.insert(part_name(header_name(*file), face.name));
  }
  Code code;
  open_header(name, context, code);
  include(headers, code);
  code.line();
  open_namespace(context, code);
  Code end;
  face.emit(context, Output{code, code, end, end});
  close_namespace(context, code);
  close_file(name, context, files, code);
}

// The part that all faces of a file share: x.fields.hot.h.
void emit_shared(const std::string& name, const FileContext& context, std::vector<GeneratedFile>& files) {
  Code code;
  open_header(name, context, code);
  code.line("#include <cstdint>");
  code.line("#include <string_view>");
  code.line();
  include({"hotpb/detail/abi.h", "hotpb/wire/field_info.h", "hotpb/version.h"}, code);
  code.line();
  check_version(name, code);
  open_namespace(context, code);
  for (const Enum* const enumeration : context.enums) emit_enum(context, *enumeration, code);
  for (const Message* const message : context.messages) emit_fields(context, *message, code);
  close_namespace(context, code);
  close_file(name, context, files, code);
}

// A header for each face, and x.hot.h, which includes them.
void emit_parts(const FileContext& context, std::vector<GeneratedFile>& files) {
  const std::string whole_name = header_name(context.file);
  const std::string shared = part_name(whole_name, "fields");
  emit_shared(shared, context, files);
  std::set<std::string> parts;
  for (const Face* const face : context.options.faces) {
    if (face->beside) {
      emit_beside(*face, context, files);
      continue;
    }
    Options options = context.options;
    options.faces = {face};
    const FileContext part{context.plan, context.names,    options,       context.selection,
                           context.file, context.messages, context.enums, context.extensions};
    const std::string name = part_name(whole_name, face->name);
    Code code;
    open_header(name, part, code);
    code.line("#include <cstdint>");
    code.line("#include <string_view>");
    code.line();
    std::set<std::string> headers = imported_headers(part);
    headers.insert(shared);
    include(runtime_headers(options), code);
    code.line();
    include(headers, code);
    code.line();
    open_namespace(part, code);
    declare_classes(part, code);
    Code none;
    face->emit(part, Output{code, code, none, none});
    close_namespace(part, code);
    close_file(name, part, files, code);
    parts.insert(name);
  }
  Code code;
  open_header(whole_name, context, code);
  include(parts, code);
  close_file(whole_name, context, files, code);
}

void emit_file(const FileContext& context, std::vector<GeneratedFile>& files) {
  if (context.options.split) return emit_parts(context, files);
  const bool sources = context.options.sources;
  const std::string name = header_name(context.file);
  Code code;
  open_header(name, context, code);
  code.line("#include <cstdint>");
  code.line("#include <string_view>");
  code.line();
  include(runtime_headers(context.options), code);
  const std::set<std::string> imported = imported_headers(context);
  if (!imported.empty()) code.line();
  include(imported, code);
  code.line();
  check_version(name, code);
  open_namespace(context, code);
  declare_classes(context, code);
  for (const Enum* const enumeration : context.enums) emit_enum(context, *enumeration, code);
  for (const Message* const message : context.messages) emit_fields(context, *message, code);
  Code source;
  Code header_end;
  Code source_end;
  const Output out{code, sources ? source : code, header_end, source_end};
  for (const Face* const face : context.options.faces) {
    if (!face->beside) face->emit(context, out);
  }
  close_namespace(context, code, header_end);
  close_file(name, context, files, code);
  for (const Face* const face : context.options.faces) {
    if (face->beside) emit_beside(*face, context, files);
  }
  if (!sources) return;

  Code whole;
  whole.line("// Generated by protoc-gen-hotpb-cpp from ", context.file.name, ". DO NOT EDIT.");
  whole.line("#include \"", name, "\"");
  whole.line();
  open_namespace(context, whole);
  whole.append(source);
  close_namespace(context, whole, source_end);
  files.push_back({beside(name, "cc"), whole.text()});
  files.push_back({beside(name, "fwd.h"), forward_header(beside(name, "fwd.h"), context)});
}

}  // namespace

const std::vector<Face>& all_faces() { return faces(); }
void add_face(const Face& face) { faces().push_back(face); }

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
    emit_file(context, files);
  }
  return true;
}

std::string number_text(std::int64_t number) {
  // C++ has no literal for the lowest number: its magnitude does not fit.
  return number == INT32_MIN ? "(-2147483647 - 1)" : std::to_string(number);
}

void emit_comment(const FileContext& context, std::string_view comment, Code& code) {
  if (!context.options.comments) return;
  for (const std::string& line : comment_lines(comment)) code.line(line.empty() ? "///" : "/// ", line);
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
