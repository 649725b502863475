// libprotobuf as the oracle of the writer: random messages of its own, copied through our writers (bridge.py).
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

// Which of `count` ways of writing the same is taken: set from outside, so that two runs can take the same ones.
Random& ways();

// write(message, writer) for each message.
#include "bridge_declarations.inc"

// Fills a message with about `fields` random fields, extensions too; messages inside to the depth given.
void fill(google::protobuf::Message& message, Random& random, std::size_t fields, int depth);

// Whether two messages are equal, NaN bit patterns and unknown fields included; `difference` says what is not.
bool same_message(const google::protobuf::Message& a, const google::protobuf::Message& b, std::string& difference);

}  // namespace hotpb_test

#endif  // HOTPB_TESTS_WRITER_BRIDGE_H_
