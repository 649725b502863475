// FooWriter: the typed setters of a message (spec/faces.md, writer).
#include "emit.h"

namespace hotpb {
namespace plugin {

void emit_writer(const FileContext&, Code&) {}

}  // namespace plugin
}  // namespace hotpb
