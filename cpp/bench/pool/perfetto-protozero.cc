// Perfetto's ProtoDecoder, field by field. Its TypedProtoDecoder, which indexes all fields of a message by number
// first, takes longer here.
#include "pool/by_hand.h"
#include "protozero.h"

namespace bench {
namespace {

PlainLabel label(protozero::ConstBytes bytes) {
  PlainLabel label;
  protozero::ProtoDecoder message(bytes);
  for (auto field = message.ReadField(); field.valid(); field = message.ReadField()) {
    const protozero::ConstChars text = field.as_string();
    switch (field.id()) {
      case 1: label.name = {text.data, text.size}; break;
      case 2: label.value = {text.data, text.size}; break;
      default: break;
    }
  }
  return label;
}

PlainSample sample(protozero::ConstBytes bytes) {
  PlainSample sample;
  protozero::ProtoDecoder message(bytes);
  for (auto field = message.ReadField(); field.valid(); field = message.ReadField()) {
    switch (field.id()) {
      case 1: sample.value = field.as_double(); break;
      case 2: sample.timestamp = field.as_int64(); break;
      default: break;
    }
  }
  return sample;
}

struct Loops {
  static bool decode(std::string_view input, PlainRequest& into) {
    protozero::ProtoDecoder request(input.data(), input.size());
    for (auto field = request.ReadField(); field.valid(); field = request.ReadField()) {
      if (field.id() != 1) continue;
      const std::size_t labels = into.labels.size(), samples = into.samples.size();
      protozero::ProtoDecoder series(field.as_bytes());
      for (auto part = series.ReadField(); part.valid(); part = series.ReadField()) {
        switch (part.id()) {
          case 1: into.labels.push_back(label(part.as_bytes())); break;
          case 2: into.samples.push_back(sample(part.as_bytes())); break;
          default: break;
        }
      }
      if (series.bytes_left() != 0) return false;
      into.series.push_back({into.labels.size() - labels, into.samples.size() - samples});
    }
    return request.bytes_left() == 0;
  }
};

}  // namespace

void add_pool_perfetto_protozero(Grid& grid) {
  grid.add("rw1-decode", "perfetto-protozero",
           "1.4.0; decoders by hand into vectors that are used again, no UTF-8 check, "
           "faults inside a series' parts not seen", ByHand<Loops>::task());
}

}  // namespace bench
