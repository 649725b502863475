// C++'s half of the benchmark grid; bench/run at the root of the repository starts it.
#include "grid/harness.h"
#include "many/rivals.h"
#include "pool/rivals.h"
#include "protozero/rivals.h"
#include "rows/rows.h"
#include "scatter/rivals.h"
#include "varint/rivals.h"
#include "view/rivals.h"

int main(int argc, char** argv) {
  bench::Grid grid;
  bench::protozero_tasks(grid);
  bench::varint_tasks(grid);
  bench::scatter_tasks(grid);
  bench::view_tasks(grid);
  bench::many_tasks(grid);
  bench::pool_tasks(grid);
  bench::rows_tasks(grid);
  return grid.main(argc, argv);
}
