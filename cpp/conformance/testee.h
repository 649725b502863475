// What all C++ testees have in common: they read requests from standard input and write responses to standard output,
// each behind its length as four bytes, little-endian. Binary input and output only; everything else is answered with
// "skipped". Requests are read with our own view and responses written with hotpb/wire/write.h, so that no stock
// runtime is linked.
#ifndef HOTPB_CONFORMANCE_TESTEE_H_
#define HOTPB_CONFORMANCE_TESTEE_H_

#include <string>
#include <string_view>

#include "fault.h"
#include "hotpb/wire.h"

namespace hotpb_conformance {

enum class Outcome { Payload, ParseError, SerializeError, UnknownType };

// Decodes `input` as a `message_type` and encodes it again; with an error `output` is its text. Of the faults
// DropUnknown is the function's business; the input of SkipMerge is damaged already.
using Reencode = Outcome (*)(std::string_view message_type, hotpb::Bytes input, Fault fault, std::string& output);

// Without the last bytes, as many as the unknown fields have: they stand at the end.
void drop_unknown(std::string& output, const std::string& unknown);

// main().
int run_testee(const char* program, Reencode reencode);

}  // namespace hotpb_conformance

#endif  // HOTPB_CONFORMANCE_TESTEE_H_
