// The pool on any bytes, as a message of the vectors' schemas that the first byte chooses: no crash; the quick decoder,
// straight and by table, and check() agree on what is good and on the error; a pool reads what a view reads; what is
// encoded is read again the same; and memory that does not suffice is an error, too.
#include "fuzz.h"
#include "hotpb/check.h"
#include "hotpb_test/reencode.h"
#include "hotpb_test/reencode_pool.h"
#include "lists.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const char* const kMessages[] = {
      "hotpb.vectors.p2.All", "hotpb.vectors.p3.All", "hotpb.vectors.e23.All", "hotpb.vectors.e24.All",
      "hotpb.vectors.p2.Needs", "hotpb.vectors.p2.Numbers", "hotpb.vectors.p2.Child",
      "hotpb.vectors.p2.MessageSet", "hotpb.raft.Message"};
  constexpr std::size_t kCount = sizeof kMessages / sizeof kMessages[0];
  const char* const name = kMessages[data[0] % kCount];
  const hotpb::pool::Reencoder* const message = hotpb_test::find<hotpb::pool::Reencoder>(name);
  const hotpb::view::Reencoder* const view = hotpb_test::find<hotpb::view::Reencoder>(name);
  FUZZ_REQUIRE(message != nullptr && view != nullptr);
  hotpb::DecodeOptions options;
  options.strict = data[0] / kCount % 2 != 0;
  options.allow_partial = true;
  const hotpb::Bytes input(data + 1, size - 1);

  hotpb::DecodeOptions little = options;
  little.memory = 1 + data[0] * 16u;
  std::string ignored;
  const hotpb::Error exhausted = message->reencode(input, little, ignored);
  FUZZ_REQUIRE(exhausted.ok() || exhausted.offset <= input.size());

  std::string output;
  const hotpb::Error error = message->reencode(input, options, output);
  const hotpb::Error wanted = hotpb::check(*message->table, input, options.reading());
  if (!wanted.ok()) {
    FUZZ_REQUIRE(error == wanted);
    return 0;
  }
  if (error.code == hotpb::Code::CountExceeded) return 0;  // a message of megabytes
  std::string of_view;
  const hotpb::Error view_error = view->reencode(input, options.reading(), true, of_view);
  // A view opens its extensions with its own options, the pool's re-encoder with the usual ones: not strict, and not
  // partial.
  const bool by_options = options.strict || error.code == hotpb::Code::MissingRequired;
  if (view_error.code != error.code && by_options) return 0;
  FUZZ_REQUIRE(view_error.code == error.code);  // of an extension that was asked for
  if (!error.ok()) return 0;
  FUZZ_REQUIRE(output == of_view);

  hotpb::EncodeOptions encoding;
  encoding.allow_partial = true;
  encoding.deterministic = data[0] % 3 == 0;
  std::string encoded;
  std::string second;
  FUZZ_REQUIRE(message->encode(input, options, encoding, encoded).ok());
  FUZZ_REQUIRE(message->reencode(std::string_view(encoded), options, second).ok());
  FUZZ_REQUIRE(second == output);

  options.allow_partial = false;
  const hotpb::Error incomplete = message->reencode(input, options, ignored);
  const hotpb::Error of_view_too = view->reencode(input, options.reading(), false, ignored);
  FUZZ_REQUIRE(incomplete.code == of_view_too.code);
  if (incomplete.code == hotpb::Code::MissingRequired) FUZZ_REQUIRE(incomplete.path == of_view_too.path);
  return 0;
}
