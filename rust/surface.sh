#!/usr/bin/env bash
# rust/surface.sh [--write]: checks that surface.txt lists the public items of the runtime, and of generated code (the
# well-known types). It reads the documentation that `cargo doc --all-features -p hotpb` has written; test.sh calls it.
# --write updates the list.
set -euo pipefail
cd "$(dirname "$0")"
docs=${CARGO_TARGET_DIR:-target}/doc/hotpb
[ -f "$docs/all.html" ] || { echo "rust/surface.sh: no documentation in $docs: cargo doc --no-deps --all-features -p hotpb" >&2; exit 2; }

# The items of the runtime, and those of struct.proto as a sample of generated code.
items() {
  grep -o 'href="[^"]*\.[^"]*\.html"' "$docs/all.html" | sed 's/^href="//; s/\.html"$//' |
    grep -E '^([a-z]+\.|(chunk|error|json|pool|view|wire|writer)/|wkt/[a-z]+\.|wkt/google/protobuf/(value/|struct/|[a-z]+\.(Struct|Value|ListValue|NullValue)[A-Z]?[A-Za-z]*$))' |
    LC_ALL=C sort
}
if [ "${1:-}" = --write ]; then items > surface.txt; exit; fi
if ! changed=$(diff surface.txt <(items)); then
  echo "rust/surface.sh: the public items have changed. Put items that only generated code calls into a module __rt, or mark them #[doc(hidden)];" >&2
  printf 'what users are to call, rust/surface.sh --write puts on the list. < is gone, > is new:\n%s\n' "$changed" >&2
  exit 1
fi

# No public declaration names a type of a module __rt, a row or the tables. (Field, Kind, List, Memory and Scan are also names of other
# types.)
internal=$(sed -n 's/^pub use super::[a-z_]*:://p' hotpb/src/{pool,view,wire,writer}/__rt.rs | grep -o '\b[A-Z][A-Za-z]*' |
  grep -vxE 'Field|Kind|List|Memory|Scan' | LC_ALL=C sort -u | paste -sd'|')
found=$(find "$docs" -name '*.html' -exec perl -0777 -ne '
  BEGIN { $internal = shift }
  while (/<(?:h4 class="code-header"|pre class="rust item-decl")>(.*?)<\/(?:h4|pre)>/sg) {
    (my $text = $1) =~ s/<[^>]*>//g;
    $text =~ s/\s+/ /g;
    print "$ARGV: $text\n" if $text =~ /\b(?:$internal|\w+Row|Tables)\b/;
  }' "$internal" {} + | sed "s|^$docs/||" | LC_ALL=C sort)
if [ -n "$found" ]; then
  printf 'rust/surface.sh: declarations that users see name types of a module __rt:\n%s\n' "$found" >&2
  exit 1
fi
