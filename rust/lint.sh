#!/usr/bin/env bash
# Formatting and lints of the Rust half.
set -euo pipefail
cd "$(dirname "$0")"
packages=(hotpb hotpb-codegen protoc-gen-hotpb-rs hotpb-tests hotpb-conformance hotpb-fuzz)
flags=()
for package in "${packages[@]}"; do flags+=(-p "$package"); done
cargo fmt --check "${flags[@]}"
cargo clippy --quiet --all-targets "${flags[@]}" -- -D warnings
