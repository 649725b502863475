// The plan: the resolved, language-neutral analysis of a schema (spec/plan.md), from which every emitter starts.
//
// Build it with build_plan() (build.cc), print it with print_plan() (print.cc). A Plan owns all its contents, and has
// no reference to the descriptors. It also has the messages and enums of files that were not requested, because fields
// refer to them; print_plan() leaves them out.
#ifndef HOTPB_PLUGIN_PLAN_H_
#define HOTPB_PLUGIN_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hotpb/check.h"
#include "hotpb/detail/abi.h"

namespace google {
namespace protobuf {
namespace bootstrap {
inline namespace HOTPB_ABI {
class FileDescriptorProtoView;
}  // inline namespace HOTPB_ABI
}  // namespace bootstrap
}  // namespace protobuf
}  // namespace google

HOTPB_NAMESPACE_BEGIN
namespace view {
template <class V>
class Messages;
}  // namespace view
HOTPB_NAMESPACE_END

namespace hotpb {
namespace plugin {

// The files of a descriptor set or of a request, validated (descriptors.h).
using Files = view::Messages<::google::protobuf::bootstrap::FileDescriptorProtoView>;

enum class Presence { Implicit, Explicit, Required, Repeated };

struct Message;
struct Enum;

struct File {
  std::string name;
  std::string package;
  std::string syntax;   // proto2, proto3, editions
  std::string edition;  // 2023, 2024 or empty
  std::vector<std::string> dependencies;
  std::vector<std::string> option_dependencies;
  bool requested = false;
  std::string last_namespace = "hot";  // of the generated code; the option namespace= changes it
};

struct Field {
  std::string name;       // for an extension: its full name
  const File* file = nullptr;
  std::int32_t number = 0;
  FieldType type = FieldType::Int32;  // Message for every message field, also if it is delimited
  Presence presence = Presence::Explicit;
  int oneof = -1;         // the index among the real oneofs
  bool packed = false;
  bool verify_utf8 = false;
  bool delimited = false;
  Message* message = nullptr;
  Enum* enumeration = nullptr;
  bool has_default = false;
  std::string default_value;  // canonical, PLN-27
  bool child_pointer = false;
  bool deprecated = false;
  std::string comment;    // in the schema

  bool repeated() const { return presence == Presence::Repeated; }
};

struct Oneof {
  std::string name;
  std::vector<std::int32_t> fields;  // numbers, ascending
};

struct ExtensionRange {
  std::int64_t start = 0;
  std::int64_t end = 0;
};

constexpr std::int64_t kUnbounded = -1;

struct Message {
  std::string name;
  const File* file = nullptr;
  bool map_entry = false;
  bool message_set = false;
  int recursion = 0;       // the number of the recursion group, 0 for none
  std::int64_t max_size = kUnbounded;
  std::int64_t row_bytes = 0;
  std::string comment;     // in the schema
  bool straight = true;    // the tier of the rule, which options may change (select.h)
  bool encodes_straight = true;  // the same for the pool's encoder; not in the plan's JSON
  std::vector<ExtensionRange> extension_ranges;
  std::vector<Oneof> oneofs;
  std::vector<Field> fields;  // by ascending number
};

struct EnumValue {
  std::string name;
  std::int32_t number = 0;
  bool deprecated = false;
  std::string comment;
};

struct Enum {
  std::string name;
  const File* file = nullptr;
  bool closed = false;
  std::string comment;
  std::vector<EnumValue> values;
};

struct Extendee {
  const Message* message = nullptr;
  std::vector<Field> fields;
};

// All vectors are in the order in which they are printed.
struct Plan {
  std::vector<std::unique_ptr<File>> files;
  std::vector<std::unique_ptr<Message>> messages;
  std::vector<std::unique_ptr<Enum>> enums;
  std::vector<Extendee> extensions;  // of the requested files only
};

// Why a schema cannot be used, and the fix.
struct SchemaError {
  std::string file;
  std::string element;  // the full name, empty for the file itself
  int line = 0;         // 0 if it is not known
  std::string problem;
  std::string fix;

  // The format of PLN-31: "InvalidSchema: a.proto:7: pkg.M.f: its type ".pkg.Gone" is not in the set; create ..."
  std::string to_string() const;
};

// Builds the plan of `files`, which covers the `requested` ones (all if empty), in the order of `files`. Returns false
// with the error.
bool build_plan(const Files& files, const std::vector<std::string_view>& requested, Plan& plan,
                SchemaError& error);

// Canonical JSON, as `--emit_plan` writes it.
std::string print_plan(const Plan& plan);

// Properties of fields for the printed plan and the emitters.
std::string_view type_name(FieldType type);
wire::WireType wire_type(const Field& field);       // of one element that is not packed
std::string tag_bytes(const Field& field, bool message_set_item);  // the encoded tag in hex
std::string_view size_class(const Field& field);
bool is_map(const Field& field);

// Computes the recursion groups, sizes and storage of all messages (analysis.cc).
void analyse(Plan& plan);
// Chooses the tiers of all messages (tier.cc).
void choose_tiers(Plan& plan);

// Writes the canonical text of a default (defaults.cc). Returns false if `text` is not a value of the field's type.
bool canonical_default(const Field& field, std::string_view text, std::string& canonical);

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_PLAN_H_
