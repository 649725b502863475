#include "lite/bench/events.pb.h"
#include "lite/google/protobuf/descriptor.pb.h"
#include "lite/prometheus/remote.pb.h"
#include "view/rivals.h"
#include "view/stock.h"

namespace bench {

void add_view_libprotobuf_lite(Grid& grid) {
  using Event = lite::hotpb::bench::Event;
  using File = lite::google::protobuf::FileDescriptorProto;
  using WriteRequest = lite::prometheus::WriteRequest;
  add_view_rival<FreshReader, Event, File, WriteRequest>(grid, "libprotobuf-lite", "3.21; parsed into a fresh message");
  add_view_rival<ArenaReader, Event, File, WriteRequest>(grid, "libprotobuf-lite:arena",
                                                         "3.21; arena with room for all, reset each time");
}

}  // namespace bench
