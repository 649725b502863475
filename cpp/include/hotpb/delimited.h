// Delimited streams: one message after another, each after its length as a varint. protodelim, writeDelimitedTo() and
// ClickHouse's Protobuf format write such streams.
//
//   03 08 96 01 | 00 | 02 12 00      three messages: 3 bytes, none, 2 bytes
//
// DelimitedReader reads a stream that is in memory; DelimitedSource reads one that arrives in pieces, from a file or a
// socket.
// Promise: a length above the limit is an error before anything is read or allocated for it. A length that is larger
// than the bytes that follow causes at most about twice as much memory as bytes that arrived. A stream that ends inside
// a message or inside a length is Truncated at the start of that last length (DLM-2). check() reports the errors inside
// a message; add message_offset() to get their place in the stream.
#ifndef HOTPB_DELIMITED_H_
#define HOTPB_DELIMITED_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/wire.h"
#include "hotpb/wire/write.h"

HOTPB_NAMESPACE_BEGIN

class DelimitedReader {
 public:
  explicit DelimitedReader(Bytes stream, const ReadOptions& options = {})
      : begin_(stream.begin()), at_(stream.begin()), end_(stream.end()), limits_(options) {}

  // Moves to the next message, which borrows from the stream. Returns false at the end and after an error; status()
  // distinguishes the two.
  bool next(Bytes& message) {
    if (at_ == end_ || !status_.ok()) return false;
    const std::uint64_t start = static_cast<std::uint64_t>(at_ - begin_);
    std::uint64_t length;
    const std::uint8_t* p = wire::read_varint(at_, end_, length);
    if (HOTPB_UNLIKELY(p == nullptr)) {
      // Ten bytes without an end are an overflow; with fewer, the stream ended first.
      return fail(end_ - at_ >= 10 ? Code::VarintOverflow : Code::Truncated, start);
    }
    if (HOTPB_UNLIKELY(length > limits_.size())) return fail(Code::SizeExceeded, start);
    if (HOTPB_UNLIKELY(length > static_cast<std::uint64_t>(end_ - p))) return fail(Code::Truncated, start);
    message = Bytes(p, static_cast<std::size_t>(length));
    message_offset_ = static_cast<std::uint64_t>(p - begin_);
    at_ = p + length;
    return true;
  }

  // Where the last message that next() returned starts in the stream.
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
  detail::Limits limits_;
  std::uint64_t message_offset_ = 0;
  Status status_;
};

// `Read` is a callable `std::size_t(std::uint8_t* to, std::size_t size)` that blocks until it has at least one byte,
// and returns the number of bytes; 0 means the end. (For an error of its own, the callable stores the error and returns
// 0.) A number above `size` is HandleMisuse, at the start of the message that was to be read.
// The buffer is reused for each message, and grows to the largest message.
template <class Read>
class DelimitedSource {
 public:
  explicit DelimitedSource(Read read, const ReadOptions& options = {})
      : read_(std::move(read)), limits_(options) {}
  DelimitedSource(const DelimitedSource&) = delete;
  DelimitedSource& operator=(const DelimitedSource&) = delete;

  // Moves to the next message, which is valid until the next call. Returns false at the end and after an error;
  // status() distinguishes the two.
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
    consume(length_size);  // only when all has arrived: if the source throws, the next call starts at the length again
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

  // Reads at least one byte, after it has moved the unread bytes to the front. The buffer at most doubles, even if the
  // length asks for more: memory follows the bytes that have arrived.
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

  // Keeps the first error.
  bool fail(Code code, std::uint64_t offset) {
    if (status_.ok()) status_ = Status{code, offset};
    return false;
  }

  Read read_;
  detail::Limits limits_;
  std::vector<std::uint8_t> buffer_;
  std::size_t first_ = 0;   // the first byte that was read and not consumed
  std::size_t filled_ = 0;  // the end of the bytes that were read
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
