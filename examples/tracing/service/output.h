// Where packets go: a file that grows, or the last so many bytes of memory. Both are filled packet by packet, so that
// what is written is a trace at any time.
#ifndef TRACING_SERVICE_OUTPUT_H_
#define TRACING_SERVICE_OUTPUT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "hotpb/writer.h"

namespace tracing::service {

class Output {
 public:
  virtual ~Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Packets are appended here, each as a Trace with one packet; packets_done() follows those that depend on each other.
  hotpb::HeapBuffer& buffer() {
    if (run_bytes_ != 0) join_run();
    return buffer_;
  }
  void packets_done() {
    if (buffer_.size() >= kFlushBytes) flush();
  }
  // Where packets of at most kRoom bytes, which are encoded already, may be written; add_run() ends them. block() may
  // be another one after it.
  static constexpr std::size_t kRoom = 256;
  std::uint8_t* room() {
    if (run_.size() - run_bytes_ < kRoom) {
      join_run();
      packets_done();
    }
    return run_.data() + run_bytes_;
  }
  void add_run(const std::uint8_t* end) { run_bytes_ = static_cast<std::size_t>(end - run_.data()); }
  // What a packet of an earlier block established does not hold in this one (TRC-26).
  std::uint64_t block() const { return block_; }
  // How often a block began because the one before it was lost.
  std::uint64_t failures() const { return failures_; }
  std::uint64_t bytes() const { return bytes_; }       // that have gone out
  std::uint64_t lost_bytes() const { return lost_bytes_; }

  virtual void flush() = 0;

 protected:
  Output() : buffer_(options()) {}
  static constexpr std::uint64_t kFlushBytes = 65536;
  static constexpr std::uint64_t kKeptBytes = 16 * kFlushBytes;
  static hotpb::HeapOptions options() {
    hotpb::HeapOptions chosen;
    chosen.policy = hotpb::LengthPolicy::minimal;
    chosen.first_chunk = 2 * kFlushBytes;
    return chosen;
  }
  // Empties the buffer, and frees the memory of a large packet.
  void clear_buffer() {
    if (buffer_.size() > kKeptBytes) buffer_.shrink_to_fit();
    else buffer_.clear();
  }

  hotpb::HeapBuffer buffer_;
  std::uint64_t block_ = 1;
  std::uint64_t failures_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t lost_bytes_ = 0;

 private:
  void join_run();

  std::array<std::uint8_t, 8192> run_;
  std::size_t run_bytes_ = 0;
};

// A file. When it cannot be written, it is cut to the last whole packet, what did not fit is counted, and the next
// packets are tried again: the memory that is used does not grow (TRC-14).
class FileOutput final : public Output {
 public:
  ~FileOutput() override;
  bool open(const std::string& path);  // errno says why not
  bool open(int fd);                   // takes the descriptor
  void flush() override;

 private:
  int fd_ = -1;
};

// The last `most_bytes` bytes, in blocks each of which is a trace by itself (TRC-26).
class FlightRecorder final : public Output {
 public:
  explicit FlightRecorder(std::uint64_t most_bytes, std::uint64_t block_bytes = 256 * 1024)
      : most_bytes_(most_bytes), block_bytes_(block_bytes) {}
  void flush() override;
  bool dump(const std::string& path);  // the file is replaced whole, or not at all
  std::size_t blocks() const { return finished_.size() + 1; }

 private:
  const std::uint64_t most_bytes_;
  const std::uint64_t block_bytes_;
  std::deque<std::string> finished_;
  std::uint64_t finished_bytes_ = 0;
  std::string current_;
};

}  // namespace tracing::service

#endif  // TRACING_SERVICE_OUTPUT_H_
