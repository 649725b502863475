#include "testee.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "conformance/conformance.hot.h"
#include "hotpb/wire/write.h"

namespace hotpb_conformance {
namespace {

using conformance::hot::ConformanceRequestView;
using conformance::hot::FailureSetView;
using conformance::hot::WireFormat;

// The largest length of a request.
constexpr std::uint32_t kMaxRequest = 256u << 20;

// The members of ConformanceResponse.result.
constexpr std::uint32_t kParseError = 1;
constexpr std::uint32_t kRuntimeError = 2;
constexpr std::uint32_t kProtobufPayload = 3;
constexpr std::uint32_t kSkipped = 5;
constexpr std::uint32_t kSerializeError = 6;

std::string respond(std::uint32_t number, std::string_view payload) {
  std::string response;
  hotpb::wire::append_tag(response, number, hotpb::wire::WireType::Len);
  hotpb::wire::append_len(response, payload);
  return response;
}

// The runner's first request: which tests are expected to fail. The request is a message too, so the testee reads it.
// No test is expected to fail.
std::string answer_failure_set(hotpb::Bytes payload) {
  FailureSetView set;
  hotpb::Error error = set.decode(payload);
  if (error.ok()) error = set.validate();
  if (!error.ok()) return respond(kRuntimeError, "FailureSet: " + hotpb::to_string(error));
  return respond(kProtobufPayload, "");
}

std::string answer(hotpb::Bytes bytes, Fault fault, Reencode reencode) {
  ConformanceRequestView request;
  const hotpb::Error unreadable = request.decode(bytes);
  if (!unreadable.ok()) return respond(kRuntimeError, "request: " + hotpb::to_string(unreadable));
  if (request.message_type() == "conformance.FailureSet") return answer_failure_set(request.protobuf_payload());
  if (!request.has_protobuf_payload()) return respond(kSkipped, "only binary input is read");
  if (request.requested_output_format() != WireFormat::PROTOBUF) {
    return respond(kSkipped, "only binary output is written");
  }
  hotpb::Bytes input = request.protobuf_payload();
  std::string damaged;
  if (fault == Fault::SkipMerge) {
    damaged = without_repetitions(input);
    input = std::string_view(damaged);
  }
  std::string output;
  switch (reencode(request.message_type(), input, fault, output)) {
    case Outcome::Payload: return respond(kProtobufPayload, output);
    case Outcome::ParseError: return respond(kParseError, output);
    case Outcome::SerializeError: return respond(kSerializeError, output);
    case Outcome::UnknownType: break;
  }
  return respond(kRuntimeError, "the message type " + std::string(request.message_type()) + " is not linked in");
}

bool read_exactly(void* into, std::size_t size) { return std::fread(into, 1, size, stdin) == size; }

}  // namespace

void drop_unknown(std::string& output, const std::string& unknown) {
  output.resize(output.size() - (unknown.size() < output.size() ? unknown.size() : output.size()));
}

int run_testee(const char* program, Reencode reencode) {
  Fault fault;
  const char* const name = std::getenv("HOTPB_TESTEE_FAULT");
  if (!read_fault(name, fault)) {
    std::fprintf(stderr, "%s: HOTPB_TESTEE_FAULT=%s: skip-merge and drop-unknown are known\n", program, name);
    return 1;
  }
  std::string request;
  for (;;) {
    std::uint32_t size;
    if (!read_exactly(&size, sizeof size)) return std::feof(stdin) ? 0 : 1;
    if (size > kMaxRequest) {
      std::fprintf(stderr, "%s: a request of %u bytes\n", program, size);
      return 1;
    }
    request.resize(size);
    if (!read_exactly(&request[0], size)) return 1;
    const std::string response = answer(std::string_view(request), fault, reencode);
    size = static_cast<std::uint32_t>(response.size());
    std::fwrite(&size, sizeof size, 1, stdout);
    std::fwrite(response.data(), 1, response.size(), stdout);
    if (std::fflush(stdout) != 0) return 1;
  }
}

}  // namespace hotpb_conformance
