#include "edition.h"

namespace hotpb {
namespace plugin {
bool resolve_syntax(const pb::FileDescriptorProtoView& file, Syntax& syntax, std::string& problem) {
  syntax = Syntax{};
  if (file.syntax().empty() || file.syntax() == "proto2") {
    syntax.name = "proto2";
    syntax.defaults.closed_enum = true;
    syntax.defaults.packed = false;
    syntax.defaults.verify_utf8 = false;
    return true;
  }
  if (file.syntax() == "proto3") {
    syntax.name = "proto3";
    syntax.defaults.field_presence = Features::FieldPresence::Implicit;
    return true;
  }
  if (file.syntax() != "editions") {
    problem = "syntax \"" + std::string(file.syntax()) + "\" is not supported";
    return false;
  }
  syntax.name = "editions";
  syntax.editions = true;
  if (file.edition() == pb::Edition::EDITION_2023) {
    syntax.edition = "2023";
  } else if (file.edition() == pb::Edition::EDITION_2024) {
    syntax.edition = "2024";
  } else {
    const std::int32_t undefined = undefined_value(file, pb::FileDescriptorProtoFields::edition.number);
    const std::int32_t number = undefined != 0 ? undefined : static_cast<std::int32_t>(file.edition());
    problem = "edition " + std::to_string(number) + " is not supported";
    return false;
  }
  return true;
}

bool override_features(const Features& from, const pb::FeatureSetView& own, Features& result, std::string& problem) {
  using Fields = pb::FeatureSetFields;
  result = from;
  for (const FieldInfo& feature : {Fields::field_presence, Fields::enum_type, Fields::repeated_field_encoding,
                                   Fields::utf8_validation, Fields::message_encoding}) {
    const std::int32_t value = undefined_value(own, feature.number);
    if (value == 0) continue;
    problem = "feature " + std::string(feature.name) + " has the unknown value " + std::to_string(value);
    return false;
  }
  switch (own.field_presence()) {
    case pb::FeatureSet_FieldPresence::FIELD_PRESENCE_UNKNOWN: break;
    case pb::FeatureSet_FieldPresence::EXPLICIT: result.field_presence = Features::FieldPresence::Explicit; break;
    case pb::FeatureSet_FieldPresence::IMPLICIT: result.field_presence = Features::FieldPresence::Implicit; break;
    case pb::FeatureSet_FieldPresence::LEGACY_REQUIRED:
      result.field_presence = Features::FieldPresence::LegacyRequired;
      break;
  }
  if (own.enum_type() != pb::FeatureSet_EnumType::ENUM_TYPE_UNKNOWN) {
    result.closed_enum = own.enum_type() == pb::FeatureSet_EnumType::CLOSED;
  }
  if (own.repeated_field_encoding() != pb::FeatureSet_RepeatedFieldEncoding::REPEATED_FIELD_ENCODING_UNKNOWN) {
    result.packed = own.repeated_field_encoding() == pb::FeatureSet_RepeatedFieldEncoding::PACKED;
  }
  if (own.utf8_validation() != pb::FeatureSet_Utf8Validation::UTF8_VALIDATION_UNKNOWN) {
    result.verify_utf8 = own.utf8_validation() == pb::FeatureSet_Utf8Validation::VERIFY;
  }
  if (own.message_encoding() != pb::FeatureSet_MessageEncoding::MESSAGE_ENCODING_UNKNOWN) {
    result.delimited = own.message_encoding() == pb::FeatureSet_MessageEncoding::DELIMITED;
  }
  return true;
}

}  // namespace plugin
}  // namespace hotpb
