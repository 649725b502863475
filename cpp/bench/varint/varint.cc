#include <random>

#include "lite/bench/events.pb.h"
#include "varint/mix.h"
#include "varint/rivals.h"

namespace bench {
namespace {

using Varints = lite::hotpb::bench::Varints;

// The loop that one would write by hand, for exactly this message and without checks.
struct ByteLoop {
  static BENCH_INLINE std::uint8_t* put(std::uint8_t* at, unsigned number, std::uint64_t value) {
    *at++ = static_cast<std::uint8_t>(number << 3);
    for (; value >= 0x80; value >>= 7) *at++ = static_cast<std::uint8_t>(value | 0x80);
    *at++ = static_cast<std::uint8_t>(value);
    return at;
  }
  BENCH_INLINE std::size_t write(const Record& record, std::uint8_t* out) {
    std::uint8_t* at = out;
    for (unsigned i = 0; i < 8; ++i) at = put(at, i + 1, record[i]);
    return static_cast<std::size_t>(at - out);
  }
};

}  // namespace

std::vector<Record> random_records() {
  std::mt19937_64 random(20261121);  // the same on every machine
  std::vector<Record> records(kRecords);
  for (Record& record : records) {
    for (std::uint64_t& value : record) {
      const unsigned bits = 7 * static_cast<unsigned>(random() % 10);  // the bits of all bytes but the last
      value = random();
      if (bits < 63) value &= (std::uint64_t{1} << (bits + 7)) - 1;
      value |= std::uint64_t{1} << bits;  // so that it is not shorter
    }
  }
  return records;
}

std::vector<Record> one_byte_records() {
  std::mt19937_64 random(20261122);
  std::vector<Record> records(kRecords);
  for (Record& record : records) {
    for (std::uint64_t& value : record) value = random() % 128;
  }
  return records;
}

std::size_t encoded_size(const std::vector<Record>& records) {
  std::size_t size = 0;
  for (const Record& record : records) {
    Varints message;
    fill(message, record);
    size += message.ByteSizeLong();
  }
  return size;
}

std::string differs_from_record(const Record& record, const std::uint8_t* bytes, std::size_t size) {
  Varints expected, got;
  fill(expected, record);
  if (size > kRecordRoom) return "the message is too large";
  if (!got.ParseFromArray(bytes, static_cast<int>(size))) return "libprotobuf cannot parse the message";
  return got.SerializeAsString() == expected.SerializeAsString() ? "" : "libprotobuf reads another message";
}

void varint_tasks(Grid& grid) {
  add_varint_hotpb_writer(grid);
  add_varint_perfetto_protozero(grid);
#ifdef BENCH_MAPBOX
  add_varint_mapbox_protozero(grid);
#endif
  add_varint_libprotobuf_lite(grid);
  add_mix_rival<ByteLoop>(grid, "byte-loop", "by hand for this message, no checks");
}

}  // namespace bench
