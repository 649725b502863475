// Whether tests take all the time that they can use, as in check-all.sh.
#ifndef HOTPB_TESTS_SUPPORT_THOROUGH_H_
#define HOTPB_TESTS_SUPPORT_THOROUGH_H_

#include <cstdlib>

namespace hotpb_test {

inline bool thorough() { return std::getenv("HOTPB_THOROUGH") != nullptr; }

}  // namespace hotpb_test

#endif  // HOTPB_TESTS_SUPPORT_THOROUGH_H_
