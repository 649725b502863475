#!/usr/bin/env bash
# cpp/tests/macros.sh PLUGIN: the code of a schema whose names are macros (plugin/macros.inc) compiles before and after
# the headers that define these macros, with -DDEBUG and the like; and so does code that uses the names that have got an
# underscore. HOTPB_THOROUGH=1 also compiles without macros, and with a header for each face and sources, with each installed compiler.
set -euo pipefail
plugin=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. cpp/tests/script.sh
protoc=build/tools/protoc/bin/protoc
[ -x $protoc ] || tools/setup protoc

# names TABLE PATTERN: the names of a table.
names() { sed -n "/ $1\[\]/,/^};/p" cpp/plugin/macros.inc | grep -oE '[A-Za-z0-9_]+' | grep -vE '^(constexpr|std|string_view|kRenamed|kGuarded)$' | grep -E "$2"; }
numbered() { grep -v __ | awk -v text="$1" '{ printf "  " text "\n", $1, NR }'; }
enumeration() { printf 'message %s { enum Of {\n  option deprecated_legacy_json_field_conflicts = true;  // of words that differ only in case\n  %s_START = 0;\n' "$1" "$1"; numbered '%s = %d;'; echo '} }'; }
fields() { printf 'message %s {\n' "$1"; numbered "$2"; echo '}'; }
few='NR % 23 == 1 || /^(DEBUG|TRACE|ERROR|DELETE|IN|OUT|ECHO|B0|LOG_DEBUG|NULL)$/'
{
  printf 'syntax = "proto2";\npackage macros.linux.stdin;\n'
  names kRenamed . | enumeration Renamed
  names kGuarded . | enumeration Guarded
  names kRenamed '^[a-z]' | fields RenamedFields 'optional int32 %s = %d;'
  names kGuarded '^[a-z]' | fields GuardedFields 'optional string %s = %d;'
  { names kRenamed . && names kGuarded .; } | awk "$few" | fields OtherFields 'repeated Renamed.Of %s = %d;'
  { names kRenamed '^[a-z]|DEBUG|ECHO' && names kGuarded '^[a-z]|^(IN|OUT|DELETE|Status|None)$'; } | fields Maps 'map<string, OtherFields> %s = %d;'
  { names kRenamed '^[a-z]' && names kGuarded '^[a-z]|^(IN|OUT|DELETE)$'; } | awk '{ printf "message Oneof%d {\n  oneof %s { int32 a = 1; string b = 2; }\n}\n", NR, $1 }'
  # Names of types, alone and joined.
  printf 'message %s { optional int32 value = 1; optional %s child = 2; }\n' min min max max near near interface interface None None Status Status \
    ERROR ERROR DELETE DELETE ECHO ECHO NULL NULL stdin stdin
  printf 'message LOG { enum DEBUG { A = 0; } message ERR { optional DEBUG debug = 1; } }\nmessage SIG { message INT {} enum DFL { B = 0; } }\n'
} >"$work/macros.proto"
# Another file of which the names of packages and types are macros.
cat >"$work/holder.proto" <<'PROTO'
syntax = "proto2";
package holder;
import "macros.proto";
import "far.proto";
message Holder {
  optional far.min.DELETE.OUT out = 4 [default = IN];
  optional far.min.DELETE in = 5;
  optional macros.linux.stdin.Guarded.Of guarded = 1 [default = DELETE];
  optional macros.linux.stdin.Renamed.Of renamed = 2 [default = LOG_DEBUG];
  optional macros.linux.stdin.Status far = 3;
  extensions 100 to 199;
}
extend Holder { optional macros.linux.stdin.LOG.DEBUG ECHO = 100; optional macros.linux.stdin.near near = 101; }
PROTO
printf 'syntax = "proto2";\npackage far.min;\nmessage DELETE { enum OUT { IN = 1; } optional OUT interface = 1; }\n' >"$work/far.proto"
faces=writer+view+pool+builder+visitor
for options in "$faces" "$faces,split" "$faces,sources"; do
  mkdir -p "$work/$options"
  $protoc --plugin=protoc-gen-hotpb-cpp="$plugin" --hotpb-cpp_out="faces=$options,quiet:$work/$options" -I "$work" macros.proto far.proto holder.proto \
    2>"$work/warnings" || { grep -v warning "$work/warnings"; exit 1; }
done
ours='#include "holder.hot.h"
#include "holder.builder.hot.h"
#include "holder.visitor.hot.h"
'
theirs=
for header in $(sed -n '/^POSIX = /,/split()/p; /^SYSTEM = /,/\]/p; /^RARE = /,/\]/p' cpp/plugin/macros.py | grep -oE '[a-z0-9_/*]+\.h'); do
  case $header in
    *\**) for path in /usr/include/$header /usr/include/*-linux-gnu/$header; do
        header=${path#/usr/include/}
        header=${header#*-linux-gnu/}
        # Headers that say themselves that a program may not include them, or that exclude others.
        case $header in bsd/* | sys/elf.h | sys/vm86.h | net/if_ppp.h | netinet/if_tr.h | sys/ttychars.h | arpa/nameser_compat.h) ;; *) [ ! -e "$path" ] || theirs+="#include <$header>"$'\n' ;; esac
      done ;;
    ndbm.h | stropts.h | sys/debugreg.h | sys/procfs.h | net/if_ppp.h | sys/elf.h) ;;
    *) theirs+="#if __has_include(<$header>)"$'\n'"#include <$header>"$'\n'"#endif"$'\n' ;;
  esac
done
# What other systems and libraries define. The standard library of gcc is not written for such macros, so it comes first.
standard=$(grep -rhoE '^#include <[a-z_]+>' cpp/include/hotpb --include='*.h' | sort -u)$'\n'
words=$standard$(names kGuarded '^[A-Za-z]+$' | grep -E '^([a-z]+|IN|OUT|DELETE|OPTIONAL|IGNORE|STRICT|VOID|CONST)$' |
  grep -vE "^(min|max|check|verify|require|emit)$" | sed 's/.*/#ifndef &\n#define &\n#endif/')
words+='
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define verify(x) static_cast<void>(x)
#define require(x, label) if (!(x)) goto label
#define emit
'
# Xlib's words are also those of hotpb's headers, which therefore come first.
xlib='
#define Status int
#define None 0L
#define Bool int
'
uses='
namespace hot = macros::linux_::stdin_::hot;
int use(hot::RenamedFieldsWriter& writer, const hot::RenamedFieldsView& view, const holder::hot::Holder& message) {
  writer.set_minor(view.minor_());
  const hot::Renamed_Of values[] = {hot::Renamed_Of::DEBUG_, hot::Renamed_Of::LOG_DEBUG_, hot::Renamed_Of::ECHO_, hot::Renamed_Of::B0_,
    hot::Renamed_Of::TRACE_, hot::Renamed_Of::ERROR_, hot::Renamed_Of::NULL_, hot::Renamed_Of::SIGINT_, message.renamed()};
  static_assert(hot::RenamedFieldsFields::major_.number == hot::RenamedFieldsFields::major_.number, "");
  const hot::LOG_DEBUG_ joined = hot::LOG_DEBUG_::A;
  return static_cast<int>(values[0]) + static_cast<int>(joined) + (view.linux_() != 0) + view.stdin_();
}
'
# The names that stay can be used where nothing defines them.
free='
int free(const macros::linux_::stdin_::hot::Status& status, const macros::linux_::stdin_::hot::GuardedFieldsView& view) {
  return status.value() + static_cast<int>(view.min().size() + view.far().size()) +
    static_cast<int>(macros::linux_::stdin_::hot::Guarded_Of::DELETE);
}
'
compiles() { # NAME CODE FOLDER COMPILER FLAG...
  printf '%s' "$2" >"$work/code.cc"
  check "$1, ${*:4}" "$4" -std=c++17 -I"$work/$3" -Icpp/include -fsyntax-only "${@:5}" "$work/code.cc"
}
flags=(-DDEBUG -DNDEBUG -DTRACE -DERROR=1 -DTEST -DRELEASE -DVERSION=3 -DWIN32)
# No header may lose a macro by including generated code.
restored='
#if !defined(near) || !defined(min) || !defined(DELETE) || min(2, 1) != 1
#error
#endif
'
compiles "macros before" "$theirs$words$ours$restored$uses" $faces "${compilers[0]}" "${flags[@]}"
compiles "macros after" "$ours$theirs$words$xlib$uses" $faces g++ "${flags[@]}"
[ "${HOTPB_THOROUGH-}" != 1 ] || for compiler in "${compilers[@]}"; do
  compiles "macros before" "$theirs$words$ours$restored$uses" $faces "$compiler" "${flags[@]}"
  compiles "macros after" "$ours$theirs$words$xlib$uses" $faces "$compiler" "${flags[@]}"
  compiles "no macros" "$ours$uses$free" $faces "$compiler"
  compiles "a face for each header" "$theirs$words$ours$uses" "$faces,split" "$compiler" "${flags[@]}"
  for file in macros holder; do
    compiles "sources of $file" "$theirs$words#include \"$file.hot.cc\"
#include \"$file.hot.fwd.h\"
" "$faces,sources" "$compiler" "${flags[@]}"
  done
done
# Accessors and classes whose names are joined of two parts (set_x, FooView) are not looked up: no macro has such a name.
if names '[kRG]*' '^(add|clear|erase|find|has|insert|mutable|overwrite|packed|put|set|which)_|(Builder|Edit|Extension|Fields|Pool|View|Visitor|Writer)$' |
  grep -v '^clear_$' >"$work/joined"; then
  failed=$((failed + 1))
  echo "FAILED: macros with joined names: $(tr '\n' ' ' <"$work/joined")"
else
  passed=$((passed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
