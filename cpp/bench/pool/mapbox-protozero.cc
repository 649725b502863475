#include <protozero/pbf_reader.hpp>

#include "pool/stock.h"

namespace bench {
namespace {

// What Mapbox's library leaves to its users: the loop, and vectors that are used again. It checks no UTF-8, keeps no
// unknown fields, and skips the fields that are not in these structs.
struct Label {
  std::string_view name_, value_;
  std::string_view name() const { return name_; }
  std::string_view value() const { return value_; }
};
struct Sample {
  double value_ = 0;
  std::int64_t timestamp_ = 0;
  double value() const { return value_; }
  std::int64_t timestamp() const { return timestamp_; }
};
template <class T>
struct List {
  const T* data;
  std::size_t count;
  const T* begin() const { return data; }
  const T* end() const { return data + count; }
};
struct Series {
  std::size_t first_label, labels, first_sample, samples;
};

class ByHand {
 public:
  bool decode(std::string_view input) {
    series_.clear();
    labels_.clear();
    samples_.clear();
    protozero::pbf_reader request(input.data(), input.size());
    while (request.next(1)) {
      Series series{labels_.size(), 0, samples_.size(), 0};
      protozero::pbf_reader one = request.get_message();
      while (one.next()) {
        switch (one.tag_and_type()) {
          case protozero::tag_and_type(1, protozero::pbf_wire_type::length_delimited): label(one.get_message()); break;
          case protozero::tag_and_type(2, protozero::pbf_wire_type::length_delimited): sample(one.get_message()); break;
          default: one.skip();
        }
      }
      series.labels = labels_.size() - series.first_label;
      series.samples = samples_.size() - series.first_sample;
      series_.push_back(series);
    }
    return true;
  }
  template <class F>
  void each(F f) const {
    for (const Series& series : series_) {
      f(List<Label>{labels_.data() + series.first_label, series.labels},
        List<Sample>{samples_.data() + series.first_sample, series.samples});
    }
  }
  // Without what this program does not read: the same as libprotobuf's for inputs that have nothing else.
  std::string again() const {
    prometheus::WriteRequest request;
    each([&](const List<Label>& labels, const List<Sample>& samples) {
      prometheus::TimeSeries& series = *request.add_timeseries();
      for (const Label& one : labels) {
        prometheus::Label& label = *series.add_labels();
        label.set_name(std::string(one.name()));
        label.set_value(std::string(one.value()));
      }
      for (const Sample& one : samples) {
        prometheus::Sample& sample = *series.add_samples();
        sample.set_value(one.value());
        sample.set_timestamp(one.timestamp());
      }
    });
    return request.SerializeAsString();
  }
  template <class Walk>
  void walk(Sum& sum) const {
    StockAccess access;
    prometheus::WriteRequest request;
    if (!request.ParseFromString(again())) std::abort();
    Walk::all(access, request, sum);
  }
  std::string_view encode() { return {}; }

 private:
  void label(protozero::pbf_reader message) {
    Label label;
    while (message.next()) {
      switch (message.tag()) {
        case 1: label.name_ = view(message); break;
        case 2: label.value_ = view(message); break;
        default: message.skip();
      }
    }
    labels_.push_back(label);
  }
  void sample(protozero::pbf_reader message) {
    Sample sample;
    while (message.next()) {
      switch (message.tag()) {
        case 1: sample.value_ = message.get_double(); break;
        case 2: sample.timestamp_ = message.get_int64(); break;
        default: message.skip();
      }
    }
    samples_.push_back(sample);
  }
  static std::string_view view(protozero::pbf_reader& message) {
    const protozero::data_view view = message.get_view();
    return {view.data(), view.size()};
  }

  std::vector<Series> series_;
  std::vector<Label> labels_;
  std::vector<Sample> samples_;
};

}  // namespace

void add_pool_mapbox_protozero(Grid& grid) {
  grid.add("rw1-decode", "mapbox-protozero", "1.7; loops by hand into vectors that are used again, no UTF-8 check",
           decoding<ByHand, prometheus::WriteRequest>(input_file));
}

}  // namespace bench
