// The faces for tests: functions that write the values of a view or of a pooled message, as canonical bytes and with
// the generated writers, and visitors that fill builders.
#ifndef HOTPB_TESTGEN_GENERATOR_EMIT_TEST_H_
#define HOTPB_TESTGEN_GENERATOR_EMIT_TEST_H_

#include <vector>

#include "emit.h"

namespace hotpb {
namespace plugin {

// The extensions of a message that are declared in the same file. They are read as its fields are; all others stay
// unknown fields.
std::vector<const Field*> declared_extensions(const FileContext& context, const Message& message);
// The message's fields and these extensions, by number.
std::vector<const Field*> sorted_fields(const std::vector<const Field*>& extensions, const FileContext& context,
                                        const Message& message);

void emit_reencode(const FileContext& context, const Output& out);
void emit_reencode_pool(const FileContext& context, const Output& out);
void emit_owned(const FileContext& context, const Output& out);
void emit_rewrite(const FileContext& context, const Output& out);

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_TESTGEN_GENERATOR_EMIT_TEST_H_
