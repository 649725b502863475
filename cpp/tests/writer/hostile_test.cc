// Hostile surroundings: sources and streams that fail or throw at every call, callables that throw, exhausted memory.
// Nothing terminates or leaks, the status reports the error, and the bytes that were written parse.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <memory>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <vector>

#include "hotpb/chunk/ostream.h"
#include "hotpb/delimited.h"
#include "hotpb/vectors.hot.h"
#include "support/support.h"
#include "writer/all_of.h"

namespace hotpb_test {
namespace {

using hotpb::Code;
using hotpb::StreamPolicy;
using hotpb::vectors::p3::hot::ChildWriter;

enum class Fault { None, Refuses, TooSmall, NoId, Throws, ThrowsInt };
constexpr Fault kFaults[] = {Fault::Refuses, Fault::TooSmall, Fault::NoId, Fault::Throws, Fault::ThrowsInt};

// Fails at call number `bad` of next(), patch(), finish() and sync(), counted together, and succeeds at all others.
class FaultySource final : public hotpb::ChunkSource {
 public:
  FaultySource(std::size_t bad, Fault fault) : bad_(bad), fault_(fault) {}

  hotpb::Chunk next(std::uint64_t id, std::size_t used, std::uint32_t) override {
    leave(id, used);
    const bool good = good_call();
    if (!good && fault_ == Fault::Refuses) return {};
    const std::size_t size = !good && fault_ == Fault::TooSmall ? 63 : 64;
    chunks_.push_back({std::make_unique<std::uint8_t[]>(size), ""});
    current_ = !good && fault_ == Fault::NoId ? hotpb::kNoChunk : chunks_.size() - 1;
    return {current_, chunks_.back().memory.get(), size};
  }
  bool patch(std::uint64_t id, std::size_t offset, const std::uint8_t (&bytes)[4], std::uint32_t) override {
    EXPECT_FALSE(idle_);
    ++patches_;
    std::string& chunk = chunks_.at(id).bytes;
    EXPECT_LE(offset + 4, chunk.size());
    const bool good = good_call();
    if (good) chunk.replace(offset, 4, reinterpret_cast<const char*>(bytes), 4);
    return good;
  }
  bool finish(std::uint64_t id, std::size_t used, const hotpb::MessageEnd& end) override {
    EXPECT_LE(end.whole, end.valid);
    leave(id, used);
    ends_.push_back(end);
    idle_ = true;
    return good_call();
  }
  bool sync() override { return good_call(); }

  std::size_t calls() const { return calls_; }
  bool failed() const { return calls_ > bad_; }
  bool idle() const { return idle_; }
  std::string joined() const {
    std::string all;
    for (const Kept& chunk : chunks_) all += chunk.bytes;
    return all;
  }

 private:
  struct Kept {
    std::unique_ptr<std::uint8_t[]> memory;
    std::string bytes;
  };

  void leave(std::uint64_t id, std::size_t used) {
    if (id != hotpb::kNoChunk) {
      EXPECT_EQ(id, current_);
      Kept& chunk = chunks_.at(id);
      ASSERT_NE(chunk.memory, nullptr) << "a chunk comes back once";
      chunk.bytes.assign(reinterpret_cast<const char*>(chunk.memory.get()), used);
      chunk.memory.reset();
    }
    current_ = hotpb::kNoChunk;
    idle_ = false;
  }
  bool good_call() {
    if (calls_++ != bad_) return true;
    if (fault_ == Fault::Throws) throw std::runtime_error("the source throws");
    if (fault_ == Fault::ThrowsInt) throw 1;
    return false;
  }

  std::size_t bad_;
  Fault fault_;
  std::size_t calls_ = 0;
  std::size_t patches_ = 0;
  std::uint64_t current_ = hotpb::kNoChunk;
  bool idle_ = true;
  std::vector<Kept> chunks_;
  std::vector<hotpb::MessageEnd> ends_;
};

// Children across chunks, some ended by their parent, some by themselves.
void fill(ChildWriter& root, std::size_t size) {
  static const std::string text(200, 'x');
  const std::string_view part = std::string_view(text).substr(0, size);
  root.set_id(-1);
  root.set_child([&](ChildWriter& child) {
    child.set_name(part);
    auto grandchild = child.add_children();
    grandchild.set_name(part);
    grandchild.add_counts(part, 5);
    child.set_id(3);
    auto numbers = child.packed_numbers();
    for (int i = 0; i < 40; ++i) numbers.add(i * 1000);
  });
  root.set_name(part);
}

// Three messages, plain or delimited. Returns whether each of them and flush() reported success.
bool write_three(hotpb::WriteStream& out, bool delimited) {
  bool good = true;
  for (const std::size_t size : {20u, 90u, 150u}) {
    auto root = delimited ? out.delimited<ChildWriter>() : out.message<ChildWriter>();
    fill(root, size);
    good = root.finish().ok() && good;
  }
  const bool flushed = out.flush().ok();
  EXPECT_TRUE(flushed || !out.ok());
  return good && flushed;
}

// WRT-26, WRT-27.
TEST(Hostile, a_source_that_fails_or_throws_at_any_call_gives_a_status) {
  std::size_t faults = 0;
  for (const bool delimited : {false, true}) {
    for (const auto policy : {StreamPolicy::compact, StreamPolicy::fixed4}) {
      for (const Fault fault : kFaults) {
        for (std::size_t bad = 0;; ++bad) {
          FaultySource source(bad, fault);
          bool good;
          hotpb::WriteStatus status;
          std::uint64_t start;
          {
            hotpb::WriteStream out(source, policy);
            good = write_three(out, delimited);
            status = out.status();
            start = out.message_start();
          }
          EXPECT_TRUE(source.idle()) << "every message is reported as ended";
          EXPECT_EQ(good, status.ok());
          if (!source.failed()) {
            EXPECT_TRUE(good);
            break;
          }
          ++faults;
          EXPECT_FALSE(good) << bad;
          EXPECT_EQ(status.code, Code::BufferExhausted);
          const std::string all = source.joined();
          ASSERT_LE(start + status.valid_len, all.size() + 63) << bad;
          if (!delimited && status.valid_len > 0) {
            EXPECT_TRUE(parses(std::string_view(all).substr(start, status.valid_len))) << bad << to_hex(all);
          }
        }
      }
    }
  }
  EXPECT_GT(faults, 300u);
}

TEST(Hostile, a_stream_goes_on_after_reset_when_its_source_does) {
  FaultySource source(2, Fault::Throws);
  hotpb::WriteStream out(source);
  EXPECT_FALSE(write_three(out, false));
  out.reset();
  EXPECT_TRUE(write_three(out, false));
}

// Takes this many bytes and no more; then it fails, or throws.
class LimitedBuf final : public std::streambuf {
 public:
  LimitedBuf(std::size_t room, bool throws) : room_(room), throws_(throws) {}
  const std::string& bytes() const { return bytes_; }

 protected:
  int_type overflow(int_type c) override {
    const char byte = static_cast<char>(c);
    return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
  }
  std::streamsize xsputn(const char* data, std::streamsize size) override {
    const std::size_t wanted = static_cast<std::size_t>(size);
    const std::size_t part = wanted < room_ - bytes_.size() ? wanted : room_ - bytes_.size();
    bytes_.append(data, part);
    if (part < wanted && throws_) throw std::runtime_error("the stream buffer throws");
    return static_cast<std::streamsize>(part);
  }

 private:
  std::size_t room_;
  bool throws_;
  std::string bytes_;
};

TEST(Hostile, an_ostream_that_goes_bad_after_any_byte_gives_a_status_and_never_throws) {
  for (const bool delimited : {false, true}) {
    LimitedBuf all(100000, false);
    std::ostream good_stream(&all);
    {
      hotpb::OstreamWriter out(good_stream, 64);
      ASSERT_TRUE(write_three(out, delimited));
    }
    ASSERT_GT(all.bytes().size(), 1000u);
    for (const bool throws : {false, true}) {
      for (const auto mask : {std::ios::goodbit, std::ios::badbit, std::ios::badbit | std::ios::failbit}) {
        const std::size_t step = throws && mask != std::ios::goodbit ? 1 : 7;
        for (std::size_t room = all.bytes().size() % step; room <= all.bytes().size(); room += step) {
          LimitedBuf buffer(room, throws);
          std::ostream stream(&buffer);
          stream.exceptions(mask);
          hotpb::OstreamWriter out(stream, 64);
          const bool good = write_three(out, delimited);
          ASSERT_EQ(good, room == all.bytes().size()) << room;
          ASSERT_EQ(out.ok(), good);
          ASSERT_TRUE(good || out.status().code == Code::BufferExhausted);
          ASSERT_EQ(buffer.bytes(), all.bytes().substr(0, room));
        }
      }
    }
  }
}

// A stream with a buffer of its own notices the failure when it is flushed.
class LateBuf final : public std::stringbuf {
 public:
  explicit LateBuf(bool throws) : throws_(throws) {}

 protected:
  int sync() override {
    if (throws_) throw std::runtime_error("sync throws");
    return -1;
  }

 private:
  bool throws_;
};

TEST(Hostile, flush_flushes_the_ostream_and_reports_it) {
  for (const bool throws : {false, true}) {
    for (const auto mask : {std::ios::goodbit, std::ios::badbit | std::ios::failbit}) {
      LateBuf buffer(throws);
      std::ostream stream(&buffer);
      stream.exceptions(mask);
      hotpb::OstreamWriter out(stream);
      EXPECT_TRUE(out.delimited<ChildWriter>().finish().ok());
      EXPECT_EQ(out.flush().code, Code::BufferExhausted);
      EXPECT_EQ(out.status().code, Code::BufferExhausted);
    }
  }
}

TEST(Hostile, a_full_disk_reaches_flush_and_status) {
  std::ofstream probe("/dev/full");
  if (!probe.is_open()) GTEST_SKIP() << "this system has no /dev/full";
  for (const auto mask : {std::ios::goodbit, std::ios::badbit | std::ios::failbit}) {
    std::ofstream file("/dev/full", std::ios::binary);
    file.exceptions(mask);
    {
      hotpb::OstreamWriter out(file);
      for (int i = 0; i < 5; ++i) {
        auto message = out.delimited<ChildWriter>();
        message.set_id(i);
        EXPECT_TRUE(message.finish().ok());  // it waits in its chunk
      }
      EXPECT_EQ(out.flush().code, Code::BufferExhausted);
      EXPECT_EQ(out.status().code, Code::BufferExhausted);
      EXPECT_FALSE(out.delimited<ChildWriter>().finish().ok());
    }
    {
      hotpb::OstreamWriter out(file);  // on a stream that is already bad
      auto root = out.message<ChildWriter>();
      root.set_id(1);
      EXPECT_EQ(root.finish().code, Code::BufferExhausted);
    }
    file.clear();
    file.exceptions(std::ios::goodbit);
  }
}

TEST(Hostile, an_ostream_gets_no_message_that_failed_before_any_of_it_was_written) {
  std::ostringstream file;
  {
    hotpb::OstreamWriter out(file, 64);
    for (int i = 0; i < 10; ++i) {
      auto message = out.delimited<ChildWriter>();
      fill(message, 100);
      if (i % 2 == 1) {
        auto second = out.delimited<ChildWriter>();  // misuse
        EXPECT_EQ(out.status().code, Code::HandleMisuse);
        out.reset();
      }
    }
    EXPECT_TRUE(out.flush().ok());
    auto small = out.message<ChildWriter>();
    small.set_id(1);
    static_cast<void>(out.message<ChildWriter>());  // misuse
  }
  const std::string bytes = file.str();
  hotpb::DelimitedReader reader{std::string_view(bytes)};
  hotpb::Bytes message;
  int count = 0;
  while (reader.next(message)) {
    EXPECT_TRUE(parses(message));
    ++count;
  }
  EXPECT_TRUE(reader.status().ok());
  EXPECT_EQ(count, 5);
}

// Callable number `bad` throws, after it has written something. Returns whether there were that many.
template <class Out>
bool throws_at(Out& out, int bad) {
  int calls = 0;
  std::function<void(ChildWriter&, int)> write = [&](ChildWriter& writer, int depth) {
    writer.set_id(depth);
    if (calls++ == bad) throw std::runtime_error("the callable throws");
    writer.set_name(std::string(50, 'n'));
    for (int i = 0; depth > 0 && i < 2; ++i) writer.add_children([&](ChildWriter& child) { write(child, depth - 1); });
    if (depth > 0) writer.set_child([&](ChildWriter& child) { write(child, 0); });
  };
  auto root = out.template message<ChildWriter>();
  try {
    root.set_child([&](ChildWriter& child) { write(child, 3); });
  } catch (const std::runtime_error&) {
    root.set_name("after it was caught");
    EXPECT_EQ(root.finish().code, Code::HandleMisuse) << bad;
    return true;
  }
  EXPECT_TRUE(root.finish().ok());
  return false;
}

TEST(Hostile, a_callable_that_throws_at_any_depth_fails_the_message) {
  hotpb::HeapOptions options;
  options.first_chunk = options.largest_chunk = 64;
  int bad = 0;
  for (bool thrown = true; thrown; ++bad) {
    std::vector<std::uint8_t> memory(10000);
    hotpb::FixedBuffer fixed(memory.data(), memory.size());
    hotpb::HeapBuffer heap(options);
    std::ostringstream file;
    hotpb::OstreamWriter stream(file, 64);
    const auto check = [&](auto& out) {
      thrown = throws_at(out, bad);
      EXPECT_EQ(out.bytes().empty(), thrown);
      const std::string all = all_of(out);
      EXPECT_EQ(all.size(), out.status().valid_len);
      EXPECT_TRUE(parses(std::string_view(all)));
      out.clear();
      EXPECT_FALSE(throws_at(out, 1000)) << "nothing is pinned";
    };
    check(fixed);
    check(heap);
    EXPECT_EQ(throws_at(stream, bad), thrown);
    EXPECT_EQ(stream.ok(), !thrown);
    EXPECT_TRUE(parses(std::string_view(file.str()))) << "it is cut, and says so";
  }
  EXPECT_GT(bad, 10);
}

TEST(Hostile, a_callable_that_throws_after_its_child_has_finished_or_its_buffer_was_cleared_fails_nothing) {
  std::uint8_t memory[100];
  hotpb::FixedBuffer out(memory, sizeof memory);
  {
    auto root = out.message<ChildWriter>();
    EXPECT_THROW(root.set_child([](ChildWriter& child) {
      child.set_id(1);
      EXPECT_TRUE(child.finish().ok());
      throw std::runtime_error("late");
    }),
                 std::runtime_error);
    root.set_id(2);
    EXPECT_TRUE(root.finish().ok());
  }
  EXPECT_EQ(to_hex(out.bytes().text()), "1a0208010802");
  {
    auto root = out.message<ChildWriter>();
    EXPECT_THROW(root.set_child([&](ChildWriter&) {
      out.clear();
      out.message<ChildWriter>().set_id(3);
      throw std::runtime_error("after clear");
    }),
                 std::runtime_error);
  }
  EXPECT_TRUE(out.bytes().ok());
  EXPECT_EQ(to_hex(out.bytes().text()), "0803");
}

// A handle that was moved from writes nothing and ends nothing, whatever is called.
TEST(Hostile, every_call_on_a_handle_that_was_moved_from) {
  const std::function<void(ChildWriter&)> calls[] = {
      [](ChildWriter& w) { w.set_id(1); },
      [](ChildWriter& w) { w.set_name("n"); },
      [](ChildWriter& w) { w.set_child(); },
      [](ChildWriter& w) { w.add_children([](ChildWriter& child) { child.set_id(1); }); },
      [](ChildWriter& w) { w.packed_numbers().add(1); },
      [](ChildWriter& w) { w.add_counts("k", 1); },
      [](ChildWriter& w) { w.append_raw(std::string_view("\x08\x01")); },
      [](ChildWriter& w) { w.set_child(hotpb::RawMessage(std::string_view("\x08\x01"))); },
      [](ChildWriter& w) { static_cast<void>(w.finish()); },
  };
  for (const auto& call : calls) {
    for (const bool finished : {false, true}) {
      std::uint8_t memory[100];
      hotpb::FixedBuffer out(memory, sizeof memory);
      auto root = out.message<ChildWriter>();
      auto owner = std::move(root);
      owner.set_id(7);
      if (finished) {
        EXPECT_TRUE(owner.finish().ok());
      }
      call(root);  // NOLINT(bugprone-use-after-move): that is the point
      EXPECT_EQ(out.status().code, Code::HandleMisuse);
      EXPECT_EQ(to_hex(out.bytes().text()), finished ? "0807" : "");
      EXPECT_EQ(to_hex(all_of(out)), "0807");
    }
  }
}

}  // namespace
}  // namespace hotpb_test
