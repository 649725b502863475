// libprotobuf as the oracle of the writer: random libprotobuf messages, copied through hotpb's writers (bridge.py).
#ifndef HOTPB_TESTS_WRITER_BRIDGE_H_
#define HOTPB_TESTS_WRITER_BRIDGE_H_

#include <string>
#include <string_view>

#include <google/protobuf/message.h>

#include "hotpb/vectors.hot.h"
#include "hotpb/vectors.pb.h"
#include "hotpb/vectors_proto2.hot.h"
#include "hotpb/vectors_proto2.pb.h"
#include "support/support.h"

namespace hotpb_test {

// Chooses one of `count` ways to write the same. Tests set it, so that two runs can choose the same ways.
Random& ways();

// write(message, writer) for each message.
#include "bridge_declarations.inc"

// Fills a message with about `fields` random fields and extensions, and with nested messages up to the given depth.
void fill(google::protobuf::Message& message, Random& random, std::size_t fields, int depth);

// Whether two messages are equal, with NaN bit patterns and unknown fields; `difference` describes the difference.
bool same_message(const google::protobuf::Message& a, const google::protobuf::Message& b, std::string& difference);

}  // namespace hotpb_test

#endif  // HOTPB_TESTS_WRITER_BRIDGE_H_
