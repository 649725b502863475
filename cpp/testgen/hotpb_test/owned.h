// Builders and visitors of messages of any type, for tests: they come with the face +owned of hotpb-cpp-testgen.
#ifndef HOTPB_TESTGEN_HOTPB_TEST_OWNED_H_
#define HOTPB_TESTGEN_HOTPB_TEST_OWNED_H_

#include <string>
#include <utility>

#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/pool.h"
#include "hotpb/pool/builder.h"
#include "hotpb/pool/visit.h"
#include "hotpb/wire.h"

HOTPB_NAMESPACE_BEGIN
namespace pool {

// A test's description of a message type; each generated file has a list of them.
struct Owned {
  const char* message;  // full name
  // Decodes into a pool, copies the message into a builder, and encodes that.
  Error (*build)(Bytes input, const DecodeOptions& options, const EncodeOptions& encoding, std::string& output);
  // Visits with a visitor that fills a builder, and encodes that.
  Error (*fill)(Bytes input, const DecodeOptions& options, const EncodeOptions& encoding, std::string& output);
  // Visits with a visitor that looks at nothing.
  Error (*look)(Bytes input, const DecodeOptions& options);
};

namespace owned {

template <class B>
Error encode(const B& builder, const EncodeOptions& encoding, std::string& output) {
  EncodeBuffer buffer;
  Error error = builder.encode(buffer, encoding);
  if (error.ok()) output = buffer.bytes().text();
  return error;
}

template <class B, class Filler, class Visitor>
Error build(Bytes input, const DecodeOptions& options, const EncodeOptions& encoding, std::string& output) {
  B first;
  Error error = first.decode(input, options);
  if (!error.ok()) return error;
  B second(first.message());  // no order or block of the first is in it
  B moved(std::move(second));
  return encode(moved, encoding, output);
}

template <class B, class Filler, class Visitor>
Error fill(Bytes input, const DecodeOptions& options, const EncodeOptions& encoding, std::string& output) {
  B builder;
  Visited visited = visit<typename B::M>(input, Filler(builder), options);
  if (visited.stopped) return Error{builder.error(), 0, "the visitor"};
  if (!visited.ok()) return visited.error;
  return encode(builder, encoding, output);
}

template <class B, class Filler, class Visitor>
Error look(Bytes input, const DecodeOptions& options) {
  return visit<typename B::M>(input, Visitor(), options).error;
}

}  // namespace owned
}  // namespace pool
HOTPB_NAMESPACE_END

#endif  // HOTPB_TESTGEN_HOTPB_TEST_OWNED_H_
