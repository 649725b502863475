// The view's accessors on any bytes, read as hotpb.vectors.p2.All. A message that decodes can be read in every way
// without a crash, and the ways agree: iteration with indexing, look-up with collection, a message in several records
// with the merged one. A value that is overwritten in place reads as the new value, and the message stays valid.
#include <algorithm>
#include <string>
#include <vector>

#include "fuzz.h"
#include "hotpb/vectors_proto2.hot.h"

namespace {

using namespace hotpb::vectors::p2::hot;

template <class Elements>
void check_elements(const Elements& elements) {
  std::size_t index = 0;
  for (const auto element : elements) {
    if (index < 8 || index + 1 == elements.size()) {
      const auto indexed = elements.nth(index);
      FUZZ_REQUIRE(element == indexed || element != element);  // a NaN
      auto at = elements.begin();
      at += index;
      const auto reached = *at;
      FUZZ_REQUIRE(reached == indexed || indexed != indexed);
    }
    ++index;
  }
  FUZZ_REQUIRE(index == elements.size());
  FUZZ_REQUIRE(elements.nth(index) == typename Elements::value_type());
}

void check_unknown(const AllView& all) {
  const hotpb::view::ExtensionEntry extensions[] = {ext_int32View::entry(), ext_childView::entry()};
  std::size_t count = 0;
  std::size_t asked_count = 0;
  for (const auto& field : all.unknown_fields()) {
    const hotpb::Bytes record = field.record();
    bool inside = record.empty();
    for (const hotpb::Bytes piece : all.pieces()) {
      inside = inside || (record.begin() >= piece.begin() && record.end() <= piece.end());
    }
    FUZZ_REQUIRE(inside);
    FUZZ_REQUIRE(field.number() != 0);
    ++count;
  }
  for (const auto& field : all.unknown_fields().without(extensions, 2)) {
    FUZZ_REQUIRE(field.number() != 1001 || field.type() != hotpb::wire::WireType::Varint);
    ++asked_count;
  }
  FUZZ_REQUIRE(asked_count <= count);
}

// The checksum of all values of a view. It descends into messages as deep as the input has them.
std::uint64_t read(const AllView& all, int levels) {
  check_elements(all.repeated_int32());
  check_elements(all.repeated_sint64());
  check_elements(all.repeated_fixed32());
  check_elements(all.repeated_double());
  check_elements(all.repeated_bool());
  check_elements(all.repeated_closed());
  check_elements(all.repeated_string());
  check_unknown(all);
  std::uint64_t sum = all.which_kind() + all.single_string().size() + static_cast<std::uint64_t>(all.single_int32());
  const auto map = all.key_string();
  for (const auto& entry : map.collect()) {
    FUZZ_REQUIRE(map.contains(entry.key) && map.find(entry.key) == entry.value);
  }
  for (const auto entry : all.key_int32()) {
    sum += static_cast<std::uint64_t>(entry.key) + static_cast<std::uint64_t>(entry.value);
  }
  ChildView child;
  ChildView merged;
  const bool good = child.open(all.single_child()).ok();
  std::string bytes;
  child.append_to(bytes);
  FUZZ_REQUIRE(!good || merged.decode(hotpb::Bytes(bytes)).ok());
  FUZZ_REQUIRE(child.name() == merged.name() && child.id() == merged.id());
  for (const auto& element : all.repeated_child()) {
    if (child.open(element).ok()) sum += static_cast<std::uint64_t>(child.id()) + child.numbers().size();
  }
  ext_int32View number;
  if (number.open(all).ok() && number.has_value()) sum += static_cast<std::uint64_t>(number.value());
  ext_childView extension;
  if (extension.open(all).ok() && child.open(extension.value()).ok()) sum += child.name().size();
  AllView inner;
  if (levels > 0 && all.has_single_all() && inner.open(all.single_all()).ok()) {
    sum += read(inner, levels - 1);
  }
  return sum;
}

void overwrite(const std::vector<std::uint8_t>& input) {
  std::vector<std::uint8_t> bytes = input;
  AllView all;
  FUZZ_REQUIRE(all.decode({bytes.data(), bytes.size()}).ok());
  const std::string text(all.single_string().size(), 'x');
  const bool number = all.overwrite_single_int32(bytes, 77);
  const bool string = all.overwrite_single_string(bytes, text);
  const bool element = all.overwrite_repeated_fixed32(bytes, 1, 0x12345678u);
  const bool packed = all.overwrite_repeated_int32(bytes, 2, 3);
  if (!number && !string && !element && !packed) FUZZ_REQUIRE(bytes == input);
  AllView changed;
  FUZZ_REQUIRE(changed.decode({bytes.data(), bytes.size()}).ok() && changed.validate().ok() == all.validate().ok());
  FUZZ_REQUIRE(!number || changed.single_int32() == 77);
  FUZZ_REQUIRE(!string || changed.single_string() == text);
  FUZZ_REQUIRE(!element || changed.repeated_fixed32().nth(1) == 0x12345678u);
  FUZZ_REQUIRE(!packed || changed.repeated_int32().nth(2) == 3);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::uint8_t> input(data, data + size);
  AllView all;
  const hotpb::Error error = all.decode({data, size});
  const hotpb::Error whole = hotpb::check(AllView::kTable, {data, size});
  FUZZ_REQUIRE(error.ok() ? all.validate() == whole : error == whole);
  const std::uint64_t first = read(all, 20);  // after an error, the view is an empty message
  FUZZ_REQUIRE(read(all, 20) == first);
  const hotpb::Error incomplete = all.check_initialized();
  FUZZ_REQUIRE(incomplete.ok() || incomplete.offset <= size);
  if (error.ok()) overwrite(input);
  return 0;
}
