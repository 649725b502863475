"""What the benchmark grid consists of: tasks, their cases, and the compilers of the C++ half."""
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED_10K = ROOT.parent / "shared/data/remote-write/write_request_10k_series.bin"

# Case -> the shape that bench/corpus makes for it.
SEEDED = {
    "seeded-10k": "10k",
    "seeded-2k": "2k",
    "multibyte": "multibyte",
    "samples-first": "samples_first",
    "30-samples": "30_samples",
}


@dataclass(frozen=True)
class Toolchain:
    """One compiler and instruction set. A case of a C++ task has its name behind a colon; g++ for the baseline has none."""
    preset: str
    isa: str
    about: str


TOOLCHAINS = {
    "": Toolchain("bench", "baseline", "g++ -O2"),
    "v3": Toolchain("bench", "v3", "g++ -O2 -march=x86-64-v3"),
    "clang": Toolchain("bench-clang", "baseline", "clang++ -O2"),
    "clang-v3": Toolchain("bench-clang", "v3", "clang++ -O2 -march=x86-64-v3"),
}


@dataclass(frozen=True)
class Task:
    about: str
    languages: tuple
    default: tuple           # cases that are run when none is named
    others: tuple = ()       # cases that may be named
    empty_floor: bool = False  # `floor` is the empty harness: times net of it mean something

    def takes(self, case):
        return case in self.default or case in self.others


def compiled(*workloads):
    return tuple(f"{w}:{t}" if t else w for w in workloads for t in TOOLCHAINS)


def split(case):
    """harness:clang-v3 -> harness, clang-v3"""
    workload, _, toolchain = case.partition(":")
    return workload, toolchain


REMOTE_WRITE = tuple(SEEDED) + ("shared-10k",)
TASKS = {
    "rw1-decode": Task("Decode one Prometheus remote-write 1.0 request, whole.", ("rust", "go"), REMOTE_WRITE),
    "rw1-decode-read": Task("Decode it, then read every label, value and timestamp into a checksum.", ("rust", "go"),
                            ("seeded-10k", "shared-10k"), REMOTE_WRITE),
    "rw1-find": Task("Open it and read the labels of the series in its middle.", ("rust", "go"),
                     ("seeded-10k", "shared-10k"), REMOTE_WRITE),
    "rw1-encode": Task("Encode a request that is in memory, into a buffer that is used again.", ("rust",),
                       ("seeded-10k", "shared-10k"), REMOTE_WRITE),
    "protozero-simple": Task("Write ProtoZero's benchmark message: four long varints and a string of 31 bytes.", ("cpp",),
                             compiled("harness", "hot-loop"), empty_floor=True),
    "protozero-nested": Task("The same message four deep.", ("cpp",), compiled("harness", "hot-loop"), empty_floor=True),
    "varint-mix": Task("Write a message of eight varints of random lengths, or of one byte each.", ("cpp",),
                       compiled("random", "one-byte")),
    "scatter": Task("Write an event of four levels into a stream that is cut into chunks of 4 KiB, lengths patched; "
                    "a million of them at a time.", ("cpp",), compiled("nested-events")),
    "view-one": Task("Read one field deep inside: of the innermost event, of the middle message of a descriptor, of the "
                     "middle series of a request.", ("cpp",), compiled("nested-event", "descriptor", "seeded-10k"), REMOTE_WRITE),
    "view-all": Task("Read every field of the message into a checksum.", ("cpp",),
                     compiled("nested-event", "descriptor", "seeded-10k"), REMOTE_WRITE),
}
CASES = {case for task in TASKS.values() for case in task.default + task.others}
