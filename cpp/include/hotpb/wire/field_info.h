// The number and name of a field. Generated code has them as constants: TestMsgFields::str_val.number.
#ifndef HOTPB_WIRE_FIELD_INFO_H_
#define HOTPB_WIRE_FIELD_INFO_H_

#include <cstdint>
#include <string_view>

#include "hotpb/detail/abi.h"

HOTPB_NAMESPACE_BEGIN

struct FieldInfo {
  std::uint32_t number;
  std::string_view name;
};

HOTPB_NAMESPACE_END

#endif  // HOTPB_WIRE_FIELD_INFO_H_
