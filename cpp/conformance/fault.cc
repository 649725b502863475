#include "fault.h"

#include <cstring>
#include <map>

namespace hotpb_conformance {
namespace {

namespace wire = hotpb::wire;

// Calls `each` with the tag, the start and the end of every record. Returns false if a record is damaged.
template <class Each>
bool for_each_record(hotpb::Bytes input, Each each) {
  for (const std::uint8_t* p = input.begin(); p != input.end();) {
    const std::uint8_t* const start = p;
    std::uint32_t tag;
    p = wire::read_tag(p, input.end(), tag);
    if (p != nullptr) p = wire::skip_value(p, input.end(), tag, hotpb::kDefaultDepth);
    if (p == nullptr) return false;
    each(tag, start, p);
  }
  return true;
}

}  // namespace

bool read_fault(const char* text, Fault& fault) {
  if (text == nullptr || *text == '\0') {
    fault = Fault::None;
  } else if (std::strcmp(text, "skip-merge") == 0) {
    fault = Fault::SkipMerge;
  } else if (std::strcmp(text, "drop-unknown") == 0) {
    fault = Fault::DropUnknown;
  } else {
    return false;
  }
  return true;
}

std::string without_repetitions(hotpb::Bytes input) {
  std::map<std::uint32_t, const std::uint8_t*> last;
  const bool good = for_each_record(
      input, [&](std::uint32_t tag, const std::uint8_t* start, const std::uint8_t*) { last[tag] = start; });
  if (!good) return std::string(input.text());
  std::string kept;
  for_each_record(input, [&](std::uint32_t tag, const std::uint8_t* start, const std::uint8_t* end) {
    if (wire::tag_type(tag) != wire::WireType::Len || last[tag] == start) kept.append(start, end);
  });
  return kept;
}

}  // namespace hotpb_conformance
