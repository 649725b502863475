// Descriptors -> plan: this file declares files, messages and enums; fields.cc resolves fields.
#include <algorithm>

#include "builder.h"
#include "text.h"

namespace hotpb {
namespace plugin {
namespace {

// Names of a broken descriptor may contain any bytes. Control characters, and bytes that are not UTF-8, become \xNN.
std::string printable(const std::string& text) {
  const bool is_utf8 = utf8::is_valid(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  std::string shown;
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f && (byte < 0x80 || is_utf8)) {
      shown += c;
    } else {
      shown += std::string("\\x") + kHexDigits[byte >> 4] + kHexDigits[byte & 15];
    }
  }
  return shown;
}

}  // namespace

Path operator/(const Path& path, std::int32_t step) {
  Path longer = path;
  longer.push_back(step);
  return longer;
}

// Names become part of generated code, so only identifiers are accepted.
bool is_identifier(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string join(const std::string& scope, std::string_view name) {
  if (name.empty()) return {};  // the caller that declares it refuses an empty name
  return scope.empty() ? std::string(name) : scope + '.' + std::string(name);
}

std::string SchemaError::to_string() const {
  std::string text = "InvalidSchema: ";
  if (!file.empty()) text += file + ':';
  if (line != 0) text += std::to_string(line) + ':';
  if (!file.empty()) text += ' ';
  if (!element.empty()) text += element + ": ";
  text += problem;
  if (!fix.empty()) text += "; " + fix;
  return printable(text);
}

bool Builder::fail(const FileScope& file, const Path& path, const std::string& element, const std::string& problem,
                   const std::string& fix) {
  error_.file = std::string(file.desc.name());
  error_.element = element;
  error_.line = source_line(file.desc, path);
  error_.problem = problem;
  error_.fix = fix;
  return false;
}

bool Builder::run(const Files& files, const std::vector<std::string_view>& requested) {
  for (const auto& file : files) {
    const pb::FileDescriptorProtoView desc = opened(file);
    const bool wanted =
        requested.empty() || std::find(requested.begin(), requested.end(), desc.name()) != requested.end();
    if (!declare_file(desc, wanted)) return false;
  }
  for (const std::string_view name : requested) {
    if (file_names_.count(name) == 0) {
      error_ = SchemaError{std::string(name), "", 0, "the file is requested, but is not in the descriptor set",
                           "name a file of the set, or create the set with --include_imports"};
      return false;
    }
  }
  for (const auto& scope : files_) {
    if (!check_dependencies(*scope)) return false;
  }
  for (const auto& scope : messages_) {
    if (!resolve_message(*scope)) return false;
  }
  for (const auto& scope : messages_) {
    if (scope->message->map_entry && !check_map_entry(*scope)) return false;
  }
  for (const ExtensionScope& scope : extensions_) {
    if (!resolve_extension(scope)) return false;
  }
  order_extensions();
  analyse(plan_);
  choose_tiers(plan_);
  return true;
}

bool Builder::declare_file(const pb::FileDescriptorProtoView& desc, bool requested) {
  plan_.files.push_back(std::make_unique<File>());
  files_.push_back(std::make_unique<FileScope>());
  File& file = *plan_.files.back();
  FileScope& scope = *files_.back();
  scope.desc = desc;
  scope.file = &file;
  if (!file_names_.emplace(desc.name(), &scope).second) {
    return fail(scope, {}, "", "the set contains the file twice", kFromProtoc);
  }
  std::string problem;
  if (!resolve_syntax(desc, scope.syntax, problem)) {
    return fail(scope, {12}, "", problem, "use proto2, proto3, or edition 2023 or 2024");
  }
  if (!inherit(scope.syntax, scope.syntax.defaults, desc, scope.features, problem)) {
    return fail(scope, {}, "", problem, kKnownFeature);
  }
  file.name = std::string(desc.name());
  file.package = std::string(desc.package());
  file.syntax = scope.syntax.name;
  file.edition = scope.syntax.edition;
  file.requested = requested;
  if (requested) scope.comments.read(desc);
  for (const std::string_view name : desc.dependency()) file.dependencies.emplace_back(name);
  for (const std::string_view name : desc.option_dependency()) file.option_dependencies.emplace_back(name);
  for (std::string_view rest = desc.package(); !rest.empty();) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    if (!is_identifier(rest.substr(0, dot)) || dot + 1 == rest.size()) {
      return fail(scope, {2}, "", quote(desc.package()) + " is not a valid package name",
                  "use letters, digits, _ and dots");
    }
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  std::int32_t index = 0;
  for (const auto& enumeration : desc.enum_type()) {
    if (!declare_enum(scope, opened(enumeration), file.package, scope.features, {5, index++})) return false;
  }
  index = 0;
  for (const auto& message : desc.message_type()) {
    if (!declare_message(scope, opened(message), nullptr, file.package, scope.features, {4, index++})) return false;
  }
  declare_extensions(scope, desc.extension(), file.package, scope.features, Path{7});
  return true;
}

// PLN-2.
bool Builder::check_dependencies(const FileScope& scope) {
  std::int32_t index = 0;
  for (const std::string_view name : scope.desc.dependency()) {
    if (file_names_.count(name) != 0) {
      ++index;
      continue;
    }
    return fail(scope, {3, index}, "",
                "it imports " + quote(name) + ", which is not in the descriptor set",
                "create the set with --include_imports");
  }
  return true;
}

bool Builder::declare_name(const FileScope& file, std::string_view name, const std::string& full, const Path& path) {
  if (!is_identifier(name)) {
    return fail(file, path, full, quote(name) + " is not a valid name of a type", kRename);
  }
  if (!symbols_.emplace(full, Symbol{}).second) {
    return fail(file, path, full, "the type is declared twice in the set", "rename one, or remove one of the files");
  }
  return true;
}

bool Builder::declare_message(const FileScope& file, const pb::DescriptorProtoView& desc, const Message* parent,
                              const std::string& prefix, const Features& outer, const Path& path) {
  const std::string full = join(prefix, desc.name());
  if (!declare_name(file, desc.name(), full, path)) return false;
  plan_.messages.push_back(std::make_unique<Message>());
  messages_.push_back(std::make_unique<MessageScope>());
  Message& message = *plan_.messages.back();
  MessageScope& scope = *messages_.back();
  scope.desc = desc;
  scope.message = &message;
  scope.parent = parent;
  scope.file = &file;
  scope.path = path;
  Symbol& symbol = symbols_[full];
  symbol.message = &message;
  symbol.scope = &scope;
  std::string problem;
  if (!inherit(file.syntax, outer, desc, scope.features, problem)) {
    return fail(file, path, full, problem, kKnownFeature);
  }
  message.name = full;
  message.file = file.file;
  message.comment = file.comments.at(path);
  const pb::MessageOptionsView options = opened(desc.options());
  message.map_entry = options.map_entry();
  message.message_set = options.message_set_wire_format();
  if (!declare_ranges(scope)) return false;
  std::int32_t index = 0;
  for (const auto& enumeration : desc.enum_type()) {
    if (!declare_enum(file, opened(enumeration), full, scope.features, path / 4 / index++)) return false;
  }
  declare_extensions(file, desc.extension(), full, scope.features, path / 6);
  index = 0;
  for (const auto& nested : desc.nested_type()) {
    if (!declare_message(file, opened(nested), &message, full, scope.features, path / 3 / index++)) return false;
  }
  return true;
}

bool Builder::declare_ranges(MessageScope& scope) {
  const std::int64_t end = scope.message->message_set ? std::int64_t{1} << 31 : std::int64_t{1} << 29;
  std::int32_t index = 0;
  for (const auto& element : scope.desc.extension_range()) {
    const pb::DescriptorProto_ExtensionRangeView range = opened(element);
    if (range.start() < 1 || range.end() <= range.start() || range.end() > end) {
      return fail(*scope.file, scope.path / 5 / index, scope.message->name,
                  "extension range " + std::to_string(range.start()) + " to " +
                      std::to_string(std::int64_t{range.end()} - 1) + " is not within 1 to " +
                      std::to_string(end - 1),
                  "choose numbers in that range");
    }
    scope.message->extension_ranges.push_back(ExtensionRange{range.start(), range.end()});
    ++index;
  }
  scope.ranges = scope.message->extension_ranges;
  const auto by_start = [](const ExtensionRange& a, const ExtensionRange& b) { return a.start < b.start; };
  std::sort(scope.ranges.begin(), scope.ranges.end(), by_start);
  for (std::size_t i = 1; i < scope.ranges.size(); ++i) {
    if (scope.ranges[i].start < scope.ranges[i - 1].end) {
      return fail(*scope.file, scope.path, scope.message->name, "two extension ranges overlap", "separate them");
    }
  }
  return true;
}

bool Builder::declare_enum(const FileScope& file, const pb::EnumDescriptorProtoView& desc, const std::string& prefix,
                           const Features& outer, const Path& path) {
  const std::string full = join(prefix, desc.name());
  if (!declare_name(file, desc.name(), full, path)) return false;
  plan_.enums.push_back(std::make_unique<Enum>());
  Enum& enumeration = *plan_.enums.back();
  symbols_[full].enumeration = &enumeration;
  Features features;
  std::string problem;
  if (!inherit(file.syntax, outer, desc, features, problem)) {
    return fail(file, path, full, problem, kKnownFeature);
  }
  enumeration.name = full;
  enumeration.file = file.file;
  enumeration.closed = features.closed_enum;
  enumeration.comment = file.comments.at(path);
  if (desc.value().empty()) return fail(file, path, full, "the enum has no values", "give it at least one");
  std::int32_t index = 0;
  for (const auto& element : desc.value()) {
    const pb::EnumValueDescriptorProtoView value = opened(element);
    if (!is_identifier(value.name())) {
      return fail(file, path / 2 / index, full, quote(value.name()) + " is not a valid name of an enum value", kRename);
    }
    enumeration.values.push_back(EnumValue{std::string(value.name()), value.number(),
                                           opened(value.options()).deprecated(), file.comments.at(path / 2 / index)});
    ++index;
  }
  return true;
}

void Builder::declare_extensions(const FileScope& file, const FieldDescriptors& descs, const std::string& scope,
                                 const Features& features, const Path& path) {
  std::int32_t index = 0;
  for (const auto& element : descs) {
    extensions_.push_back(ExtensionScope{opened(element), &file, scope, path / index++, features});
  }
}

// PLN-28.
void Builder::order_extensions() {
  const auto by_name = [](const Extendee& a, const Extendee& b) { return a.message->name < b.message->name; };
  std::sort(plan_.extensions.begin(), plan_.extensions.end(), by_name);
  std::unordered_map<const File*, std::size_t> order;
  for (const auto& file : plan_.files) order.emplace(file.get(), order.size());
  for (Extendee& extendee : plan_.extensions) {
    std::sort(extendee.fields.begin(), extendee.fields.end(), [&](const Field& a, const Field& b) {
      return a.file != b.file ? order.at(a.file) < order.at(b.file) : a.number < b.number;
    });
  }
}

bool build_plan(const Files& files, const std::vector<std::string_view>& requested, Plan& plan,
                SchemaError& error) {
  return Builder(plan, error).run(files, requested);
}

}  // namespace plugin
}  // namespace hotpb
