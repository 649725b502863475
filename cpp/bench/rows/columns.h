// Tables of columns, one table per metric: a column per label with codes of a dictionary, one of times, one of values.
// The same as those of Rust's half (rust/bench/src/rows/columns.rs).
#ifndef HOTPB_BENCH_ROWS_COLUMNS_H_
#define HOTPB_BENCH_ROWS_COLUMNS_H_

#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rows/rows.h"

namespace bench {

// Codes of texts. 0 stands for a label that a series does not have.
class Dictionary {
 public:
  std::uint32_t code(std::string_view text) {
    const auto found = codes_.find(text);
    if (found != codes_.end()) return found->second;
    texts_.emplace_back(text);
    const auto code = static_cast<std::uint32_t>(texts_.size());
    codes_.emplace(texts_.back(), code);
    return code;
  }
  const std::string& text(std::uint32_t code) const { return texts_[code - 1]; }

 private:
  std::unordered_map<std::string_view, std::uint32_t> codes_;
  std::deque<std::string> texts_;  // they stay where they are
};

// A known series: its table, and the position of its codes, in the order of the table's columns. The table may have
// more columns now.
struct KnownSeries {
  std::uint32_t table, codes, columns;
};

// The tables of one request. Their memory, the dictionary, the known series and the columns' names stay for the next
// request.
class Tables {
 public:
  void clear() {
    for (Table& table : tables_) {
      for (Column& column : table.columns) column.codes.clear();
      table.series.clear();
      table.times.clear();
      table.values.clear();
    }
  }

  // Finds the table and the columns of a new series, and adds those that are missing.
  KnownSeries series(std::string_view metric, const std::vector<PlainLabel>& labels) {
    const auto [at, added] = by_metric_.emplace(metric, static_cast<std::uint32_t>(tables_.size()));
    if (added) tables_.push_back({});
    Table& table = tables_[at->second];
    const std::size_t start = codes_.size();
    codes_.resize(start + table.columns.size());
    for (const PlainLabel& label : labels) {
      if (label.name == kMetric || label.value.empty()) continue;
      const std::uint32_t code = dictionary_.code(label.value);
      std::size_t column = 0;
      while (column < table.columns.size() && table.columns[column].label != label.name) ++column;
      if (column < table.columns.size()) {
        codes_[start + column] = code;
      } else {
        table.columns.push_back({std::string(label.name), {}});
        codes_.push_back(code);
      }
    }
    return {at->second, static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(codes_.size() - start)};
  }

  // Adds a row of a series, except the labels.
  void add(KnownSeries series, std::int64_t time, double value) {
    Table& table = tables_[series.table];
    table.series.push_back(series);
    table.times.push_back(time);
    table.values.push_back(value);
  }

  // Fills the columns of the labels, one after the other.
  void finish() {
    for (Table& table : tables_) {
      for (std::uint32_t at = 0; at < table.columns.size(); ++at) {
        for (const KnownSeries& s : table.series) {
          table.columns[at].codes.push_back(at < s.columns ? codes_[s.codes + at] : 0);
        }
      }
    }
  }

  PlainTables plain() const {
    PlainTables plain;
    for (const auto& [metric, index] : by_metric_) {
      const Table& table = tables_[index];
      for (std::size_t row = 0; row < table.times.size(); ++row) {
        PlainRow& to = plain[metric].emplace_back();
        to.time = table.times[row];
        to.value = table.values[row];
        for (const Column& column : table.columns) {
          if (column.codes[row] != 0) to.labels[column.label] = dictionary_.text(column.codes[row]);
        }
      }
    }
    return plain;
  }

 private:
  struct Column {
    std::string label;
    std::vector<std::uint32_t> codes;
  };
  struct Table {
    std::vector<Column> columns;
    // For each row: the series, the time, the value.
    std::vector<KnownSeries> series;
    std::vector<std::int64_t> times;
    std::vector<double> values;
  };

  std::unordered_map<std::string, std::uint32_t> by_metric_;
  std::vector<Table> tables_;
  std::vector<std::uint32_t> codes_;
  Dictionary dictionary_;
};

// The known series, by their labels. Senders repeat their series in the same order: the one after the last is tried
// first.
class SeriesCache {
 public:
  // Before the first series of a request.
  void restart() { next_ = 0; }

  // The series of these labels. A series without a metric is an error: false.
  bool find(const std::vector<PlainLabel>& labels, Tables& tables, KnownSeries& series) {
    if (next_ == known_.size() || !is_key(known_[next_].key, labels)) {
      key_.clear();
      for (const PlainLabel& label : labels) {
        append(label.name);
        append(label.value);
      }
      const auto found = indexes_.find(key_);
      if (found != indexes_.end()) {
        next_ = found->second;
      } else {
        if (!add(labels, tables)) return false;
        next_ = known_.size() - 1;
      }
    }
    series = known_[next_++].series;
    return true;
  }

 private:
  struct Known {
    std::string key;
    KnownSeries series;
  };

  // The lengths in a key tell where a text ends.
  void append(std::string_view text) {
    const auto size = static_cast<std::uint32_t>(text.size());
    key_.append(reinterpret_cast<const char*>(&size), sizeof size);
    key_.append(text);
  }
  static bool skip(std::string_view& key, std::string_view text) {
    std::uint32_t size;
    if (key.size() < sizeof size) return false;
    std::memcpy(&size, key.data(), sizeof size);
    if (size != text.size() || std::memcmp(key.data() + sizeof size, text.data(), size) != 0) return false;
    key.remove_prefix(sizeof size + size);
    return true;
  }
  static bool is_key(std::string_view key, const std::vector<PlainLabel>& labels) {
    for (const PlainLabel& label : labels) {
      if (!skip(key, label.name) || !skip(key, label.value)) return false;
    }
    return key.empty();
  }

  bool add(const std::vector<PlainLabel>& labels, Tables& tables) {
    for (const PlainLabel& label : labels) {
      if (label.name != kMetric) continue;
      known_.push_back({key_, tables.series(label.value, labels)});
      indexes_.emplace(known_.back().key, known_.size() - 1);
      return true;
    }
    return false;
  }

  std::size_t next_ = 0;
  std::string key_;
  std::deque<Known> known_;
  std::unordered_map<std::string_view, std::size_t> indexes_;
};

}  // namespace bench

#endif  // HOTPB_BENCH_ROWS_COLUMNS_H_
