"""The targets of the grid, and whether a run met them: ratios of rows that were measured side by side."""
import statistics
from dataclasses import dataclass

import measure
from compare import comparable
from grid import APPS, OTHERS, REMOTE_WRITE, TASKS


@dataclass(frozen=True)
class Target:
    """`slow` takes at least (or, with at_most, at most) `factor` times as long as `fast`; both are language/rival."""
    task: str
    case: str
    slow: str
    fast: str
    factor: float
    at_most: bool = False
    fast_task: str = ""   # when it is another task
    fast_case: str = ""
    per_byte: bool = False  # compare times per byte: the inputs differ in size
    net: bool = False       # subtract the time of the empty harness
    why: str = ""

    def rows(self):
        return (self.task, self.case, self.slow), (self.fast_task or self.task, self.fast_case or self.case, self.fast)

    def __str__(self):
        elsewhere = ", ".join(filter(None, (self.fast_task, self.fast_case)))
        text = f"{self.task}, {self.case}: {self.slow} / {self.fast}" + (f" of {elsewhere}" if elsewhere else "")
        return text + (", per byte" if self.per_byte else "") + (", net" if self.net else "") + (f" ({self.why})" if self.why else "")


def cpp_writer(task, workload, light, perfetto, reused, lite):
    writer = "cpp/hotpb-writer"
    for chain in compilers():
        case = workload + chain
        v3 = chain.endswith("v3")
        yield Target(task, case, writer, "cpp/speed-of-light", light[v3], at_most=True)
        yield Target(task, case, "cpp/perfetto-protozero", writer, perfetto)
        yield Target(task, case, "cpp/perfetto-protozero:reused", writer, reused)
        yield Target(task, case, "cpp/libprotobuf-lite", writer, lite)


def compilers():
    return ["", *(f":{name}" for name, chain in OTHERS.items() if chain.language == "cpp")]


def cpp():
    yield from cpp_writer("protozero-simple", "harness", (1.25, 1.2), 2.2, 1.8, 3)
    yield from cpp_writer("protozero-nested", "harness", (1.6, 1.4), 3.5, 3, 6)
    writer, lib = "cpp/hotpb-writer", "cpp/libprotobuf:arena"
    for chain in compilers():
        v3 = chain.endswith("v3")
        for task in "protozero-simple", "protozero-nested":
            yield Target(task, "hot-loop" + chain, "cpp/perfetto-protozero:reused", writer, 4)
        yield Target("varint-mix", "random" + chain, "cpp/perfetto-protozero", writer, 7 if v3 else 4)
        yield Target("varint-mix", "one-byte" + chain, writer, "cpp/byte-loop", 1.2, at_most=True)
        yield Target("scatter", "nested-events" + chain, writer, "cpp/hotpb-writer:contiguous", 1.25, at_most=True)
        for case in "nested-event", "descriptor", "seeded-10k":
            yield Target("view-one", case + chain, lib, "cpp/hotpb-view", 3.5 if case == "nested-event" else 3)
            yield Target("view-all", case + chain, lib, "cpp/hotpb-view", 1.2)
        for rival, factor in ("cpp/libprotobuf:reuse", 1.5), ("cpp/mapbox-protozero", 1):
            yield Target("many-types-decode", "seeded" + chain, rival, "cpp/hotpb-view", factor)
        for rival in "cpp/libprotobuf", "cpp/mapbox-protozero", "cpp/perfetto-protozero:reused":
            yield Target("many-types-encode", "seeded" + chain, rival, writer, 1)


def cpp_pool():
    pool, arena = "cpp/hotpb-pool", "cpp/libprotobuf:arena"
    decoded = [(task, case) for task in ("rw1-decode", "rw1-decode-read") for case in REMOTE_WRITE]
    decoded += [("rw2-decode", case) for case in ("seeded-10k", "seeded-2k")]
    decoded += [(task, "seeded") for task in ("googlemsg1", "otlp-logs", "packed-ints", "maps", "deep", "small-200B")]
    for task, case in decoded:
        yield Target(task, case, "cpp/libprotobuf", pool, 12)
        yield Target(task, case, arena, pool, 6)
        yield Target(task, case, pool, "rust/hotpb-pool", 1.05, at_most=True)
        for rival in "cpp/mapbox-protozero", "cpp/perfetto-protozero", "rust/google-protobuf":
            yield Target(task, case, rival, pool, 1.5)
    for case in "seeded-10k", "shared-10k":
        yield Target("rw1-encode", case, "cpp/libprotobuf", pool, 3)
        yield Target("rw1-rows", case, "cpp/libprotobuf", pool, 12)


OWNED = "rust/prost", "rust/prost:reuse", "rust/buffa:owned", "rust/buffa:view", "rust/quick-protobuf", "rust/rust-protobuf", "rust/google-protobuf"
READ = (*OWNED, "rust/buffa:lazy-view")


def rust_decode():
    pool, big = "rust/hotpb-pool", ("seeded-10k", "shared-10k")
    for case in big:
        yield Target("rw1-decode", case, "rust/prost", pool, 20)
        yield from (Target("rw1-decode", case, rival, pool, 5) for rival in OWNED[1:])
        yield Target("rw1-decode", case, "go/easyproto", pool, 3)
        yield Target("rw1-decode", case, "go/easyproto", "go/vtprotobuf:pool+unsafe", 0.75, at_most=True, why="calibration")
        yield Target("rw1-decode", f"{case}:mimalloc", "rust/prost", pool, 10)
        yield Target("rw1-decode", case, "rust/prost", "rust/hotpb-codec", 5)
        yield Target("rw1-decode", case, "rust/prost:reuse", "rust/hotpb-codec", 3)
        yield Target("rw1-decode", case, "rust/prost:greptime-7-pointers", pool, 2)
        yield Target("rw1-decode-read", case, "rust/prost", pool, 18)
        yield from (Target("rw1-decode-read", case, rival, pool, 4) for rival in READ[1:])
    for case in REMOTE_WRITE:
        if case not in big:
            yield Target("rw1-decode", case, "rust/prost", pool, 5)
            slower = 2.5 if case == "shuffled" else 1.6
            yield Target("rw1-decode", case, pool, pool, slower, at_most=True, fast_case="seeded-10k", per_byte=True)


def rust():
    pool, builder, rows, writer = "rust/hotpb-pool", "rust/hotpb-pool:builder", "rust/hotpb-visitor", "rust/hotpb-writer"
    yield from rust_decode()
    yield from rust_view()
    for case in "seeded-10k", "shared-10k":
        yield Target("rw1-encode", case, "rust/prost", pool, 2.4)
        yield Target("rw1-encode", case, "rust/prost", builder, 2.4)
        yield Target("rw1-rows", case, rows, "rust/hotpb-pool:no-rows", 2, at_most=True)
        yield Target("rw1-rows", case, "rust/prost", rows, 8)
        yield Target("rw1-body", case, "rust/prost", "rust/hotpb-receiver", 15)
        yield from (Target("rw1-body", case, rival, "rust/hotpb-receiver", 3) for rival in ("go/gogo", "go/easyproto"))
    yield Target("rw2-decode", "seeded-10k", "rust/buffa:view", pool, 4)
    yield Target("slice", "seeded-10k", "rust/bytes:slice", "rust/hotpb-span", 3)
    yield Target("slice", "seeded-10k", "rust/hotpb-span", "rust/pointer", 1.05, at_most=True)
    for task in MESSAGES:
        yield from (Target(task, TASKS[task].default[0], rival, pool, 1) for rival in ("rust/prost", "rust/buffa:owned", "rust/buffa:view"))
    for case, share in ("1KiB", 0.85), ("1MiB", 0.5):
        yield Target("grpc-echo", case, pool, "rust/prost", share, at_most=True)
        yield Target("grpc-echo-tcp", case, pool, "rust/prost", share, at_most=True)
    for rival in "rust/prost", "rust/prost:reuse", "rust/buffa:owned", "rust/buffa:view":
        yield Target("many-types-encode", "seeded", rival, pool, 1)
    for task in "protozero-simple", "protozero-nested":
        for case in "harness", "hot-loop":
            yield Target(task, case, "rust/prost", writer, 3)
            yield Target(task, case, "rust/buffa:owned", writer, 3)
            yield Target(task, case, writer, "cpp/hotpb-writer", 1.3, at_most=True)
        yield Target(task, "harness", "rust/prost", writer, 3, net=True)
        yield Target(task, "harness", "rust/buffa:owned", writer, 3, net=True)


def rust_view():
    for case in "seeded-10k", "shared-10k":
        for task in "rw1-find", "rw1-last-label":
            yield Target(task, case, "rust/buffa:lazy-view", "rust/hotpb-view", 1.5)
        yield Target("rw1-decode", case, "rust/hotpb-view:validate", "rust/hotpb-pool", 1, at_most=True)
    for task in "googlemsg1-two", "small-200B-two", "otlp-logs-two":
        for rival in "rust/buffa:lazy-view", "rust/quick-protobuf":
            yield Target(task, "seeded", rival, "rust/hotpb-view", 2)


MESSAGES = "googlemsg1", "otlp-logs", "descriptor-set", "packed-ints", "maps", "deep", "small-200B", "many-types-decode"


# Nanoseconds on one machine; only their ratios matter: (best rival, our view, our pool).
ZEROPB_NS = {
    "none": (32.7, 22, 26), "all": (68, 62, 62), "repeatedly": (145, 150, 140), "complex-one": (135, 60, None),
    "complex-repeated": (320, 270, 290), "set-all": (29.9, 36, 24), "set-repeatedly": (45.1, 85, 42), "encode-complex": (179, 150, 90),
}
# What our view should take of the fastest rival's time instead, where that is stricter.
ZEROPB_VIEW = {"all": 0.9, "repeatedly": 0.95, "set-all": 0.95, "set-repeatedly": 0.95, "encode-complex": 0.95}
BEST = "go/the fastest rival"


def go():
    for case, (best, view, pool) in ZEROPB_NS.items():
        yield Target("zeropb", case, "go/hotpb-view", BEST, ZEROPB_VIEW.get(case, round(view / best, 2)), at_most=True)
        if pool:
            # Decoded messages may borrow from the input, as the fastest rivals' messages do.
            candidate = "go/hotpb-pool" if case.startswith(("set", "encode")) else "go/hotpb-pool:alias"
            yield Target("zeropb", case, candidate, BEST, round(pool / best, 2), at_most=True)
    for factor, at_most in (0.5, False), (0.75, True):
        yield Target("zeropb", "none", "go/zeropb-port", "go/gogo", factor, at_most, why="calibration: else the port is not believed")
    yield Target("zeropb", "set-all", "go/hotpb-writer", BEST, 1, at_most=True)
    yield Target("protozero-nested", "hot-loop", "go/hotpb-writer", BEST, 0.95, at_most=True)
    owned, alias, fresh, view = "go/hotpb-pool", "go/hotpb-pool:alias", "go/hotpb-pool:owned", "go/hotpb-view"
    for case in "seeded-10k", "shared-10k":
        yield Target("rw1-decode", case, "go/hyperpb", owned, 2.4)
        yield Target("rw1-decode", case, "go/hyperpb", alias, 2.6)
        yield Target("rw1-decode", case, "go/protobuf-go", fresh, 4.5)
        for candidate in owned, alias:
            yield Target("rw1-decode-read", case, "go/easyproto", candidate, 1.2)
            yield Target("rw1-decode-read", case, "go/hyperpb", candidate, 4)
        yield Target("rw1-encode", case, "go/gogo", owned, 1.4)
        yield Target("rw1-encode", case, "go/gogo:unsized", owned + ":unsized", 1.4)
        yield Target("rw1-encode", case, "go/protobuf-go", owned, 7)
        yield Target("rw1-last-label", case, "go/easyproto", view, 8)
        yield Target("rw1-last-label", case, "go/protobuf-go:lazy", view, 10)
        yield Target("rw1-find", case, view, "go/easyproto", 0.95, at_most=True)
    for case in REMOTE_WRITE:
        yield Target("rw1-decode", case, view + ":validate", "go/easyproto", 1, at_most=True)
        for candidate in owned, alias:
            yield Target("rw1-decode", case, candidate, "go/easyproto", 0.8, at_most=True)
    yield Target("packed-ints", "seeded", owned, "go/hyperpb", 0.95, at_most=True)
    yield Target("large-bytes", "seeded", alias, "go/vtprotobuf:pool+unsafe", 0.9, at_most=True)
    yield from codec()
    yield from schema()
    yield Target("many-types-encode", "seeded", BEST, owned, 1)
    for task in "small-200B", "packed-ints", "maps", "deep", "many-types-decode", "large-bytes":
        if task != "large-bytes":  # its time is all copying, or none
            yield Target(task, "seeded", BEST, owned, 1)
        yield Target(task, "seeded", BEST, alias, 1)
    for rival in "go/protobuf-go", "go/gogo", "go/vtprotobuf":
        yield Target("large-bytes", "seeded", rival, owned, 1)


def schema():
    handles, bound, reused = "go/hotpb-schema", "go/hotpb-schema:struct", "go/vtprotobuf:reused"
    for case in "14", "33":
        yield Target("flow-encode", case, bound, reused, 1.1, at_most=True)
        yield Target("flow-encode", case, handles, reused, 1, at_most=True)
        for factor, at_most in (5, False), (7, True):
            yield Target("flow-encode", case, "go/article", reused, factor, at_most, why="calibration: else the port is not believed")
        for row in handles, bound:
            yield Target("flow-encode", case, "go/article", row, 4.5)
            yield Target("flow-encode", case, "go/dynamicpb", row, 45)
            yield Target("flow-batch", case, row, row, 1.1, at_most=True, fast_task="flow-encode", per_byte=True)
    for case in "netflow9", "ipfix":
        yield Target("template-encode", case, "go/goflow2+hotpb-schema", handles, 3)
        yield Target("template-encode", case, "go/goflow2", handles, 12)
    for case in "flow", "remote-write", "raft":
        for row in handles, handles + ":alias":
            yield Target("dynamic-decode", case, "go/hyperpb", row, 1)
            yield Target("dynamic-decode", case, "go/hyperpb:pgo", row, 1)
            yield Target("dynamic-decode", case, "go/dynamicpb", row, 10)


def codec():
    hotpb = "go/hotpb-codec"
    for case in REMOTE_WRITE:
        yield Target("rw1-decode", case, "go/protobuf-go", hotpb, 4)
    for case in "seeded-10k", "shared-10k":
        yield Target("rw1-encode", case, "go/protobuf-go", hotpb, 6)
        yield Target("rw1-encode", case, "go/vtprotobuf", hotpb, 1)
        yield Target("rw1-encode", case, "go/hotpb-pool", "go/gogo:unsized", 0.9, at_most=True)
    for api in "open", "opaque", "v1":
        task = f"codec-event-{api}"
        extension = 0.9 if api == "v1" else 0.7  # the runtime itself encodes v1's extensions
        for case, factor in ("proto3-decode", 0.8), ("proto3-encode", 0.9), ("proto2ext-decode", 0.6), ("proto2ext-encode", extension):
            yield Target(task, case, hotpb, BEST, factor, at_most=True)
    # csproto's README has 0.60 and 0.81, for code that keeps no sizes in the structs. Below 0.3 the port would leave work out.
    for case, factor in ("proto3-encode", 0.6), ("proto2ext-encode", 0.81):
        for bound, at_most in (0.3, False), (factor, True):
            yield Target("codec-event-open", case, "go/csproto-port", "go/protobuf-go", bound, at_most, why="calibration: else the port is not believed")
    yield Target("codec-event-v1", "proto2ext-decode-get", hotpb, BEST, 0.9, at_most=True)
    for case in "proto3-decode", "proto3-encode", "proto2ext-decode":
        yield Target("codec-event-gogo", case, hotpb, BEST, 1, at_most=True)
    for case in "proto2ext-encode", "proto2ext-decode-get", "batch-decode":
        yield Target("codec-event-gogo", case, hotpb, BEST, 0.9, at_most=True)


TARGETS = [*cpp(), *cpp_pool(), *rust(), *go(), *(target for app in APPS for target in app.targets(Target))]

# bench/peers: rival / hotpb, geometric means by source: language, table -> task -> those of the sources, or one for all.
SOURCES = "HyperProtoBench", "fleetbench", "buffa"
PEERS = {
    ("cpp", ""): {"decode": (6.0, 2.5, 2.8), "decode+read": (5.8, 2.4, 2.6), "encode": (2.2, 2.2, 2.4), "encode-fresh": 3 * (1.8,)},
    ("rust", ""): {"decode": (2.2, 2.4, 2.2), "decode+read": (1.9, 1.9, 2.0), "encode": (1.3, 1.7, 1.7), "encode-fresh": 3 * (1.3,)},
    ("go", ""): {"decode": (3.0, 2.5, 2.2), "decode+read": (3.6, 2.2, 2.0), "encode": 3 * (1.3,), "encode-fresh": 3 * (1.2,)},
    ("go", "codec"): {"decode": 3 * (1.5,), "encode": 3 * (1.25,), "encode-fresh": 3 * (1.2,)},
}
LEAST = 0.97  # of any row of bench/peers, whatever its source


def of_peers(language, table, ratios):
    """Rows of bench/peers, as (source, task, ratio), -> [(what, wanted, found, met)], for the sources and tasks that were measured."""
    for task, factors in PEERS.get((language, table), {}).items():
        for source, factor in zip(SOURCES, factors):
            found = [ratio for name, done, ratio in ratios if done == task and name.startswith(source)]
            if found:
                mean = statistics.geometric_mean(found)
                yield f"{source}, {task}: geometric mean", f"≥ {factor:g}", f"{mean:.2f}", mean >= factor
    if ratios:
        least = min(ratio for _, _, ratio in ratios)
        yield "the least of all rows", f"≥ {LEAST:g}", f"{least:.2f}", least >= LEAST


# Instructions of cpp/hotpb-writer in case harness (g++, baseline), and those of the other writers as a multiple of these.
INSTRUCTIONS = {"protozero-simple": 300, "protozero-nested": 1200}
MULTIPLES = {"rust/hotpb-writer": 1.3}
ALLOCATE_NOTHING = ("rust/hotpb-pool", "rust/hotpb-span", "rust/hotpb-writer", "cpp/hotpb-pool", "cpp/hotpb-writer",
                    "go/hotpb-pool", "go/hotpb-pool:alias", "go/hotpb-view", "go/hotpb-writer")
FRESH_BYTES = ("many-types-encode",)  # every contender returns fresh bytes
AT_MOST_ALLOCATIONS = {"go/hotpb-pool:owned": 10, "go/hotpb-codec": 10}  # in the rw1 tasks


def measured(rows):
    """Rows of all tasks -> [(what, wanted, found, met)], for the targets whose rows were measured."""
    found = {(r["task"], r["case"], f"{r['language']}/{r['rival']}"): r for r in rows}
    for task, case in {(task, case) for task, case, _ in found}:
        rivals = [row for (row_task, at, name), row in found.items() if (row_task, at) == (task, case) and is_rival(task, name) and row["ns_per_op"]]
        if rivals:
            found[task, case, BEST] = min(rivals, key=lambda row: row["ns_per_op"])
    return [*instructions(found), *times(found), *allocations(found)]


def is_rival(task, name):
    """Reports whether a row is a rival Go library."""
    return name.startswith("go/") and not name.startswith("go/hotpb") and comparable(task, name.removeprefix("go/"))


def instructions(found):
    for task, limit in INSTRUCTIONS.items():
        count = {rival: row["instructions"] for (row_task, case, rival), row in found.items() if (row_task, case) == (task, "harness")}
        writer = count.get("cpp/hotpb-writer")
        if not writer:
            continue
        yield f"{task}: instructions of cpp/hotpb-writer", f"≤ {limit:,}", f"{writer:,}", writer <= limit
        for rival, factor in MULTIPLES.items():
            if count.get(rival):
                times = count[rival] / writer
                yield f"{task}: instructions of {rival} / cpp/hotpb-writer", f"≤ {factor:g}", f"{times:.2f}", times <= factor


def times(found):
    for target in TARGETS:
        slow, fast = (found.get(row) for row in target.rows())
        if not (slow and fast and slow["ns_per_op"] and fast["ns_per_op"]):
            continue
        ratio, low, high = ratio_of(target, slow, fast, found)
        met = high <= target.factor if target.at_most else low >= target.factor
        yield str(target), f"{'≤' if target.at_most else '≥'} {target.factor:g}", f"{ratio:.2f}" + (f" [{low:.2f}, {high:.2f}]" if low < high else ""), met


def ratio_of(target, slow, fast, found):
    """The ratio with its interval. Rows of two cases have no rounds in common: the medians are compared, and the interval is empty."""
    if target.fast_task or target.fast_case or target.per_byte:
        sizes = [row["mb_per_s"] * row["ns_per_op"] if target.per_byte else 1 for row in (slow, fast)]
        return 3 * (slow["ns_per_op"] / sizes[0] / (fast["ns_per_op"] / sizes[1]),)
    floor = found.get((target.task, target.case, f"{slow['language']}/floor")) if target.net else None
    empty = floor["ns_per_op"] if floor else 0
    return measure.ratio(*([ns - empty for ns in row["times"]] for row in (fast, slow)))


def allocations(found):
    timed = [(rival, row) for (task, _, rival), row in found.items()
             if rival in ALLOCATE_NOTHING and task not in FRESH_BYTES and row["allocs"] is not None]
    for name in ALLOCATE_NOTHING:
        most = max((row["allocs"] for rival, row in timed if rival == name), default=None)
        if most is not None:
            yield f"allocations of {name} once warm, in any row", "0", f"{most:,}", most == 0
    for (task, case, rival), row in found.items():
        if task.startswith("rw1-") and rival in AT_MOST_ALLOCATIONS and row["allocs"] is not None:
            limit = AT_MOST_ALLOCATIONS[rival]
            yield f"allocations of {rival} in {task}, {case}", f"≤ {limit}", f"{row['allocs']:,}", row["allocs"] <= limit
        if rival.startswith(("go/hotpb-schema", *(name for app in APPS for name in app.ALLOCATE_NOTHING))) and row["allocs"] is not None:
            limit = 2 if task == "flow-batch" else 0  # a batch hands over two allocations: the slab and the list of its parts
            yield f"allocations of {rival} in {task}, {case}", f"≤ {limit}", f"{row['allocs']:,}", row["allocs"] <= limit
