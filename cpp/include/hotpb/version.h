// The version of the runtime that generated code checks (FCE-6). It grows when older generated code would no longer
// work. Each generated header states the versions that it works with.
#ifndef HOTPB_VERSION_H_
#define HOTPB_VERSION_H_

#include "hotpb/abi.h"

HOTPB_NAMESPACE_BEGIN

constexpr int kRuntimeVersion = 4;

HOTPB_NAMESPACE_END

#endif  // HOTPB_VERSION_H_
