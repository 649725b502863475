#include "generate.h"

#include "descriptors.h"
#include "emit.h"
#include "hotpb/wkt/plugin.hot.h"
#include "hotpb/writer.h"
#include "plan.h"
#include "text.h"

namespace hotpb {
namespace plugin {
namespace {

constexpr char kProgram[] = "protoc-gen-hotpb-cpp: ";

namespace compiler = ::google::protobuf::compiler::hot;
using Feature = compiler::CodeGeneratorResponse_Feature;

constexpr std::uint64_t kSupportedFeatures = static_cast<std::uint64_t>(Feature::FEATURE_PROTO3_OPTIONAL) |
                                             static_cast<std::uint64_t>(Feature::FEATURE_SUPPORTS_EDITIONS);
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

// Opens the input and checks the whole of it, so that its messages can be opened without looking back (descriptors.h).
template <class V>
bool read(Bytes input, std::string_view what, V& view, std::string& error) {
  Error wrong = view.decode(input);
  if (wrong.ok()) wrong = view.validate();
  if (wrong.ok()) return true;
  error = kProgram + std::string("InvalidSchema: the ") + std::string(what) + " cannot be read: " + to_string(wrong) +
          "; hand in what protoc wrote";
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
  compiler::CodeGeneratorRequestView request;
  if (!read(bytes, "CodeGeneratorRequest", request, error)) return false;
  Options options;
  if (!read_options(request.parameter(), options, error)) return false;
  if (options.emit_plan == "-") {
    error = std::string(kProgram) + "option emit_plan=-: name the file; a plugin's standard output belongs to protoc";
    return false;
  }
  Plan plan;
  const auto wanted = request.file_to_generate();
  const std::vector<std::string_view> names(wanted.begin(), wanted.end());
  if (!plan_of_files(request.proto_file(), names, plan, error)) return false;
  if (!options.emit_plan.empty()) files.push_back({options.emit_plan, print_plan(plan)});
  return options.faces.empty() || emit(plan, options, files, error);
}

bool plan_of_bytes(Bytes bytes, const std::vector<std::string>& files, Plan& plan, std::string& error) {
  pb::FileDescriptorSetView set;
  if (!read(bytes, "descriptor set", set, error)) return false;
  if (set.file().empty()) {
    error = std::string(kProgram) +
            "InvalidSchema: the descriptor set has no files; hand in what protoc --descriptor_set_out wrote";
    return false;
  }
  return plan_of_files(set.file(), std::vector<std::string_view>(files.begin(), files.end()), plan, error);
}

// False when a file is longer than a message can be; `response` is then unchanged.
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
  return "protoc-gen-hotpb-cpp: the hotpb generator for C++\n"
         "  without arguments: a protoc plugin;\n"
         "      protoc --hotpb-cpp_out=DIR --hotpb-cpp_opt=faces=writer x.proto\n"
         "  --descriptor_set=FILE   read this FileDescriptorSet (protoc --include_imports --descriptor_set_out=FILE)\n"
         "  --files=a.proto+b.proto cover these files of the set (default: all)\n"
         "  --emit_plan=FILE|-      write the plan as JSON (spec/plan.md)\n"
         "  --version               print the version\n"
         "  --out=DIR               write the headers x.hot.h below this directory\n"
         "  --opt=OPTION,...        generator options:\n"
         "      faces=writer            which faces, joined by + (default: all)\n"
         "      messages=pkg.A+pkg.B    only these and what they need\n"
         "      only=pkg.A.x+pkg.A.y    of A only these fields; what is left out is passed over and dropped (view)\n"
         "      skip=pkg.A.x            of A all fields but this one\n"
         "      keep_skipped            what is left out is kept among the unknown fields\n"
         "      hot=pkg.A               straight code for this message, whatever its size; hot=* for all (view)\n"
         "      cold=pkg.A              this message by table; cold=* for all\n"
         "      utf8=strict             every string is checked, whatever the schema says (view)\n"
         "      sources                 x.hot.cc to be compiled once, and x.hot.fwd.h, beside x.hot.h\n"
         "      single_header           include hotpb.h, the runtime in one header, instead of hotpb/*.h\n"
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
                           "--opt=OPTION,... --emit_plan=FILE|- --help --version");
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
    if (!arguments.emit_plan.empty()) {
      return refuse("--opt=emit_plan=" + options.emit_plan + ": emit_plan is given twice");
    }
    arguments.emit_plan = options.emit_plan;
  }
  if (arguments.descriptor_set.empty()) return refuse("--descriptor_set=FILE is missing");
  if (arguments.emit_plan.empty() && arguments.out.empty()) {
    return refuse("--out=DIR, --emit_plan=FILE|- or both are missing");
  }
  if (arguments.out.empty() && options.depend_on_faces()) {
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
  if (!generate(request, files, error)) files.clear();
  std::string response;
  if (write_response(files, error, response)) return response;
  write_response({}, kProgram + std::string("InvalidSchema: the generated code is too long for a message"), response);
  return response;
}

}  // namespace plugin
}  // namespace hotpb
