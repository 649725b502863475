#include "bench/listing.hot.h"
#include "bench/otlp_logs.hot.h"
#include "bench/shapes.hot.h"
#include "hotpb/pool.h"
#include "pool/stock.h"
#include "prometheus/remote.hot.h"
#include "prometheus/write/v2/types.hot.h"

namespace bench {
namespace {

template <class Message>
class PoolReader {
 public:
  bool decode(std::string_view input) { return pool_.decode(input).ok(); }
  std::string reencoded() {
    hotpb::EncodeOptions options;
    options.deterministic = true;
    if (!buffer_.encode(*pool_, options).ok()) std::abort();
    return std::string(buffer_.bytes().text());
  }
  std::string_view encode() {
    if (!buffer_.encode(*pool_).ok()) std::abort();
    return buffer_.bytes().text();
  }
  template <class Walk>
  void walk(Sum& sum) {
    StockAccess access;
    Walk::all(access, *pool_, sum);
  }

 private:
  hotpb::Pool<Message> pool_;
  hotpb::EncodeBuffer buffer_;
};

template <class Message, class Stock>
void add(Grid& grid, const char* task, Inputs inputs) {
  grid.add(task, "hotpb-pool", "UTF-8 checked, unknown fields kept, nothing allocated",
           decoding<PoolReader<Message>, Stock>(inputs));
}

}  // namespace

void add_pool_hotpb_pool(Grid& grid) {
  namespace hot = hotpb::bench::hot;
  using Reader = PoolReader<prometheus::hot::WriteRequest>;
  add<prometheus::hot::WriteRequest, prometheus::WriteRequest>(grid, "rw1-decode", input_file);
  add<io::prometheus::write::v2::hot::Request, io::prometheus::write::v2::Request>(grid, "rw2-decode", input_file);
  add<hot::Listing, hotpb::bench::Listing>(grid, "googlemsg1", listings);
  add<hot::LogsRequest, hotpb::bench::LogsRequest>(grid, "otlp-logs", logs);
  add<hot::Packed, hotpb::bench::Packed>(grid, "packed-ints", packed);
  add<hot::Maps, hotpb::bench::Maps>(grid, "maps", maps);
  add<hot::Node, hotpb::bench::Node>(grid, "deep", deep);
  add<hot::Span, hotpb::bench::Span>(grid, "small-200B", spans);
  grid.add("rw1-decode-read", "hotpb-pool", "UTF-8 checked, unknown fields kept, nothing allocated",
           decoding<Reader, prometheus::WriteRequest, Work::DecodeRead, RequestWalk>(input_file));
  grid.add("rw1-encode", "hotpb-pool", "backwards, in one pass, into a buffer that is used again",
           decoding<Reader, prometheus::WriteRequest, Work::Encode>(input_file));
}

}  // namespace bench
