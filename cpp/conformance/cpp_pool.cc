// cpp-pool: lets the official conformance runner test the pool face.
#include <string>
#include <string_view>

#include "hotpb_test/reencode_pool.h"
#include "lists.h"
#include "testee.h"

namespace hotpb_conformance {
namespace {

Outcome reencode(std::string_view message_type, hotpb::Bytes input, Fault fault, std::string& output) {
  const hotpb::pool::Reencoder* const message = hotpb_test::find<hotpb::pool::Reencoder>(message_type);
  if (message == nullptr) return Outcome::UnknownType;
  const hotpb::Error error = message->reencode(input, {}, output);
  if (!error.ok()) {
    output = hotpb::to_string(error);
    return Outcome::ParseError;
  }
  if (fault == Fault::DropUnknown) {
    std::string unknown;
    if (message->unknown_fields(input, unknown).ok()) drop_unknown(output, unknown);
  }
  return Outcome::Payload;
}

}  // namespace
}  // namespace hotpb_conformance

int main() { return hotpb_conformance::run_testee("cpp-pool", hotpb_conformance::reencode); }
