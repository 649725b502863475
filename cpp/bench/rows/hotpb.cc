#include "hotpb/pool.h"
#include "prometheus/remote.visitor.hot.h"
#include "rows/columns.h"

namespace bench {
namespace {

namespace hot = prometheus::hot;

// Shared by both ways.
class Rows {
 public:
  PlainTables plain() const { return tables_.plain(); }

 protected:
  void begin() {
    tables_.clear();
    cache_.restart();
  }

  std::vector<PlainLabel> labels_;  // of one series
  Tables tables_;
  SeriesCache cache_;
};

// Decodes into the pool, then walks over the series.
class PoolRows : public Rows {
 public:
  bool rows(std::string_view input) {
    begin();
    if (!pool_.decode(input).ok()) return false;
    for (const hot::TimeSeries& series : pool_->timeseries()) {
      labels_.clear();
      for (const hot::Label& label : series.labels()) labels_.push_back({label.name(), label.value()});
      KnownSeries known;
      if (!cache_.find(labels_, tables_, known)) return false;
      for (const hot::Sample& sample : series.samples()) tables_.add(known, sample.timestamp(), sample.value());
    }
    tables_.finish();
    return true;
  }

 private:
  hotpb::Pool<hot::WriteRequest> pool_;
};

// The labels and samples of a series while it is visited: they may come in any order.
class VisitorRows : public Rows {
 public:
  bool rows(std::string_view input) {
    begin();
    if (!hotpb::visit<hot::WriteRequest>(input, Request(*this)).ok()) return false;
    tables_.finish();
    return true;
  }

 private:
  struct Label : hot::LabelVisitor {
    PlainLabel& label;
    explicit Label(PlainLabel& to) : label(to) {}
    void name(std::string_view text) { label.name = text; }
    void value(std::string_view text) { label.value = text; }
  };
  struct Sample : hot::SampleVisitor {
    PlainSample& sample;
    explicit Sample(PlainSample& to) : sample(to) {}
    void value(double number) { sample.value = number; }
    void timestamp(std::int64_t number) { sample.timestamp = number; }
  };
  struct Series : hot::TimeSeriesVisitor {
    VisitorRows& rows;
    explicit Series(VisitorRows& owner) : rows(owner) {}
    void labels(hotpb::Records<hot::Label>& records) {
      while (records.next()) records.visit(Label(rows.labels_.emplace_back()));
    }
    void samples(hotpb::Records<hot::Sample>& records) {
      while (records.next()) records.visit(Sample(rows.samples_.emplace_back()));
    }
  };
  struct Request : hot::WriteRequestVisitor {
    VisitorRows& rows;
    explicit Request(VisitorRows& owner) : rows(owner) {}
    bool timeseries(hotpb::Records<hot::TimeSeries>& records) {
      while (records.next()) {
        rows.labels_.clear();
        rows.samples_.clear();
        if (!records.visit(Series(rows)) || !rows.add()) return false;
      }
      return true;
    }
  };

  bool add() {
    KnownSeries known;
    if (!cache_.find(labels_, tables_, known)) return false;
    for (const PlainSample& sample : samples_) tables_.add(known, sample.timestamp, sample.value);
    return true;
  }

  std::vector<PlainSample> samples_;
};

}  // namespace

void add_rows_hotpb(Grid& grid) {
  const char* const note = "UTF-8 checked; series known by their labels, tried in the order of the last request; "
                           "columns and cache kept";
  grid.add("rw1-rows", "hotpb-pool", note, rows_of<PoolRows>());
  grid.add("rw1-rows", "hotpb-visitor", note, rows_of<VisitorRows>());
}

void rows_tasks(Grid& grid) {
  add_rows_hotpb(grid);
  add_rows_libprotobuf(grid);
}

}  // namespace bench
