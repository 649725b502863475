"""The benchmark grid: tasks, their cases, and the compilers of the C++ half."""
import importlib.util
import os
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED_10K = Path(os.environ["HOTPB_DATA"], "remote-write/write_request_10k_series.bin") if os.environ.get("HOTPB_DATA") else None

# Case -> the shape that bench/corpus makes for it; in the tasks of remote write 2.0, the same series in that format.
SEEDED = {
    "seeded-10k": "10k",
    "seeded-2k": "2k",
    "multibyte": "multibyte",
    "samples-first": "samples_first",
    "30-samples": "30_samples",
    "shuffled": "shuffled",
    "unknown-sprinkled": "unknown_sprinkled",
}


@dataclass(frozen=True)
class Toolchain:
    """One compiler and instruction set, or one allocator. A case names it after a colon, unless it is the usual one."""
    language: str
    about: str
    preset: str = ""
    isa: str = ""


USUAL = {
    "cpp": Toolchain("cpp", "g++ -O2", "bench", "baseline"),
    "rust": Toolchain("rust", "the system's allocator"),
    "go": Toolchain("go", "Go's own allocator"),
    "python": Toolchain("python", "other libraries through Python (rust/hotpb-arrow/bench/rivals/install)"),
}
OTHERS = {
    "v3": Toolchain("cpp", "g++ -O2 -march=x86-64-v3", "bench", "v3"),
    "small": Toolchain("cpp", "g++ -O2 -DHOTPB_SMALL", "bench", "small"),
    "clang": Toolchain("cpp", "clang++ -O2", "bench-clang", "baseline"),
    "clang-v3": Toolchain("cpp", "clang++ -O2 -march=x86-64-v3", "bench-clang", "v3"),
    "mimalloc": Toolchain("rust", "mimalloc"),
}


def split(case):
    """harness:clang-v3 -> harness, clang-v3"""
    workload, _, toolchain = case.partition(":")
    return workload, toolchain


def toolchain(language, case):
    """The toolchain of a case in a language; None when that language has no such case."""
    workload, name = split(case)
    if language == "go" and workload == "harness":  # Go writes ProtoZero's message in the hot loop only
        return None
    chain = OTHERS.get(name) if name else USUAL[language]
    return chain if chain and chain.language == language else None


@dataclass(frozen=True)
class Task:
    about: str
    languages: tuple
    default: tuple           # the cases that run when none is named
    others: tuple = ()       # further workloads that a caller may name
    empty_floor: bool = False  # `floor` is the empty harness: times net of it mean something
    module: str = "go/bench"  # of Go's contenders
    crate: str = "rust/bench"  # of Rust's, and of other libraries through Python

    def takes(self, case):
        known = {split(c)[0] for c in self.default + self.others}
        return split(case)[0] in known and any(toolchain(language, case) for language in self.languages)

    def cases(self):
        """All cases that a caller may name."""
        named = {w + t for w in map(lambda c: split(c)[0], self.default + self.others) for t in ("", *(f":{o}" for o in OTHERS))}
        return {case for case in named if self.takes(case)}


def compiled(*workloads):
    """With each compiler of C++."""
    return tuple(f"{w}:{t}" if t else w for w in workloads for t in ("", "v3", "clang", "clang-v3"))


def allocated(*workloads):
    """With each allocator of Rust."""
    return tuple(case for w in workloads for case in (w, f"{w}:mimalloc"))


REMOTE_WRITE = tuple(SEEDED) + ("shared-10k",)
ZEROPB = "none", "all", "repeatedly", "complex-one", "complex-repeated", "set-all", "set-repeatedly", "encode-complex"
# The messages and their operations; -get reads the extension after decoding.
EVENTS = tuple(f"{m}-{op}" for m in ("proto3", "proto2ext", "batch") for op in ("decode", "decode-get", "encode") if op != "decode-get" or m == "proto2ext")


GRPC, TONIC = ("100B", "1KiB", "1MiB"), "rust/hotpb-tonic/bench"


def event(structs, module="go/bench"):
    return Task(f"Decode and encode messages of the shape of csproto's examples, in {structs}: a fresh message, fresh bytes each time.",
                ("go",), EVENTS, module=module)


TASKS = {
    "rw1-decode": Task("Decode one Prometheus remote-write 1.0 request, whole.", ("cpp", "rust", "go"),
                       REMOTE_WRITE + ("seeded-10k:mimalloc", "shared-10k:mimalloc")),
    "rw1-decode-read": Task("Decode it, then read every label, value and timestamp into a checksum.", ("cpp", "rust", "go"),
                            allocated("seeded-10k", "shared-10k"), REMOTE_WRITE),
    "rw1-find": Task("Open it and read the labels of the series in its middle.", ("rust", "go"),
                     ("seeded-10k", "shared-10k"), REMOTE_WRITE),
    "rw1-last-label": Task("Open it and read one label of the last series.", ("rust", "go"), ("seeded-10k", "shared-10k"), REMOTE_WRITE),
    "rw1-encode": Task("Encode a request that is in memory, into a buffer that is used again.", ("cpp", "rust", "go"),
                       allocated("seeded-10k", "shared-10k"), tuple(c for c in REMOTE_WRITE if c != "unknown-sprinkled")),
    "rw1-rows": Task("From the bytes to one table per metric: a column of numbers for each label (a dictionary has the strings), "
                     "times, values.", ("cpp", "rust"), allocated("seeded-10k", "shared-10k"), REMOTE_WRITE),
    "rw1-body": Task("From a snappy body to columns: inflate, decode, look each series up, append its samples.", ("rust", "go"),
                     allocated("seeded-10k", "shared-10k"), tuple(c for c in REMOTE_WRITE if c not in ("shuffled", "unknown-sprinkled"))),
    "rw2-decode": Task("Decode one Prometheus remote-write 2.0 request, whole.", ("cpp", "rust"), allocated("seeded-10k"), ("seeded-2k",)),
    "slice": Task("Cut every name and value of the labels of a request out of it, at places that are known, and hold them.", ("rust",), ("seeded-10k",),
                  tuple(c for c in REMOTE_WRITE if c != "shuffled")),
    "grpc-echo": Task("Call a server with a request that is built from data in memory; it answers with the message that it received, and the client "
                      "reads the answer. No network: the client calls the server's code.", ("rust",), GRPC, crate=TONIC),
    "grpc-echo-tcp": Task("The same through HTTP/2 over TCP on one machine, both sides in one thread.", ("rust",), GRPC, crate=TONIC),
    "arrow-rw1": Task("From the bytes to an Arrow record batch: a row for each series, with lists of labels and samples.", ("rust", "python"),
                      ("seeded-10k", "shared-10k"), REMOTE_WRITE, crate="rust/hotpb-arrow/bench"),
    "arrow-logs": Task("The same with the log records of otlp-logs: a row for each record, with a list of attributes.", ("rust", "python"), ("seeded",),
                       crate="rust/hotpb-arrow/bench"),
    "googlemsg1": Task("Decode a flat message of many scalars and strings, most of them set.", ("cpp", "rust"), allocated("seeded")),
    "otlp-logs": Task("Decode a batch of 1,000 log records with attributes.", ("cpp", "rust"), allocated("seeded")),
    "googlemsg1-two": Task("Read two fields of that flat message.", ("rust",), ("seeded",)),
    "otlp-logs-two": Task("Read two fields of each record of that batch.", ("rust",), ("seeded",)),
    "small-200B-two": Task("Read two fields of a span of about 200 bytes.", ("rust",), ("seeded",)),
    "descriptor-set": Task("Decode the descriptor set of descriptor.proto.", ("rust",), allocated("descriptor")),
    "packed-ints": Task("Decode seven packed fields of 1,000 elements each.", ("cpp", "rust", "go"), allocated("seeded")),
    "maps": Task("Decode three maps of 200 entries each.", ("cpp", "rust", "go"), allocated("seeded")),
    "deep": Task("Decode a chain of 80 messages with a tree of 40 below it.", ("cpp", "rust", "go"), allocated("seeded")),
    "small-200B": Task("Decode a span of about 200 bytes.", ("cpp", "rust", "go"), allocated("seeded")),
    "many-types-decode": Task("Decode messages of thirty types of forty fields, in random turn: all fields, half of them, five; in C++ read every field, too.",
                              ("cpp", "rust", "go"), allocated("seeded") + ("seeded:v3", "seeded:clang", "seeded:clang-v3")),
    "many-types-encode": Task("Encode messages of these types, in random turn; into fresh bytes, in C++ into a buffer.", ("cpp", "rust", "go"),
                              compiled("seeded")),
    "zeropb": Task("On a raft schema, what zeropb was measured with: decode an entry and read none of it, all, all three times; decode "
                   "a message and read one number, all entries; fill in and encode an entry, with each field set three times, a message.",
                   ("go",), ZEROPB, empty_floor=True),
    "large-bytes": Task("Decode a message of sixteen byte strings of 64 KiB.", ("go",), ("seeded",)),
    "codec-event-open": event("structs of protoc-gen-go's open API"),
    "codec-event-opaque": event("structs of protoc-gen-go's opaque API"),
    "codec-event-gogo": event("structs of gogo/protobuf"),
    "codec-event-v1": event("structs of golang/protobuf 1.3.5", "go/bench/v1"),
    "flow-encode": Task("Encode a flow of 14 or 33 fields from a Go struct, by a schema known at run time or not; 1,000 of them in turn.",
                        ("go",), ("14", "33")),
    "flow-batch": Task("Encode 1,000 such flows and hand their bytes over.", ("go",), ("14", "33")),
    "template-encode": Task("From the bytes of a NetFlow v9 or IPFIX packet to protobuf messages, each behind its length; a row is for all records of a packet.",
                            ("go",), ("netflow9", "ipfix")),
    "dynamic-decode": Task("Decode a message by a descriptor known at run time only, and read every value: flows of 33 fields, a remote-write request "
                           "of 2,000 series, a raft message.", ("go",), ("flow", "remote-write", "raft")),
    "decode-string": Task("Decode a tag and a string of 14 bytes, by hand.", ("go",), ("14-bytes",)),
    "protozero-simple": Task("Write ProtoZero's benchmark message: four long varints and a string of 31 bytes.", ("cpp", "rust", "go"),
                             compiled("harness", "hot-loop"), empty_floor=True),
    "protozero-nested": Task("The same message four deep.", ("cpp", "rust", "go"), compiled("harness", "hot-loop"), empty_floor=True),
    "varint-mix": Task("Write a message of eight varints of random lengths, or of one byte each.", ("cpp",),
                       compiled("random", "one-byte")),
    "scatter": Task("Write an event of four levels into a stream that is cut into chunks of 4 KiB, lengths patched; "
                    "a million of them at a time.", ("cpp",), compiled("nested-events")),
    "view-one": Task("Read one field deep inside: of the innermost event, of the middle message of a descriptor, of the "
                     "middle series of a request.", ("cpp",), compiled("nested-event", "descriptor", "seeded-10k"), REMOTE_WRITE),
    "view-all": Task("Read every field of the message into a checksum.", ("cpp",),
                     compiled("nested-event", "descriptor", "seeded-10k"), REMOTE_WRITE),
}
CORE = tuple(TASKS)


def app(path):
    """The module apps/NAME/bench/tasks.py: an app's TASKS, its PARTS and ALLOCATE_NOTHING among the contenders, and targets(Target)."""
    spec = importlib.util.spec_from_file_location(f"tasks_of_{path.parent.parent.name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Tasks of apps run when they are named. Their results are in apps/NAME/bench/results, and shown in apps/NAME/docs/performance.md.
APPS = [app(path) for path in sorted(ROOT.glob("apps/*/bench/tasks.py"))]
for module in APPS:
    TASKS.update(module.TASKS)
CASES = {case for task in TASKS.values() for case in task.cases()}
