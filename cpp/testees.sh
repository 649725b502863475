#!/usr/bin/env bash
# cpp/testees.sh: builds build/conformance/cpp-<face>. There are none: C++ has no face yet.
echo "cpp/testees.sh: no testee to build, C++ has no face yet"
