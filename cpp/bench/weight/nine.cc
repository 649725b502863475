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
    for (const auto& one : m.field()) field(open(one));
    for (const auto& one : m.extension()) field(open(one));
    for (const auto& one : m.oneof_decl()) names += open(one).name().size();
    for (const auto& one : m.enum_type()) enumeration(open(one));
    for (const auto& one : m.nested_type()) message(open(one));
  }
  void file(const pb::FileDescriptorProtoView& f) {
    names += f.name().size();
    for (const auto& one : f.message_type()) message(open(one));
    for (const auto& one : f.enum_type()) enumeration(open(one));
  }

  std::size_t names = 0;
  bool ok = true;
};

}  // namespace

std::size_t names(hotpb::Bytes bytes) {
  pb::FileDescriptorSetView set;
  if (!set.decode(bytes).ok()) return 0;
  Walk walk;
  for (const auto& one : set.file()) walk.file(walk.open(one));
  return walk.ok ? walk.names : 0;
}
