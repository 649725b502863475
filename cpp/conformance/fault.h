// An injected fault. A run with a fault must fail: that shows that a run without one is meaningful.
#ifndef HOTPB_CONFORMANCE_FAULT_H_
#define HOTPB_CONFORMANCE_FAULT_H_

#include <string>

#include "hotpb/wire.h"

namespace hotpb_conformance {

enum class Fault {
  None,
  SkipMerge,    // of a message in several records, only the last one counts
  DropUnknown,  // unknown fields are not written back
};

// The fault of HOTPB_TESTEE_FAULT. Returns false if it is not known.
bool read_fault(const char* text, Fault& fault);

// Removes every length-delimited record whose field occurs again: no decoder may read the result as the merged message.
std::string without_repetitions(hotpb::Bytes input);

}  // namespace hotpb_conformance

#endif  // HOTPB_CONFORMANCE_FAULT_H_
