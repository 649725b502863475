// Descriptors, read without a copy by hotpb's own generated views. This generator also writes these views
// (bootstrap/descriptor.view.hot.h); cpp/gen.sh checks that it reproduces them byte for byte.
//
// generate.cc validates a whole descriptor set or request when it arrives. All other code opens its messages with
// opened(), which therefore cannot fail, and borrows from the input, which lives until the plan is complete.
#ifndef HOTPB_PLUGIN_DESCRIPTORS_H_
#define HOTPB_PLUGIN_DESCRIPTORS_H_

#include <cstdint>
#include <vector>

#include "bootstrap/descriptor.view.hot.h"

namespace hotpb {
namespace plugin {

namespace pb = ::google::protobuf::bootstrap;

// Opens a message of validated input. It is empty if the bytes have changed since the validation.
template <class V>
V opened(const view::Message<V>& message) {
  V view;
  if (!view.open(message).ok()) return V();
  return view;
}

// A value of field `number`, a closed enum, that descriptor.proto does not define, so that an error can name it; 0 if
// there is none. Such values are among the unknown fields.
template <class V>
std::int32_t undefined_value(const V& view, std::uint32_t number) {
  for (const view::UnknownField& field : view.unknown_fields()) {
    if (field.number() == number && field.record().empty()) return static_cast<std::int32_t>(field.enum_value());
  }
  return 0;
}

// Field numbers and indices from the file down to an element, as in SourceCodeInfo.
using Path = std::vector<std::int32_t>;

// The line of the element, counted from 1; 0 if the source info does not have it.
int source_line(const pb::FileDescriptorProtoView& file, const Path& path);

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_DESCRIPTORS_H_
