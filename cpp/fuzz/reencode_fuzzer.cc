// The view and its re-encoder on any bytes, as a message of the vectors' schemas that the first byte chooses. Nothing
// crashes. The fast readers and check() agree on which inputs are valid, and on the error. A valid message, re-encoded
// twice, is the same both times.
#include "fuzz.h"
#include "hotpb/check.h"
#include "hotpb_test/reencode.h"
#include "lists.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const char* const kMessages[] = {
      "hotpb.vectors.p2.All", "hotpb.vectors.p3.All", "hotpb.vectors.e23.All", "hotpb.vectors.e24.All",
      "hotpb.vectors.p2.Needs", "hotpb.vectors.p2.Numbers", "hotpb.vectors.p2.Child",
      "hotpb.vectors.p2.MessageSet", "hotpb.raft.Message"};
  constexpr std::size_t kCount = sizeof kMessages / sizeof kMessages[0];
  const hotpb::view::Reencoder* const message = hotpb_test::find<hotpb::view::Reencoder>(kMessages[data[0] % kCount]);
  FUZZ_REQUIRE(message != nullptr);
  hotpb::ReadOptions options;
  options.strict = data[0] / kCount % 2 != 0;
  const hotpb::Bytes input(data + 1, size - 1);
  std::string output;
  const hotpb::Error error = message->reencode(input, options, true, output);
  const hotpb::Error wanted = hotpb::check(*message->table, input, options);
  if (!wanted.ok()) {
    FUZZ_REQUIRE(error == wanted);
    return 0;
  }
  std::string ignored;
  const hotpb::Error incomplete = message->reencode(input, options, false, ignored);
  FUZZ_REQUIRE(incomplete.ok() || incomplete.offset <= input.size());
  if (!error.ok()) return 0;  // an extension that was opened
  std::string second;
  FUZZ_REQUIRE(message->reencode(std::string_view(output), options, true, second).ok());
  FUZZ_REQUIRE(second == output);
  return 0;
}
