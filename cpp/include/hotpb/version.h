// The versions of generated code that this runtime works with (FCE-6). Each generated header has its version, and does
// not compile with a runtime whose range excludes that version: if the code is too old, generate it again; if it is too
// new, update hotpb. The error says which.
#ifndef HOTPB_VERSION_H_
#define HOTPB_VERSION_H_

#include "hotpb/detail/abi.h"

HOTPB_NAMESPACE_BEGIN

constexpr int kMinGenerated = 6;
constexpr int kMaxGenerated = 6;

HOTPB_NAMESPACE_END

#endif  // HOTPB_VERSION_H_
