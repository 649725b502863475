// Builders and visitors on any bytes, as a message of the vectors' schemas that the first byte chooses: a visit has the
// error of the decode, whatever the visitor looks at; and a builder with a copy of the message, and one that a visitor
// fills, write what the message in the pool writes.
#include "fuzz.h"
#include "hotpb_test/owned.h"
#include "hotpb_test/reencode_pool.h"
#include "lists.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // The list and the choices of pool_fuzzer.cc, whose seeds these are.
  static const char* const kMessages[] = {
      "hotpb.vectors.p2.All", "hotpb.vectors.p3.All", "hotpb.vectors.e23.All", "hotpb.vectors.e24.All",
      "hotpb.vectors.p2.Needs", "hotpb.vectors.p2.Numbers", "hotpb.vectors.p2.Child",
      "hotpb.vectors.p2.MessageSet", "hotpb.raft.Message"};
  constexpr std::size_t kCount = sizeof kMessages / sizeof kMessages[0];
  const char* const name = kMessages[data[0] % kCount];
  const hotpb::pool::Reencoder* const message = hotpb_test::find<hotpb::pool::Reencoder>(name);
  const hotpb::pool::Owned* const owned = hotpb_test::find<hotpb::pool::Owned>(name);
  FUZZ_REQUIRE(message != nullptr && owned != nullptr);
  hotpb::DecodeOptions options;
  options.strict = data[0] / kCount % 2 != 0;
  options.allow_partial = true;
  hotpb::EncodeOptions encoding;
  encoding.deterministic = true;
  encoding.allow_partial = true;
  const hotpb::Bytes input(data + 1, size - 1);

  std::string of_pool;
  const hotpb::Error error = message->encode(input, options, encoding, of_pool);
  const hotpb::Error seen = owned->look(input, options);
  if (error.code == hotpb::Code::CountExceeded) return 0;  // of memory, which a visit does not need
  FUZZ_REQUIRE(seen == error);
  std::string of_builder;
  std::string of_visitor;
  FUZZ_REQUIRE(owned->build(input, options, encoding, of_builder) == error);
  FUZZ_REQUIRE(owned->fill(input, options, encoding, of_visitor) == error);
  FUZZ_REQUIRE(of_builder == of_pool);
  FUZZ_REQUIRE(of_visitor == of_pool);
  return 0;
}
