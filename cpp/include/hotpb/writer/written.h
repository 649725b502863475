// Written: the whole messages of a buffer, as bytes or as pieces, together with the status that they came with.
//
//   const auto bytes = out.bytes();     a Bytes that is also ok() or not
//   if (bytes.ok()) send(bytes);
//
// A message that is open, failed or cut is not in it: after an error there are the messages before that one, and ok()
// is false. While a message is open, status() is HandleMisuse.
#ifndef HOTPB_WRITER_WRITTEN_H_
#define HOTPB_WRITER_WRITTEN_H_

#include "hotpb/abi.h"
#include "hotpb/chunk.h"

HOTPB_NAMESPACE_BEGIN

// `View` is Bytes or Span<const Bytes>, which this is used as.
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
