// cpp-view: lets the official conformance runner test the view face. It reads requests from standard input and writes
// responses to standard output, each behind its length as four bytes, little-endian.
//
// Binary input and output only; everything else is answered with "skipped". Requests are read with our own view and
// responses written with hotpb/write.h, so that no stock runtime is linked.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "conformance/conformance.hot.h"
#include "fault.h"
#include "hotpb/view_reencode.h"
#include "hotpb/write.h"
#include "reencoders.h"

namespace hotpb_test {
// list.cc, once for each schema of the suite.
ReencoderList list_proto2();
ReencoderList list_proto3();
ReencoderList list_proto2_editions();
ReencoderList list_proto3_editions();
ReencoderList list_edition2023();
}  // namespace hotpb_test

namespace hotpb_conformance {
namespace {

using conformance::hot::ConformanceRequestView;
using conformance::hot::FailureSetView;
using conformance::hot::WireFormat;

// What a length in front of a request may ask for.
constexpr std::uint32_t kMaxRequest = 256u << 20;

// The members of ConformanceResponse.result.
constexpr std::uint32_t kParseError = 1;
constexpr std::uint32_t kRuntimeError = 2;
constexpr std::uint32_t kProtobufPayload = 3;
constexpr std::uint32_t kSkipped = 5;

std::string respond(std::uint32_t number, std::string_view payload) {
  std::string response;
  hotpb::wire::append_tag(response, number, hotpb::wire::WireType::Len);
  hotpb::wire::append_len(response, payload);
  return response;
}

const hotpb::view::Reencoder* find(std::string_view message) {
  for (hotpb_test::ReencoderList (*list)() : {hotpb_test::list_proto2, hotpb_test::list_proto3,
                                              hotpb_test::list_proto2_editions, hotpb_test::list_proto3_editions,
                                              hotpb_test::list_edition2023}) {
    const hotpb_test::ReencoderList here = list();
    for (std::size_t i = 0; i < here.count; ++i) {
      if (here.items[i].message == message) return &here.items[i];
    }
  }
  return nullptr;
}

// The runner's first request: which tests are expected to fail. What was sent is read, as that is a message too, and
// none is expected.
std::string answer_failure_set(hotpb::Bytes payload) {
  FailureSetView set;
  hotpb::Error error = set.decode(payload);
  if (error.ok()) error = set.validate();
  if (!error.ok()) return respond(kRuntimeError, "FailureSet: " + hotpb::to_string(error));
  return respond(kProtobufPayload, "");
}

std::string answer(hotpb::Bytes bytes, Fault fault) {
  ConformanceRequestView request;
  const hotpb::Error unreadable = request.decode(bytes);
  if (!unreadable.ok()) return respond(kRuntimeError, "request: " + hotpb::to_string(unreadable));
  if (request.message_type() == "conformance.FailureSet") return answer_failure_set(request.protobuf_payload());
  if (!request.has_protobuf_payload()) return respond(kSkipped, "only binary input is read");
  if (request.requested_output_format() != WireFormat::PROTOBUF) {
    return respond(kSkipped, "only binary output is written");
  }
  const hotpb::view::Reencoder* const message = find(request.message_type());
  if (message == nullptr) {
    return respond(kRuntimeError, "the message type " + std::string(request.message_type()) + " is not linked in");
  }
  hotpb::Bytes input = request.protobuf_payload();
  std::string damaged;
  if (fault == Fault::SkipMerge) {
    damaged = without_repetitions(input);
    input = std::string_view(damaged);
  }
  std::string output;
  const hotpb::Error error = message->reencode(input, {}, false, output);
  if (!error.ok()) return respond(kParseError, hotpb::to_string(error));
  if (fault == Fault::DropUnknown) {
    std::string unknown;  // they stand at the end
    const hotpb::Error ignored = message->unknown_fields(input, unknown);
    static_cast<void>(ignored);
    output.resize(output.size() - (unknown.size() < output.size() ? unknown.size() : output.size()));
  }
  return respond(kProtobufPayload, output);
}

bool read_exactly(void* into, std::size_t size) { return std::fread(into, 1, size, stdin) == size; }

int run() {
  Fault fault;
  const char* const name = std::getenv("HOTPB_TESTEE_FAULT");
  if (!read_fault(name, fault)) {
    std::fprintf(stderr, "cpp-view: HOTPB_TESTEE_FAULT=%s: skip-merge and drop-unknown are known\n", name);
    return 1;
  }
  std::string request;
  for (;;) {
    std::uint32_t size;
    if (!read_exactly(&size, sizeof size)) return std::feof(stdin) ? 0 : 1;
    if (size > kMaxRequest) {
      std::fprintf(stderr, "cpp-view: a request of %u bytes\n", size);
      return 1;
    }
    request.resize(size);
    if (!read_exactly(&request[0], size)) return 1;
    const std::string response = answer(std::string_view(request), fault);
    size = static_cast<std::uint32_t>(response.size());
    std::fwrite(&size, sizeof size, 1, stdout);
    std::fwrite(response.data(), 1, response.size(), stdout);
    if (std::fflush(stdout) != 0) return 1;
  }
}

}  // namespace
}  // namespace hotpb_conformance

int main() { return hotpb_conformance::run(); }
