#!/usr/bin/env bash
# rust/testgen.sh: generates the Rust code that only tests use, in src/gen of test/faces and test/conformance, from the
# descriptor sets in vectors/plans. tools/testgen calls it when necessary; git ignores its output.
#   --inputs   builds the generator, and prints the files that determine the output
#   --there    reports whether generated code exists (exit status)
set -euo pipefail
cd "$(dirname "$0")"
if [ "${1:-}" = --there ]; then
  [ -f hotpb/src/wkt/gen/google/protobuf/type.hot.rs ] && [ -d test/faces/src/gen/vectors ] && [ -d test/conformance/src/gen/protocol ]
  exit
fi
../tools/vectors/fds
. ./generate.sh
if [ "${1:-}" = --inputs ]; then
  printf '%s\n' "$gen" "$testgen" generate.sh testgen.sh ../proto/well_known.fds ../vectors/plans/list.txt ../vectors/plans/*.fds
  exit
fi

well_known
rm -rf test/faces/src/gen test/conformance/src/gen
unit test/faces/src/gen/remote_write_v1 remote_write_v1 faces=pool+visitor+reencode
unit test/faces/src/gen/remote_write_v2 remote_write_v2 faces=pool+reencode
unit test/faces/src/gen/raft raft faces=pool+reencode
unit test/faces/src/gen/vectors vectors faces=pool+builder+visitor+writer+reencode+rewrite+script
# As views: all straight, and all by table.
unit test/faces/src/gen/views vectors faces=view+reencode_view,hot=\*
unit test/faces/src/gen/cold_views vectors faces=view+reencode_view,cold=\*
# The same messages in one tier, whatever their size (PLN-32, FCE-10).
unit test/faces/src/gen/hot vectors faces=pool+reencode,hot=\*
unit test/faces/src/gen/cold vectors faces=pool+reencode,cold=\*

# Some of the same messages with fields left out: discarded, and kept among the unknown fields.
fields() { local message=$1 all=() name; shift; for name; do all+=("$message.$name"); done; (IFS=+; echo "${all[*]}"); }
p2=hotpb.vectors.p2 p3=hotpb.vectors.p3
some=messages=$p2.Child+$p2.Needs+$p2.Numbers+$p3.All
some+=,only=$(fields $p2.Child id child children)+$(fields $p3.All single_string single_child single_all repeated_int32 repeated_all value_all other_number other_text)
some+=,skip=$(fields $p2.Needs by_id picked other grp)+$(fields $p2.Must name)+$(fields $p2.Numbers n15 n2048 n18999 n20000)
unit test/faces/src/gen/dropped_view vectors "faces=view,$some" hotpb/vectors.proto+hotpb/vectors_proto2.proto
unit test/faces/src/gen/kept_view vectors "faces=view+reencode_view,keep_skipped,$some" hotpb/vectors.proto+hotpb/vectors_proto2.proto
unit test/faces/src/gen/dropped vectors "faces=pool,$some" hotpb/vectors.proto+hotpb/vectors_proto2.proto
unit test/faces/src/gen/kept vectors "faces=pool+reencode,keep_skipped,$some" hotpb/vectors.proto+hotpb/vectors_proto2.proto
unit test/faces/src/gen/nasty nasty faces=pool+builder+visitor+writer+view+reencode+reencode_view
unit test/faces/src/gen/pairs pairs faces=pool+builder+visitor+writer+reencode
unit test/conformance/src/gen/protocol conformance faces=pool
for name in proto2 proto3 proto2_editions proto3_editions edition2023; do
  unit test/conformance/src/gen/$name test_messages_$name faces=pool+writer+view+reencode+reencode_view+rewrite
done
