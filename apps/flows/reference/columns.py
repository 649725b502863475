"""Turns what a record has into the columns of a schema, as `flows replay --output=stdout` prints them."""

import codecs
import datetime
import ipaddress
import math
import struct

from elements import CLASSES, INNER

MOST = {"uint32": 2**32 - 1, "uint64": 2**64 - 1, "fixed32": 2**32 - 1, "fixed64": 2**64 - 1, "mac": 2**48 - 1}
SIGNED = {"int32": 31, "sint32": 31, "sfixed32": 31, "int64": 63, "sint64": 63, "sfixed64": 63}
UNITS = {"seconds": 10**9, "millis": 10**6, "micros": 1000, "nanos": 1}

# How elements encode times: with a unit since 1970 in nanoseconds, in NTP's format, or relative to something.
TIMES = {
    **dict.fromkeys((150, 151, 260, 261, 264, 265, 322), 10**9),
    **dict.fromkeys((152, 153, 160, 258, 269, 272, 323, 359, 360), 10**6),
    **dict.fromkeys((154, 155, 268, 271, 324), "ntp micros"), **dict.fromkeys((156, 157, 270, 273, 325), "ntp nanos"),
    21: "uptime", 22: "uptime", 158: "before", 159: "before",
}
TURN = 2**32 * 10**6  # after so many nanoseconds the uptime in milliseconds begins again
CALENDAR = 146097 * 86400  # seconds of 400 years, after which the calendar repeats
FROM_1900 = 2208988800

codecs.register_error("each", lambda e: ("\ufffd", e.start + 1))


class Clock:
    """What relative times refer to, in nanoseconds since 1970."""

    def __init__(self, export, boot=None, protocol=0):
        self.export, self.boot, self.protocol = export, boot, protocol


class View:
    """The fields of one flow: values by (enterprise, element), lists, which of them have a length in the record, and whether
    there is a packet in the packet."""

    def __init__(self, values=None, lists=None, variable=(), tunnelled=False):
        self.values, self.lists, self.variable, self.tunnelled = values or {}, lists or {}, variable, tunnelled

    def get(self, source):
        value = self.values.get(source)
        return value.to_bytes(8, "big") if isinstance(value, int) else value


def fits(column, size):
    """Whether a field of a size can fill a column; what cannot is skipped with its template."""
    kind = column.type.split("(")[0]
    if kind in ("string", "bytes"):
        return True
    if kind == "ip":
        return size in (4, 16)
    if kind == "mac":
        return size in (6, 8)
    if kind in ("float", "double"):
        return size in (4, 8)
    return 1 <= size <= 8


def chosen(column, view):
    """The first field that is not zero, or the first at all if none is, or if zero is a value of the column."""
    first, inner = None, False
    for source in column.sources:
        inner = inner or source[0] == INNER and source[1] in CLASSES
        if inner and view.tunnelled and source[0] == 0 and source[1] in CLASSES:
            continue  # a column that prefers the inner packet is all of that packet
        data = view.get(source)
        if data is None or not (source in view.variable or fits(column, len(data))):
            continue
        if any(data) or column.zero:
            return source, data
        first = first or (source, data)
    return first


class Table:
    """The columns of a schema, with those that an element may fill."""

    def __init__(self, columns, enums):
        self.columns, self.enums, self.by = columns, enums, {}
        for number, column in enumerate(columns):
            for source in column.sources or ["constant"]:
                self.by.setdefault("labels" if label(source) else source, set()).add(number)

    def row(self, view, own, clock, packet=None):
        """A flow. own are the collector's values by element; packet is the view of a sampled packet, for what the record
        lacks."""
        views = [view, packet] if packet else [view]
        keys = {"constant", *own}.union(*(v.values for v in views), *(v.lists for v in views))
        numbers = set().union(*(self.by.get("labels" if label(key) else key, ()) for key in keys))
        found = {}
        for number in numbers:
            column = self.columns[number]
            # A list is that of the packet, if it has one.
            values = (_cell(column, self.enums, v, own, clock) for v in (reversed(views) if column.repeated else views))
            value = next((v for v in values if v is not None), None)
            if value is not None:
                found[column.name] = value
        return found


def _cell(column, enums, view, own, clock):
    if column.constant:
        return int(column.constant)
    if column.repeated:
        return _list(column, view) or None
    mine = next((own[s] for s in column.sources if s in own), None)
    field = chosen(column, view)
    value = None
    if field and (any(field[1]) or relative(field[0]) or mine is None):
        value = convert(column, field[0], field[1], view, clock)
    return _own(column, enums, mine) if value is None else value


def relative(source):
    return source[0] == 0 and TIMES.get(source[1]) in ("uptime", "before")


def _own(column, enums, value):
    if value is None or value == 0:
        return None
    if column.type in enums:
        return enums[column.type][value]
    if column.type.startswith("timestamp"):
        return moment(column, value)
    return value


def convert(column, source, data, view, clock):
    kind = column.type.split("(")[0]
    if not data:
        return None
    if kind == "string":
        return _text(column, data) or None
    if kind == "bytes":
        return data.hex()
    if kind == "ip":
        return _address(data) if any(data) else None
    if len(data) > 8:
        return None
    value = int.from_bytes(data, "big")
    if kind == "timestamp":
        when = _time(source, value, view, clock, UNITS[column.type[10:-1]])
        return None if when is None else moment(column, when)
    if kind == "bool":
        return True if value == 1 else None
    if kind in ("float", "double"):
        return _float(data)
    if kind in SIGNED:
        value = int.from_bytes(data, "big", signed=True)
        return value if value and -2**SIGNED[kind] <= value < 2**SIGNED[kind] else None
    if value == 0 or value > MOST[kind]:
        return None
    return value.to_bytes(6, "big").hex(":") if kind == "mac" else value


def _text(column, data):
    data = data.rstrip(b"\0")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None if column.utf8 else data.decode(errors="each")


def _address(data):
    if len(data) not in (4, 16):
        return None
    address = ipaddress.ip_address(data)
    mapped = address.version == 6 and address.ipv4_mapped
    return str(mapped or address)


def _float(data):
    if len(data) not in (4, 8):
        return None
    value, = struct.unpack(">f" if len(data) == 4 else ">d", data)
    if not any(data):
        return None
    if math.isnan(value):
        return "NaN"
    return value if math.isfinite(value) else "+Inf" if value > 0 else "-Inf"


def _list(column, view):
    for source in column.sources:
        values = view.lists.get("labels" if label(source) else source)
        if values:
            found = [_element(column, v, label(source)) for v in values]
            return [v for v in found if v is not None]
    found = []
    for source in column.sources:
        data = view.get(source)
        if not data or not any(data):
            continue
        if label(source) and column.type in MOST:
            if len(data) == 3:
                found.append(int.from_bytes(data, "big") >> 4)
                if data[2] & 1:
                    break
            continue
        if source in view.variable or fits(column, len(data)):
            found.append(_element(column, data, False))
    return [v for v in found if v is not None]


def label(source):
    """Whether an element is an entry of a stack of MPLS labels."""
    return isinstance(source, tuple) and source[0] == 0 and 70 <= source[1] <= 79


def _element(column, data, labelled):
    if isinstance(data, int):
        return data if data <= MOST[column.type] else None
    if column.type == "string":
        return _text(column, data)
    if column.type == "bytes":
        return data.hex()
    if column.type == "ip":
        return _address(data)
    if not 1 <= len(data) <= 8:
        return None
    value = int.from_bytes(data, "big")
    if labelled and len(data) == 3:
        value >>= 4
    return value if value <= MOST[column.type] else None


def _time(source, value, view, clock, unit):
    """A time in nanoseconds since 1970; None if there is none."""
    encoding = TIMES.get(source[1], unit) if source[0] == 0 else unit
    if encoding == "uptime":
        return _uptime(source, value, view, clock)
    if encoding == "before":
        return clock.export - value * 1000 if value < 2**32 else None
    if value == 0:
        return None
    if encoding in ("ntp micros", "ntp nanos"):
        seconds, fraction = value >> 32, (value & 0xffffffff) * 10**9 >> 32
        if encoding == "ntp micros":
            fraction -= fraction % 1000
        if seconds < 2**31:  # the era that begins in 2036
            seconds += 2**32
        return (seconds - FROM_1900) * 10**9 + fraction
    return value * encoding if value < 2**63 else None


def _is_uptime(data):
    return data is not None and 1 <= len(data) <= 8 and int.from_bytes(data, "big") < 2**32


def _uptime(source, value, view, clock):
    """Milliseconds since the exporter's start, the turn of 32 bits that is nearest to the export."""
    if value >= 2**32:
        return None
    if clock.boot is not None:
        when = clock.boot + value * 10**6
        turns = abs(clock.export - when) + TURN // 2
        turns = turns // TURN * (1 if clock.export > when else -1)
        return when + turns * TURN
    # The start is unknown: the flow ended at the export, and lasted as long as the two times say.
    end, start = view.get((0, 21)), view.get((0, 22))
    if source[1] == 22 and _is_uptime(end) and _is_uptime(start):
        lasted = (int.from_bytes(end, "big") - int.from_bytes(start, "big") + 2**31) % 2**32 - 2**31
        return clock.export - lasted * 10**6
    return clock.export


def moment(column, nanos):
    """RFC 3339, without zeros at the end, in the column's unit."""
    unit = UNITS[column.type[10:-1]]
    nanos = nanos // unit * unit
    if nanos <= 0 or nanos // unit >= 2**63:  # zero is no time
        return None
    seconds, fraction = divmod(nanos, 10**9)
    turns, seconds = divmod(seconds, CALENDAR)
    when = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    text = f"{when.year + 400 * turns:04}" + when.strftime("-%m-%dT%H:%M:%S")
    return text + (f".{fraction:09}".rstrip("0") if fraction else "") + "Z"
