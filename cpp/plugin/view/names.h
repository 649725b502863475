// The names of the view face: classes, accessors, types (hotpb/view.h).
#ifndef HOTPB_PLUGIN_VIEW_NAMES_H_
#define HOTPB_PLUGIN_VIEW_NAMES_H_

#include <string>

#include "code.h"
#include "emit.h"
#include "names.h"
#include "plan.h"
#include "read/fields.h"

namespace hotpb {
namespace plugin {

// The names for the view face, and for the re-encoder, which calls its accessors.
class ViewNames {
 public:
  explicit ViewNames(const FileContext& context) : context_(context) {}

  std::string view(const Message& message) const { return context_.names.type_in(message, "View", context_.file); }
  std::string extension(const Field& extension) const;
  Accessors accessors(const Message& message) const;

  // The type of one element, or of a map's key or value, such as "hotpb::view::Sint32".
  std::string kind(const Field& field) const;
  // The same for a value that the scan has checked: a closed enum is read like an open one.
  std::string open_kind(const Field& field) const;
  // The C++ type of one element; for a message, the type before it is opened.
  std::string type(const Field& field) const;
  // The value that the accessor of an absent field returns.
  std::string fallback(const Field& field) const;
  // The function that returns whether a number is a value of a closed enum.
  std::string closed(const Enum& enumeration) const;

  bool verify(const Field& field) const {
    return field.type == FieldType::String && (field.verify_utf8 || context_.options.strict);
  }
  const FileContext& context() const { return context_; }

 private:
  const FileContext& context_;
};

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_VIEW_NAMES_H_
