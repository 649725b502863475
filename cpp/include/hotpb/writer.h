// The writer face: append-only messages that go straight into chunks. Generated code includes this header.
//
//   writer/message.h   the handle and its setters        chunk_fixed.h   the caller's memory
//   writer/inlined.h   the same, inlined                  chunk_heap.h    a chain that is used again
//   writer/stream.h    cursor, levels, errors             chunk_callback.h, chunk_ostream.h, chunk_iovec.h
//   chunk.h            where chunks come from
#ifndef HOTPB_WRITER_H_
#define HOTPB_WRITER_H_

#include "hotpb/chunk.h"
#include "hotpb/chunk_fixed.h"
#include "hotpb/chunk_heap.h"
#include "hotpb/writer/entry.h"
#include "hotpb/writer/inlined.h"
#include "hotpb/writer/message.h"
#include "hotpb/writer/packed.h"
#include "hotpb/writer/stream.h"

#endif  // HOTPB_WRITER_H_
