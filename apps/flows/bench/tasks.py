"""What the collector adds to the benchmark grid; bench/grid.py reads this file."""
from grid import Task

TASKS = {
    "flow-datagram": Task("From the bytes of a datagram (NetFlow v9 with 4 flows, sFlow with 5, IPFIX, NetFlow v5) to a protobuf message for each flow, "
                          "with all that a collector does for it; rows of values read every column and encode nothing.",
                          ("go",), ("netflow9", "sflow", "ipfix", "netflow5"), module="apps/flows/bench"),
}
# Contenders that do a part of the task.
PARTS = ("goflow2:decode", "goflow2:values", "hotpb-flows:values")
# Contenders that allocate nothing, whatever follows a colon in their names.
ALLOCATE_NOTHING = ("go/hotpb-flows",)


def targets(target):
    for case, fused in ("netflow9", 8), ("ipfix", 8), ("netflow5", 8), ("sflow", 3):
        yield target("flow-datagram", case, "go/goflow2", "go/hotpb-flows", fused)
        if case != "netflow5":  # goflow2's own decoding is most of that
            yield target("flow-datagram", case, "go/goflow2", "go/goflow2+hotpb-schema", 3)
