#include "generate.h"

#include "descriptor.h"
#include "emit.h"
#include "hotpb/write.h"
#include "plan.h"

namespace hotpb {
namespace plugin {
namespace {

constexpr char kProgram[] = "protoc-gen-hotpb-cpp: ";

// CodeGeneratorResponse.Feature: proto3 optional and editions, and the editions that are read.
constexpr std::uint64_t kSupportedFeatures = 1 | 2;
constexpr std::uint64_t kMinimumEdition = 1000;  // 2023
constexpr std::uint64_t kMaximumEdition = 1001;  // 2024

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

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

std::string offset_error(std::string_view what, const Status& status) {
  return kProgram + std::string("InvalidSchema: the ") + std::string(what) + " cannot be read: " + to_string(status) +
         "; hand in what protoc wrote";
}

bool plan_of_files(const std::vector<FileDesc>& files, const std::vector<std::string_view>& requested, Plan& plan,
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

// Whether a file of that name stays below the output directory.
bool stays_below(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find_first_of("\\:") != std::string_view::npos) return false;
  for (const std::string_view part : split(name, '/')) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return true;
}

bool emit(const Plan& plan, const Options& options, std::vector<GeneratedFile>& files, std::string& error) {
  for (const auto& file : plan.files) {
    if (!file->requested || stays_below(file->name)) continue;
    const SchemaError refused{file->name, "", 0, "its header would not stay below the output directory",
                              "name the file by its path below an import directory, without . and .."};
    error = kProgram + refused.to_string();
    return false;
  }
  if (emit_files(plan, options, files, error)) return true;
  error = kProgram + error;
  return false;
}

// The output files of a plugin call; false with the error.
bool generate(Bytes bytes, std::vector<GeneratedFile>& files, std::string& error) {
  Request request;
  Status status;
  if (!read_request(bytes, request, status)) {
    error = offset_error("CodeGeneratorRequest", status);
    return false;
  }
  Options options;
  if (!read_options(request.parameter, options, error)) return false;
  if (options.emit_plan == "-") {
    error = std::string(kProgram) + "option emit_plan=-: name the file; a plugin's standard output belongs to protoc";
    return false;
  }
  Plan plan;
  if (!plan_of_files(request.files, request.files_to_generate, plan, error)) return false;
  if (!options.emit_plan.empty()) files.push_back({options.emit_plan, print_plan(plan)});
  return options.faces.empty() || emit(plan, options, files, error);
}

bool read_set(Bytes set, std::vector<FileDesc>& files, std::string& error) {
  Status status;
  if (!read_descriptor_set(set, files, status)) {
    error = offset_error("descriptor set", status);
    return false;
  }
  if (files.empty()) {
    error = std::string(kProgram) +
            "InvalidSchema: the descriptor set has no files; hand in what protoc --descriptor_set_out wrote";
    return false;
  }
  return true;
}

bool plan_of_bytes(Bytes set, const std::vector<std::string>& files, Plan& plan, std::string& error) {
  std::vector<FileDesc> descs;
  return read_set(set, descs, error) &&
         plan_of_files(descs, std::vector<std::string_view>(files.begin(), files.end()), plan, error);
}

}  // namespace

std::string usage() {
  return "protoc-gen-hotpb-cpp: the hotpb generator for C++\n"
         "  without arguments: a protoc plugin;\n"
         "      protoc --hotpb-cpp_out=DIR --hotpb-cpp_opt=faces=writer x.proto\n"
         "  --descriptor_set=FILE   read this FileDescriptorSet (protoc --include_imports --descriptor_set_out=FILE)\n"
         "  --files=a.proto+b.proto cover these files of the set (default: all)\n"
         "  --emit_plan=FILE|-      write the plan as JSON (spec/plan.md)\n"
         "  --out=DIR               write the headers x.hot.h below this directory\n"
         "  --opt=OPTION,...        generator options:\n"
         "      faces=writer            which faces, joined by + (default: all)\n"
         "      messages=pkg.A+pkg.B    only these and what they need\n"
         "      emit_plan=FILE          as --emit_plan\n"
         "  --help                  this text\n";
}

bool parse_arguments(const std::vector<std::string>& words, Arguments& arguments, std::string& error) {
  const auto refuse = [&](const std::string& what) {
    error = kProgram + what;
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
      return refuse(word + ": not known; allowed: --descriptor_set=FILE --files=a.proto+b.proto --out=DIR "
                           "--opt=OPTION,... --emit_plan=FILE|-");
    }
    if (option.value.empty()) {
      return refuse(word + ": a value is missing, write " + std::string(option.name) + "=VALUE");
    }
    if (option.name == "--files") {
      for (const std::string_view file : split(option.value, '+')) {
        if (file.empty()) return refuse(word + ": a file without a name, write --files=a.proto+b.proto");
        arguments.files.emplace_back(file);
      }
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
    if (!target->empty()) return refuse(word + ": " + std::string(option.name) + " is given twice");
    *target = std::string(option.value);
  }
  Options options;
  if (!read_options(arguments.options, options, error)) return false;
  if (!options.emit_plan.empty()) {
    if (!arguments.emit_plan.empty()) return refuse("--opt=emit_plan=" + options.emit_plan + ": emit_plan is given twice");
    arguments.emit_plan = options.emit_plan;
  }
  if (arguments.descriptor_set.empty()) return refuse("--descriptor_set=FILE is missing");
  if (arguments.emit_plan.empty() && arguments.out.empty()) {
    return refuse("--out=DIR, --emit_plan=FILE|- or both are missing");
  }
  if (arguments.out.empty() && (!options.messages.empty() || options.strict)) {
    return refuse("--opt=" + arguments.options + ": the plan alone does not depend on it; add --out=DIR");
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
                    std::vector<GeneratedFile>& headers, std::string& error) {
  Options options;
  Plan plan;
  return read_options(parameter, options, error) && plan_of_bytes(set, files, plan, error) &&
         emit(plan, options, headers, error);
}

std::string answer(Bytes request) {
  std::vector<GeneratedFile> files;
  std::string error;
  std::string response;
  const bool good = generate(request, files, error);
  if (!good) {
    wire::append_tag(response, 1, wire::WireType::Len);
    wire::append_len(response, std::string_view(error));
  }
  wire::append_tag(response, 2, wire::WireType::Varint);
  wire::append_varint(response, kSupportedFeatures);
  wire::append_tag(response, 3, wire::WireType::Varint);
  wire::append_varint(response, kMinimumEdition);
  wire::append_tag(response, 4, wire::WireType::Varint);
  wire::append_varint(response, kMaximumEdition);
  if (!good) files.clear();
  for (const GeneratedFile& generated : files) {
    std::string file;
    wire::append_tag(file, 1, wire::WireType::Len);
    wire::append_len(file, std::string_view(generated.name));
    wire::append_tag(file, 15, wire::WireType::Len);
    wire::append_len(file, std::string_view(generated.content));
    wire::append_tag(response, 15, wire::WireType::Len);
    wire::append_len(response, std::string_view(file));
  }
  return response;
}

}  // namespace plugin
}  // namespace hotpb
