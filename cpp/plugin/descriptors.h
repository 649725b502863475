// Descriptors, read where they lie with our own generated views: hotpb/wkt/descriptor.hot.h, which this generator
// makes, too (cpp/gen.sh makes it again from itself, byte for byte).
//
// A descriptor set or request is validated whole when it comes in (generate.cc). What follows opens its messages with
// opened(), which therefore cannot fail, and borrows from the input: that outlives the plan's construction.
#ifndef HOTPB_PLUGIN_DESCRIPTORS_H_
#define HOTPB_PLUGIN_DESCRIPTORS_H_

#include <cstdint>
#include <vector>

#include "hotpb/wkt/descriptor.hot.h"

namespace hotpb {
namespace plugin {

namespace pb = ::google::protobuf::hot;

// A message of input that has been validated; an empty one if somebody changed the bytes since.
template <class V>
V opened(const view::Message<V>& message) {
  V view;
  if (!view.open(message).ok()) return V();
  return view;
}

// Of a closed enum, field `number` of `view`: a value that descriptor.proto does not define, so that whoever gives the
// values a meaning can name it; 0 when there is none. Such values stand among the unknown fields.
template <class V>
std::int32_t undefined_value(const V& view, std::uint32_t number) {
  for (const view::UnknownField& field : view.unknown_fields()) {
    if (field.number() == number && field.record().empty()) return static_cast<std::int32_t>(field.enum_value());
  }
  return 0;
}

// Field numbers and indices from the file down to an element, as SourceCodeInfo has them.
using Path = std::vector<std::int32_t>;

// The line, counted from 1, on which the element stands; 0 when the source info does not say.
int source_line(const pb::FileDescriptorProtoView& file, const Path& path);

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_DESCRIPTORS_H_
