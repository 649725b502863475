// Descriptors -> plan: the fields of messages, their oneofs, map entries, and extensions (PLN-4, PLN-8 to PLN-13).
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "builder.h"
#include "text.h"

namespace hotpb {
namespace plugin {
namespace {

const char* presence_word(Presence presence) { return presence == Presence::Required ? "required" : "repeated"; }

bool is_map_key(FieldType type) {
  switch (type) {
    case FieldType::Double:
    case FieldType::Float:
    case FieldType::Message:
    case FieldType::Group:
    case FieldType::Bytes:
    case FieldType::Enum: return false;
    default: return true;
  }
}

}  // namespace

bool Builder::resolve_message(MessageScope& scope) {
  Message& message = *scope.message;
  std::vector<pb::FieldDescriptorProtoView> descs;
  for (const auto& element : scope.desc.field()) descs.push_back(opened(element));
  if (message.message_set && !descs.empty()) {
    return fail(*scope.file, scope.path, message.name, "a message set must not have fields",
                "move them into an extension");
  }
  std::vector<int> real;
  std::vector<Features> oneof_features;
  if (!resolve_oneofs(scope, descs, real, oneof_features)) return false;
  std::unordered_set<std::string_view> names;
  std::unordered_map<std::int32_t, std::string_view> numbers;
  message.fields.reserve(descs.size());
  for (std::size_t i = 0; i < descs.size(); ++i) {
    const pb::FieldDescriptorProtoView& desc = descs[i];
    const Path path = scope.path / 2 / static_cast<std::int32_t>(i);
    const std::string full = join(message.name, desc.name());
    const std::size_t oneof = static_cast<std::size_t>(desc.oneof_index());
    const Features& outer = desc.has_oneof_index() ? oneof_features[oneof] : scope.features;
    Field field;
    field.name = std::string(desc.name());
    if (desc.has_oneof_index()) field.oneof = real[oneof];
    if (!desc.extendee().empty()) {
      return fail(*scope.file, path, full, "a field that is not an extension names an extendee", kFromProtoc);
    }
    if (!resolve_field(*scope.file, desc, full, path, outer, &scope, field)) return false;
    if (!names.insert(desc.name()).second) {
      return fail(*scope.file, path, full, "two fields of the message have this name", "rename one");
    }
    const auto number = numbers.emplace(field.number, desc.name());
    if (!number.second) {
      return fail(*scope.file, path, full,
                  "the number " + std::to_string(field.number) + " already belongs to the field " +
                      std::string(number.first->second),
                  "choose a free number");
    }
    message.fields.push_back(std::move(field));
  }
  const auto by_number = [](const Field& a, const Field& b) { return a.number < b.number; };
  std::sort(message.fields.begin(), message.fields.end(), by_number);
  for (const Field& field : message.fields) {
    if (field.oneof >= 0) message.oneofs[static_cast<std::size_t>(field.oneof)].fields.push_back(field.number);
  }
  return true;
}

// Stores in `real`, for each declared oneof, its index among the real ones, or -1 if it represents a proto3 optional
// field.
bool Builder::resolve_oneofs(const MessageScope& scope, const std::vector<pb::FieldDescriptorProtoView>& fields,
                             std::vector<int>& real, std::vector<Features>& features) {
  const auto oneofs = scope.desc.oneof_decl();
  std::vector<std::size_t> members(oneofs.size(), 0);
  std::vector<bool> synthetic(oneofs.size(), false);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const pb::FieldDescriptorProtoView& field = fields[i];
    if (!field.has_oneof_index()) continue;
    if (field.oneof_index() < 0 || static_cast<std::size_t>(field.oneof_index()) >= oneofs.size()) {
      return fail(*scope.file, scope.path / 2 / static_cast<std::int32_t>(i), join(scope.message->name, field.name()),
                  "its oneof index " + std::to_string(field.oneof_index()) + " does not exist", kFromProtoc);
    }
    const std::size_t oneof = static_cast<std::size_t>(field.oneof_index());
    ++members[oneof];
    if (field.proto3_optional()) synthetic[oneof] = true;
  }
  std::size_t i = 0;
  for (const auto& element : oneofs) {
    const pb::OneofDescriptorProtoView oneof = opened(element);
    const Path path = scope.path / 8 / static_cast<std::int32_t>(i);
    const std::string full = join(scope.message->name, oneof.name());
    if (!is_identifier(oneof.name())) {
      return fail(*scope.file, path, full, quote(oneof.name()) + " is not a valid name of a oneof", kRename);
    }
    if (members[i] == 0) return fail(*scope.file, path, full, "the oneof has no members", "give it one or remove it");
    if (synthetic[i] && members[i] != 1) {
      return fail(*scope.file, path, full, "the oneof of a proto3 optional field has other members", kFromProtoc);
    }
    std::string problem;
    features.emplace_back();
    if (!inherit(scope.file->syntax, scope.features, oneof, features.back(), problem)) {
      return fail(*scope.file, path, full, problem, kKnownFeature);
    }
    real.push_back(synthetic[i] ? -1 : static_cast<int>(scope.message->oneofs.size()));
    if (!synthetic[i]) scope.message->oneofs.push_back(Oneof{std::string(oneof.name()), {}});
    ++i;
  }
  return true;
}

bool Builder::check_map_entry(const MessageScope& scope) {
  const Message& entry = *scope.message;
  const auto wrong = [&](const std::string& problem) {
    return fail(*scope.file, scope.path, entry.name, "it is marked as a map entry, but is not valid: " + problem,
                "use map<key, value>");
  };
  if (scope.parent == nullptr) return wrong("it is not nested in a message");
  if (entry.fields.size() != 2) return wrong("it has " + std::to_string(entry.fields.size()) + " fields");
  const Field& key = entry.fields[0];
  const Field& value = entry.fields[1];
  if (key.number != 1 || key.name != "key" || value.number != 2 || value.name != "value") {
    return wrong("its fields are not key = 1 and value = 2");
  }
  if (key.repeated() || value.repeated() || key.oneof >= 0 || value.oneof >= 0) {
    return wrong("its key or value is repeated or in a oneof");
  }
  if (!is_map_key(key.type)) return wrong("its key has the type " + std::string(type_name(key.type)));
  return true;
}

bool Builder::resolve_field(const FileScope& file, const pb::FieldDescriptorProtoView& desc, const std::string& full,
                            const Path& path, const Features& outer, const MessageScope* in, Field& field) {
  const auto wrong = [&](const std::string& problem, const std::string& fix) {
    return fail(file, path, full, problem, fix);
  };
  std::string problem;
  Features features;
  if (!inherit(file.syntax, outer, desc, features, problem)) {
    return wrong(problem, kKnownFeature);
  }
  if (!is_identifier(desc.name())) {
    return wrong(quote(desc.name()) + " is not a valid name of a field", kRename);
  }
  const std::int32_t number = desc.number();
  if (number >= 19000 && number <= 19999) {
    return wrong("number " + std::to_string(number) + " is within 19000 to 19999, which protobuf reserves",
                 "choose another");
  }
  if (in != nullptr && (number < 1 || number > static_cast<std::int32_t>(wire::kMaxFieldNumber))) {
    return wrong("number " + std::to_string(number) + " is not within 1 to 536870911",
                 "choose a number in that range");
  }
  field.file = file.file;
  field.number = number;
  if (!resolve_type(file, desc, full, path, field)) return false;
  if (!resolve_presence(file, desc, full, path, features, in == nullptr, field)) return false;

  const bool group = desc.type() == pb::FieldDescriptorProto_Type::TYPE_GROUP;
  const bool map = field.message != nullptr && field.message->map_entry;
  if (map) {
    const bool own = in != nullptr && symbols_.at(field.message->name).scope->parent == in->message;
    if (!own || !field.repeated() || group) {
      return wrong(quote(desc.type_name()) + " is a map entry, which only its own repeated field can have as its type",
                   "use map<key, value>");
    }
  }
  const bool in_entry = in != nullptr && in->message->map_entry;
  if (group && in_entry) {
    return wrong("a map's key or value cannot be a group", "use a message");
  }
  field.delimited = field.message != nullptr && !map && !in_entry && (group || features.delimited);
  field.verify_utf8 = field.type == FieldType::String && features.verify_utf8;
  const pb::FieldOptionsView options = opened(desc.options());
  field.deprecated = options.deprecated();
  field.comment = file.comments.at(path);
  const bool wants_packed = !file.syntax.editions && options.has_packed() ? options.packed() : features.packed;
  field.packed = field.repeated() && hotpb::detail::is_packable(field.type) && wants_packed;
  if (desc.has_default_value()) {
    field.has_default = true;
    if (field.repeated() || !canonical_default(field, desc.default_value(), field.default_value)) {
      return wrong("its default " + quote(desc.default_value()) + " is not a value of " +
                       (field.repeated() ? "a repeated field" : "type " + std::string(type_name(field.type))),
                   "write a value of that type");
    }
  }
  return true;
}

bool Builder::resolve_type(const FileScope& file, const pb::FieldDescriptorProtoView& desc, const std::string& full,
                           const Path& path, Field& field) {
  const auto wrong = [&](const std::string& problem, const std::string& fix) {
    return fail(file, path, full, problem, fix);
  };
  Symbol symbol;
  const std::string_view name = desc.type_name();
  if (!name.empty()) {
    const auto found = name[0] == '.' ? symbols_.find(std::string(name.substr(1))) : symbols_.end();
    if (found == symbols_.end()) {
      return wrong("its type " + quote(name) + " is not in the descriptor set",
                   "create the set with --include_imports");
    }
    symbol = found->second;
  }
  const std::int32_t undefined = undefined_value(desc, pb::FieldDescriptorProtoFields::type.number);
  if (undefined != 0) return wrong("its type number " + std::to_string(undefined) + " is unknown", kFromProtoc);
  if (!desc.has_type()) return wrong("it has no type", kFromProtoc);
  field.type = static_cast<FieldType>(desc.type());  // they have the numbers of descriptor.proto
  if (field.type == FieldType::Group) field.type = FieldType::Message;
  const bool wants_message = field.type == FieldType::Message;
  const bool wants_enum = field.type == FieldType::Enum;
  if (wants_message != (symbol.message != nullptr) || wants_enum != (symbol.enumeration != nullptr)) {
    if (!wants_message && !wants_enum) {
      return wrong("it has the type " + std::string(type_name(field.type)) + ", but also names the type " + quote(name),
                   kFromProtoc);
    }
    return wrong("its type " + quote(name) + " is not " + (wants_message ? "a message" : "an enum") + " of the set",
                 kFromProtoc);
  }
  field.message = symbol.message;
  field.enumeration = symbol.enumeration;
  return true;
}

// PLN-9, and the fields that a presence excludes.
bool Builder::resolve_presence(const FileScope& file, const pb::FieldDescriptorProtoView& desc,
                               const std::string& full, const Path& path, const Features& features, bool extension,
                               Field& field) {
  using Label = pb::FieldDescriptorProto_Label;
  const auto wrong = [&](const std::string& problem, const std::string& fix) {
    return fail(file, path, full, problem, fix);
  };
  const std::int32_t undefined = undefined_value(desc, pb::FieldDescriptorProtoFields::label.number);
  if (undefined != 0) return wrong("its label number " + std::to_string(undefined) + " is unknown", kFromProtoc);
  if (desc.label() == Label::LABEL_REPEATED) {
    field.presence = Presence::Repeated;
  } else if (desc.label() == Label::LABEL_REQUIRED ||
             features.field_presence == Features::FieldPresence::LegacyRequired) {
    field.presence = Presence::Required;
  } else if (field.message != nullptr || field.oneof >= 0 || extension || desc.proto3_optional()) {
    field.presence = Presence::Explicit;
  } else {
    const bool implicit = features.field_presence == Features::FieldPresence::Implicit;
    field.presence = implicit ? Presence::Implicit : Presence::Explicit;
  }
  const bool once = field.presence == Presence::Implicit || field.presence == Presence::Explicit;
  if (!extension && desc.has_oneof_index() && !once) {
    return wrong(std::string("a member of a oneof cannot be ") + presence_word(field.presence),
                 "take it out of the oneof or make it optional");
  }
  if (extension && field.presence == Presence::Required) {
    return wrong("an extension cannot be required", "make it optional");
  }
  return true;
}

bool Builder::resolve_extension(const ExtensionScope& scope) {
  const pb::FieldDescriptorProtoView& desc = scope.desc;
  const std::string full = join(scope.scope, desc.name());
  const std::string_view extended = desc.extendee();
  const auto wrong = [&](const std::string& problem, const std::string& fix) {
    return fail(*scope.file, scope.path, full, problem, fix);
  };
  Symbol symbol;
  if (!extended.empty() && extended[0] == '.') {
    const auto found = symbols_.find(std::string(extended.substr(1)));
    if (found != symbols_.end()) symbol = found->second;
  }
  if (symbol.message == nullptr) {
    return wrong("it extends " + quote(extended) + ", which is not a message of the set",
                 "create the set with --include_imports");
  }
  if (desc.has_oneof_index() && !desc.proto3_optional()) {
    return wrong("an extension cannot be a member of a oneof", "take it out of the oneof");
  }
  Field field;
  field.name = full;
  if (!resolve_field(*scope.file, desc, full, scope.path, scope.features, nullptr, field)) return false;
  const std::vector<ExtensionRange>& ranges = symbol.scope->ranges;
  auto after = std::upper_bound(ranges.begin(), ranges.end(), std::int64_t{field.number},
                                [](std::int32_t number, const ExtensionRange& range) { return number < range.start; });
  if (after == ranges.begin() || field.number >= std::prev(after)->end) {
    return wrong(symbol.message->name + " has no extension range with the number " + std::to_string(field.number),
                 "declare the range or choose a number within one");
  }
  if (symbol.message->message_set && (field.message == nullptr || field.repeated())) {
    return wrong("an extension of a message set must be an optional message", "wrap the value in a message");
  }
  if (!scope.file->file->requested) return true;
  const auto same = [&](const Extendee& extendee) { return extendee.message == symbol.message; };
  auto extendee = std::find_if(plan_.extensions.begin(), plan_.extensions.end(), same);
  if (extendee == plan_.extensions.end()) {
    plan_.extensions.push_back(Extendee{symbol.message, {}});
    extendee = std::prev(plan_.extensions.end());
  }
  extendee->fields.push_back(std::move(field));
  return true;
}

}  // namespace plugin
}  // namespace hotpb
