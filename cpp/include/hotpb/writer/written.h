// Written: the whole messages of a buffer, as bytes or as pieces, and the status of the buffer.
//
//   const auto bytes = out.bytes();     a Bytes that also has ok() and status()
//   if (bytes.ok()) send(bytes);
//
// It excludes a message that is open, failed or cut. After an error it has the messages before the failed one, and ok()
// is false. While a message is open, status() is HandleMisuse.
#ifndef HOTPB_WRITER_WRITTEN_H_
#define HOTPB_WRITER_WRITTEN_H_

#include "hotpb/chunk/source.h"
#include "hotpb/detail/abi.h"

HOTPB_NAMESPACE_BEGIN

// `View` is Bytes or Span<const Bytes>, from which Written derives.
template <class View>
class [[nodiscard]] Written : public View {
 public:
  Written(const View& messages, WriteStatus status) : View(messages), status_(status) {}

  bool ok() const { return status_.ok(); }
  WriteStatus status() const { return status_; }

 private:
  WriteStatus status_;
};

HOTPB_NAMESPACE_END

#endif  // HOTPB_WRITER_WRITTEN_H_
