#!/usr/bin/env python3
"""Tests of the reference decoder against values made by hand, and of the comparison: that it finds faults and shrinks them."""

import pathlib
import struct
import unittest
from unittest import mock

import capture
import columns
import decoder
import generate
import messages
import netflow
import packet
import run
import sampling
import schema
from messages import DataSet, Definition, Message, TemplateSet, word

TEXT = schema.complete((run.FLOWS / "flows.yaml").read_text())


def flow(fields, version=10, options=(), uptime=1000):
    """The flow of a record, whose fields are (element, value)."""
    m = Message(version, 1, generate.NOW, [], uptime)
    for i, (scopes, parts) in enumerate(options):
        d = Definition(300 + i, [[0, e, len(v)] for e, v in parts], scopes, True)
        m.sets += [TemplateSet([d]), DataSet(d, [[v for _, v in parts]])]
    d = Definition(256, [[0, e, len(v)] for e, v in fields])
    m.sets += [TemplateSet([d]), DataSet(d, [[v for _, v in fields]])]
    flows, counts = decoder.decode(TEXT, run.datagrams([[m]]))
    assert len(flows) == 1 and not counts, (flows, counts)
    return flows[0]


def ip(text):
    return bytes(int(part) for part in text.split("."))


class Values(unittest.TestCase):
    def check(self, got, **want):
        self.assertEqual({name: got.get(name) for name in want}, want)

    def test_the_first_that_is_not_zero_fills_a_column(self):
        self.check(flow([(1, bytes(4)), (23, word(32, 4)), (58, bytes(2)), (243, word(105, 2))]), bytes=32, src_vlan=105)
        self.check(flow([(23, word(7, 3)), (1, word(9, 1))]), bytes=9)
        self.check(flow([(8, bytes(4)), (27, bytes(15) + b"\1")]), src_addr="::1", etype=0x86dd)

    def test_no_record_is_half_of_a_packet(self):
        six = [(27, bytes(15) + b"\1"), (28, bytes(15) + b"\2"), (4, b"\4")]
        four = [(8, ip("192.0.2.1")), (12, ip("192.0.2.2")), (4, b"\x11"), (7, word(1111, 2)), (11, word(2222, 2))]
        got = flow(six + four)
        self.check(got, src_addr="::1", dst_addr="::2", proto=4, src_port=None, etype=0x86dd, inner_src_addr="192.0.2.1",
                   inner_proto=17, inner_dst_port=2222, inner_etype=0x800, any_src="192.0.2.1", any_proto=17)
        self.check(flow(six[:2] + four[:2]), src_addr="192.0.2.1", inner_src_addr=None)

    def test_icmp_has_type_and_code_and_no_ports(self):
        for fields in ([(4, b"\1"), (32, word(0x0303, 2))], [(4, b"\1"), (11, word(0x0303, 2))], [(4, b"\x3a"), (139, word(0x0303, 2))],
                       [(4, b"\1"), (176, b"\3"), (177, b"\3"), (11, word(0x0800, 2))]):
            self.check(flow(fields), icmp_type=3, icmp_code=3, dst_port=None)
        self.check(flow([(4, b"\6"), (11, word(771, 2))]), icmp_type=None, dst_port=771)

    def test_sampling_rates_follow_the_algorithm(self):
        half = struct.pack(">d", 1 / 256)
        for fields, want in (
            ([(305, 1), (304, 3), (309, 1), (310, 256)], 256), ([(310, 256), (309, 1), (305, 1)], 256), ([(304, 1), (305, 1), (306, 99)], 100),
            ([(305, 100)], 100), ([(305, 1)], None), ([(304, 9), (34, 0)], None), ([(304, 4), (311, half)], 256), ([(304, 5)], 1),
            ([(304, 2), (307, 10), (308, 90)], 10), ([(304, 3), (309, 2), (310, 3)], 2), ([(304, 3), (309, 0), (310, 3)], None),
            ([(305, 1), (306, 9), (309, 1), (310, 256)], None), ([(34, 10), (309, 1), (310, 256)], None), ([(34, 256), (309, 1), (310, 256)], 256),
            ([(304, 6), (329, 0), (330, 65535), (331, 0), (332, 255)], 256), ([(50, 7), (49, 2)], 7), ([(304, 1), (309, 1), (310, 256)], None),
        ):
            options = [(302, word(4, 1))] + [(e, v if isinstance(v, bytes) else word(v, 4)) for e, v in fields]
            for record in ([(1, word(9, 4)), (302, word(4, 8))],):
                got = flow(record, options=[(1, options)])
                self.check(got, sampling_rate=want, sampling_known=True if want else None)
        self.check(flow([(1, word(9, 4)), (309, word(2, 4)), (310, word(3, 4))]), bytes_scaled=14)

    def test_times(self):
        at = "2026-05-28T20:26:40Z"
        self.check(flow([(22, word(2**32 - 1000, 4)), (21, word(1000, 4))], 9), flow_start="2026-05-28T20:26:38Z", flow_end=at)
        self.check(flow([(22, word(1000, 4)), (21, word(4000, 4))]), flow_start="2026-05-28T20:26:37Z", flow_end=at)
        self.check(flow([(21, word(5000, 2)), (160, word((generate.NOW - 5) * 1000, 8))]), flow_end=at)
        self.check(flow([(158, word(1_000_000, 4))]), flow_start="2026-05-28T20:26:39Z")

    def test_what_is_shorter_than_a_record_is_padding(self):
        d = Definition(256, [[0, 8, 4]])
        m = Message(9, 1, generate.NOW, [TemplateSet([d], b"\1\2\3"), DataSet(d, [[ip("192.0.2.1")]], b"\xff\xff\xff")], tail=b"\1\2")
        flows, counts = decoder.decode(TEXT, run.datagrams([[m]]))
        self.assertEqual((len(flows), counts), (1, {}))

    def test_hardware_addresses_of_sflow_are_padded(self):
        body = word(60, 4) + bytes.fromhex("020000000001 0000 020000000002 0000") + word(0x800, 4)
        m = messages.SFlow(generate.NOW, [messages.Sample(1, [1, 1, 10, 10, 0, 1, 2], [(2, body)])])
        got = decoder.decode(TEXT, run.datagrams([[m]]))[0][0]
        self.check(got, src_mac="02:00:00:00:00:01", dst_mac="02:00:00:00:00:02", etype=0x800, bytes=42, sampling_rate=10)


class Faulty(run.Reference):
    """A collector that is the reference with a fault: in its code, or in its flows."""

    def __init__(self, patch=None, spoil=None):
        super().__init__(TEXT)
        self.patch, self.spoil = patch, spoil

    def decode(self, datagrams):
        if self.patch:
            with mock.patch.object(*self.patch):
                flows, counts = super().decode(datagrams)
        else:
            flows, counts = super().decode(datagrams)
        return self.spoil(flows) if self.spoil else flows, counts


FAULTS = {
    "tags": ("sflow", (packet, "TAGS", (0x8100,)), None),
    "turns of the uptime": ("times", (columns, "TURN", 2**40), None),
    "directions": ("biflow", (netflow, "OPPOSITE", {8: 12}), None),
    "padding": ("plain", (netflow.Template, "shortest", lambda self: max(1, len(self.fields) // 2)), None),
    "algorithms": ("sampling", (sampling, "ALGORITHMS", {}), None),
    "depth of lists": ("lists", (netflow, "LISTS", {291: "basic"}), None),
    "a value": ("plain", None, lambda flows: [{**f, "bytes": f["bytes"] + 1} if f.get("bytes", 0) > 1000 else f for f in flows]),
    "a type": ("sflow", None, lambda flows: [{**f, "proto": True} if f.get("proto") == 1 else f for f in flows]),
    "a lost flow": ("plain", None, lambda flows: [f for f in flows if f.get("in_if", 0) % 2 == 0]),
    "an order": ("five", None, lambda flows: flows[::-1]),
}


class Comparison(unittest.TestCase):
    def test_two_equal_decoders_agree(self):
        self.assertEqual(run.fuzz(run.Reference(TEXT), run.Reference(TEXT), 1, .1, out=lambda line: None), 0)

    def test_faults_are_found_and_shrunk(self):
        for fault, (scenario, patch, spoil) in FAULTS.items():
            with self.subTest(fault):
                found = []
                with mock.patch.object(run, "report", lambda name, scenario, different, out: found.append(scenario)), \
                        mock.patch.object(run, "BATCH", 60):
                    total = run.fuzz(Faulty(patch, spoil), run.Reference(TEXT), 3, .1, [scenario], shown=1, out=lambda line: None)
                self.assertGreater(total, 0)
                self.assertEqual(len(found), 1)
                definitions = {id(d): d for m in found[0] for s in getattr(m, "sets", ()) for d in getattr(s, "definitions", ())}
                self.assertLessEqual(len(found[0]), 2)
                self.assertLessEqual(len(definitions), 2)
                self.assertLessEqual(max((len(d.fields) for d in definitions.values()), default=0), 5)

    def test_a_count_that_differs_is_found(self):
        class Silent(run.Reference):
            def decode(self, datagrams):
                flows, counts = super().decode(datagrams)
                return flows, {r: n for r, n in counts.items() if r != "truncated"}

        lines = []
        with mock.patch.object(run, "BATCH", 60):
            self.assertGreater(run.fuzz(Silent(TEXT), run.Reference(TEXT), 1, .1, ["broken"], out=lines.append), 0)
        self.assertIn("  truncated: reference 1, collector None", lines)


class Captures(unittest.TestCase):
    def test_files_have_what_was_written(self):
        made = [capture.Datagram("192.0.2.1", 9, 5 * 10**9, b"abcd"), capture.Datagram("2001:db8::1", 9, 6, bytes(3))]
        path = pathlib.Path(self.enterContext(__import__("tempfile").TemporaryDirectory())) / "file"
        capture.write_pcap(path, made)
        self.assertEqual(capture.read(path), made)
        capture.write_dgrams(path, made)
        self.assertEqual([d.payload for d in capture.read(path)], [b"abcd", bytes(3)])


if __name__ == "__main__":
    unittest.main()
