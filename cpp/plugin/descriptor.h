// What the plan needs of descriptor.proto and plugin.proto, read by hand over hotpb's wire layer.
//
// Every std::string_view and Bytes borrows from the input, which must outlive what was read from it. Enums of
// descriptor.proto are kept as numbers, so that whoever gives them a meaning can name the one that is not known.
#ifndef HOTPB_PLUGIN_DESCRIPTOR_H_
#define HOTPB_PLUGIN_DESCRIPTOR_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "hotpb/error.h"
#include "hotpb/wire.h"

namespace hotpb {
namespace plugin {

// google.protobuf.FeatureSet, as far as it matters to the wire; 0 is "not set here".
struct FeatureDesc {
  std::int32_t field_presence = 0;
  std::int32_t enum_type = 0;
  std::int32_t repeated_field_encoding = 0;
  std::int32_t utf8_validation = 0;
  std::int32_t message_encoding = 0;
};

enum class Label : std::int32_t { Optional = 1, Required = 2, Repeated = 3 };

struct FieldDesc {
  std::string_view name;
  std::string_view type_name;
  std::string_view extendee;
  std::string_view default_value;
  std::int32_t number = 0;
  std::int32_t label = 0;
  std::int32_t type = 0;
  std::int32_t oneof_index = 0;
  bool has_oneof_index = false;
  bool has_default = false;
  bool has_packed = false;
  bool packed = false;
  bool proto3_optional = false;
  FeatureDesc features;
};

struct OneofDesc {
  std::string_view name;
  FeatureDesc features;
};

struct EnumValueDesc {
  std::string_view name;
  std::int32_t number = 0;
};

struct EnumDesc {
  std::string_view name;
  std::vector<EnumValueDesc> values;
  FeatureDesc features;
};

struct RangeDesc {
  std::int32_t start = 0;
  std::int32_t end = 0;  // exclusive
};

struct MessageDesc {
  std::string_view name;
  std::vector<FieldDesc> fields;
  std::vector<FieldDesc> extensions;
  std::vector<MessageDesc> messages;
  std::vector<EnumDesc> enums;
  std::vector<OneofDesc> oneofs;
  std::vector<RangeDesc> extension_ranges;
  bool message_set = false;
  bool map_entry = false;
  FeatureDesc features;
};

struct FileDesc {
  std::string_view name;
  std::string_view package;
  std::string_view syntax;
  std::int32_t edition = 0;
  std::vector<std::string_view> dependencies;
  std::vector<std::string_view> option_dependencies;
  std::vector<MessageDesc> messages;
  std::vector<EnumDesc> enums;
  std::vector<FieldDesc> extensions;
  FeatureDesc features;
  std::vector<Bytes> source_info;  // records of SourceCodeInfo, read when a line is asked for (source_line())
};

// google.protobuf.compiler.CodeGeneratorRequest.
struct Request {
  std::vector<std::string_view> files_to_generate;
  std::string_view parameter;
  std::vector<FileDesc> files;
};

// False, with the code and the offset, when the bytes are not well-formed.
bool read_descriptor_set(Bytes input, std::vector<FileDesc>& files, Status& status);
bool read_request(Bytes input, Request& request, Status& status);

// The line, counted from 1, on which the element with this path stands; 0 when the source info does not say.
int source_line(const FileDesc& file, const std::vector<std::int32_t>& path);

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_DESCRIPTOR_H_
