#!/usr/bin/env python3
"""descriptors.py TRACE...: reads traces by Perfetto's own descriptors (PyPI: perfetto) and prints, per file, a JSON object:
packets, how many of them hold which field, and the unknown fields at any level, of which there are none in a trace of ours.
Exit status 1 if a file does not parse, or has an unknown field.

It needs PYTHONPATH=build/tools/trace-processor/python (tools/setup trace-processor).
"""
import collections
import json
import sys

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2


def unknown(message, path):
    """The paths of the unknown fields of a message."""
    for field in UnknownFieldSet(message):
        yield f"{path}.{field.field_number}"
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None:
            continue
        for child in value if descriptor.is_repeated else [value]:
            yield from unknown(child, f"{path}.{descriptor.name}")


def main():
    bad = False
    for name in sys.argv[1:]:
        trace = perfetto_trace_pb2.Trace()
        with open(name, "rb") as file:
            trace.ParseFromString(file.read())
        fields = collections.Counter(descriptor.name for packet in trace.packet for descriptor, _ in packet.ListFields())
        strange = sorted(set(unknown(trace, "trace")))
        bad |= bool(strange)
        print(json.dumps({"file": name, "packets": len(trace.packet), "fields": dict(sorted(fields.items())), "unknown": strange}))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
