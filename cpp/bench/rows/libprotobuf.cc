// libprotobuf and row vectors, as programs have them: decodes the whole request, then moves its strings into rows.
#include <unordered_map>

#include "prometheus/remote.pb.h"
#include "rows/rows.h"

namespace bench {
namespace {

class Rows {
 public:
  bool rows(std::string_view input) {
    for (auto& [metric, table] : tables_) table.rows.clear();
    prometheus::WriteRequest request;
    if (!request.ParseFromArray(input.data(), static_cast<int>(input.size()))) return false;
    for (prometheus::TimeSeries& series : *request.mutable_timeseries()) {
      std::string* metric = nullptr;
      for (prometheus::Label& label : *series.mutable_labels()) {
        if (label.name() == kMetric) metric = label.mutable_value();
      }
      if (metric == nullptr) return false;
      Table& table = tables_[*metric];
      std::vector<std::string> labels(table.columns.size());
      for (prometheus::Label& label : *series.mutable_labels()) {
        if (label.name() == kMetric) continue;
        const auto [column, added] = table.columns.emplace(label.name(), labels.size());
        if (added) labels.emplace_back();
        labels[column->second] = std::move(*label.mutable_value());
      }
      for (int i = 0; i < series.samples_size(); ++i) {
        const prometheus::Sample& sample = series.samples(i);
        const bool last = i + 1 == series.samples_size();
        table.rows.push_back({last ? std::move(labels) : labels, sample.timestamp(), sample.value()});
      }
    }
    return true;
  }

  PlainTables plain() const {
    PlainTables plain;
    for (const auto& [metric, table] : tables_) {
      for (const Row& row : table.rows) {
        PlainRow& to = plain[metric].emplace_back();
        to.time = row.time;
        to.value = row.value;
        for (const auto& [name, column] : table.columns) {
          if (column < row.labels.size() && !row.labels[column].empty()) to.labels[name] = row.labels[column];
        }
      }
    }
    return plain;
  }

 private:
  struct Row {
    std::vector<std::string> labels;
    std::int64_t time;
    double value;
  };
  struct Table {
    std::unordered_map<std::string, std::size_t> columns;
    std::vector<Row> rows;
  };
  std::unordered_map<std::string, Table> tables_;
};

}  // namespace

PlainTables expected_tables(const std::string& input) {
  prometheus::WriteRequest request;
  if (!request.ParseFromString(input)) std::abort();
  PlainTables tables;
  for (const prometheus::TimeSeries& series : request.timeseries()) {
    std::map<std::string, std::string> labels;
    for (const prometheus::Label& label : series.labels()) {
      if (!label.value().empty()) labels[label.name()] = label.value();
    }
    const std::string metric = labels[std::string(kMetric)];
    labels.erase(std::string(kMetric));
    for (const prometheus::Sample& sample : series.samples()) {
      tables[metric].push_back({labels, sample.timestamp(), sample.value()});
    }
  }
  return tables;
}

void add_rows_libprotobuf(Grid& grid) {
  grid.add("rw1-rows", "libprotobuf",
           "UTF-8 checked; a fresh message, a hash map of row vectors, a hash map of columns in each; strings are "
           "moved",
           rows_of<Rows>());
}

}  // namespace bench
