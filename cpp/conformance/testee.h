// The part that all C++ testees share. They read requests from standard input and write responses to standard output,
// each after its length as four bytes, little-endian. They accept binary input and output only; the response to every
// other request is "skipped". hotpb's view reads the requests, and hotpb/wire/write.h writes the responses, so that no
// stock runtime is linked.
#ifndef HOTPB_CONFORMANCE_TESTEE_H_
#define HOTPB_CONFORMANCE_TESTEE_H_

#include <string>
#include <string_view>

#include "fault.h"
#include "hotpb/wire.h"

namespace hotpb_conformance {

enum class Outcome { Payload, ParseError, SerializeError, UnknownType };

// Decodes `input` as a `message_type`, and encodes it again. If that fails, `output` is the error's text. The function
// itself applies the fault DropUnknown; for SkipMerge, the input is already damaged.
using Reencode = Outcome (*)(std::string_view message_type, hotpb::Bytes input, Fault fault, std::string& output);

// Removes as many bytes as the unknown fields have from the end, where they are.
void drop_unknown(std::string& output, const std::string& unknown);

// main().
int run_testee(const char* program, Reencode reencode);

}  // namespace hotpb_conformance

#endif  // HOTPB_CONFORMANCE_TESTEE_H_
