// The tasks that decode whole messages (bench/README.md), one file per library.
#ifndef HOTPB_BENCH_POOL_RIVALS_H_
#define HOTPB_BENCH_POOL_RIVALS_H_

#include "grid/harness.h"

namespace bench {

void pool_tasks(Grid& grid);  // all that follow

void add_pool_hotpb_pool(Grid& grid);
void add_pool_libprotobuf(Grid& grid);
void add_pool_perfetto_protozero(Grid& grid);
#if defined(BENCH_MAPBOX)
void add_pool_mapbox_protozero(Grid& grid);
#endif

}  // namespace bench

#endif  // HOTPB_BENCH_POOL_RIVALS_H_
