// How build_plan() works: it declares all types of all files, then resolves fields against them. Only build.cc and
// fields.cc include this header.
#ifndef HOTPB_PLUGIN_BUILDER_H_
#define HOTPB_PLUGIN_BUILDER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "comments.h"
#include "descriptors.h"
#include "edition.h"
#include "plan.h"

namespace hotpb {
namespace plugin {

using FieldDescriptors = view::Messages<pb::FieldDescriptorProtoView>;

// Advice for several errors.
inline constexpr char kFromProtoc[] = "pass a descriptor set that protoc wrote";
inline constexpr char kKnownFeature[] = "use a value of google.protobuf.FeatureSet";
inline constexpr char kRename[] = "use letters, digits and _";

Path operator/(const Path& path, std::int32_t step);

struct FileScope {
  pb::FileDescriptorProtoView desc;
  File* file;
  Syntax syntax;
  Features features;
  Comments comments;  // of requested files
};

struct MessageScope {
  pb::DescriptorProtoView desc;
  Message* message;
  const Message* parent;  // nullptr at the top level
  const FileScope* file;
  Path path;
  Features features;
  std::vector<ExtensionRange> ranges;  // by start; they do not overlap
};

// Where an extension is declared.
struct ExtensionScope {
  pb::FieldDescriptorProtoView desc;
  const FileScope* file;
  std::string scope;  // the full name of the package or message around it
  Path path;
  Features features;
};

struct Symbol {
  Message* message = nullptr;
  const MessageScope* scope = nullptr;
  Enum* enumeration = nullptr;
};

class Builder {
 public:
  Builder(Plan& plan, SchemaError& error) : plan_(plan), error_(error) {}

  bool run(const Files& files, const std::vector<std::string_view>& requested);

 private:
  // build.cc: files, messages, enums
  bool declare_file(const pb::FileDescriptorProtoView& desc, bool requested);
  bool check_dependencies(const FileScope& scope);
  bool declare_message(const FileScope& file, const pb::DescriptorProtoView& desc, const Message* parent,
                       const std::string& prefix, const Features& outer, const Path& path);
  bool declare_ranges(MessageScope& scope);
  bool declare_enum(const FileScope& file, const pb::EnumDescriptorProtoView& desc, const std::string& prefix,
                    const Features& outer, const Path& path);
  bool declare_name(const FileScope& file, std::string_view name, const std::string& full, const Path& path);
  void declare_extensions(const FileScope& file, const FieldDescriptors& descs, const std::string& scope,
                          const Features& features, const Path& path);

  // fields.cc: fields and oneofs of messages, and extensions
  bool resolve_message(MessageScope& scope);
  bool resolve_oneofs(const MessageScope& scope, const std::vector<pb::FieldDescriptorProtoView>& fields,
                      std::vector<int>& real, std::vector<Features>& features);
  bool check_map_entry(const MessageScope& scope);
  bool resolve_extension(const ExtensionScope& scope);
  bool resolve_field(const FileScope& file, const pb::FieldDescriptorProtoView& desc, const std::string& full,
                     const Path& path, const Features& outer, const MessageScope* in, Field& field);
  bool resolve_type(const FileScope& file, const pb::FieldDescriptorProtoView& desc, const std::string& full,
                    const Path& path, Field& field);
  bool resolve_presence(const FileScope& file, const pb::FieldDescriptorProtoView& desc, const std::string& full,
                        const Path& path, const Features& features, bool extension, Field& field);
  void order_extensions();

  bool fail(const FileScope& file, const Path& path, const std::string& element, const std::string& problem,
            const std::string& fix);

  Plan& plan_;
  SchemaError& error_;
  std::vector<std::unique_ptr<FileScope>> files_;
  std::vector<std::unique_ptr<MessageScope>> messages_;
  std::vector<ExtensionScope> extensions_;
  std::unordered_map<std::string, Symbol> symbols_;
  std::unordered_map<std::string_view, const FileScope*> file_names_;
};

bool is_identifier(std::string_view name);
std::string join(const std::string& scope, std::string_view name);

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_BUILDER_H_
