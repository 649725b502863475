"""Reads the part of YAML that flows.yaml is written in: each column is one line, a mapping in braces."""

import dataclasses
import re

import elements


@dataclasses.dataclass
class Column:
    name: str
    type: str  # without "repeated"
    repeated: bool
    sources: list  # of (enterprise, element)
    off: bool = False
    utf8: bool = False
    zero: bool = False  # a zero is a value, so the first field that is present fills the column
    constant: str = ""


def source(text):
    """An element: 8, sourceIPv4Address, or 32473/1."""
    if "/" in text:
        enterprise, element = text.split("/")
        return int(enterprise), int(element)
    if text.isdigit():
        return 0, int(text)
    return 0, next(n for n, name in elements.NAMES.items() if name == text)


def pairs(text):
    """The keys and values of a mapping in braces, each as text; commas in brackets, braces and quotes do not end a value."""
    found, depth, quote, start = [], 0, "", 0
    for i, c in enumerate(text + ","):
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in "[{(":
            depth += 1
        elif c in "]})":
            depth -= 1
        elif c == "," and depth == 0:
            key, _, value = text[start:i].partition(":")
            found.append((key.strip(), value.strip().strip("\"'")))
            start = i + 1
    return dict(found)


def read(text):
    """All columns of a schema file, and its enums as {name: {number: word}}."""
    columns, enums, section, enum = [], {}, "", ""
    for line in text.splitlines():
        if re.match(r"\w", line):
            section = line.split(":")[0]
        column = re.match(r"\s*- \{(.*)\}\s*(#.*)?$", line)
        if section == "columns" and column:
            columns.append(_column(pairs(column[1])))
        elif section == "enums" and (name := re.match(r"  (\w+):\s*$", line)):
            enum = name[1]
        elif section == "enums" and (values := re.match(r"\s+values: \{(.*)\}", line)):
            enums[enum] = {int(number): word for word, number in pairs(values[1]).items()}
    return columns, enums


def _column(fields):
    kind = fields["type"]
    listed = fields.get("from", "").strip("[]")
    return Column(
        name=fields["name"], type=kind.removeprefix("repeated "), repeated=kind.startswith("repeated "),
        sources=[source(s.strip()) for s in listed.split(",") if s.strip()], off=fields.get("off") == "true",
        utf8=fields.get("utf8") == "true", zero=fields.get("zero") == "value", constant=fields.get("constant", ""))


# The type of a column for each abstract data type.
_KINDS = {
    "signed32": "sint64", "float64": "double", "boolean": "bool", "macAddress": "mac", "ipv4Address": "ip", "ipv6Address": "ip",
    "string": "string", "octetArray": "bytes", "dateTimeSeconds": "timestamp(seconds)", "dateTimeMilliseconds": "timestamp(millis)",
    "dateTimeMicroseconds": "timestamp(micros)", "dateTimeNanoseconds": "timestamp(nanos)",
}

_MORE = """
  - {name: enterprise_number, number: 2001, type: uint64, from: 32473/1}
  - {name: enterprise_text, number: 2002, type: string, utf8: true, from: 32473/2}
  - {name: enterprise_small, number: 2003, type: uint32, from: [32473/3, 32473/1]}
  - {name: any_src, number: 2004, type: ip, from: [4294967294/8, 4294967294/27, 8, 27]}
  - {name: any_dst, number: 2005, type: ip, from: [4294967294/12, 4294967294/28, 12, 28]}
  - {name: any_proto, number: 2006, type: uint32, from: [4294967294/4, 4]}
  - {name: out_labels, number: 2010, type: repeated uint32, from: 4294967295/12}
  - {name: list_names, number: 2011, type: repeated string, from: 82}
  - {name: list_hops, number: 2012, type: repeated ip, from: [15, 62]}
  - {name: list_octets, number: 2013, type: repeated uint64, from: [1, 23]}
  - {name: list_extended, number: 2014, type: repeated uint64, from: 488}
  - {name: list_large, number: 2015, type: repeated bytes, from: [491, 489]}
  - {name: list_path, number: 2016, type: repeated uint32, from: 128}
  - {name: list_segments, number: 2017, type: repeated ip, from: 494}
  - {name: present_vlan, number: 2030, type: uint32, zero: value, from: [58, 243]}
  - {name: present_bytes, number: 2031, type: uint32, zero: value, from: [23, 1]}
  - {name: start_micros, number: 2032, type: timestamp(micros), from: [22, 158, 152, 154, 156, 150]}
  - {name: end_seconds, number: 2033, type: timestamp(seconds), from: [156, 154, 153, 21, 159]}
  - {name: end_nanos, number: 2034, type: timestamp(nanos), from: [21, 159, 151, 153, 155, 157]}
  - {name: small, number: 2035, type: int32, from: 434}
  - {name: fixed, number: 2036, type: fixed32, from: [1, 2, 10]}
  - {name: index_text, number: 2037, type: string, from: [82, 83, 236]}
  - {name: constant_number, number: 2020, type: uint32, constant: 7}
  - {name: input_kind, number: 2021, type: uint32, from: 4294967295/7}
  - {name: output_kind, number: 2022, type: uint32, from: 4294967295/8}
  - {name: discard, number: 2029, type: uint32, from: 4294967295/13}
  - {name: sender, number: 2023, type: ip, from: 4294967295/3}
  - {name: inner_etype, number: 2024, type: uint32, from: 4294967294/256}
  - {name: inner_tos, number: 2025, type: uint32, from: 4294967294/5}
  - {name: inner_ttl, number: 2026, type: uint32, from: 4294967294/192}
  - {name: inner_flags, number: 2027, type: uint32, from: 4294967294/6}
  - {name: inner_bytes, number: 2028, type: uint64, from: 4294967294/1}
"""


def _kind(number, kind):
    return "uint32" if 70 <= number <= 79 else _KINDS.get(kind, "uint64")  # entries of a stack of labels have three bytes


def complete(text):
    """A schema with all columns of a schema file switched on, one for each element that had none, and some more."""
    text = re.sub(r",\s*off: true", "", text)
    columns, _ = read(text)
    used = {source for c in columns if not c.repeated for source in c.sources}
    more = _MORE.strip("\n").split("\n")
    for number, kind in sorted(elements.TYPES.items()):
        if (0, number) not in used and "List" not in kind and number not in (34, 50, 210):
            more.append(f"  - {{name: e{number}, number: {3000 + number}, type: {_kind(number, kind)}, from: {number}}}")
    return text.replace("\nenums:", "\n" + "\n".join(more) + "\n\nenums:", 1)
