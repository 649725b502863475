#include "hotpb/delimited.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "support/support.h"

namespace hotpb_test {
namespace {

using hotpb::Bytes;
using hotpb::Code;
using hotpb::Status;

struct Seen {
  std::vector<std::string> messages;
  std::vector<std::uint64_t> offsets;
  Status status;
};

Seen read_memory(const std::string& stream, const hotpb::ReadOptions& options = {}) {
  const Exact input(stream);
  hotpb::DelimitedReader reader(input.bytes(), options);
  Seen seen;
  Bytes message;
  while (reader.next(message)) {
    seen.messages.emplace_back(message.text());
    seen.offsets.push_back(reader.message_offset());
  }
  seen.status = reader.status();
  return seen;
}

// Reads the stream in pieces of the sizes that `piece` returns. `largest_request` is the largest number of bytes that
// the source was asked for.
using Source = hotpb::DelimitedSource<std::function<std::size_t(std::uint8_t*, std::size_t)>>;
Seen read_pieces(const std::string& stream, const std::function<std::size_t()>& piece,
                 const hotpb::ReadOptions& options = {}, std::size_t* largest_request = nullptr) {
  std::size_t at = 0;
  Source source(
      [&](std::uint8_t* to, std::size_t size) {
        if (largest_request != nullptr) *largest_request = std::max(*largest_request, size);
        const std::size_t got = std::min({size, stream.size() - at, std::max<std::size_t>(piece(), 1)});
        std::memcpy(to, stream.data() + at, got);
        at += got;
        return got;
      },
      options);
  Seen seen;
  Bytes message;
  while (source.next(message)) {
    seen.messages.emplace_back(message.text());
    seen.offsets.push_back(source.message_offset());
  }
  seen.status = source.status();
  return seen;
}

void expect_same(const Seen& a, const Seen& b) {
  EXPECT_EQ(a.messages, b.messages);
  EXPECT_EQ(a.offsets, b.offsets);
  EXPECT_EQ(hotpb::to_string(a.status), hotpb::to_string(b.status));
}

TEST(Delimited, what_was_appended_is_read_back) {
  Random random;
  for (int round = 0; round < 200; ++round) {
    std::string stream;
    std::vector<std::string> wanted;
    for (std::size_t count = random.below(20); count > 0; --count) {
      wanted.push_back(random.bytes(random.one_in(10) ? random.below(100000) : random.below(300)));
      hotpb::append_delimited(stream, std::string_view(wanted.back()));
    }
    const Seen seen = read_memory(stream);
    EXPECT_EQ(seen.messages, wanted);
    EXPECT_TRUE(seen.status.ok());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(stream.substr(seen.offsets[i], wanted[i].size()), wanted[i]);
    }
    expect_same(seen, read_pieces(stream, [&] { return random.below(5000); }));
  }
}

TEST(Delimited, a_stream_cut_anywhere_is_truncated_at_the_start_of_its_last_length) {
  std::string stream;
  std::vector<std::size_t> starts;
  for (const std::size_t size : {3u, 0u, 200u, 1u}) {
    starts.push_back(stream.size());
    hotpb::append_delimited(stream, std::string_view(std::string(size, 'm')));
  }
  for (std::size_t cut = 0; cut < stream.size(); ++cut) {
    SCOPED_TRACE(cut);
    const Seen seen = read_memory(stream.substr(0, cut));
    const std::size_t last = *std::prev(std::upper_bound(starts.begin(), starts.end(), cut));
    if (cut == last) {
      EXPECT_TRUE(seen.status.ok());
    } else {
      EXPECT_EQ(seen.status, (Status{Code::Truncated, last}));
    }
    expect_same(seen, read_pieces(stream.substr(0, cut), [] { return 1u; }));
  }
}

TEST(Delimited, a_length_of_more_than_ten_bytes_overflows) {
  for (const char* hex : {"00 80 80 80 80 80 80 80 80 80 80", "00 80 80 80 80 80 80 80 80 80 80 00"}) {
    const Seen seen = read_memory(from_hex(hex));
    EXPECT_EQ(seen.status, (Status{Code::VarintOverflow, 1}));
    expect_same(seen, read_pieces(from_hex(hex), [] { return 3u; }));
  }
}

TEST(Delimited, random_bytes_are_read_alike_from_memory_and_from_pieces) {
  Random random;
  hotpb::ReadOptions options;
  options.size = 1000;
  for (int round = 0; round < 20000; ++round) {
    std::string stream = random.bytes(random.below(40));
    for (char& c : stream) {
      if (random.one_in(2)) c = static_cast<char>(c & 7);
    }
    expect_same(read_memory(stream, options), read_pieces(stream, [&] { return random.below(6); }, options));
  }
}

TEST(Delimited, a_length_above_the_limit_is_refused_before_anything_is_read_for_it) {
  hotpb::ReadOptions options;
  options.size = 10;
  const std::string stream = from_hex("01 61 0b");
  EXPECT_EQ(read_memory(stream + std::string(11, 'x'), options).status, (Status{Code::SizeExceeded, 2}));
  std::size_t reads = 0;
  const Seen seen = read_pieces(stream, [&] { ++reads; return std::size_t{3}; }, options);
  EXPECT_EQ(seen.status, (Status{Code::SizeExceeded, 2}));
  EXPECT_EQ(reads, 1u);
}

TEST(Delimited, a_length_that_lies_allocates_no_more_than_the_bytes_that_came) {
  std::string stream;
  hotpb::wire::append_varint(stream, hotpb::kMaxMessageSize);
  stream += std::string(200000, 'x');
  std::size_t largest_request = 0;
  const Seen seen = read_pieces(stream, [] { return 1000u; }, {}, &largest_request);
  EXPECT_EQ(seen.status, (Status{Code::Truncated, 0}));
  EXPECT_LT(largest_request, 500000u);
}

TEST(Delimited, a_source_that_says_more_than_it_was_asked_for_is_misuse) {
  for (const std::size_t before : {0u, 1u, 2u}) {
    std::size_t calls = 0;
    Source source([&](std::uint8_t* to, std::size_t size) {
      if (calls++ < before) {
        *to = calls == 1 ? 0x09 : 0x61;
        return std::size_t{1};
      }
      return size + 1;
    });
    Bytes message;
    EXPECT_FALSE(source.next(message));
    EXPECT_EQ(source.status(), (Status{Code::HandleMisuse, 0}));
    EXPECT_FALSE(source.next(message)) << "the error stays";
    EXPECT_EQ(calls, before + 1);
  }
}

TEST(Delimited, a_source_that_throws_is_asked_again_where_it_was) {
  const std::string stream = from_hex("02 61 62 00 03 63 64 65");
  for (std::size_t bad = 0; bad <= stream.size(); ++bad) {
    SCOPED_TRACE(bad);
    std::size_t at = 0;
    std::size_t calls = 0;
    Source source([&](std::uint8_t* to, std::size_t) {
      if (calls++ == bad) throw std::runtime_error("later");
      if (at == stream.size()) return std::size_t{0};
      *to = static_cast<std::uint8_t>(stream[at++]);
      return std::size_t{1};
    });
    std::string seen;
    int thrown = 0;
    Bytes message;
    for (;;) {
      try {
        if (!source.next(message)) break;
        seen += std::string(message.text()) + ";";
      } catch (const std::runtime_error&) {
        ++thrown;
      }
    }
    EXPECT_EQ(seen, "ab;;cde;");
    EXPECT_EQ(thrown, 1);
    EXPECT_TRUE(source.status().ok());
  }
}

}  // namespace
}  // namespace hotpb_test
