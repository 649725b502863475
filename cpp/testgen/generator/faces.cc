// Adds the faces of this folder to those of every program that links it.
#include <algorithm>

#include "emit_test.h"

namespace hotpb {
namespace plugin {
namespace {

[[maybe_unused]] const bool added = [] {
  add_face({"reencode", "view", "hotpb_test/reencode.h", "", true, true, true, emit_reencode});
  add_face({"reencodepool", "pool", "hotpb_test/reencode_pool.h", "", true, true, false, emit_reencode_pool});
  add_face({"owned", "pool+builder+visitor", "hotpb_test/owned.h", "", true, true, true, emit_owned, true});
  add_face({"rewrite", "writer+view", "hotpb_test/rewrite.h", "", true, false, true, emit_rewrite});
  return true;
}();

}  // namespace

std::vector<const Field*> declared_extensions(const FileContext& context, const Message& message) {
  std::vector<const Field*> extensions;
  for (const ExtensionOf& extension : context.extensions) {
    if (extension.extendee == &message) extensions.push_back(extension.field);
  }
  return extensions;
}

std::vector<const Field*> sorted_fields(const std::vector<const Field*>& extensions, const FileContext& context,
                                        const Message& message) {
  std::vector<const Field*> fields = extensions;
  for (const Field* field : context.selection.fields(message)) fields.push_back(field);
  std::sort(fields.begin(), fields.end(), [](const Field* a, const Field* b) {
    return static_cast<std::uint32_t>(a->number) < static_cast<std::uint32_t>(b->number);
  });
  return fields;
}

}  // namespace plugin
}  // namespace hotpb
