#!/usr/bin/env bash
# go/lint.sh: formatting, vet, generated code up to date, and what the runtime may depend on.
set -euo pipefail
cd "$(dirname "$0")"

unformatted=$(gofmt -l $(git ls-files '*.go'))
[ -z "$unformatted" ] || { echo "not formatted: $unformatted"; exit 1; }
go vet ./...
(cd conformance && go vet ./...)

# The runtime stands on the standard library alone.
foreign=$(go list -deps ./wire ./chunk ./writer ./view ./pool ./wkt | grep -F . | grep -v '^github.com/hotpb/hotpb/go/\(wire\|chunk\|writer\|view\|pool\|wkt\)$' || true)
[ -z "$foreign" ] || { echo "the runtime depends on: $foreign"; exit 1; }

long=$(git ls-files '*.go' | grep -v '\.\(hot\|pb\)\.go$' | xargs wc -l | awk '$2 != "total" && $1 > 600 {print $2 " has " $1 " lines"}')
[ -z "$long" ] || { echo "$long"; exit 1; }

./gen.sh
git diff --exit-code --stat -- wkt internal/testgen ../vectors/goldens/go || { echo "generated code was not up to date (go/gen.sh)"; exit 1; }
