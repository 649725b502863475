// Encoded fields for tests. Join them with +.
#ifndef HOTPB_TESTS_SUPPORT_FIELDS_H_
#define HOTPB_TESTS_SUPPORT_FIELDS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "hotpb/wire.h"
#include "hotpb/wire/write.h"

namespace hotpb_test {

inline std::string len(std::uint32_t number, std::string_view payload) {
  std::string out;
  hotpb::wire::append_tag(out, number, hotpb::wire::WireType::Len);
  hotpb::wire::append_len(out, payload);
  return out;
}
inline std::string varint(std::uint32_t number, std::uint64_t value) {
  std::string out;
  hotpb::wire::append_tag(out, number, hotpb::wire::WireType::Varint);
  hotpb::wire::append_varint(out, value);
  return out;
}
template <class T>
std::string fixed(std::uint32_t number, T value) {
  using hotpb::wire::WireType;
  std::string out;
  hotpb::wire::append_tag(out, number, sizeof value == 4 ? WireType::Fixed32 : WireType::Fixed64);
  hotpb::wire::append_fixed(out, value);
  return out;
}

}  // namespace hotpb_test

#endif  // HOTPB_TESTS_SUPPORT_FIELDS_H_
