// Resolved edition features: the rules of proto2, proto3 and the editions in one set of terms (spec/plan.md, PLN-5 to
// PLN-7).
#ifndef HOTPB_PLUGIN_EDITION_H_
#define HOTPB_PLUGIN_EDITION_H_

#include <string>
#include <string_view>

#include "descriptors.h"

namespace hotpb {
namespace plugin {

struct Features {
  enum class FieldPresence { Explicit = 1, Implicit = 2, LegacyRequired = 3 };

  FieldPresence field_presence = FieldPresence::Explicit;
  bool closed_enum = false;
  bool packed = true;
  bool verify_utf8 = true;
  bool delimited = false;
};

struct Syntax {
  std::string name;     // proto2, proto3, editions
  std::string edition;  // 2023, 2024 or empty
  Features defaults;
  bool editions = false;
};

// Returns false and the problem for a syntax or an edition that is not supported.
bool resolve_syntax(const pb::FileDescriptorProtoView& file, Syntax& syntax, std::string& problem);

// The result is `from` with the features that `own` sets. Returns false and the problem for an unknown value.
bool override_features(const Features& from, const pb::FeatureSetView& own, Features& result, std::string& problem);

// Does the same with the features in the options of `desc`, a descriptor. Ignores them in proto2 and proto3.
template <class Descriptor>
bool inherit(const Syntax& syntax, const Features& from, const Descriptor& desc, Features& result,
             std::string& problem) {
  result = from;
  if (!syntax.editions || !desc.has_options()) return true;
  const auto options = opened(desc.options());
  return override_features(from, opened(options.features()), result, problem);
}

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_EDITION_H_
