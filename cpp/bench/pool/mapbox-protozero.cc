#include <protozero/pbf_reader.hpp>

#include "pool/by_hand.h"

namespace bench {
namespace {

std::string_view view(protozero::pbf_reader& message) {
  const protozero::data_view view = message.get_view();
  return {view.data(), view.size()};
}

PlainLabel label(protozero::pbf_reader message) {
  PlainLabel label;
  while (message.next()) {
    switch (message.tag()) {
      case 1: label.name = view(message); break;
      case 2: label.value = view(message); break;
      default: message.skip();
    }
  }
  return label;
}

PlainSample sample(protozero::pbf_reader message) {
  PlainSample sample;
  while (message.next()) {
    switch (message.tag()) {
      case 1: sample.value = message.get_double(); break;
      case 2: sample.timestamp = message.get_int64(); break;
      default: message.skip();
    }
  }
  return sample;
}

struct Loops {
  static bool decode(std::string_view input, PlainRequest& into) {
    protozero::pbf_reader request(input.data(), input.size());
    while (request.next(1)) {
      const std::size_t labels = into.labels.size(), samples = into.samples.size();
      protozero::pbf_reader series = request.get_message();
      while (series.next()) {
        switch (series.tag_and_type()) {
          case protozero::tag_and_type(1, protozero::pbf_wire_type::length_delimited):
            into.labels.push_back(label(series.get_message()));
            break;
          case protozero::tag_and_type(2, protozero::pbf_wire_type::length_delimited):
            into.samples.push_back(sample(series.get_message()));
            break;
          default: series.skip();
        }
      }
      into.series.push_back({into.labels.size() - labels, into.samples.size() - samples});
    }
    return true;
  }
};

}  // namespace

void add_pool_mapbox_protozero(Grid& grid) {
  grid.add("rw1-decode", "mapbox-protozero", "1.7; loops by hand into vectors that are used again, no UTF-8 check",
           ByHand<Loops>::task());
}

}  // namespace bench
