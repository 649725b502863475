// varint-mix: one file per rival.
#ifndef HOTPB_BENCH_VARINT_RIVALS_H_
#define HOTPB_BENCH_VARINT_RIVALS_H_

#include "grid/harness.h"

namespace bench {

void varint_tasks(Grid& grid);  // registers all the following rivals, and those without a library

void add_varint_hotpb_writer(Grid& grid);
void add_varint_libprotobuf_lite(Grid& grid);
void add_varint_mapbox_protozero(Grid& grid);
void add_varint_perfetto_protozero(Grid& grid);

}  // namespace bench

#endif  // HOTPB_BENCH_VARINT_RIVALS_H_
