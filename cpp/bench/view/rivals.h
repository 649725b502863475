// view-one and view-all: one file per rival.
#ifndef HOTPB_BENCH_VIEW_RIVALS_H_
#define HOTPB_BENCH_VIEW_RIVALS_H_

#include "grid/harness.h"

namespace bench {

void view_tasks(Grid& grid);  // registers all the following rivals

void add_view_hotpb_view(Grid& grid);
void add_view_libprotobuf(Grid& grid);
void add_view_libprotobuf_lite(Grid& grid);

}  // namespace bench

#endif  // HOTPB_BENCH_VIEW_RIVALS_H_
