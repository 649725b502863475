// write(message, writer) for each message of the schemas: bridge.py generates the functions from their plan.
#include <type_traits>
#include <vector>

#include "writer/bridge.h"

namespace hotpb_test {

Random& ways() {
  static Random random;
  return random;
}

namespace {

std::size_t way(std::size_t count) { return ways().below(count); }

// std::vector<bool> has no data().
template <class T>
struct Element {
  T value;
};

}  // namespace

#include "bridge_definitions.inc"

}  // namespace hotpb_test
