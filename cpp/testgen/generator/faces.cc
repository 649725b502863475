// Adds the faces of this folder to those of every program that links it.
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
}  // namespace plugin
}  // namespace hotpb
