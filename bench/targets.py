"""What the C++ half is meant to reach, and whether a run reached it: ratios of rows that were measured side by side."""
from dataclasses import dataclass

from grid import TOOLCHAINS


@dataclass(frozen=True)
class Target:
    """`slow` takes at least (or, with at_most, at most) `factor` times as long as `fast`; other factors by toolchain."""
    task: str
    workload: str
    slow: str
    fast: str
    factor: float
    at_most: bool = False
    v3: float = None  # the factor for x86-64-v3, where it is another one

    def wanted(self, toolchain):
        return self.v3 if self.v3 and toolchain.endswith("v3") else self.factor


def writer(task, workload, light, perfetto, reused, lite):
    ours = "hotpb-writer"
    return [Target(task, workload, ours, "speed-of-light", light[0], at_most=True, v3=light[1]),
            Target(task, workload, "perfetto-protozero", ours, perfetto),
            Target(task, workload, "perfetto-protozero:reused", ours, reused),
            Target(task, workload, "libprotobuf-lite", ours, lite)]


INSTRUCTIONS = {"protozero-simple": 300, "protozero-nested": 1200}  # of hotpb-writer in case harness, g++ for the baseline
TARGETS = [
    *writer("protozero-simple", "harness", (1.25, 1.2), 2.2, 1.8, 3),
    *writer("protozero-nested", "harness", (1.8, 1.5), 3.5, 3, 6),
    Target("protozero-simple", "hot-loop", "perfetto-protozero:reused", "hotpb-writer", 4),
    Target("protozero-nested", "hot-loop", "perfetto-protozero:reused", "hotpb-writer", 4),
    Target("varint-mix", "random", "perfetto-protozero", "hotpb-writer", 4, v3=7),
    Target("varint-mix", "one-byte", "hotpb-writer", "byte-loop", 1, at_most=True),
    Target("scatter", "nested-events", "hotpb-writer", "hotpb-writer:contiguous", 1.25, at_most=True),
    *[Target("view-one", case, "libprotobuf:arena", "hotpb-view", 3) for case in ("nested-event", "descriptor", "seeded-10k")],
    *[Target("view-all", case, "libprotobuf:arena", "hotpb-view", 1.2) for case in ("nested-event", "descriptor", "seeded-10k")],
]


def measured(rows):
    """Rows of all tasks -> [(what, wanted, found, met)], for the targets whose rows are there."""
    found = {(r["task"], r["case"], r["rival"]): r for r in rows if r["language"] == "cpp"}
    table = []
    for task, limit in INSTRUCTIONS.items():
        row = found.get((task, "harness", "hotpb-writer"))
        if row and row["instructions"]:
            table.append((f"{task}: instructions", f"≤ {limit:,}", f"{row['instructions']:,}", row["instructions"] <= limit))
    for target in TARGETS:
        for toolchain in TOOLCHAINS:
            case = f"{target.workload}:{toolchain}" if toolchain else target.workload
            slow, fast = (found.get((target.task, case, rival)) for rival in (target.slow, target.fast))
            if not (slow and fast and slow["ns_per_op"] and fast["ns_per_op"]):
                continue
            times, wanted = slow["ns_per_op"] / fast["ns_per_op"], target.wanted(toolchain)
            met = times <= wanted if target.at_most else times >= wanted
            table.append((f"{target.task}, {case}: {target.slow} / {target.fast}",
                          f"{'≤' if target.at_most else '≥'} {wanted:g}", f"{times:.2f}", met))
    return table
