"""Datagrams as trees of objects: what the generator makes, what the shrinker takes pieces from, and what is sent."""

import dataclasses
import struct

from elements import VARIABLE, text


def word(value, size):
    return (value % (1 << 8 * size)).to_bytes(size, "big")


def sent(data, message):
    """The bytes of a message, with what is broken in it."""
    data = bytearray(data)
    for place, value in message.changed:
        data[place % len(data)] = value
    return bytes(data[:len(data) - message.cut])


@dataclasses.dataclass
class Definition:
    """A template. Data sets refer to it, so that a field and its values can be removed together."""

    id: int
    fields: list  # of [enterprise, element, size]
    scopes: int = 0
    options: bool = False

    def encode(self, version):
        fields = b"".join(
            word(e | (0x8000 if enterprise else 0), 2) + word(size, 2) + (word(enterprise, 4) if enterprise else b"")
            for enterprise, e, size in self.fields)
        count = len(self.fields)
        if not self.options:
            return word(self.id, 2) + word(count, 2) + fields
        if version == 9:
            return word(self.id, 2) + word(4 * self.scopes, 2) + word(4 * (count - self.scopes), 2) + fields
        return word(self.id, 2) + word(count, 2) + word(self.scopes, 2) + fields

    def record(self, values, long=False):
        encoded = b""
        for (_, _, size), value in zip(self.fields, values):
            if size == VARIABLE:
                encoded += word(len(value), 1) if len(value) < 255 and not long else b"\xff" + word(len(value), 2)
            encoded += value
        return encoded

    def describe(self):
        names = [f"{text(e, n)}[{'variable' if size == VARIABLE else size}]" for e, n, size in self.fields]
        scopes = f", scopes {self.scopes}" if self.options else ""
        return f"{'options ' if self.options else ''}template {self.id}{scopes}: " + ", ".join(names)


@dataclasses.dataclass
class TemplateSet:
    definitions: list
    padding: bytes = b""

    def encode(self, version):
        body = b"".join(d.encode(version) for d in self.definitions) + self.padding
        options = self.definitions[0].options if self.definitions else False
        id = (2 if version == 10 else 0) + (1 if options else 0)
        return word(id, 2) + word(4 + len(body), 2) + body

    def records(self):
        return len(self.definitions)

    def describe(self):
        return [d.describe() for d in self.definitions]


@dataclasses.dataclass
class Withdrawal:
    """Takes back templates of IPFIX: one, or all with the number of their set."""

    id: int
    options: bool = False

    def encode(self, version):
        return word(3 if self.options else 2, 2) + word(8, 2) + word(self.id, 2) + word(0, 2)

    def records(self):
        return 0

    def describe(self):
        return [f"withdrawal of {self.id}"]


@dataclasses.dataclass
class DataSet:
    definition: Definition
    values: list  # of each record, a list of bytes
    padding: bytes = b""
    long: bool = False  # lengths in three bytes

    def encode(self, version):
        body = b"".join(self.definition.record(v, self.long) for v in self.values) + self.padding
        return word(self.definition.id, 2) + word(4 + len(body), 2) + body

    def records(self):
        return len(self.values)

    def describe(self):
        lines = []
        for values in self.values:
            fields = zip(self.definition.fields, values)
            lines.append(f"record of {self.definition.id}: " + ", ".join(f"{text(e, n)}={v.hex()}" for (e, n, _), v in fields))
        return lines


@dataclasses.dataclass
class Message:
    """A datagram of NetFlow v9 or IPFIX."""

    version: int
    domain: int
    time: int  # seconds
    sets: list
    uptime: int = 0
    sequence: int = 0
    tail: bytes = b""  # after the message; in NetFlow v9 after the last set
    port: int = 4000
    cut: int = 0  # bytes that are missing at the end
    changed: list = dataclasses.field(default_factory=list)  # of (place, byte)

    def encode(self):
        body = b"".join(s.encode(self.version) for s in self.sets)
        if self.version == 9:
            count = sum(s.records() for s in self.sets)
            data = struct.pack(">HHIIII", 9, count, self.uptime, self.time, self.sequence, self.domain) + body + self.tail
        else:
            data = struct.pack(">HHIII", 10, 16 + len(body), self.time, self.sequence, self.domain) + body + self.tail
        return sent(data, self)

    def describe(self):
        head = f"{'NetFlow v9' if self.version == 9 else 'IPFIX'}, domain {self.domain}, exported at {self.time}"
        return [head + (f", uptime {self.uptime}" if self.version == 9 else "")] + ["  " + line for s in self.sets for line in s.describe()]


@dataclasses.dataclass
class Five:
    """A datagram of NetFlow v5."""

    time: int
    nanos: int
    uptime: int
    sampling: int
    flows: list  # of 48 bytes each
    sequence: int = 0
    tail: bytes = b""
    port: int = 4000
    cut: int = 0
    changed: list = dataclasses.field(default_factory=list)

    def encode(self):
        head = struct.pack(">HHIIIIBBH", 5, len(self.flows), self.uptime, self.time, self.nanos, self.sequence, 0, 1, self.sampling)
        data = head + b"".join(self.flows) + self.tail
        return sent(data, self)

    def describe(self):
        return [f"NetFlow v5, uptime {self.uptime}, sampling {self.sampling:#x}"] + ["  record " + f.hex() for f in self.flows]


@dataclasses.dataclass
class Sample:
    """A sample of sFlow: its words up to the records, and the records with their types."""

    kind: int
    words: list
    records: list  # of (type, bytes)

    def encode(self):
        body = b"".join(word(w, 4) for w in self.words) + word(len(self.records), 4)
        body += b"".join(word(kind, 4) + word(len(data), 4) + data for kind, data in self.records)
        return word(self.kind, 4) + word(len(body), 4) + body

    def describe(self):
        return [f"sample {self.kind}: {self.words}"] + [f"  record {kind}: {data.hex()}" for kind, data in self.records]


@dataclasses.dataclass
class SFlow:
    """A datagram of sFlow. Its agent is the sender."""

    time: int
    samples: list
    sequence: int = 0
    tail: bytes = b""
    port: int = 4000
    cut: int = 0
    changed: list = dataclasses.field(default_factory=list)
    agent: bytes = b"\xc0\0\2\1"

    def encode(self):
        data = word(5, 4) + word(1 if len(self.agent) == 4 else 2, 4) + self.agent + struct.pack(
            ">IIII", 0, self.sequence, 1000, len(self.samples)) + b"".join(s.encode() for s in self.samples) + self.tail
        return sent(data, self)

    def describe(self):
        return ["sFlow v5"] + ["  " + line for s in self.samples for line in s.describe()]
