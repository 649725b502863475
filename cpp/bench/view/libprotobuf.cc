#include <google/protobuf/descriptor.pb.h>

#include "bench/events.pb.h"
#include "prometheus/remote.pb.h"
#include "view/rivals.h"
#include "view/stock.h"

namespace bench {

void add_view_libprotobuf(Grid& grid) {
  using Event = hotpb::bench::Event;
  using File = google::protobuf::FileDescriptorProto;
  using WriteRequest = prometheus::WriteRequest;
  add_view_rival<FreshReader, Event, File, WriteRequest>(grid, "libprotobuf", "3.21; parsed into a fresh message");
  add_view_rival<ArenaReader, Event, File, WriteRequest>(grid, "libprotobuf:arena",
                                                         "3.21; arena with room for all, reset each time");
}

}  // namespace bench
