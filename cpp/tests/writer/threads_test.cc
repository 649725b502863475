// One writer for each thread: four over one allocator of chunks; and a consumer in another thread, which takes chunks
// away at once and reads only complete ones. The thread sanitizer runs it too.
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "hotpb/vectors.hot.h"
#include "hotpb/wire/reader.h"
#include "hotpb/writer.h"

namespace hotpb_test {
namespace {

using hotpb::vectors::p3::hot::ChildWriter;

// Chunks for all threads, as a buffer in shared memory would have them.
class Pool {
 public:
  std::uint8_t* take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (free_.empty()) {
      owned_.push_back(std::make_unique<std::uint8_t[]>(kSize));
      return owned_.back().get();
    }
    std::uint8_t* const chunk = free_.back();
    free_.pop_back();
    return chunk;
  }
  void give(std::uint8_t* chunk) {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(chunk);
  }
  static constexpr std::size_t kSize = 64;

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<std::uint8_t[]>> owned_;
  std::vector<std::uint8_t*> free_;
};

// The messages of a writer to the consumer: under a lock, in order.
struct Event {
  enum { Chunk, Patch, Done } kind;
  std::uint64_t id;
  std::string bytes;  // a copy, because the chunk returns to the pool at once
  std::size_t offset;
  std::uint32_t open;
};

class Channel {
 public:
  void put(Event event) {
    const std::lock_guard<std::mutex> lock(mutex_);
    events_.push_back(std::move(event));
    ready_.notify_one();
  }
  Event get() {
    std::unique_lock<std::mutex> lock(mutex_);
    ready_.wait(lock, [this] { return !events_.empty(); });
    Event event = std::move(events_.front());
    events_.pop_front();
    return event;
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<Event> events_;
};

class PoolSource final : public hotpb::ChunkSource {
 public:
  PoolSource(Pool& pool, Channel& channel) : pool_(pool), channel_(channel) {}

  hotpb::Chunk next(std::uint64_t full_id, std::size_t used, std::uint32_t open_slots) override {
    leave(full_id, used, open_slots);
    chunk_ = pool_.take();
    return {++id_, chunk_, Pool::kSize};
  }
  bool patch(std::uint64_t id, std::size_t offset, const std::uint8_t (&bytes)[4], std::uint32_t still_open) override {
    channel_.put({Event::Patch, id, std::string(reinterpret_cast<const char*>(bytes), 4), offset, still_open});
    return true;
  }
  bool finish(std::uint64_t id, std::size_t used, const hotpb::MessageEnd&) override {
    leave(id, used, 0);
    channel_.put({Event::Done, 0, {}, 0, 0});
    return true;
  }

 private:
  void leave(std::uint64_t id, std::size_t used, std::uint32_t open) {
    if (id == hotpb::kNoChunk) return;
    channel_.put({Event::Chunk, id, std::string(reinterpret_cast<const char*>(chunk_), used), 0, open});
    pool_.give(chunk_);
  }

  Pool& pool_;
  Channel& channel_;
  std::uint8_t* chunk_ = nullptr;
  std::uint64_t id_ = 0;
};

// The sum of all ids in a message of Children.
std::uint64_t sum_of_ids(hotpb::Bytes bytes) {
  std::uint64_t sum = 0;
  hotpb::wire::Reader fields(bytes);
  while (fields.next()) {
    if (fields.number() == 1) sum += fields.as_uint64();
    if (fields.number() == 9) sum += sum_of_ids(fields.as_bytes());
  }
  EXPECT_TRUE(fields.ok());
  return sum;
}

TEST(Threads, four_writers_over_one_allocator_and_consumers_that_parse_only_what_is_complete) {
  Pool pool;
  constexpr int kMessages = 200;
  std::vector<std::thread> threads;
  std::uint64_t sums[4] = {};
  Channel channels[4];
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, &channel = channels[t]] {
      PoolSource source(pool, channel);
      hotpb::WriteStream out(source);
      for (int i = 0; i < kMessages; ++i) {
        auto root = out.message<ChildWriter>();
        for (int j = 0; j < 10; ++j) {
          root.add_children([&](ChildWriter& child) {
            child.set_id(1);
            child.set_name("some text that fills chunks");
            child.add_children([](ChildWriter& grandchild) { grandchild.set_id(2); });
          });
        }
        EXPECT_TRUE(root.finish().ok());
      }
    });
    threads.emplace_back([&sum = sums[t], &channel = channels[t]] {
      for (int done = 0; done < kMessages;) {
        std::map<std::uint64_t, Event> chunks;
        for (;;) {
          Event event = channel.get();
          if (event.kind == Event::Done) break;
          if (event.kind == Event::Chunk) {
            chunks.emplace(event.id, std::move(event));
            continue;
          }
          Event& chunk = chunks.at(event.id);
          chunk.bytes.replace(event.offset, 4, event.bytes);
          chunk.open = event.open;
        }
        std::string message;
        for (const auto& [id, chunk] : chunks) {
          EXPECT_EQ(chunk.open, 0u);
          message += chunk.bytes;
        }
        sum += sum_of_ids(std::string_view(message));
        ++done;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::uint64_t sum : sums) EXPECT_EQ(sum, std::uint64_t{kMessages} * 10 * 3);
}

// One source for several streams, which says that it is shared, and locks. Consecutive chunks identify a message.
class SharedSource final : public hotpb::ChunkSource {
 public:
  bool is_shared() const override { return true; }

  hotpb::Chunk next(std::uint64_t full_id, std::size_t used, std::uint32_t open_slots) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    leave(full_id, used, open_slots);
    const std::uint64_t id = chunks_.size();
    chunks_.push_back({std::make_unique<std::uint8_t[]>(Pool::kSize), {}, full_id, 0});
    return {id, chunks_.back().memory.get(), Pool::kSize};
  }
  bool patch(std::uint64_t id, std::size_t offset, const std::uint8_t (&bytes)[4], std::uint32_t still_open) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    Kept& chunk = chunks_[static_cast<std::size_t>(id)];
    chunk.bytes.replace(offset, 4, reinterpret_cast<const char*>(bytes), 4);
    chunk.open = still_open;
    return true;
  }
  bool finish(std::uint64_t id, std::size_t used, const hotpb::MessageEnd&) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    leave(id, used, 0);
    std::string message;
    for (; id != hotpb::kNoChunk; id = chunks_[static_cast<std::size_t>(id)].before) {
      EXPECT_EQ(chunks_[static_cast<std::size_t>(id)].open, 0u);
      message.insert(0, chunks_[static_cast<std::size_t>(id)].bytes);
    }
    messages_.push_back(message);
    return true;
  }
  const std::vector<std::string>& messages() const { return messages_; }

 private:
  struct Kept {
    std::unique_ptr<std::uint8_t[]> memory;
    std::string bytes;
    std::uint64_t before;
    std::uint32_t open;
  };

  void leave(std::uint64_t id, std::size_t used, std::uint32_t open) {
    if (id == hotpb::kNoChunk) return;
    Kept& chunk = chunks_[static_cast<std::size_t>(id)];
    chunk.bytes.assign(reinterpret_cast<const char*>(chunk.memory.get()), used);
    chunk.memory.reset();
    chunk.open = open;
  }

  std::mutex mutex_;
  std::deque<Kept> chunks_;
  std::vector<std::string> messages_;
};

TEST(Threads, four_writers_over_one_source_that_says_it_may_be_shared) {
  SharedSource source;
  constexpr int kMessages = 100;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&source] {
      hotpb::WriteStream out(source);
      for (int i = 0; i < kMessages; ++i) {
        auto root = out.message<ChildWriter>();
        for (int j = 0; j < 5; ++j) {
          auto child = root.add_children();
          child.set_id(1);
          child.set_name("some text that fills a chunk, and another one, and a third, if there is room");
        }
        EXPECT_TRUE(root.finish().ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(source.messages().size(), 4u * kMessages);
  for (const std::string& message : source.messages()) EXPECT_EQ(sum_of_ids(std::string_view(message)), 5u);
}

}  // namespace
}  // namespace hotpb_test
