// cpp-pool: lets the official conformance runner test the pool face.
#include <string>
#include <string_view>

#include "pool_reencoders.h"
#include "testee.h"

namespace hotpb_test {
inline namespace HOTPB_ABI {
// pool_list.cc, once for each schema of the suite.
PoolReencoderList pool_list_proto2();
PoolReencoderList pool_list_proto3();
PoolReencoderList pool_list_proto2_editions();
PoolReencoderList pool_list_proto3_editions();
PoolReencoderList pool_list_edition2023();
}  // inline namespace HOTPB_ABI
}  // namespace hotpb_test

namespace hotpb_conformance {
namespace {

const hotpb::pool::Reencoder* find(std::string_view message) {
  for (hotpb_test::PoolReencoderList (*list)() :
       {hotpb_test::pool_list_proto2, hotpb_test::pool_list_proto3, hotpb_test::pool_list_proto2_editions,
        hotpb_test::pool_list_proto3_editions, hotpb_test::pool_list_edition2023}) {
    const hotpb_test::PoolReencoderList here = list();
    for (std::size_t i = 0; i < here.count; ++i) {
      if (here.items[i].message == message) return &here.items[i];
    }
  }
  return nullptr;
}

Outcome reencode(std::string_view message_type, hotpb::Bytes input, Fault fault, std::string& output) {
  const hotpb::pool::Reencoder* const message = find(message_type);
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
