#!/usr/bin/env bash
# rust/nightly.sh: prints the name of the nightly toolchain that Miri and the error codes of doctests need, installing it when it is not
# there. Dated, so that all who run it get the same; needed by check-all.sh only.
set -euo pipefail
toolchain=nightly-2026-05-20
command -v rustup > /dev/null || { echo "rust/nightly.sh: rustup is missing, which brings $toolchain" >&2; exit 1; }
if ! rustup component list --toolchain "$toolchain" 2> /dev/null | grep -q '^miri.*(installed)'; then
  rustup toolchain install "$toolchain" --profile minimal -c miri -c rust-src --no-self-update >&2
fi
echo "$toolchain"
