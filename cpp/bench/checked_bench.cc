// The cost of utf8=check in a writer: messages of 64 strings, of the lengths of names, labels and pages, ASCII and not.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "check/hotpb/vectors.hot.h"
#include "schema/hotpb/vectors.hot.h"

namespace {

template <class Writer>
void write(benchmark::State& state, bool ascii) {
  std::string text;
  while (text.size() < static_cast<std::size_t>(state.range(0))) text += ascii ? "ab" : "\xc3\xa9";
  std::vector<std::uint8_t> memory(64 * (text.size() + 8));
  hotpb::FixedBuffer out(memory.data(), memory.size());
  for (auto _ : state) {
    out.clear();
    auto message = out.message<Writer>();
    for (int i = 0; i < 64; ++i) {
      benchmark::DoNotOptimize(text.data());
      message.set_name(text);
    }
    if (!message.finish().ok()) state.SkipWithError("the message failed");
    benchmark::DoNotOptimize(memory.data());
  }
  state.SetBytesProcessed(state.iterations() * 64 * static_cast<std::int64_t>(text.size()));
}

namespace p3 = hotpb::vectors::p3;
void write_usual(benchmark::State& state, bool ascii) { write<p3::utf8_schema::ChildWriter>(state, ascii); }
void write_checked(benchmark::State& state, bool ascii) { write<p3::utf8_check::ChildWriter>(state, ascii); }
BENCHMARK_CAPTURE(write_usual, ascii, true)->Arg(8)->Arg(24)->Arg(1024);
BENCHMARK_CAPTURE(write_checked, ascii, true)->Arg(8)->Arg(24)->Arg(1024);
BENCHMARK_CAPTURE(write_usual, greek, false)->Arg(8)->Arg(24)->Arg(1024);
BENCHMARK_CAPTURE(write_checked, greek, false)->Arg(8)->Arg(24)->Arg(1024);

}  // namespace
