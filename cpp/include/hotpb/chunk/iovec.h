// The chunks of a HeapBuffer as an array for writev() and sendmsg(), without a copy.
#ifndef HOTPB_CHUNK_IOVEC_H_
#define HOTPB_CHUNK_IOVEC_H_

#include <sys/uio.h>

#include <cstddef>

#include "hotpb/detail/abi.h"
#include "hotpb/wire.h"
#include "hotpb/wire/span.h"

HOTPB_NAMESPACE_BEGIN

// Fills at most `count` entries, and returns the number of chunks. If that is more, call it again from a later chunk,
// or with more entries. writev() does not write through iov_base, which is not const only because readv() uses it too.
inline std::size_t to_iovec(Span<const Bytes> chunks, ::iovec* out, std::size_t count) {
  for (std::size_t i = 0; i < chunks.size() && i < count; ++i) {
    out[i].iov_base = const_cast<std::uint8_t*>(chunks[i].data());
    out[i].iov_len = chunks[i].size();
  }
  return chunks.size();
}

HOTPB_NAMESPACE_END

#endif  // HOTPB_CHUNK_IOVEC_H_
