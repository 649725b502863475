// The same request with libprotobuf-lite, C++'s stock runtime.
#include <memory>

#include "prometheus/remote.pb.h"
#include "timing.h"

namespace first_light {
namespace {

void fill(const PlainPage& page, ::prometheus::WriteRequest& request) {
  for (const Family& family : page.families) {
    auto* const metadata = request.add_metadata();
    metadata->set_type(static_cast<::prometheus::MetricMetadata_MetricType>(family.type));
    metadata->set_metric_family_name(family.name);
    metadata->set_help(family.help);
    metadata->set_unit(family.unit);
  }
  for (const PlainPage::Series& from : page.series) {
    auto* const series = request.add_timeseries();
    for (std::size_t i = 0; i < from.label_count; ++i) {
      const Label& label = page.labels[from.first_label + i];
      auto* const pair = series->add_labels();
      pair->set_name(label.name.data(), label.name.size());
      pair->set_value(label.value.data(), label.value.size());
    }
    auto* const sample = series->add_samples();
    sample->set_value(from.value);
    sample->set_timestamp(from.timestamp_ms);
  }
}

}  // namespace

std::vector<Contender> stock_contenders(const PlainPage& page) {
  const auto fresh = [&page, out = std::string()]() mutable {
    ::prometheus::WriteRequest request;
    fill(page, request);
    request.SerializeToString(&out);
    return out.size();
  };
  const auto reused = [&page, request = std::make_shared<::prometheus::WriteRequest>(), out = std::string()]() mutable {
    request->Clear();
    fill(page, *request);
    request->SerializeToString(&out);
    return out.size();
  };
  return {{"libprotobuf-lite, fill, serialize", fresh}, {"libprotobuf-lite, the message reused", reused}};
}

bool stock_agrees(const PlainPage& page, const std::string& request) {
  ::prometheus::WriteRequest parsed;
  ::prometheus::WriteRequest theirs;
  fill(page, theirs);
  return parsed.ParseFromString(request) && parsed.SerializeAsString() == theirs.SerializeAsString();
}

}  // namespace first_light
