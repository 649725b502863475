// Functions for the bytes of a writer: all that a buffer has, and whether bytes parse.
#ifndef HOTPB_TESTS_WRITER_ALL_OF_H_
#define HOTPB_TESTS_WRITER_ALL_OF_H_

#include <string>

#include "hotpb/wire/reader.h"

namespace hotpb_test {

// The whole messages, and the part of a failed one.
template <class Buffer>
std::string all_of(Buffer& out) {
  std::string all(out.bytes().text());
  all += out.partial_bytes().text();
  return all;
}

// Whether the bytes are a Child of the vectors' schemas, with all levels.
inline bool parses(hotpb::Bytes bytes) {
  hotpb::wire::Reader fields(bytes);
  while (fields.next()) {
    const auto number = fields.number();
    if ((number == 3 || number == 9) && !parses(fields.as_bytes())) return false;
  }
  return fields.ok();
}

}  // namespace hotpb_test

#endif  // HOTPB_TESTS_WRITER_ALL_OF_H_
