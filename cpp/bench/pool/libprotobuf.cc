#include "pool/stock.h"

namespace bench {
namespace {

template <class Message>
void add(Grid& grid, const char* task, Inputs inputs) {
  grid.add(task, "libprotobuf", "a fresh message each time", decoding<PoolFresh<Message>, Message>(inputs));
  grid.add(task, "libprotobuf:reused", "one message, parsed into again",
           decoding<PoolReused<Message>, Message>(inputs));
  grid.add(task, "libprotobuf:arena", "an arena that keeps its block", decoding<PoolArena<Message>, Message>(inputs));
}

template <template <class> class Reader>
void read(Grid& grid, const char* rival, const char* note) {
  using Message = prometheus::WriteRequest;
  grid.add("rw1-decode-read", rival, note,
           decoding<Reader<Message>, Message, Work::DecodeRead, RequestWalk>(input_file));
}

}  // namespace

void add_pool_libprotobuf(Grid& grid) {
  add<prometheus::WriteRequest>(grid, "rw1-decode", input_file);
  add<io::prometheus::write::v2::Request>(grid, "rw2-decode", input_file);
  add<hotpb::bench::Listing>(grid, "googlemsg1", listings);
  add<hotpb::bench::LogsRequest>(grid, "otlp-logs", logs);
  add<hotpb::bench::Packed>(grid, "packed-ints", packed);
  add<hotpb::bench::Maps>(grid, "maps", maps);
  add<hotpb::bench::Node>(grid, "deep", deep);
  add<hotpb::bench::Span>(grid, "small-200B", spans);
  read<PoolFresh>(grid, "libprotobuf", "a fresh message each time");
  read<PoolReused>(grid, "libprotobuf:reused", "one message, parsed into again");
  read<PoolArena>(grid, "libprotobuf:arena", "an arena that keeps its block");
  grid.add("rw1-encode", "libprotobuf", "sizes, then bytes; into a string that is used again",
           decoding<PoolReused<prometheus::WriteRequest>, prometheus::WriteRequest, Work::Encode>(input_file));
}

}  // namespace bench
