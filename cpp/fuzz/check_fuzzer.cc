// check() with a recursive table of every kind of field: it never crashes, an offset is inside of the input, and a
// second call returns the same. An input that it accepts with the table it also accepts without one, where all fields
// are unknown.
#include <iterator>

#include "fuzz.h"
#include "hotpb/check.h"

namespace {

using hotpb::FieldEntry;
using hotpb::FieldType;
using hotpb::MessageTable;

extern const MessageTable kEverything;
constexpr bool kRepeated = true;
const FieldEntry kFields[] = {
    {1, FieldType::Double, false, false, "f1", nullptr},
    {2, FieldType::Float, kRepeated, false, "f2", nullptr},
    {3, FieldType::Int64, kRepeated, false, "f3", nullptr},
    {4, FieldType::Uint64, false, false, "f4", nullptr},
    {5, FieldType::Bool, kRepeated, false, "f5", nullptr},
    {6, FieldType::String, kRepeated, true, "f6", nullptr},
    {7, FieldType::String, false, false, "f7", nullptr},
    {8, FieldType::Bytes, false, false, "f8", nullptr},
    {9, FieldType::Message, false, false, "f9", &kEverything},
    {10, FieldType::Message, kRepeated, false, "f10", &kEverything},
    {11, FieldType::Group, false, false, "f11", &kEverything},
    {12, FieldType::Group, kRepeated, false, "f12", &kEverything},
    {13, FieldType::Fixed64, kRepeated, false, "f13", nullptr},
    {14, FieldType::Sint32, kRepeated, false, "f14", nullptr},
    {15, FieldType::Enum, kRepeated, false, "f15", nullptr},
};
const MessageTable kEverything{kFields, std::size(kFields)};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const hotpb::Bytes input(data, size);
  hotpb::ReadOptions options;
  options.strict = size > 0 && (data[size - 1] & 1) != 0;
  const hotpb::Error error = hotpb::check(kEverything, input, options);
  FUZZ_REQUIRE(error.offset <= size);
  const hotpb::Error unknown = hotpb::check(input, options);
  if (error.ok()) {
    FUZZ_REQUIRE(unknown.ok());
  }
  // The checker keeps nothing between calls.
  FUZZ_REQUIRE(error == hotpb::check(kEverything, input, options));
  return 0;
}
