// Checking UTF-8: ASCII of a label's length and of a page's, and text in scripts of two and three bytes.
// Rivals: a plain table-driven automaton, and libprotobuf's IsStructurallyValidUTF8.
#include <benchmark/benchmark.h>

#include <array>
#include <string>

#include "hotpb/wire/utf8.h"

#ifdef HOTPB_BENCH_LIBPROTOBUF
#include <google/protobuf/stubs/common.h>
#endif

namespace {

// One table look-up for each byte: byte -> class, (state, class) -> state. State 0 accepts, and state 1 is the trap.
struct Automaton {
  std::array<std::uint8_t, 256> classes{};
  std::array<std::array<std::uint8_t, 12>, 9> next{};

  Automaton() {
    // Classes: 0 ASCII, 1 80-8f, 2 90-9f, 3 a0-bf, 4 c2-df, 5 e0, 6 e1-ec ee ef, 7 ed, 8 f0, 9 f1-f3, 10 f4, 11 never.
    for (unsigned byte = 0; byte < 256; ++byte) {
      classes[byte] = static_cast<std::uint8_t>(
          byte < 0x80 ? 0 : byte < 0x90 ? 1 : byte < 0xa0 ? 2 : byte < 0xc0 ? 3 : byte < 0xc2 ? 11 : byte < 0xe0 ? 4
          : byte == 0xe0 ? 5 : byte == 0xed ? 7 : byte < 0xf0 ? 6 : byte == 0xf0 ? 8 : byte < 0xf4 ? 9
          : byte == 0xf4 ? 10 : 11);
    }
    // States: 2 one more byte, 3 two more, 4 after e0, 5 after ed, 6 after f0, 7 after f1-f3, 8 after f4.
    for (auto& row : next) row.fill(1);
    next[0] = {0, 1, 1, 1, 2, 4, 3, 5, 6, 7, 8, 1};
    for (const std::size_t any : {1u, 2u, 3u}) {
      next[2][any] = 0;
      next[3][any] = 2;
      next[7][any] = 3;
    }
    next[4][3] = 2;
    next[5][1] = next[5][2] = 2;
    next[6][2] = next[6][3] = 3;
    next[8][1] = 3;
  }

  bool valid(const std::uint8_t* text, std::size_t size) const {
    std::uint8_t state = 0;
    for (std::size_t i = 0; i < size; ++i) state = next[state][classes[text[i]]];
    return state == 0;
  }
};

bool table_valid(const std::uint8_t* text, std::size_t size) {
  static const Automaton automaton;
  return automaton.valid(text, size);
}

bool hotpb_valid(const std::uint8_t* text, std::size_t size) { return hotpb::utf8::is_valid(text, size); }

#ifdef HOTPB_BENCH_LIBPROTOBUF
bool libprotobuf_valid(const std::uint8_t* text, std::size_t size) {
  return google::protobuf::internal::IsStructurallyValidUTF8(reinterpret_cast<const char*>(text),
                                                             static_cast<int>(size));
}
#endif

enum Text { kAsciiLabel, kAsciiPage, kLatin, kCyrillic, kCjk, kEmoji };

std::string text_of(Text kind) {
  const auto repeat = [](const std::string& piece, std::size_t size) {
    std::string text;
    while (text.size() < size) text += piece;
    return text;
  };
  switch (kind) {
    case kAsciiLabel: return "kube_pod_status_phase";
    case kAsciiPage: return repeat("All human beings are born free and equal. ", 4096);
    case kLatin: return repeat("Toutes les libert\xc3\xa9s \xc3\xa0 d\xc3\xa9""fendre, ", 4096);
    case kCyrillic: return repeat("\xd0\xb2\xd1\x81\xd0\xb5 \xd0\xbb\xd1\x8e\xd0\xb4\xd0\xb8 ", 4096);
    case kCjk: return repeat("\xe4\xba\xba\xe4\xba\xba\xe7\x94\x9f\xe8\x80\x8c\xe8\x87\xaa\xe7\x94\xb1", 4096);
    case kEmoji: return repeat("\xf0\x9f\x98\x80\xf0\x9f\x9a\x80", 4096);
  }
  return {};
}

template <bool (*Valid)(const std::uint8_t*, std::size_t)>
void check(benchmark::State& state) {
  const std::string text = text_of(static_cast<Text>(state.range(0)));
  benchmark::DoNotOptimize(text.data());
  const auto* const data = reinterpret_cast<const std::uint8_t*>(text.data());
  for (auto _ : state) {
    benchmark::ClobberMemory();  // the text might have changed, so it must be read again
    if (!Valid(data, text.size())) return state.SkipWithError("refused");
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
  static constexpr const char* kNames[] = {"ascii-21-bytes", "ascii", "latin", "cyrillic", "cjk", "emoji"};
  state.SetLabel(kNames[state.range(0)]);
}

BENCHMARK(check<hotpb_valid>)->Name("utf8/hotpb")->DenseRange(kAsciiLabel, kEmoji);
BENCHMARK(check<table_valid>)->Name("utf8/table")->DenseRange(kAsciiLabel, kEmoji);
#ifdef HOTPB_BENCH_LIBPROTOBUF
BENCHMARK(check<libprotobuf_valid>)->Name("utf8/libprotobuf")->DenseRange(kAsciiLabel, kEmoji);
#endif

}  // namespace
