#include "hotpb/pool.h"
#include "prometheus/remote.hot.h"
#include "rows/columns.h"

namespace bench {
namespace {

// Decodes into the pool, then walks over the series.
class PoolRows {
 public:
  bool rows(std::string_view input) {
    tables_.clear();
    if (!pool_.decode(input).ok()) return false;
    for (const prometheus::hot::TimeSeries& series : pool_->timeseries()) {
      labels_.clear();
      for (const prometheus::hot::Label& label : series.labels()) labels_.push_back({label.name(), label.value()});
      KnownSeries known;
      if (!cache_.find(labels_, tables_, known)) return false;
      for (const prometheus::hot::Sample& sample : series.samples()) {
        tables_.add(known, sample.timestamp(), sample.value());
      }
    }
    tables_.finish();
    return true;
  }
  PlainTables plain() const { return tables_.plain(); }

 private:
  hotpb::Pool<prometheus::hot::WriteRequest> pool_;
  std::vector<PlainLabel> labels_;
  Tables tables_;
  SeriesCache cache_;
};

}  // namespace

void add_rows_hotpb(Grid& grid) {
  grid.add("rw1-rows", "hotpb-pool", "UTF-8 checked; series known by their labels; columns and cache kept", rows_of<PoolRows>());
}

void rows_tasks(Grid& grid) {
  add_rows_hotpb(grid);
  add_rows_libprotobuf(grid);
}

}  // namespace bench
