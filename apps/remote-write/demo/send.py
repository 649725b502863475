"""send.py URL SECONDS: a small sender. Twice a second it reads the page URL/metrics and sends it as remote write 1.0.

The demo uses it where Debian's `prometheus` is not installed.
"""

import re
import struct
import sys
import time
import urllib.request

LINE = re.compile(r"^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"')
INSTANCE = {"instance": "demo", "job": "remote-write"}


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def series(line, time_ms):
    """A line of the page as prometheus.TimeSeries; nothing for a comment."""
    found = LINE.match(line)
    if not found:
        return b""
    name, labels, value = found.groups()
    labels = {"__name__": name, **INSTANCE, **dict(LABEL.findall(labels or ""))}
    pairs = b"".join(field(1, field(1, n.encode()) + field(2, v.encode())) for n, v in sorted(labels.items()))
    sample = b"\x09" + struct.pack("<d", float(value)) + b"\x10" + varint(time_ms)
    return field(1, pairs + field(2, sample))


def snappy(body):
    """A snappy block of literals: valid, and not compressed."""
    parts = [body[at : at + 65536] for at in range(0, len(body), 65536)]
    return varint(len(body)) + b"".join(b"\xf4" + struct.pack("<H", len(part) - 1) + part for part in parts)


def main(url, seconds):
    headers = {"Content-Type": "application/x-protobuf", "Content-Encoding": "snappy"}
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        with urllib.request.urlopen(f"{url}/metrics") as page:
            lines = page.read().decode().splitlines()
        body = b"".join(series(line, int(time.time() * 1000)) for line in lines)
        with urllib.request.urlopen(urllib.request.Request(f"{url}/api/v1/write", snappy(body), headers)) as answer:
            assert answer.status == 204, answer.status
        time.sleep(0.5)


main(*sys.argv[1:])
