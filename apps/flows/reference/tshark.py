#!/usr/bin/env python3
"""Compares the reference decoder with tshark, where that is installed: the values of all elements that both name.

    apps/flows/reference/tshark.py [--seed N] [--exporters N]
"""

import argparse
import collections
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import capture
import columns
import generate
import netflow
import run
import sflow
from elements import NAMES, TYPES
from messages import Sample, SFlow, word

# tshark's names of elements that are not IANA's in another spelling.
FIELDS = {
    1: "octets", 2: "packets", 3: "flows", 4: "protocol", 5: "tos", 7: "srcport", 8: "srcaddr", 9: "srcmask", 10: "inputint", 11: "dstport",
    12: "dstaddr", 13: "dstmask", 14: "outputint", 15: "nexthop", 16: "srcas", 17: "dstas", 18: "bgpnexthop", 19: "mulpackets",
    20: "muloctets", 25: "length_min", 26: "length_max", 27: "srcaddrv6", 28: "dstaddrv6", 29: "srcmaskv6", 30: "dstmaskv6",
    31: "ipv6flowlabel", 33: "igmp_type", 36: "flow_active_timeout", 37: "flow_inactive_timeout", 40: "octetsexp", 41: "packetsexp",
    42: "flowsexp", 52: "ttl_min", 53: "ttl_max", 54: "frag_ident", 56: "srcmac", 57: "post_dstmac", 58: "vlanid", 59: "post_vlanid",
    60: "ip_version", 61: "direction", 62: "nexthopv6", 63: "bgpnexthopv6", 80: "dstmac", 81: "post_srcmac", 82: "if_name", 83: "if_descr",
    84: "sampler_name", 85: "permanent_octets", 86: "permanent_packets", 128: "peer_dstas", 129: "peer_srcas", 132: "drop_octets",
    133: "drop_packets",
}
# tshark 4.0 reads these otherwise than the registry has them.
ODD = {
    91: "as a prefix", 94: "as bytes", 95: "in parts", 96: "as bytes", 64: "in bits", 6: "in bits", 89: "in bits", 70: "in parts",
    145: "with the number of each template",
}
KINDS = {"FT_UINT8", "FT_UINT16", "FT_UINT24", "FT_UINT32", "FT_UINT64", "FT_IPv4", "FT_IPv6", "FT_ETHER", "FT_STRING", "FT_STRINGZ"}


def known(tshark):
    """The elements that tshark names, with its name and type."""
    listed = subprocess.run([tshark, "-G", "fields"], capture_output=True, text=True, check=True).stdout
    kinds = {parts[2]: parts[3] for line in listed.splitlines() if (parts := line.split("\t"))[0] == "F"}
    found = {}
    for number, name in NAMES.items():
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
        field = "cflow." + FIELDS.get(number, snake)
        if number not in ODD and kinds.get(field) in KINDS and "List" not in TYPES[number] and "dateTime" not in TYPES[number]:
            found[number] = field
    fields = list(found.values())
    return {n: f for n, f in found.items() if fields.count(f) == 1}, kinds


def exporters(seed, count, numbers):
    """Templates of these elements, with their own and reduced sizes, in NetFlow v9 and IPFIX; and samples of sFlow."""
    for index in range(count):
        w = generate.World(random.Random(f"{seed}/{index}"))
        version = w.version()
        definitions, found = [], []
        for at in range(2):
            m = w.message(version, at)
            for id in (256, 257):
                if at == 0:
                    chosen = w.rng.sample(numbers, w.pick(1, 5, 20))
                    fields = [[0, n, w.size(n, version)] for n in chosen]
                    fields = [[0, n, size] for _, n, size in fields if TYPES[n] not in generate.SIZES or size in generate.SIZES[TYPES[n]]]
                    definitions.append(generate.Definition(id, fields + [[0, 1, 4]] if not any(n == 1 for _, n, _ in fields) else fields))
                    m.sets.append(generate.TemplateSet([definitions[-1]], w.padding(4)))
                data = w.data(w.pick(*definitions), m)
                for record in data.values:  # tshark escapes text
                    for i, (_, n, size) in enumerate(data.definition.fields):
                        if TYPES[n] == "string":
                            record[i] = b"eth01234567890123456789"[:len(record[i])].ljust(len(record[i]), b"x")
                data.padding = bytes(min(len(data.padding), 3))
                m.sets.append(data)
            found.append(m)
        yield found
        yield [SFlow(generate.NOW, [sample(w) for _ in range(w.pick(1, 3))], index)]


def sample(w):
    """A sample of a packet of TCP or UDP, with records of a switch, a router, and of Ethernet."""
    rng = w.rng
    protocol = w.pick(6, 17)
    if w.chance(.5):
        kind = 0x0800
        data = b"\x45" + rng.randbytes(1) + word(40, 2) + rng.randbytes(2) + bytes(2) + rng.randbytes(1) + word(protocol, 1) + rng.randbytes(10)
    else:
        kind = 0x86dd
        data = word(6 << 28 | rng.getrandbits(28), 4) + word(20, 2) + word(protocol, 1) + rng.randbytes(1) + rng.randbytes(32)
    # Ports and flags, and nothing after them that could be read as another protocol.
    data += word(rng.randrange(50000, 60000), 2) + word(rng.randrange(50000, 60000), 2) + (bytes(8) + b"\x50\x10" + bytes(6) if protocol == 6 else word(20, 2) + bytes(14))
    if w.chance(.3):
        data, kind = word(rng.getrandbits(16), 2) + word(kind, 2) + data, 0x8100
    data = rng.randbytes(12) + word(kind, 2) + data
    header = word(1, 4) + word(len(data) + 4, 4) + word(4, 4) + word(len(data), 4) + data + bytes(-len(data) % 4)
    records = [(1, header)]
    if kind != 0x8100:
        records.append((1001, word(rng.randrange(1, 4095), 4) + word(1, 4) + word(rng.randrange(1, 4095), 4) + word(2, 4)))
    if w.chance(.5):
        records.append((1002, word(1, 4) + rng.randbytes(4) + word(rng.randrange(33), 4) + word(rng.randrange(33), 4)))
    if w.chance(.3):
        records.append((2, word(60, 4) + rng.randbytes(6) + bytes(2) + rng.randbytes(6) + bytes(2) + word(0x0800, 4)))
    return Sample(1, [1, 3, rng.randrange(1, 100000), 10, 0, rng.randrange(1, 1000), rng.randrange(1, 1000)], records)


# tshark's fields of a sample, in records of sFlow and in the sampled packet, and our elements.
SAMPLE_FIELDS = {
    "eth.src": (0, 56), "eth.dst": (0, 80), "vlan.id": (0, 243), "ip.src": (0, 8), "ip.dst": (0, 12), "ip.ttl": (0, 192), "ip.proto": (0, 4),
    "ipv6.src": (0, 27), "ipv6.dst": (0, 28), "ipv6.hlim": (0, 192), "ipv6.nxt": (0, 4), "tcp.srcport": (0, 7), "tcp.dstport": (0, 11),
    "tcp.flags": (0, 6), "udp.srcport": (0, 7), "udp.dstport": (0, 11), "sflow_245.vlan.in": (0, 58), "sflow_245.vlan.out": (0, 59),
    "sflow_245.nexthop": (0, 15), "sflow_245.nexthop.src_mask": "source", "sflow_245.nexthop.dst_mask": "target",
    "sflow.flow_sample.sampling_rate": "rate", "sflow_245.header.frame_length": (0, 352),
}
OUTSIDE = ("ip.src", "ip.dst", "ip.ttl", "ip.proto", "udp.srcport", "udp.dstport")  # which the packet around the datagram has, too


def sampled(message, kinds):
    """The values of a datagram of sFlow, by tshark's field."""
    found = collections.defaultdict(list)
    for s in sflow.Datagram(message.encode()).samples:
        e = dict(s.found)
        six, tcp = (0, 27) in e, e.get((0, 4)) == 6
        for name, source in SAMPLE_FIELDS.items():
            first = name.split(".")[0]
            if first in ("ip", "ipv6") and six != (first == "ipv6") or first in ("tcp", "udp") and tcp != (first == "tcp"):
                continue
            if name == "vlan.id" and s.switched:  # then the switch may say it
                continue
            if name.startswith("sflow_245.vlan") and not s.switched or name.startswith("sflow_245.nexthop.") and not s.masks:
                continue
            value = {"rate": s.rate, "source": s.masks and s.masks[0], "target": s.masks and s.masks[1]}.get(source, e.get(source))
            if value is not None:
                found[name].append(text(value, kinds[name]) if isinstance(value, bytes) else value)
    return found


def values(message, fields, kinds):
    """The values of a message, by tshark's field, as text and in order."""
    found = collections.defaultdict(list)
    for s in message.sets:
        for record in getattr(s, "values", ()):
            for (_, number, size), value in zip(s.definition.fields, record):
                if number in fields:
                    found[fields[number]].append(text(value, kinds[fields[number]]))
    return {name: [v for v in some if v is not None] for name, some in found.items()}  # tshark leaves out empty texts


def text(value, kind):
    if kind in ("FT_IPv4", "FT_IPv6"):
        return columns._address(value) if kind == "FT_IPv4" else str(columns.ipaddress.IPv6Address(value))
    if kind == "FT_ETHER":
        return value.hex(":")
    if kind.startswith("FT_STRING"):
        return value.decode() or None
    return int.from_bytes(value, "big")


def shown(value, kind):
    if kind.startswith("FT_UINT"):
        return int(value, 0)
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--exporters", type=int, default=400)
    arguments = parser.parse_args()
    tshark = shutil.which("tshark")
    if not tshark:
        print("SKIPPED: tshark is not installed (apt-get install tshark)")
        return 0
    fields, kinds = known(tshark)
    scenarios = list(exporters(arguments.seed, arguments.exporters, sorted(fields)))
    sent = run.datagrams(scenarios)
    messages = [m for scenario in scenarios for m in scenario]
    names = sorted(set(fields.values())) + list(SAMPLE_FIELDS)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "exporters.pcap"
        capture.write_pcap(path, sent)
        command = [tshark, "-n", "-r", path, "-d", "udp.port==2055,cflow", "-T", "fields", "-E", "separator=/t", "-E", "aggregator=\x1f"]
        for name in names:
            command += ["-e", name]
        lines = subprocess.run(command, capture_output=True, text=True, check=True, env={"LC_ALL": "C.UTF-8", "HOME": folder}).stdout
    different, compared = collections.Counter(), 0
    for m, line in zip(messages, lines.split("\n")):
        is_sflow = isinstance(m, SFlow)
        want = sampled(m, kinds) if is_sflow else values(m, fields, kinds)
        for name, cell in zip(names, line.split("\t")):
            if (name in SAMPLE_FIELDS) != is_sflow:
                continue
            got = [shown(v, kinds[name]) for v in cell.split("\x1f")] if cell else []
            if name in OUTSIDE:
                got = got[1:]
            compared += len(want.get(name, ()))
            if got != want.get(name, []):
                if not different[name]:
                    print(f"{name}: hex {m.encode().hex()}\n  reference {want.get(name, [])}, tshark {got}")
                different[name] += 1
    print(f"tshark: {len(fields)} elements, {compared} values in {len(messages)} datagrams, {sum(different.values())} disagreements {dict(different)}")
    return 1 if different or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
