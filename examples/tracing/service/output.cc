#include "output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "tracing/packet.hot.h"

namespace tracing::service {

namespace {

// How many bytes of them were written: fewer is an error, which errno names.
std::size_t write_all(int fd, const std::uint8_t* data, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t now = ::write(fd, data + done, size - done);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) break;
    done += static_cast<std::size_t>(now);
  }
  return done;
}

}  // namespace

void Output::join_run() {
  {
    auto trace = buffer_.message<hot::TraceWriter>();
    trace.append_raw(hotpb::Bytes(run_.data(), run_bytes_));
  }
  run_bytes_ = 0;
  if (!buffer_.status().ok()) buffer_.reset();  // no memory for it
}

FileOutput::~FileOutput() {
  flush();
  if (fd_ >= 0) ::close(fd_);
}

bool FileOutput::open(const std::string& path) {
  return open(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
}
bool FileOutput::open(int fd) {
  fd_ = fd;
  return fd >= 0;
}

void FileOutput::flush() {
  const std::uint64_t size = buffer().size();
  if (size == 0) return;
  std::uint64_t done = 0;
  for (const hotpb::Bytes piece : buffer_.chunks()) {
    const std::size_t part = write_all(fd_, piece.data(), piece.size());
    done += part;
    if (part != piece.size()) break;
  }
  if (done == size) {
    bytes_ += done;
  } else {
    // A torn packet at the end of a file is ignored by whoever reads it, but not in its middle.
    if (done > 0 && (::ftruncate(fd_, static_cast<off_t>(bytes_)) != 0 || ::lseek(fd_, 0, SEEK_END) < 0)) {
      std::perror("trace-service: the file cannot be cut to its last packet");
    }
    lost_bytes_ += size;
    ++failures_;
    ++block_;
  }
  clear_buffer();
}

void FlightRecorder::flush() {
  bytes_ += buffer().size();
  static_cast<void>(buffer_.append_to(current_));  // a packet that did not fit is not there
  clear_buffer();
  if (current_.size() < block_bytes_) return;
  finished_bytes_ += current_.size();
  finished_.push_back(std::move(current_));
  current_.clear();
  ++block_;
  while (finished_bytes_ > most_bytes_ && !finished_.empty()) {
    finished_bytes_ -= finished_.front().size();
    finished_.pop_front();
  }
}

bool FlightRecorder::dump(const std::string& path) {
  flush();
  const std::string fresh = path + ".new";
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  const auto write = [fd](const std::string& block) {
    return write_all(fd, reinterpret_cast<const std::uint8_t*>(block.data()), block.size()) == block.size();
  };
  bool good = true;
  for (const std::string& block : finished_) good = good && write(block);
  good = good && write(current_);
  good = ::close(fd) == 0 && good && std::rename(fresh.c_str(), path.c_str()) == 0;
  if (!good) ::unlink(fresh.c_str());
  return good;
}

}  // namespace tracing::service
