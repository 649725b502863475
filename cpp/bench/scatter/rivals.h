// scatter: one file per rival.
#ifndef HOTPB_BENCH_SCATTER_RIVALS_H_
#define HOTPB_BENCH_SCATTER_RIVALS_H_

#include "grid/harness.h"

namespace bench {

void scatter_tasks(Grid& grid);

void add_scatter_hotpb_writer(Grid& grid);
void add_scatter_perfetto_protozero(Grid& grid);

}  // namespace bench

#endif  // HOTPB_BENCH_SCATTER_RIVALS_H_
