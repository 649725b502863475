// cpp-writer: lets the official conformance runner test the writer face. It reads each message with its view, field by
// field, and writes it with its generated writer, through chunks of random sizes that leave at once, with the lengths
// of each policy in turn. Some tests compare bytes and need minimal lengths. So it reads the output once more and
// writes it with the policy `minimal`: that is the response, which shows a mistake in either step.
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "collector.h"
#include "hotpb_test/rewrite.h"
#include "lists.h"
#include "testee.h"

namespace hotpb_conformance {
namespace {

struct Written {
  hotpb::Error read;
  hotpb::WriteStatus status;
  bool sound = true;

  bool good(const std::string& output) const { return status.ok() && status.valid_len == output.size() && sound; }
};

// `minimal` needs chunks that stay; the other policies use a source whose chunks leave.
Written write(const hotpb::rewrite::Rewriter& message, hotpb::Bytes input, hotpb::LengthPolicy policy,
              std::minstd_rand& random, std::string& output) {
  Written result;
  hotpb::rewrite::Ways ways(random());
  if (policy == hotpb::LengthPolicy::minimal) {
    hotpb::HeapOptions options;
    options.policy = policy;
    options.first_chunk = options.largest_chunk = 64 + random() % 4033;
    hotpb::HeapBuffer out(options);
    result.read = message.rewrite(input, {}, false, out, ways, result.status);
    result.sound = out.append_to(output).ok() || !result.read.ok();
    return result;
  }
  hotpb_test::Collector chunks([&](std::size_t) { return 64 + random() % 4033; });
  {
    hotpb::WriteStream out(chunks, policy == hotpb::LengthPolicy::fixed4 ? hotpb::StreamPolicy::fixed4
                                                                         : hotpb::StreamPolicy::compact);
    result.read = message.rewrite(input, {}, false, out, ways, result.status);
  }
  result.sound = !result.read.ok() || chunks.sound();
  output = chunks.joined();
  return result;
}

Outcome reencode(std::string_view message_type, hotpb::Bytes input, Fault fault, std::string& output) {
  static std::minstd_rand random(1);
  static unsigned turn = 0;
  constexpr hotpb::LengthPolicy kPolicies[] = {hotpb::LengthPolicy::compact, hotpb::LengthPolicy::fixed4,
                                               hotpb::LengthPolicy::minimal};
  const hotpb::rewrite::Rewriter* const message = hotpb_test::find<hotpb::rewrite::Rewriter>(message_type);
  if (message == nullptr) return Outcome::UnknownType;
  std::string scattered;
  const Written written = write(*message, input, kPolicies[turn++ % 3], random, scattered);
  if (!written.read.ok()) {
    output = hotpb::to_string(written.read);
    return Outcome::ParseError;
  }
  const Written contiguous = write(*message, std::string_view(scattered), hotpb::LengthPolicy::minimal, random, output);
  if (!written.good(scattered) || !contiguous.read.ok() || !contiguous.good(output)) {
    output = "the writer: " + std::string(hotpb::code_name(written.status.code)) + ", " +
             hotpb::to_string(contiguous.read);
    return Outcome::SerializeError;
  }
  if (fault == Fault::DropUnknown) {
    std::string unknown;
    if (message->unknown_fields(input, unknown).ok()) drop_unknown(output, unknown);
  }
  return Outcome::Payload;
}

}  // namespace
}  // namespace hotpb_conformance

int main() { return hotpb_conformance::run_testee("cpp-writer", hotpb_conformance::reencode); }
