#include "generate.h"

#include "descriptor.h"
#include "hotpb/write.h"
#include "plan.h"

namespace hotpb {
namespace plugin {
namespace {

constexpr char kProgram[] = "protoc-gen-hotpb-cpp: ";
constexpr char kNoFace[] = "no face yet in C++; emit_plan=FILE only";

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

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

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

// Options that all generators know, and what this one can do with them today: only emit_plan.
std::string refuse_option(std::string_view text) {
  const Option option = read_option(text);
  const std::string shown = std::string(kProgram) + "option " + std::string(text) + ": ";
  for (const std::string_view known : {"faces", "messages", "only", "skip", "utf8"}) {
    if (option.name == known) return shown + kNoFace;
  }
  return shown + "not known; allowed: emit_plan=FILE";
}

std::string offset_error(std::string_view what, const Status& status) {
  return kProgram + std::string("InvalidSchema: the ") + std::string(what) + " cannot be read: " + to_string(status) +
         "; hand in what protoc wrote";
}

bool plan_of_files(const std::vector<FileDesc>& files, const std::vector<std::string_view>& requested,
                   std::string& json, std::string& error) {
  Plan plan;
  SchemaError schema_error;
  if (!build_plan(files, requested, plan, schema_error)) {
    error = kProgram + schema_error.to_string();
    return false;
  }
  json = print_plan(plan);
  return true;
}

// The output file of a plugin call and its content; false with the error.
bool generate(Bytes bytes, std::string& name, std::string& content, std::string& error) {
  Request request;
  Status status;
  if (!read_request(bytes, request, status)) {
    error = offset_error("CodeGeneratorRequest", status);
    return false;
  }
  for (const std::string_view text : split(request.parameter, ',')) {
    if (text.empty()) continue;
    const Option option = read_option(text);
    if (option.name != "emit_plan") {
      error = refuse_option(text);
      return false;
    }
    if (option.value.empty() || option.value == "-") {
      error = std::string(kProgram) + "option " + std::string(text) +
              ": name the file; a plugin's standard output belongs to protoc";
      return false;
    }
    if (!name.empty()) {
      error = std::string(kProgram) + "option emit_plan is given twice";
      return false;
    }
    name = std::string(option.value);
  }
  if (name.empty()) {
    error = std::string(kProgram) + kNoFace;
    return false;
  }
  return plan_of_files(request.files, request.files_to_generate, content, error);
}

}  // namespace

std::string usage() {
  return "protoc-gen-hotpb-cpp: the hotpb generator for C++ (" + std::string(kNoFace) +
         ")\n"
         "  without arguments: a protoc plugin;\n"
         "      protoc --hotpb-cpp_out=DIR --hotpb-cpp_opt=emit_plan=FILE x.proto\n"
         "  --descriptor_set=FILE   read this FileDescriptorSet (protoc --include_imports --descriptor_set_out=FILE)\n"
         "  --files=a.proto+b.proto cover these files of the set (default: all)\n"
         "  --emit_plan=FILE|-      write the plan as JSON (spec/plan.md)\n"
         "  --opt=OPTION,...        generator options\n"
         "  --out=DIR               where generated code goes\n"
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
    if (option.name == "--out") return refuse(word + ": " + kNoFace);
    const bool known = option.name == "--descriptor_set" || option.name == "--files" || option.name == "--opt" ||
                       option.name == "--emit_plan";
    if (!known) {
      return refuse(word + ": not known; allowed: --descriptor_set=FILE --files=a.proto+b.proto --emit_plan=FILE|-");
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
    std::string* target = option.name == "--descriptor_set" ? &arguments.descriptor_set : &arguments.emit_plan;
    std::string_view value = option.value;
    if (option.name == "--opt") {
      for (const std::string_view text : split(option.value, ',')) {
        if (!starts_with(text, "emit_plan=") || text.size() == sizeof "emit_plan=" - 1) {
          error = refuse_option(text);
          return false;
        }
        value = text.substr(sizeof "emit_plan=" - 1);
        if (!target->empty()) return refuse(word + ": emit_plan is given twice");
        *target = std::string(value);
      }
      continue;
    }
    if (!target->empty()) return refuse(word + ": " + std::string(option.name) + " is given twice");
    *target = std::string(value);
  }
  if (arguments.descriptor_set.empty()) return refuse("--descriptor_set=FILE is missing");
  if (arguments.emit_plan.empty()) return refuse("--emit_plan=FILE|- is missing: " + std::string(kNoFace));
  return true;
}

bool plan_of_set(Bytes set, const std::vector<std::string>& files, std::string& json, std::string& error) {
  std::vector<FileDesc> descs;
  Status status;
  if (!read_descriptor_set(set, descs, status)) {
    error = offset_error("descriptor set", status);
    return false;
  }
  if (descs.empty()) {
    error = std::string(kProgram) +
            "InvalidSchema: the descriptor set has no files; hand in what protoc --descriptor_set_out wrote";
    return false;
  }
  return plan_of_files(descs, std::vector<std::string_view>(files.begin(), files.end()), json, error);
}

std::string answer(Bytes request) {
  std::string name;
  std::string content;
  std::string error;
  std::string response;
  const bool good = generate(request, name, content, error);
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
  if (good) {
    std::string file;
    wire::append_tag(file, 1, wire::WireType::Len);
    wire::append_len(file, std::string_view(name));
    wire::append_tag(file, 15, wire::WireType::Len);
    wire::append_len(file, std::string_view(content));
    wire::append_tag(response, 15, wire::WireType::Len);
    wire::append_len(response, std::string_view(file));
  }
  return response;
}

}  // namespace plugin
}  // namespace hotpb
