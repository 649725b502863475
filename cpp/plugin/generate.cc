#include "generate.h"

#include <algorithm>
#include <set>

#include "bootstrap/plugin.view.hot.h"
#include "bootstrap/plugin.writer.hot.h"
#include "builder.h"
#include "descriptors.h"
#include "emit.h"
#include "hotpb/writer.h"
#include "names.h"
#include "plan.h"
#include "text.h"

namespace hotpb {
namespace plugin {
namespace {

constexpr char kProgram[] = "protoc-gen-hotpb-cpp: ";
constexpr char kArguments[] =
    "the arguments are --descriptor_set=, --out=, --files=, --opt=, --emit_plan=, --help and --version";

namespace compiler = ::google::protobuf::compiler::bootstrap;

// Of CodeGeneratorResponse.Feature: FEATURE_PROTO3_OPTIONAL and FEATURE_SUPPORTS_EDITIONS.
constexpr std::uint64_t kSupportedFeatures = 1 | 2;
constexpr std::int32_t kMinimumEdition = static_cast<std::int32_t>(pb::Edition::EDITION_2023);
constexpr std::int32_t kMaximumEdition = static_cast<std::int32_t>(pb::Edition::EDITION_2024);

// "name=value"; without "=" the value is empty and `has_value` false.
struct Option {
  std::string_view name;
  std::string_view value;
  bool has_value;
};

Option read_option(std::string_view text) {
  const std::size_t at = text.find('=');
  if (at == std::string_view::npos) return Option{text, {}, false};
  return Option{text.substr(0, at), text.substr(at + 1), true};
}

// Opens the input and validates all of it, so that opening its messages cannot fail (descriptors.h).
template <class V>
bool read(Bytes input, std::string_view content, V& view, std::string& error) {
  Error wrong = view.decode(input);
  if (wrong.ok()) wrong = view.validate();
  if (wrong.ok()) return true;
  error = kProgram + std::string("InvalidSchema: the input is not a readable ") + std::string(content) + ": " +
          to_string(wrong) + "; " + kFromProtoc;
  return false;
}

bool plan_of_files(const Files& files, const std::vector<std::string_view>& requested, Plan& plan,
                   std::string& error) {
  SchemaError schema_error;
  if (build_plan(files, requested, plan, schema_error)) return true;
  error = kProgram + schema_error.to_string();
  return false;
}

bool read_options(std::string_view parameter, Options& options, std::string& error) {
  if (parse_options(parameter, options, error)) return true;
  error = kProgram + error;
  return false;
}

// Whether a file of this name is inside the output folder.
bool stays_below(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find_first_of("\\:") != std::string_view::npos) return false;
  for (const std::string_view part : split(name, '/')) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return true;
}

// A line for each file whose code is large and may be more than the user needs.
void note_large_files(const Plan& plan, std::vector<std::string>& notes) {
  constexpr std::size_t kMany = 200;
  for (const auto& file : plan.files) {
    if (!file->requested) continue;
    std::size_t count = 0;
    for (const auto& message : plan.messages) count += message->file == file.get() && !message->map_entry;
    if (count <= kMany) continue;
    notes.push_back(kProgram + file->name + ": " + std::to_string(count) +
                    " messages, code for all of them; messages=pkg.A+pkg.B writes only those and the messages that "
                    "they need (quiet leaves this line out)");
  }
}

bool emit(Plan& plan, const Options& options, std::vector<GeneratedFile>& files, std::string& error,
          std::vector<std::string>* notes) {
  for (const auto& file : plan.files) {
    // The runtime has the well-known types, in namespaces of its own.
    if (!options.last_namespace.empty() && !is_well_known(*file)) file->last_namespace = options.last_namespace;
  }
  for (const auto& file : plan.files) {
    if (!file->requested || stays_below(file->name)) continue;
    const SchemaError refused{file->name, "", 0, "its header would be outside of the output folder",
                              "name the file by its path below an import folder, without . and .."};
    error = kProgram + refused.to_string();
    return false;
  }
  if (!emit_files(plan, options, files, error)) {
    error = kProgram + error;
    return false;
  }
  if (notes != nullptr && options.messages.empty() && !options.quiet) note_large_files(plan, *notes);
  return true;
}

// Generates the output files of a plugin call. Returns false with the error.
bool generate(Bytes bytes, std::vector<GeneratedFile>& files, std::string& error, std::vector<std::string>* notes) {
  compiler::CodeGeneratorRequestView request;
  if (!read(bytes, "CodeGeneratorRequest", request, error)) return false;
  Options options;
  if (!read_options(request.parameter(), options, error)) return false;
  if (options.emit_plan == "-") {
    error = std::string(kProgram) +
            "option emit_plan=-: standard output carries the response to protoc; write the name of a file";
    return false;
  }
  Plan plan;
  const auto wanted = request.file_to_generate();
  const std::vector<std::string_view> names(wanted.begin(), wanted.end());
  if (!plan_of_files(request.proto_file(), names, plan, error)) return false;
  if (!options.emit_plan.empty()) files.push_back({options.emit_plan, print_plan(plan)});
  return options.faces.empty() || emit(plan, options, files, error, notes);
}

// The files that a value of --files= names: names of files in the set joined by +, which may be part of a name. Of
// several readings, the one with the longest names counts. A name that is not in the set ends at its first +.
std::vector<std::string_view> files_named(const std::set<std::string_view>& in_set, std::string_view value) {
  std::vector<std::string_view> names;
  for (;;) {
    std::size_t end = value.size();
    while (end != std::string_view::npos && in_set.count(value.substr(0, end)) == 0) {
      end = end == 0 ? std::string_view::npos : value.rfind('+', end - 1);
    }
    if (end == std::string_view::npos) end = std::min(value.find('+'), value.size());
    names.push_back(value.substr(0, end));
    if (end == value.size()) return names;
    value.remove_prefix(end + 1);
  }
}

bool plan_of_bytes(Bytes bytes, const std::vector<std::string>& files, Plan& plan, std::string& error) {
  pb::FileDescriptorSetView set;
  if (!read(bytes, "FileDescriptorSet", set, error)) return false;
  if (set.file().empty()) {
    error = std::string(kProgram) +
            "InvalidSchema: the descriptor set has no files; " + kFromProtoc;
    return false;
  }
  std::set<std::string_view> in_set;
  for (const auto& file : set.file()) in_set.insert(opened(file).name());
  std::vector<std::string_view> requested;
  for (const std::string& value : files) {
    for (const std::string_view name : files_named(in_set, value)) {
      if (name.empty()) {
        error = kProgram + ("--files=" + value) +
                ": write names of files of the set joined by +, as in --files=a.proto+b.proto";
        return false;
      }
      requested.push_back(name);
    }
  }
  return plan_of_files(set.file(), requested, plan, error);
}

// Returns false, and does not change `response`, if a file is longer than a message can be.
bool write_response(const std::vector<GeneratedFile>& files, const std::string& error, std::string& response) {
  HeapBuffer out;
  auto message = out.message<compiler::CodeGeneratorResponseWriter>();
  if (!error.empty()) message.set_error(error);
  message.set_supported_features(kSupportedFeatures);
  message.set_minimum_edition(kMinimumEdition);
  message.set_maximum_edition(kMaximumEdition);
  for (const GeneratedFile& generated : files) {
    auto file = message.add_file();
    file.set_name(generated.name);
    file.set_content(generated.content);
  }
  return message.finish().ok() && out.append_to(response).ok();
}

}  // namespace

std::string usage() {
  return R"(protoc-gen-hotpb-cpp generates hotpb's C++ code from Protocol Buffers schemas.

Usage:
  as a plugin of protoc:
    protoc --hotpb-cpp_out=DIR [--hotpb-cpp_opt=OPTIONS] FILE.proto
  without protoc, from a descriptor set:
    protoc-gen-hotpb-cpp --descriptor_set=SET --out=DIR [--files=FILES] [--opt=OPTIONS]
    protoc-gen-hotpb-cpp --descriptor_set=SET --emit_plan=FILE [--files=FILES]

Arguments:
  --descriptor_set=SET  read the output of
                        protoc --include_imports --include_source_info --descriptor_set_out=SET
  --out=DIR             write the generated files to this folder
  --files=FILES         generate only these files of the set, as in a.proto+b.proto; may be repeated; default: all.
                        A name that holds a +, such as c++.proto, is recognised
  --opt=OPTIONS         set these options; may be repeated
  --emit_plan=FILE      write the plan (the resolved schema) as JSON; - is standard output
  --help, -h            print this help
  --version             print the version

Options, separated by commas:
  faces=writer+view     generate these faces: writer, view, pool; default: all three. With pool also the extras
                        builder (x.builder.hot.h) and visitor (x.visitor.hot.h)
  messages=pkg.A+pkg.B  generate only these messages and those that they need
  only=pkg.A.f+pkg.A.g  generate only these fields of pkg.A; readers skip the other fields
  skip=pkg.A.f+pkg.B.g  generate all fields except these, which readers skip
  keep_skipped          keep skipped fields among the unknown fields instead of discarding them
  hot=pkg.A+pkg.B       straight readers and inlined setters for these messages; * means all others
  cold=pkg.A+pkg.B      read these messages by table; * means all others
  utf8=schema           views check strings as the schema requires (default); utf8=check: writers do, too;
                        utf8=strict: views and writers check all strings
  namespace=fast        generate namespace pkg::fast instead of pkg::hot, also for names of imported files
  comments=off          leave out the comments of the schema, which generated code has by default
  sources               write x.hot.cc, which is compiled once, and x.hot.fwd.h beside x.hot.h
  single_header         include hotpb.h, the runtime in one header, instead of hotpb/*.h
  split                 write a header for each face, x.view.hot.h, and x.hot.h, which includes them; imported
                        files must have been generated with split, too
  quiet                 leave out the line about a file of more than 200 messages without messages=
  emit_plan=FILE        as a plugin: add the plan as JSON to the generated files
)";
}

bool parse_arguments(const std::vector<std::string>& words, Arguments& arguments, std::string& error) {
  const auto refuse = [&](const std::string& problem) {
    error = kProgram + problem;
    return false;
  };
  for (const std::string& word : words) {
    const Option option = read_option(word);
    if (option.name == "--help" || option.name == "-h") {
      arguments.help = true;
      return true;
    }
    const bool known = option.name == "--descriptor_set" || option.name == "--files" || option.name == "--opt" ||
                       option.name == "--out" || option.name == "--emit_plan";
    if (!known) {
      return refuse("there is no argument " + word + "; " + kArguments);
    }
    if (option.value.empty()) {
      const std::string name(option.name);
      return refuse(name + " needs a value, as in " + name + "=...; " + kArguments);
    }
    if (option.name == "--files") {
      arguments.files.emplace_back(option.value);
      continue;
    }
    if (option.name == "--opt") {
      if (!arguments.options.empty()) arguments.options += ',';
      arguments.options += option.value;
      continue;
    }
    std::string* target = option.name == "--descriptor_set" ? &arguments.descriptor_set
                          : option.name == "--out"          ? &arguments.out
                                                            : &arguments.emit_plan;
    if (!target->empty()) return refuse(std::string(option.name) + " is given twice");
    *target = std::string(option.value);
  }
  Options options;
  if (!read_options(arguments.options, options, error)) return false;
  if (!options.emit_plan.empty()) {
    if (!arguments.emit_plan.empty()) {
      return refuse("option emit_plan=" + options.emit_plan + ": --emit_plan is given too; write one of them");
    }
    arguments.emit_plan = options.emit_plan;
  }
  if (arguments.descriptor_set.empty()) return refuse("--descriptor_set=FILE is missing");
  if (arguments.emit_plan.empty() && arguments.out.empty()) {
    return refuse("--out=DIR or --emit_plan=FILE is missing");
  }
  if (arguments.out.empty() && options.depend_on_faces()) {
    return refuse("--opt=" + arguments.options + ": the plan alone does not depend on these options; add --out=DIR");
  }
  return true;
}

bool plan_of_set(Bytes set, const std::vector<std::string>& files, std::string& json, std::string& error) {
  Plan plan;
  if (!plan_of_bytes(set, files, plan, error)) return false;
  json = print_plan(plan);
  return true;
}

bool headers_of_set(Bytes set, const std::vector<std::string>& files, std::string_view parameter,
                    std::vector<GeneratedFile>& headers, std::string& error, std::vector<std::string>* notes) {
  Options options;
  Plan plan;
  return read_options(parameter, options, error) && plan_of_bytes(set, files, plan, error) &&
         emit(plan, options, headers, error, notes);
}

std::string answer(Bytes request, std::vector<std::string>* notes) {
  std::vector<GeneratedFile> files;
  std::string error;
  if (!generate(request, files, error, notes)) files.clear();
  std::string response;
  if (write_response(files, error, response)) return response;
  error = std::string(kProgram) + "the generated code is too long for a message; generate fewer files at a time";
  write_response({}, error, response);
  return response;
}

}  // namespace plugin
}  // namespace hotpb
