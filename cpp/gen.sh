#!/usr/bin/env bash
# cpp/gen.sh: regenerates the committed generated code of C++. There is none: C++ has no face yet.
echo "cpp/gen.sh: nothing to generate, C++ has no face yet"
