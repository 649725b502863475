// The version of the runtime as generated code sees it (FCE-6): it grows when generated code of before would no longer
// work, and each generated header says which ones it was made for.
#ifndef HOTPB_VERSION_H_
#define HOTPB_VERSION_H_

#include "hotpb/abi.h"

HOTPB_NAMESPACE_BEGIN

constexpr int kRuntimeVersion = 4;

HOTPB_NAMESPACE_END

#endif  // HOTPB_VERSION_H_
