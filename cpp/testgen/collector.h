// A chunk source that takes every chunk away at once, keeps its bytes and applies the patches, as a consumer in another
// process would. The caller chooses the sizes of chunks.
#ifndef HOTPB_TESTGEN_COLLECTOR_H_
#define HOTPB_TESTGEN_COLLECTOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hotpb/chunk/source.h"

namespace hotpb_test {

class Collector final : public hotpb::ChunkSource {
 public:
  struct Left {
    std::string as_left;
    std::string bytes;         // with the patches that have arrived
    std::uint32_t open_slots;  // when it left
    std::uint32_t still_open;  // now
  };
  struct Patch {
    std::size_t chunk;  // index in chunks()
    std::size_t offset;
    std::string bytes;
    std::uint32_t still_open;
  };

  // `size_of(i)` is the size of the i-th chunk, 0 for none.
  explicit Collector(std::function<std::size_t(std::size_t)> size_of) : size_of_(std::move(size_of)) {}

  hotpb::Chunk next(std::uint64_t full_id, std::size_t used, std::uint32_t open_slots) override {
    leave(full_id, used, open_slots);
    const std::size_t size = size_of_(given_);
    if (size == 0) return {};
    current_.reset(new std::uint8_t[size]);
    return {kFirstId + given_++, current_.get(), size};
  }
  bool patch(std::uint64_t id, std::size_t offset, const std::uint8_t (&bytes)[4], std::uint32_t still_open) override {
    const std::size_t index = static_cast<std::size_t>(id - kFirstId);
    const std::string four(reinterpret_cast<const char*>(bytes), 4);
    patches_.push_back({index, offset, four, still_open});
    if (finished_ || index >= chunks_.size() || offset + 4 > chunks_[index].bytes.size() ||
        chunks_[index].bytes.compare(offset, 4, std::string(4, '\0')) != 0 || four[0] == 0 ||
        still_open + 1 != chunks_[index].still_open) {
      sound_ = false;
      return false;
    }
    chunks_[index].bytes.replace(offset, 4, four);
    chunks_[index].still_open = still_open;
    return true;
  }
  bool finish(std::uint64_t id, std::size_t used, const hotpb::MessageEnd& end) override {
    if (finished_) sound_ = false;
    leave(id, used, 0);
    for (const Left& chunk : chunks_) sound_ = sound_ && chunk.still_open == 0;
    finished_ = true;
    end_ = end;
    return sound_;
  }

  const std::vector<Left>& chunks() const { return chunks_; }
  const std::vector<Patch>& patches() const { return patches_; }
  std::string joined() const {
    std::string all;
    for (const Left& chunk : chunks_) all += chunk.bytes;
    return all;
  }
  const hotpb::MessageEnd& end() const { return end_; }
  // The message has ended, every chunk was returned once, and every call was one that chunk/source.h promises.
  bool sound() const { return sound_ && finished_ && given_ == chunks_.size(); }

 private:
  static constexpr std::uint64_t kFirstId = 100;

  void leave(std::uint64_t id, std::size_t used, std::uint32_t open_slots) {
    if (id == hotpb::kNoChunk) {
      if (current_ != nullptr) sound_ = false;
      return;
    }
    if (current_ == nullptr || id != kFirstId + given_ - 1) {
      sound_ = false;
      return;
    }
    const std::string bytes(reinterpret_cast<const char*>(current_.get()), used);
    chunks_.push_back({bytes, bytes, open_slots, open_slots});
    current_.reset();  // the writer must not use it again
  }

  std::function<std::size_t(std::size_t)> size_of_;
  std::unique_ptr<std::uint8_t[]> current_;
  std::size_t given_ = 0;
  std::vector<Left> chunks_;
  std::vector<Patch> patches_;
  bool finished_ = false;
  hotpb::MessageEnd end_;
  bool sound_ = true;
};

}  // namespace hotpb_test

#endif  // HOTPB_TESTGEN_COLLECTOR_H_
