// The generator's input, as a descriptor set and as a plugin's request. The result is a plan and headers, or an error,
// and never a crash.
#include "fuzz.h"
#include "generate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const hotpb::Bytes input(data, size);
  std::string json;
  std::string error;
  const bool good = hotpb::plugin::plan_of_set(input, {}, json, error);
  FUZZ_REQUIRE(good ? !json.empty() && json.back() == '\n' : !error.empty());
  if (good) {  // the name of a file may still be one that no header can have
    std::vector<hotpb::plugin::GeneratedFile> headers;
    const bool made = hotpb::plugin::headers_of_set(input, {}, "faces=writer+view+reencode", headers, error);
    FUZZ_REQUIRE(made ? !headers.empty() : error.find("InvalidSchema") != std::string::npos);
  }
  FUZZ_REQUIRE(!hotpb::plugin::answer(input).empty());
  return 0;
}
