// The task rw1-rows: from the bytes of a request to one table per metric. A rival has
//
//   bool rows(std::string_view request);    builds the tables; false if the request is refused
//   PlainTables plain() const;              the tables in a form that can be compared
//
// It keeps its memory from request to request.
#ifndef HOTPB_BENCH_ROWS_ROWS_H_
#define HOTPB_BENCH_ROWS_ROWS_H_

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grid/harness.h"
#include "pool/plain.h"

namespace bench {

// The label that names the metric.
constexpr std::string_view kMetric = "__name__";

struct PlainRow {
  std::map<std::string, std::string> labels;  // without the metric, and without those whose value is empty
  std::int64_t time = 0;
  double value = 0;

  bool operator==(const PlainRow& row) const {
    return labels == row.labels && time == row.time && std::memcmp(&value, &row.value, sizeof value) == 0;
  }
};
// Metrics and their rows, in the order of the request.
using PlainTables = std::map<std::string, std::vector<PlainRow>>;

// The request as libprotobuf parses it.
PlainTables expected_tables(const std::string& request);

template <class Rival>
class RowsOf final : public Contender {
 public:
  explicit RowsOf(std::string input) : input_(std::move(input)) {}
  void run(std::uint64_t operations) override {
    for (std::uint64_t i = 0; i < operations; ++i) {
      if (!rival_.rows(input_)) std::abort();
      clobber_memory();
    }
  }
  std::string verify() override {
    if (!rival_.rows(input_)) return "the request is refused";
    return rival_.plain() == expected_tables(input_) ? "" : "other rows than libprotobuf's";
  }
  std::size_t size() const override { return input_.size(); }

 private:
  std::string input_;
  Rival rival_;
};

template <class Rival>
Grid::Make rows_of() {
  return [](const Request& request) -> std::unique_ptr<Contender> {
    if (request.input.empty()) return nullptr;
    return std::make_unique<RowsOf<Rival>>(request.input);
  };
}

void rows_tasks(Grid& grid);  // all that follow

void add_rows_hotpb(Grid& grid);
void add_rows_libprotobuf(Grid& grid);

}  // namespace bench

#endif  // HOTPB_BENCH_ROWS_ROWS_H_
