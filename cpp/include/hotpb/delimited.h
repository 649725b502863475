// Delimited streams: one message after another, each with its length as a varint in front (what protodelim,
// writeDelimitedTo() and ClickHouse's Protobuf format write).
//
//   03 08 96 01 | 00 | 02 12 00      three messages: 3 bytes, none, 2 bytes
//
// DelimitedReader reads a stream that is in memory; DelimitedSource one that arrives in pieces, from a file or a
// socket.
// Promise: a length above the limit is refused before anything is read or allocated for it, and a length that lies
// allocates no more than about twice the bytes that really came. A stream that ends inside a message or inside a length
// is Truncated at the start of that last length (DLM-2). Errors inside a message are those of check(); to place them in
// the stream add message_offset().
#ifndef HOTPB_DELIMITED_H_
#define HOTPB_DELIMITED_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "hotpb/abi.h"
#include "hotpb/error.h"
#include "hotpb/wire.h"
#include "hotpb/wire/write.h"

HOTPB_NAMESPACE_BEGIN

class DelimitedReader {
 public:
  explicit DelimitedReader(Bytes stream, const ReadOptions& options = {})
      : begin_(stream.begin()), at_(stream.begin()), end_(stream.end()), limits_(options) {}

  // The next message, borrowed from the stream. False at the end and after an error; status() tells which.
  bool next(Bytes& message) {
    if (at_ == end_ || !status_.ok()) return false;
    const std::uint64_t start = static_cast<std::uint64_t>(at_ - begin_);
    std::uint64_t length;
    const std::uint8_t* p = wire::read_varint(at_, end_, length);
    if (HOTPB_UNLIKELY(p == nullptr)) {
      // Ten bytes were there and none of them was the last; or the stream ended first.
      return fail(end_ - at_ >= 10 ? Code::VarintOverflow : Code::Truncated, start);
    }
    if (HOTPB_UNLIKELY(length > limits_.size())) return fail(Code::SizeExceeded, start);
    if (HOTPB_UNLIKELY(length > static_cast<std::uint64_t>(end_ - p))) return fail(Code::Truncated, start);
    message = Bytes(p, static_cast<std::size_t>(length));
    message_offset_ = static_cast<std::uint64_t>(p - begin_);
    at_ = p + length;
    return true;
  }

  // Where the message that next() gave last starts in the stream.
  std::uint64_t message_offset() const { return message_offset_; }
  Status status() const { return status_; }

 private:
  bool fail(Code code, std::uint64_t offset) {
    status_ = Status{code, offset};
    return false;
  }

  const std::uint8_t* begin_;
  const std::uint8_t* at_;
  const std::uint8_t* end_;
  Limits limits_;
  std::uint64_t message_offset_ = 0;
  Status status_;
};

// `Read` is a callable `std::size_t(std::uint8_t* to, std::size_t size)` that blocks until it has at least one byte and
// returns their number; 0 means the end. (An error of the source is the caller's to keep; to the stream it is an end.)
// A number above `size` is HandleMisuse, at the start of the message that was to be read.
// The buffer is used again for each message and holds the largest one that came.
template <class Read>
class DelimitedSource {
 public:
  explicit DelimitedSource(Read read, const ReadOptions& options = {})
      : read_(std::move(read)), limits_(options) {}
  DelimitedSource(const DelimitedSource&) = delete;
  DelimitedSource& operator=(const DelimitedSource&) = delete;

  // The next message, valid until the next call. False at the end and after an error; status() tells which.
  bool next(Bytes& message) {
    if (!status_.ok()) return false;
    consume(message_size_);
    message_size_ = 0;
    const std::uint64_t start = consumed_;
    std::uint64_t length = 0;
    std::size_t length_size = 0;
    for (;;) {
      if (filled_ - first_ == length_size && !fill(1)) {
        return length_size == 0 ? false : fail(Code::Truncated, start);
      }
      const std::uint64_t byte = buffer_[first_ + length_size];
      length |= (byte & 0x7f) << (7 * length_size);
      ++length_size;
      if (byte < 0x80) break;
      if (length_size == 10) return fail(Code::VarintOverflow, start);
    }
    if (length > limits_.size()) return fail(Code::SizeExceeded, start);
    const std::size_t size = static_cast<std::size_t>(length);
    while (filled_ - first_ < length_size + size) {
      if (!fill(length_size + size - (filled_ - first_))) return fail(Code::Truncated, start);
    }
    consume(length_size);  // not before all is there: when the source throws, the next call starts at the length again
    message_size_ = size;
    message = Bytes(buffer_.data() + first_, size);
    return true;
  }

  std::uint64_t message_offset() const { return consumed_; }
  Status status() const { return status_; }

 private:
  static constexpr std::size_t kPiece = 64 * 1024;

  void consume(std::size_t size) {
    first_ += size;
    consumed_ += size;
  }

  // Reads at least one byte, moving what is left to the front first. The buffer doubles at most, whatever the length
  // said: memory follows what has arrived.
  bool fill(std::size_t missing) {
    if (first_ == filled_) {
      first_ = filled_ = 0;
    } else if (first_ > 0 && buffer_.size() - filled_ < missing) {
      std::memmove(buffer_.data(), buffer_.data() + first_, filled_ - first_);
      filled_ -= first_;
      first_ = 0;
    }
    if (filled_ == buffer_.size()) buffer_.resize(buffer_.empty() ? kPiece : buffer_.size() * 2);
    const std::size_t room = buffer_.size() - filled_;
    const std::size_t got = read_(buffer_.data() + filled_, room);
    if (HOTPB_UNLIKELY(got > room)) return fail(Code::HandleMisuse, consumed_);
    filled_ += got;
    return got > 0;
  }

  // The first error stays.
  bool fail(Code code, std::uint64_t offset) {
    if (status_.ok()) status_ = Status{code, offset};
    return false;
  }

  Read read_;
  Limits limits_;
  std::vector<std::uint8_t> buffer_;
  std::size_t first_ = 0;   // of what was read and not consumed
  std::size_t filled_ = 0;  // end of what was read
  std::size_t message_size_ = 0;
  std::uint64_t consumed_ = 0;
  Status status_;
};

// Appends the length and the message.
template <class Buffer>
void append_delimited(Buffer& out, Bytes message) {
  wire::append_len(out, message);
}

HOTPB_NAMESPACE_END

#endif  // HOTPB_DELIMITED_H_
