#include "lite/bench/events.pb.h"
#include "scatter/rivals.h"
#include "scatter/stream.h"

namespace bench {

std::string differs_from_events(const std::string& bytes) {
  lite::hotpb::bench::Event expected, got;
  for (std::uint64_t i = 0; i < kVerified; ++i) Nested::fill(*expected.add_field_nested());
  if (!got.ParseFromString(bytes)) return "libprotobuf cannot parse the message";
  return got.SerializeAsString() == expected.SerializeAsString() ? "" : "libprotobuf reads another message";
}

void scatter_tasks(Grid& grid) {
  add_scatter_hotpb_writer(grid);
  add_scatter_perfetto_protozero(grid);
}

}  // namespace bench
