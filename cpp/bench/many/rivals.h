// many-types-decode and many-types-encode: one file per library. A rival is a class for each of the thirty types.
#ifndef HOTPB_BENCH_MANY_RIVALS_H_
#define HOTPB_BENCH_MANY_RIVALS_H_

#include <array>
#include <memory>
#include <string>

#include "grid/harness.h"
#include "many/wide.h"

namespace bench {
namespace many {

// Makes the bytes of a message readable, and reads all of it into a checksum.
class Decoder {
 public:
  virtual ~Decoder() = default;
  virtual std::uint64_t decode(const std::string& bytes) = 0;
};

// Keeps a message in the form of its library, and writes it to `out`, which has kRoom bytes.
class Encoder {
 public:
  virtual ~Encoder() = default;
  virtual void keep(const Wide<std::string>& message) = 0;
  virtual std::size_t encode(std::uint8_t* out) = 0;
};

using Decoders = std::array<std::unique_ptr<Decoder>, kTypes>;
using Encoders = std::array<std::unique_ptr<Encoder>, kTypes>;

void add_decoders(Grid& grid, const char* rival, const char* note, Decoders (*make)());
void add_encoders(Grid& grid, const char* rival, const char* note, Encoders (*make)());

void add_hotpb(Grid& grid);
void add_libprotobuf(Grid& grid);
void add_mapbox_protozero(Grid& grid);
void add_perfetto_protozero(Grid& grid);

}  // namespace many

void many_tasks(Grid& grid);  // registers all of them

}  // namespace bench

#endif  // HOTPB_BENCH_MANY_RIVALS_H_
