// The writer face: append-only messages that go straight into chunks. Generated code includes this header.
//
//   writer/message.h   the handle and its setters        chunk/source.h   where chunks come from
//   writer/inlined.h   the same, inlined                  chunk/fixed.h    the caller's memory
//   writer/stream.h    cursor, levels, errors             chunk/heap.h     a chain whose memory stays
//
// A program includes other sources itself: chunk/callback.h, chunk/ostream.h; and chunk/iovec.h.
#ifndef HOTPB_WRITER_H_
#define HOTPB_WRITER_H_

#include "hotpb/chunk/fixed.h"
#include "hotpb/chunk/heap.h"
#include "hotpb/chunk/source.h"
#include "hotpb/writer/entry.h"
#include "hotpb/writer/inlined.h"
#include "hotpb/writer/message.h"
#include "hotpb/writer/packed.h"
#include "hotpb/writer/stream.h"

#endif  // HOTPB_WRITER_H_
