#include "edition.h"

namespace hotpb {
namespace plugin {
namespace {

constexpr std::int32_t kEdition2023 = 1000;
constexpr std::int32_t kEdition2024 = 1001;

bool unknown(const char* feature, std::int32_t value, std::string& problem) {
  problem = std::string("the feature ") + feature + " has the unknown value " + std::to_string(value);
  return false;
}

}  // namespace

bool resolve_syntax(const FileDesc& file, Syntax& syntax, std::string& problem) {
  syntax = Syntax{};
  if (file.syntax.empty() || file.syntax == "proto2") {
    syntax.name = "proto2";
    syntax.defaults.closed_enum = true;
    syntax.defaults.packed = false;
    syntax.defaults.verify_utf8 = false;
    return true;
  }
  if (file.syntax == "proto3") {
    syntax.name = "proto3";
    syntax.defaults.field_presence = Features::FieldPresence::Implicit;
    return true;
  }
  if (file.syntax != "editions") {
    problem = "syntax \"" + std::string(file.syntax) + "\" is not known";
    return false;
  }
  syntax.name = "editions";
  syntax.editions = true;
  if (file.edition == kEdition2023) {
    syntax.edition = "2023";
  } else if (file.edition == kEdition2024) {
    syntax.edition = "2024";
  } else {
    problem = "edition number " + std::to_string(file.edition) + " is not known";
    return false;
  }
  return true;
}

bool inherit(const Syntax& syntax, const Features& from, const FeatureDesc& own, Features& result,
             std::string& problem) {
  result = from;
  if (!syntax.editions) return true;
  switch (own.field_presence) {
    case 0: break;
    case 1: result.field_presence = Features::FieldPresence::Explicit; break;
    case 2: result.field_presence = Features::FieldPresence::Implicit; break;
    case 3: result.field_presence = Features::FieldPresence::LegacyRequired; break;
    default: return unknown("field_presence", own.field_presence, problem);
  }
  switch (own.enum_type) {
    case 0: break;
    case 1: result.closed_enum = false; break;
    case 2: result.closed_enum = true; break;
    default: return unknown("enum_type", own.enum_type, problem);
  }
  switch (own.repeated_field_encoding) {
    case 0: break;
    case 1: result.packed = true; break;
    case 2: result.packed = false; break;
    default: return unknown("repeated_field_encoding", own.repeated_field_encoding, problem);
  }
  switch (own.utf8_validation) {
    case 0: break;
    case 2: result.verify_utf8 = true; break;
    case 3: result.verify_utf8 = false; break;
    default: return unknown("utf8_validation", own.utf8_validation, problem);
  }
  switch (own.message_encoding) {
    case 0: break;
    case 1: result.delimited = false; break;
    case 2: result.delimited = true; break;
    default: return unknown("message_encoding", own.message_encoding, problem);
  }
  return true;
}

}  // namespace plugin
}  // namespace hotpb
