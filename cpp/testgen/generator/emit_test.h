// The faces for tests: functions that write the values of a view or of a pooled message, as canonical bytes and with
// the generated writers, and visitors that fill builders.
#ifndef HOTPB_TESTGEN_GENERATOR_EMIT_TEST_H_
#define HOTPB_TESTGEN_GENERATOR_EMIT_TEST_H_

#include "emit.h"

namespace hotpb {
namespace plugin {

void emit_reencode(const FileContext& context, const Output& out);
void emit_reencode_pool(const FileContext& context, const Output& out);
void emit_owned(const FileContext& context, const Output& out);
void emit_rewrite(const FileContext& context, const Output& out);

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_TESTGEN_GENERATOR_EMIT_TEST_H_
