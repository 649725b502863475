#!/usr/bin/env bash
# go/lint.sh: checks formatting, vet, generated code, and the runtime's dependencies.
set -euo pipefail
cd "$(dirname "$0")"
../tools/testgen go

unformatted=$(gofmt -l $(git ls-files '*.go'))
[ -z "$unformatted" ] || { echo "not formatted: $unformatted"; exit 1; }
go vet ./...
for module in conformance test/vtproto gogo googlev1 grpccodec grpccodec/gogotest connectcodec cmd/hotpb; do (cd "$module" && go vet ./...); done

# The runtime depends on the standard library only, and no face on another: all on wire, the writer also on chunk.
ours=github.com/hotpb/hotpb/go
standing_on() { # standing_on "PACKAGE..." NAME...: the packages link only these
  local packages=$1 allowed
  shift
  allowed=$(IFS='|'; echo "$*")
  foreign=$(go list -deps $packages | grep '^[^/]*\.' | grep -Ev "^$ours/($allowed)\$" || true)
  [ -z "$foreign" ] || { echo "$packages depends on: $foreign"; exit 1; }
}
standing_on ./view wire rt/wire view rt/view
standing_on ./rt/view wire rt/wire rt/view
standing_on ./pool wire rt/wire pool rt/pool internal/enc
standing_on ./schema wire rt/wire schema schema/internal/encode schema/internal/locked
standing_on "./schema/clickhouse ./schema/lock ./schema/template" wire rt/wire schema schema/clickhouse schema/lock schema/template schema/internal/encode schema/internal/locked
foreign=$(go list -deps ./schema/reflect | grep '^[^/]*\.' | grep -Ev "^($ours/(schema/reflect|schema|schema/internal/encode|schema/internal/locked|(rt/)?wire)|google.golang.org/protobuf/.*)$" || true)
[ -z "$foreign" ] || { echo "schema/reflect depends on: $foreign"; exit 1; }
standing_on "./chunk ./writer" wire rt/wire chunk writer rt/writer
standing_on ./codec wire rt/wire codec
standing_on ./rt/codec wire rt/wire codec rt/codec internal/enc
standing_on ./internal/codecv1 wire rt/wire codec rt/codec internal/codecv1 internal/enc # not the two runtimes that it serves
# The API of the codec face also links google.golang.org/protobuf, and nothing else.
foreign=$(go list -deps . | grep '^[^/]*\.' | grep -Ev "^($ours|$ours/((rt/)?wire|codec|internal/enc)|google.golang.org/protobuf/.*)$" || true)
[ -z "$foreign" ] || { echo "package hotpb depends on: $foreign"; exit 1; }
# The bridge to the stock runtime also links that runtime.
foreign=$(go list -deps ./view/reflect ./wkt/wktreflect | grep '^[^/]*\.' |
  grep -Ev "^($ours/((view|rt)/reflect|wkt|wkt/wktreflect|(rt/)?(codec|pool|view|writer|wire)|chunk|internal/enc)|google.golang.org/protobuf/.*)$" || true)
[ -z "$foreign" ] || { echo "view/reflect depends on: $foreign"; exit 1; }
standing_on ./wkt wire rt/wire chunk rt/writer rt/view rt/pool wkt internal/enc
standing_on ./prototest wire rt/wire prototest
standing_on ./compat/lazyproto wire rt/wire compat/lazyproto

./gen.sh
git diff --exit-code --stat -- wkt googlev1 ../vectors/goldens/go || { echo "generated code was not up to date (go/gen.sh)"; exit 1; }
