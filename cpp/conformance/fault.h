// An injected mistake. A run with one must turn red: that shows that the run without one means something.
#ifndef HOTPB_CONFORMANCE_FAULT_H_
#define HOTPB_CONFORMANCE_FAULT_H_

#include <string>

#include "hotpb/wire.h"

namespace hotpb_conformance {

enum class Fault {
  None,
  SkipMerge,    // of a message that came in several records only the last counts
  DropUnknown,  // unknown fields are not written back
};

// HOTPB_TESTEE_FAULT; false when it is none that is known.
bool read_fault(const char* text, Fault& fault);

// Without every length-delimited record whose field comes again: no decoder may take that for the merged message.
std::string without_repetitions(hotpb::Bytes input);

}  // namespace hotpb_conformance

#endif  // HOTPB_CONFORMANCE_FAULT_H_
