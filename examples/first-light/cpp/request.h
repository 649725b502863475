// Writes the data of the page as fields of a remote-write request. Each call writes straight into the current chunk.
#ifndef FIRST_LIGHT_REQUEST_H_
#define FIRST_LIGHT_REQUEST_H_

#include <cmath>
#include <cstdint>

#include "hotpb/wire/span.h"
#include "page.h"
#include "prometheus/remote.hot.h"

namespace first_light {

using ::prometheus::hot::WriteRequestWriter;

inline void add_series(WriteRequestWriter& request, hotpb::Span<const Label> labels, double value,
                       std::int64_t timestamp_ms) {
  auto series = request.add_timeseries();
  for (const Label& label : labels) {
    auto pair = series.add_labels();
    pair.set_name(label.name);
    pair.set_value(label.value);
  }
  auto sample = series.add_samples();
  // A proto3 field that is +0 need not be written; the writer writes all that it gets.
  if (value != 0 || std::signbit(value)) sample.set_value(value);
  if (timestamp_ms != 0) sample.set_timestamp(timestamp_ms);
}

inline void add_metadata(WriteRequestWriter& request, const Family& family) {
  auto metadata = request.add_metadata();
  if (family.type != MetricType::UNKNOWN) metadata.set_type(family.type);
  metadata.set_metric_family_name(family.name);
  if (!family.help.empty()) metadata.set_help(family.help);
  if (!family.unit.empty()) metadata.set_unit(family.unit);
}

}  // namespace first_light

#endif  // FIRST_LIGHT_REQUEST_H_
