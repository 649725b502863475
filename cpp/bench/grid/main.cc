// C++'s half of the benchmark grid; bench/run at the root of the repository starts it.
#include "grid/harness.h"
#include "protozero/rivals.h"

int main(int argc, char** argv) {
  bench::Grid grid;
  bench::protozero_tasks(grid);
  return grid.main(argc, argv);
}
