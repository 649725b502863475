// Names of the pool face: classes, accessors, stored fields (hotpb/pool.h).
#ifndef HOTPB_PLUGIN_POOL_NAMES_H_
#define HOTPB_PLUGIN_POOL_NAMES_H_

#include <map>
#include <string>
#include <vector>

#include "code.h"
#include "emit.h"
#include "names.h"
#include "plan.h"
#include "read/tables.h"
#include "view/names.h"

namespace hotpb {
namespace plugin {

class PoolNames {
 public:
  explicit PoolNames(const FileContext& context) : context_(context), view_(context) {}

  std::string message(const Message& message) const { return context_.names.type(message, ""); }
  // From the root: accessors may be called what a type is called.
  std::string qualified(const Message& message) const { return context_.names.qualified(message, ""); }
  std::string pool(const Message& message) const { return context_.names.type(message, "Pool"); }
  std::string visitor(const Message& message) const { return context_.names.type(message, "Visitor"); }
  // The setters of a message, and the message that a program builds.
  std::string edit(const Message& message) const { return context_.names.type(message, "Edit"); }
  std::string builder(const Message& message) const { return context_.names.type(message, "Builder"); }
  std::string edit_from_root(const Message& message) const { return context_.names.qualified(message, "Edit"); }
  std::string extension_edit(const Field& extension) const { return context_.names.extension_class(extension, "Edit"); }
  std::string extension_builder(const Field& extension) const {
    return context_.names.extension_class(extension, "Builder");
  }
  // The message that has only the extension, and its pool.
  std::string extension(const Field& extension) const { return context_.names.extension_class(extension, "Extension"); }
  std::string extension_pool(const Field& extension) const { return context_.names.extension_class(extension, "Pool"); }

  Accessors accessors(const Message& message) const;

  // The C++ type of one element, a map's key or value; of a message the message.
  std::string type(const Field& field) const;
  // The content of a map's entry: the type, or that of a closed enum with its default.
  std::string stored(const Field& field) const;
  std::string entry(const Field& map) const;
  std::string fallback(const Field& field) const { return view_.fallback(field); }
  // Does an absent field return another value than zero?
  bool has_fallback(const Field& field) const;
  std::string closed(const Enum& enumeration) const;
  bool verify(const Field& field) const { return view_.verify(field); }
  const FileContext& context() const { return context_; }

 private:
  const FileContext& context_;
  const ViewNames view_;
};

// The class that is being written: of a message, or of an extension.
struct PoolClass : ReadClass {
  std::vector<std::string> oneof_members;      // where they are stored
  std::map<const Field*, std::uint32_t> bits;  // presence bits of numbers
  bool encodes_straight = true;
  bool encodes = true;

  // Where a field is stored, in `Stored_`.
  std::string stored(const Field& field) const;
  std::string choice(const Field& field) const { return oneof_members[static_cast<std::size_t>(field.oneof)]; }
  std::string size(const Field& field) const;
};

bool is_number(const Field& field);
// Bytes of a number as it is stored.
unsigned number_width(const Field& field);

// Does the message have quick_(), room_() and write_(), and the definitions.
bool is_quick_message(const PoolNames& names, const Message& message);
void emit_pool_quick(const PoolNames& names, const PoolClass& message, Code& code);
void emit_pool_quick_encoder(const PoolNames& names, const PoolClass& message, Code& code);
// The definitions of decode_() and encode_().
void emit_pool_decoder(const PoolNames& names, const PoolClass& message, Code& code);
void emit_pool_encoder(const PoolNames& names, const PoolClass& message, Code& code);

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_POOL_NAMES_H_
