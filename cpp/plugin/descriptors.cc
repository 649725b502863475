#include "descriptors.h"

#include <algorithm>

namespace hotpb {
namespace plugin {

int source_line(const pb::FileDescriptorProtoView& file, const Path& path) {
  const pb::SourceCodeInfoView info = opened(file.source_code_info());
  for (const auto& element : info.location()) {
    const pb::SourceCodeInfo_LocationView location = opened(element);
    const auto at = location.path();
    if (at.size() != path.size() || !std::equal(path.begin(), path.end(), at.begin())) continue;
    const auto span = location.span();
    const std::int32_t line = span.nth(0);
    if (!span.empty() && line >= 0 && line < INT32_MAX) return line + 1;
  }
  return 0;
}

}  // namespace plugin
}  // namespace hotpb
