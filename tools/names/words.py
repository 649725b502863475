"""Names that are hard for generators: listed by kind here, or gathered from the runtimes, so that the lists follow the code."""
import re
import subprocess

KEYWORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class co_await
co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do
double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace
new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return
short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef
typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq override final import module
abstract as async await become box crate dyn fn gen impl in let loop macro match mod move mut priv pub raw ref safe
self Self super trait type typeof unsafe unsized use where yield macro_rules auto_ref
chan defer fallthrough func go interface map package range select var
""".split()

BUILT_INS = """
any append cap clear close complex complex64 complex128 copy error float32 float64 imag int8 int16 int32 int64 iota
len make max min new nil panic print println real recover rune string uint uint8 uint16 uint32 uint64 uintptr init main
bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize f16 f128
Box Clone Copy Debug Default Drop Eq Err Fn FnMut FnOnce From Hash Into IntoIterator Iterator None Ok Option Ord
PartialEq PartialOrd Result Send Sized Some String Sync ToOwned ToString TryFrom TryInto Vec Unpin AsRef AsMut Deref
Extend vec option result core alloc std hotpb proc_macro test derive format println panic assert_eq matches
size_t ptrdiff_t int8_t uint8_t int32_t uint64_t string_view span byte basic_string optional variant vector forward
swap begin end data size hot
""".split()

MACROS = """
NULL EOF BUFSIZ linux unix errno assert stdin stdout stderr major minor makedev signals slots emit foreach offsetof
NAN INFINITY HUGE_VAL DOMAIN OVERFLOW UNDERFLOW TRUE FALSE ERROR INT_MAX UINT8_MAX SIZE_MAX SEEK_SET SIGINT SIGHUP
SIGKILL EPERM EAGAIN EINVAL ENOENT PATH_MAX CLOCK_REALTIME LC_ALL M_PI RAND_MAX va_arg setjmp isnan isinf signbit
math_errhandling WEOF TIME_UTC FE_INVALID PRIu64 st_mtime sa_handler si_value h_addr s_addr NSIG MB_CUR_MAX
HOTPB_SETTER HOTPB_SMALL HOTPB_HOT
""".split()

METHODS = """
Size Marshal Unmarshal MarshalTo MarshalAppend Reset String ProtoMessage ProtoReflect Descriptor Clone Merge Equal
GoString Error Status status Finish finish End end Begin begin Close Bytes bytes Len len IsEmpty is_empty Get get Set
set Has has Clear clear Add add Append Mutable All Range Each Decode decode Encode encode Validate validate
CheckInitialized Missing missing Unknown unknown unknown_fields UnknownFields extension Extension delimited append_raw
new fmt drop clone eq ne cmp hash default from into deref borrow as_ref to_owned to_string try_from try_into type_id
whole raw open Slots View Writer Pool Builder Visitor Row Fields Options Input Output Index Cursor Buf buf Table Tables
""".split()

# Between a generator's parts and a field's or message's own name.
TYPE_PREFIXES = ["New", "Get", "E_", "Decode", "Read", "Write", "File_", "Must", "Default_", "is", "Is", "hot", "unpack"]
TYPE_SUFFIXES = [
    "View", "Writer", "Edit", "Builder", "Pool", "Fields", "Slabs", "Row", "Visitor", "Cursor", "Rows", "Ref", "Tables",
    "Options", "HotTable", "Kind", "Oneof", "Case", "Entry", "Elems", "List", "Iter", "Handle", "_builder", "_name",
    "_value", "_SCHEMA", "Schema", "Extension", "Value", "Type", "Type_", "_Type", "Map", "_", "__", "1", "_1", "0",
]
FIELD_PREFIXES = [
    "get_", "has_", "set_", "clear_", "add_", "mutable_", "which_", "packed_", "open_", "overwrite_", "write_",
    "append_", "with_", "is_", "each_", "take_", "release_", "put_", "visit_", "decode_", "Get", "Set", "Has", "_", "__",
]
FIELD_SUFFIXES = [
    "_count", "_len", "_size", "_at", "_bytes", "_raw", "_parts", "_from", "_mut", "_iter", "_get", "_into", "_cursor",
    "_table_", "_fields_", "_case", "_entry", "_or_default", "_unchecked", "_name", "_ext", "_list", "_all", "_", "__",
    "_1", "1", "_or", "_opt", "_value", "_number", "_index", "_view", "_writer", "_hot", "_ok",
]

PACKAGE_PARTS = [
    "std", "hotpb", "hot", "core", "alloc", "crate", "self", "super", "type", "namespace", "internal", "main", "init",
    "wire", "view", "pool", "writer", "schema", "wkt", "google", "protobuf", "string", "error", "errno", "linux", "unix",
    "NULL", "int", "u8", "mod", "fn", "async", "no_package", "v1", "X", "_", "x_", "Option", "func", "go", "test", "vendor",
]

FILES = [
    "a.proto", "A.proto", "a-b.proto", "a_b.proto", "a.b.proto", "a/b.proto", "a__b.proto", "1.proto", "_.proto",
    "type.proto", "mod.proto", "lib.proto", "main.proto", "x_test.proto", "x_linux.proto", "x_windows.proto", "x_linux_arm64.proto", "std.proto",
    "hotpb.proto", "hotpb.mod.proto", "hot.proto", "a.hot.proto", "with space.proto", "plus+sign.proto", "tilde~.proto",
    "noext", "x.proto3", "descriptor.proto", "any.proto", "google/protobuf/mine.proto", "linux/unix.proto",
    "very/" * 12 + "long/" + "n" * 90 + ".proto",
]

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
DECLARED = {
    "*.go": re.compile(r"^(?:func (?:\([^)]*\) )?|type |var |const |\t)([A-Za-z_]\w*)", re.M),
    "*.rs": re.compile(r"\b(?:fn|struct|enum|trait|type|const|static|mod|let|let mut)\s+([A-Za-z_]\w*)"),
    "*.h": re.compile(r"\b(?:class|struct|using|enum class|#define)\s+([A-Za-z_]\w*)|\b([A-Za-z_]\w*)\s*(?:\(|;|\{| =)"),
}
RUNTIMES = ["go/rt", "go/wire", "rust/hotpb/src", "cpp/include/hotpb"]


def gathered(root):
    """The runtimes' declarations, and every identifier of the goldens."""
    names = set()
    for folder in RUNTIMES:
        for pattern, declared in DECLARED.items():
            for path in (root / folder).rglob(pattern):
                if "/wkt/" in str(path) or path.name.endswith("_test.go"):
                    continue
                for groups in declared.findall(path.read_text()):
                    names.update([groups] if isinstance(groups, str) else groups)
    for golden in (root / "vectors/goldens").rglob("*.txt"):
        code = re.sub(r'//.*|"[^"\n]*"', "", golden.read_text())
        names.update(IDENTIFIER.findall(code))
    return sorted(name for name in names if name and name.isascii() and len(name) < 40)


# ISO C's headers and those of POSIX that programs with sockets and threads include.
HEADERS = """
cassert cctype cerrno cfenv cfloat cinttypes climits clocale cmath csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib
cstring ctime cuchar cwchar cwctype fcntl.h netinet/in.h pthread.h sys/socket.h sys/stat.h sys/types.h sys/wait.h unistd.h
""".split()


def prelude():
    return "".join(f"#include <{header}>\n" for header in HEADERS)


def macros(compiler="c++"):
    """The macros of those headers on this machine, without the compiler's own."""
    done = subprocess.run([compiler, "-std=gnu++17", "-dM", "-E", "-x", "c++", "-"], input=prelude(), text=True,
                          capture_output=True, check=True)
    names = set(re.findall(r"^#define ([A-Za-z]\w*)", done.stdout, re.M))
    return sorted(names)
