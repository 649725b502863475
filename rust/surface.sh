#!/usr/bin/env bash
# rust/surface.sh [--write]: what users see of the runtime, and of generated code (the well-known types), is what surface.txt lists.
# It reads the documentation that `cargo doc --all-features -p hotpb` has made; test.sh calls it. --write makes the list.
set -euo pipefail
cd "$(dirname "$0")"
docs=${CARGO_TARGET_DIR:-target}/doc/hotpb
[ -f "$docs/all.html" ] || { echo "rust/surface.sh: no documentation in $docs: cargo doc --no-deps --all-features -p hotpb" >&2; exit 2; }

# Items of the runtime, and as a sample of generated code those of struct.proto.
items() {
  grep -o 'href="[^"]*\.[^"]*\.html"' "$docs/all.html" | sed 's/^href="//; s/\.html"$//' |
    grep -E '^([a-z]+\.|(chunk|error|pool|wire|writer)/|wkt/[a-z]+\.|wkt/google/protobuf/(value/|struct/|[a-z]+\.(Struct|Value|ListValue|NullValue)[A-Z]?[A-Za-z]*$))' |
    LC_ALL=C sort
}
if [ "${1:-}" = --write ]; then items > surface.txt; exit; fi
if ! changed=$(diff surface.txt <(items)); then
  echo "rust/surface.sh: what users see has changed. What only generated code calls belongs into a module __rt, or is #[doc(hidden)];" >&2
  printf 'what users are to call, rust/surface.sh --write puts on the list. < is gone, > is new:\n%s\n' "$changed" >&2
  exit 1
fi

# No declaration that users see names a type of a module __rt, a row or the tables. (Others are called Kind and Memory, too.)
internal=$(sed -n 's/^pub use super::[a-z_]*:://p' hotpb/src/{pool,wire,writer}/__rt.rs | grep -o '\b[A-Z][A-Za-z]*' |
  grep -vxE 'Kind|Memory' | LC_ALL=C sort -u | paste -sd'|')
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
