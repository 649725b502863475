// The pool face: whole messages, decoded into memory that is used again.
//
//   prometheus::hot::WriteRequestPool pool;               // = hotpb::Pool<prometheus::hot::WriteRequest>
//   if (hotpb::Error error = pool.decode(body); !error.ok()) return error;
//   for (const prometheus::hot::TimeSeries& series : pool->timeseries()) {
//     for (const prometheus::hot::Label& label : series.labels()) use(label.name(), label.value());
//   }
//
// Promise: decode() reads and checks the whole message in one pass. The next decode uses the pool's memory again, and
// once the pool has seen messages of that size, it allocates nothing. Accessors only read: spans of repeated fields are
// contiguous, maps have one entry a key. After an error the message is empty.
//
// Strings and bytes borrow the input, which must stay unchanged while the message is in use; decode_copy() borrows
// nothing. Messages, spans and everything else that accessors return are valid until the pool's next decode, clear(),
// shrink_to(), move or end. Any number of threads may read one message.
//
// Bad bytes give an error, with the code, offset and path of spec/errors.md.
#ifndef HOTPB_POOL_H_
#define HOTPB_POOL_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "hotpb/check.h"
#include "hotpb/detail/abi.h"
#include "hotpb/error.h"
#include "hotpb/pool/by_table.h"
#include "hotpb/pool/decoder.h"
#include "hotpb/pool/encoder.h"
#include "hotpb/pool/extension.h"
#include "hotpb/pool/finish.h"
#include "hotpb/pool/map.h"
#include "hotpb/pool/memory.h"
#include "hotpb/pool/message.h"
#include "hotpb/pool/options.h"
#include "hotpb/pool/table.h"
#include "hotpb/pool/unknown.h"
#include "hotpb/wire.h"
#include "hotpb/wire/span.h"

#endif  // HOTPB_POOL_H_
