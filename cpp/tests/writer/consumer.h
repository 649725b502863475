// A chunk source for tests. It takes every chunk away as soon as it can, and checks what the specification says of
// chunks, slots and patches (WRT-5 to WRT-8).
#ifndef HOTPB_TESTS_WRITER_CONSUMER_H_
#define HOTPB_TESTS_WRITER_CONSUMER_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hotpb/chunk/source.h"

namespace hotpb_test {

class Consumer final : public hotpb::ChunkSource {
 public:
  // `size_of(i)` is the size of the i-th chunk, 0 for none.
  explicit Consumer(std::function<std::size_t(std::size_t)> size_of) : size_of_(std::move(size_of)) {}

  hotpb::Chunk next(std::uint64_t full_id, std::size_t used, std::uint32_t open_slots) override {
    EXPECT_FALSE(finished_);
    leave(full_id, used, open_slots);
    const std::size_t size = size_of_(chunks_.size());
    if (size == 0) {
      current_ = hotpb::kNoChunk;
      return {};
    }
    // Exactly as large as its size, for the address sanitizer.
    chunks_.push_back({std::make_unique<std::uint8_t[]>(size), size, 0, 0, {}});
    current_ = chunks_.size() - 1 + kFirstId;
    return {current_, chunks_.back().memory.get(), size};
  }

  bool patch(std::uint64_t id, std::size_t offset, const std::uint8_t (&bytes)[4], std::uint32_t still_open) override {
    EXPECT_FALSE(finished_);
    EXPECT_NE(id, current_) << "a chunk that has not left is not patched from outside";
    Kept& chunk = chunks_.at(id - kFirstId);
    EXPECT_LE(offset + 4, chunk.bytes.size()) << "a slot does not straddle";
    EXPECT_EQ(chunk.bytes.substr(offset, 4), std::string(4, '\0')) << "an open slot is four zero bytes";
    EXPECT_NE(bytes[0], 0);
    EXPECT_EQ(still_open + 1, chunk.open_slots);
    chunk.bytes.replace(offset, 4, reinterpret_cast<const char*>(bytes), 4);
    chunk.open_slots = still_open;
    ++patches_;
    return true;
  }

  bool finish(std::uint64_t id, std::size_t used, const hotpb::MessageEnd& end) override {
    EXPECT_FALSE(finished_);
    leave(id, used, 0);
    for (const Kept& chunk : chunks_) EXPECT_EQ(chunk.open_slots, 0u);
    finished_ = true;
    current_ = hotpb::kNoChunk;
    end_ = end;
    EXPECT_LE(end.whole, end.valid);
    EXPECT_LE(end.valid, bytes().size());
    EXPECT_EQ(end.whole == bytes().size(), end.ok() || bytes().empty()) << end.whole;
    return true;
  }

  // All chunks, joined.
  std::string bytes() const {
    std::string all;
    for (const Kept& chunk : chunks_) all += chunk.bytes;
    return all;
  }
  bool finished() const { return finished_; }
  const hotpb::MessageEnd& end() const { return end_; }
  std::size_t chunks() const { return chunks_.size(); }
  std::size_t patches() const { return patches_; }
  std::size_t short_chunks() const { return short_chunks_; }

 private:
  static constexpr std::uint64_t kFirstId = 7000;

  struct Kept {
    std::unique_ptr<std::uint8_t[]> memory;
    std::size_t size;
    std::size_t used;
    std::uint32_t open_slots;
    std::string bytes;
  };

  // Copies the memory and destroys it: the writer must not use it again.
  void leave(std::uint64_t id, std::size_t used, std::uint32_t open_slots) {
    EXPECT_EQ(id, current_);
    if (id == hotpb::kNoChunk) return;
    Kept& chunk = chunks_.at(id - kFirstId);
    ASSERT_LE(used, chunk.size);
    short_chunks_ += used < chunk.size;
    chunk.bytes.assign(reinterpret_cast<const char*>(chunk.memory.get()), used);
    chunk.used = used;
    chunk.open_slots = open_slots;
    chunk.memory.reset();
  }

  std::function<std::size_t(std::size_t)> size_of_;
  std::vector<Kept> chunks_;
  std::uint64_t current_ = hotpb::kNoChunk;
  std::size_t patches_ = 0;
  std::size_t short_chunks_ = 0;
  bool finished_ = false;
  hotpb::MessageEnd end_;
};

}  // namespace hotpb_test

#endif  // HOTPB_TESTS_WRITER_CONSUMER_H_
