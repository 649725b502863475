// Walks the messages, fields and enums of a descriptor set.
#include "hotpb/wkt/descriptor.hot.h"

namespace {

namespace pb = google::protobuf::hot;

// The lengths of all names.
struct Walk {
  template <class V>
  V open(const hotpb::view::Message<V>& message) {
    V view;
    ok = ok && view.open(message).ok();
    return view;
  }
  void enumeration(const pb::EnumDescriptorProtoView& e) {
    names += e.name().size();
    for (const auto& value : e.value()) names += open(value).name().size();
  }
  void field(const pb::FieldDescriptorProtoView& f) {
    names += f.name().size() + open(f.options()).packed();
  }
  void message(const pb::DescriptorProtoView& m) {
    names += m.name().size() + open(m.options()).map_entry();
    for (const auto& element : m.field()) field(open(element));
    for (const auto& element : m.extension()) field(open(element));
    for (const auto& element : m.oneof_decl()) names += open(element).name().size();
    for (const auto& element : m.enum_type()) enumeration(open(element));
    for (const auto& element : m.nested_type()) message(open(element));
  }
  void file(const pb::FileDescriptorProtoView& f) {
    names += f.name().size();
    for (const auto& element : f.message_type()) message(open(element));
    for (const auto& element : f.enum_type()) enumeration(open(element));
  }

  std::size_t names = 0;
  bool ok = true;
};

}  // namespace

std::size_t names(hotpb::Bytes bytes) {
  pb::FileDescriptorSetView set;
  if (!set.decode(bytes).ok()) return 0;
  Walk walk;
  for (const auto& element : set.file()) walk.file(walk.open(element));
  return walk.ok ? walk.names : 0;
}
