// protozero-simple and protozero-nested: one file per rival.
#ifndef HOTPB_BENCH_PROTOZERO_RIVALS_H_
#define HOTPB_BENCH_PROTOZERO_RIVALS_H_

#include "grid/harness.h"

namespace bench {

void protozero_tasks(Grid& grid);  // registers all the following rivals, and those without a library

void add_hotpb_writer(Grid& grid);
void add_libprotobuf_lite(Grid& grid);
void add_mapbox_protozero(Grid& grid);
void add_perfetto_protozero(Grid& grid);
void add_speed_of_light(Grid& grid);

}  // namespace bench

#endif  // HOTPB_BENCH_PROTOZERO_RIVALS_H_
