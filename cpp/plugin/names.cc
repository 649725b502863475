#include "names.h"

#include <algorithm>
#include <iterator>

#include "reserved.h"

namespace hotpb {
namespace plugin {
namespace {

constexpr std::string_view kWellKnown[] = {"any",   "api",  "compiler/plugin", "descriptor", "duration", "empty",
                                           "field_mask", "source_context", "struct", "timestamp", "type", "wrappers"};

std::string until_free(std::string name, const std::set<std::string>& used) {
  while (used.count(name) != 0) name += '_';
  return name;
}

// Returns different identifiers for different names. Names that are identifiers do not change; the others get
// underscores until they differ from those and from `taken`.
std::vector<std::string> unique_identifiers(const std::vector<std::string>& names, std::set<std::string> used) {
  std::vector<std::string> result(names.size());
  for (const bool changed : {false, true}) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string name = identifier(names[i]);
      if ((name != names[i]) != changed) continue;
      result[i] = until_free(name, used);
      used.insert(result[i]);
    }
  }
  return result;
}

std::string_view stem(const File& file) {
  std::string_view stem = file.name;
  constexpr std::string_view kProto = ".proto";
  if (stem.size() > kProto.size() && stem.substr(stem.size() - kProto.size()) == kProto) {
    stem.remove_suffix(kProto.size());
  }
  return stem;
}

}  // namespace

std::string identifier(std::string_view name) {
  std::string result(name);
  if (is_reserved(name)) result += '_';
  // Names with two underscores, or with one before a capital letter, belong to the compiler. Such names of a schema do
  // not change, as in protoc.
  return result;
}

const std::set<std::string>& pool_members() {
  static const std::set<std::string> names = {"Stored_", "decode_", "dropped_", "encode_", "f_",     "fields_",
                                              "kEncodes", "kFullName", "kTable", "kType", "needs_",  "places_", "quick_",
                                              "room_",   "unknown_fields", "write_"};
  return names;
}

std::string cpp_namespace(const File& file) {
  std::string result;
  std::string_view rest = file.package;
  while (!rest.empty()) {
    const std::size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    // "hotpb" is reserved for all names but packages.
    result += part == "hotpb" && result.empty() ? std::string(part) : identifier(part);
    result += "::";
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
  }
  return result + file.last_namespace;
}

bool is_well_known(const File& file) {
  constexpr std::string_view kGoogle = "google/protobuf/";
  const std::string_view name = stem(file);
  return name.substr(0, kGoogle.size()) == kGoogle && std::find(std::begin(kWellKnown), std::end(kWellKnown),
                                                                name.substr(kGoogle.size())) != std::end(kWellKnown);
}

std::string header_name(const File& file) {
  const std::string_view name = stem(file);
  if (is_well_known(file)) return "hotpb/wkt/" + std::string(name.substr(name.rfind('/') + 1)) + ".hot.h";
  return std::string(name) + ".hot.h";
}

std::string flat_name(std::string_view full_name, const File& file) {
  if (!file.package.empty()) full_name.remove_prefix(file.package.size() + 1);
  std::string flat(full_name);
  std::replace(flat.begin(), flat.end(), '.', '_');
  return flat;
}

Names::Names(const Plan& plan) {
  std::map<std::string_view, const File*> files;
  for (const auto& file : plan.files) files[file->name] = file.get();

  // The user's own names, file by file. If two become the same, the later one gets an underscore; an imported file is
  // earlier than the file that imports it.
  std::map<const File*, std::vector<const Enum*>> enums;
  std::map<const File*, std::vector<const Message*>> messages;
  for (const auto& enumeration : plan.enums) enums[enumeration->file].push_back(enumeration.get());
  for (const auto& message : plan.messages) {
    if (!message->map_entry) messages[message->file].push_back(message.get());
  }
  std::map<const File*, std::set<std::string>> own;
  for (const auto& file : plan.files) {
    // What the file sees of its package: the names of all files that it imports, however far.
    std::set<std::string>& visible = visible_[file.get()];
    std::set<const File*> seen;
    std::vector<const File*> open{file.get()};
    while (!open.empty()) {
      const File* const next = open.back();
      open.pop_back();
      if (!seen.insert(next).second) continue;
      if (next->package == file->package) visible.insert(own[next].begin(), own[next].end());
      for (const std::string& dependency : next->dependencies) {
        const auto found = files.find(dependency);
        if (found != files.end()) open.push_back(found->second);
      }
    }
    const auto claim = [&](std::string name) {
      name = until_free(std::move(name), visible);
      visible.insert(name);
      own[file.get()].insert(name);
      return name;
    };
    for (const Enum* const enumeration : enums[file.get()]) {
      enums_[enumeration] = claim(identifier(flat_name(enumeration->name, *file)));
    }
    for (const Message* const message : messages[file.get()]) {
      messages_[message] = claim(flat_name(message->name, *file));
    }
    for (const Message* const message : messages[file.get()]) {
      const std::string& name = messages_[message];
      const std::string pooled = pool_members().count(name) != 0 ? name + '_' : identifier(name);
      pooled_[message] = pooled == name ? name : claim(pooled);
    }
  }
  // What belongs to a type.
  for (const auto& enumeration : plan.enums) name_values(*enumeration);
  for (const auto& message : plan.messages) {
    if (!message->map_entry) name_fields(*message);
  }

  // Extensions: their setters are functions of the namespace, and each face has a class for them.
  std::map<const File*, std::set<std::string>> functions;
  std::map<const File*, std::map<std::string, std::set<std::string>>> views;
  for (const Extendee& extendee : plan.extensions) {
    for (const Field& field : extendee.fields) {
      std::set<std::string>& used = functions[field.file];
      const std::set<std::string>& types = visible_.at(field.file);
      const auto is_free = [&](const std::string& name) {
        return used.count(name) == 0 && types.count("set_" + name) == 0 && types.count("add_" + name) == 0 &&
               types.count("packed_" + name) == 0;
      };
      std::string name = flat_name(field.name, *field.file);
      while (!is_free(name)) name += '_';
      used.insert(name);
      setters_[&field] = name;

      for (const char* const suffix : {"View", "Extension", "Pool", "Edit", "Builder"}) {
        std::set<std::string>& classes = views[field.file][suffix];
        if (classes.empty()) {
          classes = types;
          for (const std::string& type : types) classes.insert(until_free(type + suffix, types));
        }
        std::string& made = extension_classes_[{&field, suffix}];
        made = until_free(flat_name(field.name, *field.file) + suffix, classes);
        classes.insert(made);
      }
    }
  }
}

void Names::name_values(const Enum& enumeration) {
  std::vector<std::string> names;
  for (const EnumValue& value : enumeration.values) names.push_back(value.name);
  names = unique_identifiers(names, {});
  for (std::size_t i = 0; i < names.size(); ++i) values_[&enumeration.values[i]] = names[i];
}

void Names::name_fields(const Message& message) {
  std::vector<std::string> names;
  for (const Field& field : message.fields) names.push_back(field.name);
  constants_[&message] = unique_identifiers(names, {type(message, "Fields")});

  // A method cannot have the name of its class.
  const std::string writer = type(message, "Writer");
  const std::set<std::string> all(names.begin(), names.end());
  for (std::string& name : names) {
    const auto meets = [&](const char* verb) { return verb + name == writer; };
    if (!meets("set_") && !meets("add_") && !meets("packed_")) continue;
    name = until_free(name + '_', all);
  }
  setters_of_[&message] = std::move(names);
}

bool Names::dodged(const Message& message, std::string_view suffix) const {
  if (suffix.empty()) return pooled_.at(&message) != messages_.at(&message);
  return visible_.at(message.file).count(messages_.at(&message) + std::string(suffix)) != 0;
}

std::string Names::type(const Message& message, std::string_view suffix) const {
  if (suffix.empty()) return pooled_.at(&message);
  return until_free(messages_.at(&message) + std::string(suffix), visible_.at(message.file));
}

std::string Names::type(const Enum& enumeration) const { return enums_.at(&enumeration); }

std::string Names::qualified(const Message& message, std::string_view suffix) const {
  return "::" + cpp_namespace(*message.file) + "::" + type(message, suffix);
}

std::string Names::qualified(const Enum& enumeration) const {
  return "::" + cpp_namespace(*enumeration.file) + "::" + type(enumeration);
}

std::string Names::type_in(const Message& message, std::string_view suffix, const File& from) const {
  return cpp_namespace(*message.file) == cpp_namespace(from) ? type(message, suffix) : qualified(message, suffix);
}

std::string Names::type_in(const Enum& enumeration, const File& from) const {
  return cpp_namespace(*enumeration.file) == cpp_namespace(from) ? type(enumeration) : qualified(enumeration);
}

}  // namespace plugin
}  // namespace hotpb
