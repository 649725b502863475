// Reading and writing varints: all of one byte, of random length 1 to 10, and of each constant length.
// Rivals: the plain byte loop, and libprotobuf's CodedInputStream and CodedOutputStream over an array.
#include <benchmark/benchmark.h>

#include <random>
#include <utility>
#include <vector>

#include "hotpb/wire/varint.h"

#ifdef HOTPB_BENCH_LIBPROTOBUF
#include <google/protobuf/io/coded_stream.h>
#endif

namespace {

constexpr std::size_t kValues = 1 << 16;  // more than a branch predictor learns
constexpr int kRandomLengths = 0;

// Values whose varints have `length` bytes. With kRandomLengths, every length is as likely, in an order that no
// predictor learns.
std::vector<std::uint64_t> values(int length) {
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> result;
  for (std::size_t i = 0; i < kValues; ++i) {
    const unsigned size = length != kRandomLengths ? static_cast<unsigned>(length)
                                                 : 1 + static_cast<unsigned>(random() % 10);
    const std::uint64_t top = size == 1 ? 0 : std::uint64_t{1} << (7 * (size - 1));
    const std::uint64_t below = size == 10 ? ~std::uint64_t{0} : (std::uint64_t{1} << (7 * size)) - 1;
    result.push_back((random() & below) | top);
  }
  return result;
}

std::vector<std::uint8_t> encoded(const std::vector<std::uint64_t>& from) {
  std::vector<std::uint8_t> bytes(from.size() * hotpb::wire::kVarintRoom);
  std::uint8_t* p = bytes.data();
  for (const std::uint64_t value : from) p = hotpb::wire::write_varint(p, value);
  bytes.resize(static_cast<std::size_t>(p - bytes.data()));
  return bytes;
}

const std::uint8_t* loop_read(const std::uint8_t* p, const std::uint8_t* end, std::uint64_t& value) {
  std::uint64_t result = 0;
  for (unsigned shift = 0; p != end && shift < 70; shift += 7) {
    const std::uint64_t byte = *p++;
    result |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      value = result;
      return p;
    }
  }
  return nullptr;
}

std::uint8_t* loop_write(std::uint8_t* p, std::uint64_t value) {
  while (value >= 0x80) {
    *p++ = static_cast<std::uint8_t>(value | 0x80);
    value >>= 7;
  }
  *p = static_cast<std::uint8_t>(value);
  return p + 1;
}

// (as_const, because google-benchmark 1.7's DoNotOptimize() of a variable is miscompiled by gcc 12.)
template <const std::uint8_t* (*Read)(const std::uint8_t*, const std::uint8_t*, std::uint64_t&)>
void read(benchmark::State& state) {
  const std::vector<std::uint8_t> bytes = encoded(values(static_cast<int>(state.range(0))));
  for (auto _ : state) {
    std::uint64_t sum = 0;
    const std::uint8_t* end = bytes.data() + bytes.size();
    for (const std::uint8_t* p = bytes.data(); p != end;) {
      std::uint64_t value;
      p = Read(p, end, value);
      if (p == nullptr) return state.SkipWithError("refused");
      sum += value;
    }
    benchmark::DoNotOptimize(std::as_const(sum));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kValues));
}

template <std::uint8_t* (*Write)(std::uint8_t*, std::uint64_t)>
void write(benchmark::State& state) {
  const std::vector<std::uint64_t> from = values(static_cast<int>(state.range(0)));
  std::vector<std::uint8_t> bytes(from.size() * hotpb::wire::kVarintRoom);
  for (auto _ : state) {
    std::uint8_t* p = bytes.data();
    for (const std::uint64_t value : from) p = Write(p, value);
    benchmark::DoNotOptimize(std::as_const(p));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kValues));
}

#ifdef HOTPB_BENCH_LIBPROTOBUF
void read_libprotobuf(benchmark::State& state) {
  const std::vector<std::uint8_t> bytes = encoded(values(static_cast<int>(state.range(0))));
  for (auto _ : state) {
    google::protobuf::io::CodedInputStream in(bytes.data(), static_cast<int>(bytes.size()));
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kValues; ++i) {
      google::protobuf::uint64 value;
      if (!in.ReadVarint64(&value)) return state.SkipWithError("refused");
      sum += value;
    }
    benchmark::DoNotOptimize(std::as_const(sum));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kValues));
}

std::uint8_t* write_libprotobuf(std::uint8_t* p, std::uint64_t value) {
  return google::protobuf::io::CodedOutputStream::WriteVarint64ToArray(value, p);
}
#endif

void lengths(benchmark::internal::Benchmark* bench) {
  bench->ArgName("length");  // 0: random
  for (const int length : {1, kRandomLengths, 2, 3, 5, 8, 10}) bench->Arg(length);
}

BENCHMARK(read<hotpb::wire::read_varint>)->Name("read/hotpb")->Apply(lengths);
BENCHMARK(read<loop_read>)->Name("read/byte-loop")->Apply(lengths);
#ifdef HOTPB_BENCH_LIBPROTOBUF
BENCHMARK(read_libprotobuf)->Name("read/libprotobuf")->Apply(lengths);
#endif
BENCHMARK(write<hotpb::wire::write_varint>)->Name("write/hotpb")->Apply(lengths);
BENCHMARK(write<loop_write>)->Name("write/byte-loop")->Apply(lengths);
#ifdef HOTPB_BENCH_LIBPROTOBUF
BENCHMARK(write<write_libprotobuf>)->Name("write/libprotobuf")->Apply(lengths);
#endif

}  // namespace
