#include "chunk_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

namespace first_light {

ChunkFile::ChunkFile(std::string path, std::size_t chunk_size)
    : path_(std::move(path)), part_(path_ + ".part"),
      fd_(::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)), chunk_size_(chunk_size) {
  if (fd_ < 0) fail(part_);
}

ChunkFile::~ChunkFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(part_.c_str());
}

hotpb::Chunk ChunkFile::next(std::uint64_t full_id, std::size_t used, std::uint32_t open_slots) {
  hand_in(full_id, used, open_slots);
  if (!error_.empty()) return {};  // exhausted: the writer writes no more
  if (spare_.empty()) spare_.push_back(std::make_unique<std::uint8_t[]>(chunk_size_));
  std::uint8_t* const data = spare_.back().get();
  waiting_.push_back({std::move(spare_.back()), 0, 1});  // an open slot, so that it is not written before it comes back
  spare_.pop_back();
  return {first_id_ + waiting_.size() - 1, data, chunk_size_};
}

void ChunkFile::patch(std::uint64_t id, std::size_t offset, const std::uint8_t (&bytes)[4], std::uint32_t still_open) {
  ++patches_;
  Waiting& chunk = waiting(id);
  std::memcpy(chunk.data.get() + offset, bytes, sizeof bytes);
  chunk.open_slots = still_open;
  write_out();
}

void ChunkFile::finish(std::uint64_t id, std::size_t used) { hand_in(id, used, 0); }

bool ChunkFile::commit() {
  if (!error_.empty()) return false;
  if (::close(std::exchange(fd_, -1)) != 0 || std::rename(part_.c_str(), path_.c_str()) != 0) {
    fail(path_);
    ::unlink(part_.c_str());
  }
  return error_.empty();
}

void ChunkFile::hand_in(std::uint64_t id, std::size_t used, std::uint32_t open_slots) {
  if (id == hotpb::kNoChunk) return;
  ++chunks_;
  waiting(id).used = used;
  waiting(id).open_slots = open_slots;
  write_out();
}

void ChunkFile::write_out() {
  while (!waiting_.empty() && waiting_.front().open_slots == 0) {
    write(waiting_.front().data.get(), waiting_.front().used);
    spare_.push_back(std::move(waiting_.front().data));
    waiting_.pop_front();
    ++first_id_;
  }
}

void ChunkFile::write(const std::uint8_t* data, std::size_t size) {
  while (size > 0 && error_.empty()) {
    const ssize_t done = ::write(fd_, data, size);
    if (done < 0) {
      if (errno != EINTR) fail(part_);
      continue;
    }
    data += done;
    size -= static_cast<std::size_t>(done);
    bytes_ += static_cast<std::uint64_t>(done);
  }
}

void ChunkFile::fail(const std::string& path) { error_ = path + ": " + std::strerror(errno); }

}  // namespace first_light
