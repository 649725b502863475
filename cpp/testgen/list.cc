// The lists of one schema, which CMakeLists.txt chooses.
#include "lists.h"

#include HOTPB_HEADER

namespace {

[[maybe_unused]] const bool added = hotpb_test::add_lists(HOTPB_LISTS);

}  // namespace
