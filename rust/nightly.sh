#!/usr/bin/env bash
# rust/nightly.sh: prints the name of the nightly toolchain that Miri needs, and installs
# it if it is missing. It is dated, so that everyone gets the same one; only check-all.sh needs it.
set -euo pipefail
toolchain=nightly-2026-05-20
command -v rustup > /dev/null || { echo "rust/nightly.sh: rustup is missing, which installs $toolchain" >&2; exit 1; }
if ! rustup component list --toolchain "$toolchain" 2> /dev/null | grep -q '^miri.*(installed)'; then
  rustup toolchain install "$toolchain" --profile minimal -c miri -c rust-src --no-self-update >&2
fi
echo "$toolchain"
