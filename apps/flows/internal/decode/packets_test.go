package decode

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/templates"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema/template"
)

// twoPackets has columns of the outer packet, of the inner one, and of the inner one if there is one.
const twoPackets = `
message: Flow
columns:
  - {name: bytes, number: 1, type: uint64, from: [1, 23, 231]}
  - {name: packets, number: 2, type: uint64, from: [2, 24, 298]}
  - {name: src, number: 3, type: ip, from: [8, 27], deferred: true}
  - {name: dst, number: 4, type: ip, from: [12, 28]}
  - {name: etype, number: 5, type: uint32, from: 256}
  - {name: proto, number: 6, type: uint32, from: 4}
  - {name: sport, number: 7, type: uint32, from: [7, 180, 182]}
  - {name: dport, number: 8, type: uint32, from: [11, 181, 183]}
  - {name: itype, number: 9, type: uint32, from: [176, 178]}
  - {name: icode, number: 10, type: uint32, from: [177, 179]}
  - {name: tos, number: 11, type: uint32, from: 5}
  - {name: in_src, number: 12, type: ip, from: [4294967294/8, 4294967294/27]}
  - {name: in_dst, number: 13, type: ip, from: [4294967294/12, 4294967294/28]}
  - {name: in_etype, number: 14, type: uint32, from: 4294967294/256}
  - {name: in_proto, number: 15, type: uint32, from: 4294967294/4}
  - {name: in_dport, number: 16, type: uint32, from: [4294967294/11, 4294967294/181]}
  - {name: in_itype, number: 17, type: uint32, from: [4294967294/176, 4294967294/178]}
  - {name: or_src, number: 18, type: ip, from: [4294967294/8, 4294967294/27, 8, 27]}
  - {name: or_etype, number: 19, type: uint32, from: [4294967294/256, 256]}
  - {name: or_proto, number: 20, type: uint32, from: [4294967294/4, 4]}
  - {name: or_sport, number: 21, type: uint32, from: [4294967294/7, 4294967294/180, 7, 180]}
  - {name: or_dport, number: 22, type: uint32, from: [4294967294/11, 11], deferred: true}
  - {name: or_tos, number: 23, type: uint32, from: [4294967294/5, 5]}
  - {name: first_bytes, number: 24, type: uint64, from: [1, 23], zero: value}
  - {name: last_bytes, number: 25, type: uint64, from: 4294967294/1}
  - {name: vlan, number: 26, type: uint32, from: [58, 243]}
  - {name: vlans, number: 27, type: repeated uint32, from: [58, 243]}
  - {name: both_icmp, number: 28, type: uint32, from: [32, 139], optional: true}
  - {name: outer_first, number: 29, type: uint32, from: [5, 4294967294/5]}
  - {name: scaled, number: 30, type: uint64, from: 4294967295/5}
  - {name: rate, number: 31, type: uint32, from: 34}
  - {name: end, number: 32, type: timestamp(millis), from: [153, 151, 21]}
`

// fieldValue is a field with its value.
type fieldValue struct {
	element uint16
	value   []byte
}

func b8(v byte) []byte { return []byte{v} }

func addressBytes(text string) []byte {
	a := netip.MustParseAddr(text)
	return a.AsSlice()
}

// sendParts sends a record of these fields, alone or between others, by each path, and returns its flow.
func sendParts(t *testing.T, l *layout.Layout, p flow.Protocol, variable bool, parts []fieldValue) string {
	t.Helper()
	var fields []template.Field
	var data []byte
	if variable {
		fields, data = append(fields, title), []byte{2, 'a', 'b'}
	}
	for i, part := range parts {
		f := vendorless(part.element, uint16(len(part.value)))
		if variable && i == len(parts)/2 && p == flow.IPFIX {
			f.Length = template.VariableLength
			data = append(data, byte(len(part.value)))
		}
		fields = append(fields, f)
		data = append(data, part.value...)
	}
	var flows []string
	b := build{protocol: p, uptime: 100_000}
	for _, r := range []*rig{newRig(t, anyClock(), l, nil, Options{}), newRig(t, anyClock(), l, nothing{}, Options{}), newRig(t, anyClock(), l, nil, Options{Goflow2: true})} {
		padding := make([]byte, len(data)) // a record of zeros before it, and one after it
		if variable {
			padding = slices.Clone(data)
		}
		got := r.send(b.datagram(b.template(256, fields...), set(256, padding, data, padding)))
		if len(got) != 3 || len(r.dropped()) > 0 {
			t.Fatalf("%v: %q, lost %v", parts, got, r.dropped())
		}
		flows = append(flows, got[1])
	}
	if flows[0] != flows[1] || flows[0] != flows[2] {
		t.Errorf("%v: %q", parts, flows)
	}
	return flows[0]
}

func without(flow string, columns ...string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(flow), func(c string) bool {
		name, _, _ := strings.Cut(c, "=")
		return slices.Contains(columns, name)
	}), " ")
}

// A template with elements of packets twice is about two packets, and a record is never half of each.
func TestPacketsOfATemplateAreToldApart(t *testing.T) {
	l := parse(t, twoPackets)
	a4, b4, c4, d4 := addressBytes("192.0.2.1"), addressBytes("192.0.2.2"), addressBytes("10.0.0.1"), addressBytes("10.0.0.2")
	a6, b6, c6, d6 := addressBytes("2001:db8::1"), addressBytes("2001:db8::2"), addressBytes("fd00::1"), addressBytes("fd00::2")
	no4, no6 := make([]byte, 4), make([]byte, 16)
	for name, c := range map[string]struct {
		parts []fieldValue
		want  string
	}{
		"v6 around v4": {
			[]fieldValue{{27, a6}, {28, b6}, {1, be32(9)}, {4, b8(4)}, {8, c4}, {12, d4}, {7, be16(1111)}, {11, be16(53)}, {4, b8(17)}},
			"bytes=9 src=2001:db8::1 dst=2001:db8::2 etype=34525 proto=4 in_src=10.0.0.1 in_dst=10.0.0.2 in_etype=2048 in_proto=17 in_dport=53 " +
				"or_src=10.0.0.1 or_etype=2048 or_proto=17 or_sport=1111 or_dport=53 first_bytes=9",
		},
		"v4 around v6, with a field between that both have": {
			[]fieldValue{{8, a4}, {12, b4}, {4, b8(41)}, {5, b8(8)}, {27, c6}, {28, d6}, {4, b8(6)}, {7, be16(22)}, {11, be16(23)}},
			"src=192.0.2.1 dst=192.0.2.2 etype=2048 proto=41 tos=8 in_src=fd00::1 in_dst=fd00::2 in_etype=34525 in_proto=6 in_dport=23 " +
				"or_src=fd00::1 or_etype=34525 or_proto=6 or_sport=22 or_dport=23 or_tos=8 outer_first=8",
		},
		"v6 around v6": {
			[]fieldValue{{27, a6}, {28, b6}, {7, be16(1)}, {11, be16(2)}, {4, b8(17)}, {27, c6}, {28, d6}, {7, be16(3)}, {11, be16(4)}, {4, b8(6)}},
			"src=2001:db8::1 dst=2001:db8::2 etype=34525 proto=17 sport=1 dport=2 in_src=fd00::1 in_dst=fd00::2 in_etype=34525 in_proto=6 in_dport=4 " +
				"or_src=fd00::1 or_etype=34525 or_proto=6 or_sport=3 or_dport=4",
		},
		"three packets": {
			[]fieldValue{{8, a4}, {12, b4}, {4, b8(4)}, {8, b4}, {12, b4}, {4, b8(47)}, {8, c4}, {12, d4}, {4, b8(17)}},
			"src=192.0.2.1 dst=192.0.2.2 etype=2048 proto=4 in_src=10.0.0.1 in_dst=10.0.0.2 in_etype=2048 in_proto=17 " +
				"or_src=10.0.0.1 or_etype=2048 or_proto=17",
		},
		"no inner packet": {
			[]fieldValue{{27, a6}, {28, b6}, {4, b8(6)}, {11, be16(443)}, {27, no6}, {28, no6}, {4, b8(0)}, {11, be16(0)}},
			"src=2001:db8::1 dst=2001:db8::2 etype=34525 proto=6 dport=443 or_src=2001:db8::1 or_etype=34525 or_proto=6 or_dport=443",
		},
		"inner ICMP has no ports of the outer packet": {
			[]fieldValue{{8, a4}, {12, b4}, {4, b8(17)}, {7, be16(9999)}, {11, be16(4789)}, {8, c4}, {12, d4}, {4, b8(1)}, {7, be16(0)}, {11, be16(0x0800)}},
			"src=192.0.2.1 dst=192.0.2.2 etype=2048 proto=17 sport=9999 dport=4789 in_src=10.0.0.1 in_dst=10.0.0.2 in_etype=2048 in_proto=1 in_itype=8 " +
				"or_src=10.0.0.1 or_etype=2048 or_proto=1",
		},
		"ICMP around TCP keeps the inner ports": {
			[]fieldValue{{8, a4}, {12, b4}, {4, b8(1)}, {11, be16(0x0303)}, {8, c4}, {12, d4}, {4, b8(6)}, {7, be16(80)}, {11, be16(5000)}},
			"src=192.0.2.1 dst=192.0.2.2 etype=2048 proto=1 itype=3 icode=3 in_src=10.0.0.1 in_dst=10.0.0.2 in_etype=2048 in_proto=6 in_dport=5000 " +
				"or_src=10.0.0.1 or_etype=2048 or_proto=6 or_sport=80 or_dport=5000",
		},
		"both versions of both packets": {
			[]fieldValue{{8, a4}, {12, b4}, {27, no6}, {28, no6}, {4, b8(41)}, {8, no4}, {12, no4}, {27, c6}, {28, d6}, {4, b8(6)}, {11, be16(80)}},
			"src=192.0.2.1 dst=192.0.2.2 etype=2048 proto=41 in_src=fd00::1 in_dst=fd00::2 in_etype=34525 in_proto=6 in_dport=80 " +
				"or_src=fd00::1 or_etype=34525 or_proto=6 or_dport=80",
		},
		"sources before targets": {
			[]fieldValue{{8, no4}, {27, a6}, {12, no4}, {28, b6}, {4, b8(4)}, {8, c4}, {12, d4}, {4, b8(6)}},
			"src=2001:db8::1 dst=2001:db8::2 etype=34525 proto=4 in_src=10.0.0.1 in_dst=10.0.0.2 in_etype=2048 in_proto=6 or_src=10.0.0.1 or_etype=2048 or_proto=6",
		},
		"one packet of both versions, and its class of service twice": {
			[]fieldValue{{8, no4}, {12, no4}, {27, a6}, {28, b6}, {5, b8(1)}, {4, b8(6)}, {7, be16(1)}, {11, be16(2)}, {5, b8(9)}},
			"src=2001:db8::1 dst=2001:db8::2 etype=34525 proto=6 sport=1 dport=2 tos=1 or_src=2001:db8::1 or_etype=34525 or_proto=6 or_sport=1 or_dport=2 or_tos=9 outer_first=1",
		},
		"both versions, each once": {
			[]fieldValue{{27, no6}, {28, no6}, {4, b8(6)}, {8, a4}, {12, b4}},
			"src=192.0.2.1 dst=192.0.2.2 etype=2048 proto=6 or_src=192.0.2.1 or_etype=2048 or_proto=6",
		},
		"a counter twice": {
			[]fieldValue{{8, a4}, {1, be32(5)}, {1, be32(7)}, {1, be32(6)}},
			"bytes=5 src=192.0.2.1 etype=2048 or_src=192.0.2.1 or_etype=2048 first_bytes=5 last_bytes=6",
		},
		"its first is zero": {
			[]fieldValue{{1, be32(0)}, {1, be32(7)}},
			"last_bytes=7",
		},
		"the own version of each": {
			[]fieldValue{{8, a4}, {60, b8(4)}, {4, b8(41)}, {27, c6}, {60, b8(6)}, {4, b8(58)}, {11, be16(0x8000)}},
			"src=192.0.2.1 etype=2048 proto=41 in_src=fd00::1 in_etype=34525 in_proto=58 in_itype=128 or_src=fd00::1 or_etype=34525 or_proto=58",
		},
	} {
		for _, p := range []flow.Protocol{flow.NetFlow9, flow.IPFIX} {
			for _, variable := range []bool{false, true} {
				if p == flow.NetFlow9 && variable {
					continue
				}
				if got := sendParts(t, l, p, variable, c.parts); got != c.want {
					t.Errorf("%s, variable %v:\n%s instead of\n%s", name, variable, got, c.want)
				}
			}
		}
	}
}

// The first element that is not zero fills a column, of counters, VLANs and all else.
func TestAZeroDoesNotHideALaterElement(t *testing.T) {
	l := parse(t, twoPackets)
	for name, c := range map[string]struct {
		parts []fieldValue
		want  string
	}{
		"out":             {[]fieldValue{{2, be32(0)}, {1, be32(0)}, {24, be32(1)}, {23, be32(32)}}, "bytes=32 packets=1"},
		"in":              {[]fieldValue{{23, be32(0)}, {1, be32(32)}, {2, be32(1)}, {24, be32(0)}}, "bytes=32 packets=1 first_bytes=32"},
		"both":            {[]fieldValue{{23, wide(9, 8)}, {1, wide(7, 8)}}, "bytes=7 first_bytes=7"},
		"neither":         {[]fieldValue{{23, be32(0)}, {1, be32(0)}}, ""},
		"reduced":         {[]fieldValue{{1, wide(0, 3)}, {231, wide(0x010203, 3)}}, "bytes=66051"},
		"of five bytes":   {[]fieldValue{{1, wide(0, 5)}, {231, wide(0x0102030405, 5)}}, "bytes=4328719365"},
		"a VLAN":          {[]fieldValue{{58, be16(0)}, {243, be16(105)}}, "vlan=105 vlans=105"},
		"the first VLAN":  {[]fieldValue{{243, be16(105)}, {58, be16(7)}}, "vlan=7 vlans=7,105"},
		"totals are none": {[]fieldValue{{85, be32(1000)}, {86, be32(10)}}, ""},
		"a time":          {[]fieldValue{{153, wide(0, 8)}, {151, be32(5)}}, "end=5000"},
	} {
		for _, variable := range []bool{false, true} {
			if got := sendParts(t, l, flow.IPFIX, variable, c.parts); got != c.want {
				t.Errorf("%s, variable %v: %s instead of %s", name, variable, got, c.want)
			}
		}
	}
}

// ICMP has type and code, which are in elements of their own, in one number, or in the target port; it has no ports.
func TestTypeAndCodeOfICMP(t *testing.T) {
	l := parse(t, twoPackets)
	for name, c := range map[string]struct {
		parts []fieldValue
		want  string
	}{
		"one number":            {[]fieldValue{{4, b8(1)}, {7, be16(5)}, {11, be16(6)}, {32, be16(0x0303)}}, "proto=1 itype=3 icode=3 or_proto=1 both_icmp=771"},
		"in one byte":           {[]fieldValue{{4, b8(1)}, {32, b8(3)}}, "proto=1 icode=3 or_proto=1 both_icmp=3"},
		"in four":               {[]fieldValue{{4, b8(1)}, {32, be32(0x0b01)}}, "proto=1 itype=11 icode=1 or_proto=1 both_icmp=2817"},
		"of version 6":          {[]fieldValue{{4, b8(58)}, {139, be16(0x8700)}}, "proto=58 itype=135 or_proto=58 both_icmp=34560"},
		"their own":             {[]fieldValue{{177, b8(1)}, {176, b8(11)}, {4, b8(1)}, {11, be16(0x0505)}}, "proto=1 itype=11 icode=1 or_proto=1"},
		"their own of six":      {[]fieldValue{{178, be16(129)}, {179, b8(0)}, {4, b8(58)}}, "proto=58 itype=129 or_proto=58"},
		"their own, zero":       {[]fieldValue{{176, b8(0)}, {177, b8(0)}, {32, be16(0x0b01)}}, "itype=11 icode=1 both_icmp=2817"},
		"their own alone":       {[]fieldValue{{176, b8(8)}, {177, b8(0)}, {32, be16(0x0b01)}}, "itype=8 both_icmp=2817"},
		"the port":              {[]fieldValue{{4, b8(1)}, {7, be16(0)}, {11, be16(0x0303)}}, "proto=1 itype=3 icode=3 or_proto=1"},
		"the port, of six":      {[]fieldValue{{11, be16(0x8604)}, {4, b8(58)}}, "proto=58 itype=134 icode=4 or_proto=58"},
		"the port, in a byte":   {[]fieldValue{{4, b8(1)}, {11, b8(4)}}, "proto=1 icode=4 or_proto=1"},
		"the port, in four":     {[]fieldValue{{4, b8(1)}, {11, be32(0x0304)}}, "proto=1 itype=3 icode=4 or_proto=1"},
		"protocol of two bytes": {[]fieldValue{{4, be16(58)}, {11, be16(0x8100)}}, "proto=58 itype=129 or_proto=58"},
		"TCP":                   {[]fieldValue{{4, b8(6)}, {7, be16(0x0303)}, {11, be16(0x0304)}}, "proto=6 sport=771 dport=772 or_proto=6 or_sport=771 or_dport=772"},
		"no protocol":           {[]fieldValue{{7, be16(0x0303)}, {11, be16(0x0304)}}, "sport=771 dport=772 or_sport=771 or_dport=772"},
		"ports of UDP and TCP":  {[]fieldValue{{4, b8(1)}, {180, be16(1)}, {181, be16(2)}, {182, be16(3)}, {183, be16(4)}}, "proto=1 or_proto=1"},
	} {
		for _, variable := range []bool{false, true} {
			if got := sendParts(t, l, flow.IPFIX, variable, c.parts); got != c.want {
				t.Errorf("%s, variable %v: %s instead of %s", name, variable, got, c.want)
			}
		}
	}
	v5 := func(protocol byte, port int) []byte {
		return join(be32(0x0a000001, 0x0a000002, 0), be16(1, 2), be32(3, 144, 0, 0), be16(0, port), []byte{0, 0, protocol, 0}, be16(0, 0), []byte{0, 0, 0, 0})
	}
	for _, e := range []flow.Enricher{nil, nothing{}} {
		for _, o := range []Options{{}, {Goflow2: true}} {
			r := newRig(t, anyClock(), l, e, o)
			b := build{protocol: flow.NetFlow5}
			const packet = "bytes=144 packets=3 src=10.0.0.1 dst=10.0.0.2 etype=2048 "
			var got []string
			for _, f := range r.send(b.datagram(v5(17, 771), v5(1, 771), v5(1, 0), v5(58, 0x8000), v5(6, 80))) {
				got = append(got, without(strings.TrimPrefix(f, packet), "or_src", "or_etype", "or_proto", "or_dport", "first_bytes", "end"))
			}
			if want := []string{"proto=17 dport=771", "proto=1 itype=3 icode=3", "proto=1", "proto=58 itype=128", "proto=6 dport=80"}; !slices.Equal(got, want) {
				t.Errorf("v5: %q", got)
			}
		}
	}
}

// Random templates, with elements of packets several times, in any order and size, are read as the documentation says,
// in whatever runs their records come.
func TestRandomPacketsAreReadAsDocumented(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 12))
	l := parse(t, twoPackets)
	elements := []uint16{8, 12, 27, 28, 4, 7, 11, 180, 181, 182, 183, 5, 6, 192, 32, 139, 176, 177, 178, 179, 60, 31, 256, 1, 23, 231, 2, 24, 58, 243, 85, 153, 151}
	few := []uint16{8, 12, 27, 28, 4, 7, 11, 5, 32}
	flows, tunnelled, icmp := 0, 0, 0
	for _, p := range []flow.Protocol{flow.NetFlow9, flow.IPFIX} {
		rigs := []*rig{newRig(t, anyClock(), l, nil, Options{}), newRig(t, anyClock(), l, nothing{}, Options{}), newRig(t, anyClock(), l, nil, Options{Goflow2: true})}
		b := build{protocol: p, uptime: 100_000}
		for round := range 3000 {
			from := elements
			if round%2 == 0 {
				from = few
			}
			var fields []template.Field
			for range 1 + random.IntN(16) {
				f := vendorless(from[random.IntN(len(from))], uint16(1+random.IntN(2)))
				switch f.Element {
				case 8, 12:
					f.Length = 4
				case 27, 28:
					f.Length = 16
				case 1, 2, 23, 24, 231, 7, 11:
					f.Length = uint16(1 + random.IntN(8))
				case 153:
					f.Length = 8
				case 151:
					f.Length = 4
				}
				if random.IntN(12) == 0 && p == flow.IPFIX {
					f.Length = template.VariableLength
				}
				fields = append(fields, f)
			}
			var data []byte
			for range 1 + random.IntN(6) {
				none := random.IntN(3) // part of the record is zero, as without a tunnel
				for i, f := range fields {
					n := int(f.Length)
					if n == template.VariableLength {
						n = []int{0, 1, 2, 4, 16}[random.IntN(5)]
						data = append(data, byte(n))
					}
					value := make([]byte, n)
					zero := none == 1 && i > len(fields)/2 || none == 2 && i < len(fields)/2 || random.IntN(4) == 0
					if n > 0 && !zero {
						value[n-1] = []byte{1, 58, 6, 17, 4, byte(random.Uint32())}[random.IntN(6)]
						if n > 1 && random.IntN(2) == 0 {
							value[n-2] = byte(random.IntN(9))
						}
						if n > 2 && random.IntN(9) == 0 {
							value[0] = byte(random.Uint32())
						}
					}
					data = append(data, value...)
				}
			}
			datagram := b.datagram(b.template(256, fields...), set(256, data))
			want := rigs[2].send(datagram)
			for i, r := range rigs[:2] {
				if got := r.send(datagram); !slices.Equal(got, want) {
					for n := range got {
						if n < len(want) && got[n] != want[n] {
							t.Errorf("path %d, flow %d:\n%s instead of\n%s", i, n, got[n], want[n])
						}
					}
					t.Fatalf("%+v of %x", fields, data)
				}
			}
			flows += len(want)
			for _, f := range want {
				if strings.Contains(f, "in_proto") {
					tunnelled++
				}
				if strings.Contains(f, "itype") {
					icmp++
				}
			}
		}
		for _, r := range rigs {
			if lost := r.dropped(); lost["misfit"] == 0 || lost["malformed"]+lost["template_malformed"] > 0 {
				t.Errorf("lost %v", lost)
			}
		}
	}
	if flows < 5000 || tunnelled < 300 || icmp < 500 {
		t.Errorf("%d flows, %d in a tunnel, %d of ICMP", flows, tunnelled, icmp)
	}
}

// The memory of variants is that of their exporter, and goes with the template.
func TestVariantsCountAsMemory(t *testing.T) {
	size := (&templates.Definition{}).Size() // of a template without fields
	r := newRig(t, session.DefaultLimits(), parse(t, twoPackets), nil, Options{})
	b := build{protocol: flow.IPFIX}
	fields := []template.Field{vendorless(8, 4), vendorless(4, 1), vendorless(7, 2), vendorless(11, 2)}
	record := func(protocol byte) []byte { return join(be32(0x0a000001), b8(protocol), be16(0, 0x0303)) }
	r.send(b.datagram(b.template(256, fields...), set(256, record(6))))
	before := r.store.Memory()
	r.send(b.datagram(set(256, record(1), record(58), record(1))))
	if n := r.store.Memory(); n < before+2*size {
		t.Errorf("%d bytes, then %d", before, n)
	}
	var out []byte
	dg := &flow.Datagram{Received: r.now, From: r.from, Payload: b.datagram(set(256, record(1), record(6), record(58)))}
	if n := testing.AllocsPerRun(50, func() { out, _ = r.Append(out[:0], dg) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	r.store.Close()
	if r.store.Memory() != 0 {
		t.Errorf("%d bytes are left", r.store.Memory())
	}
	tight := session.DefaultLimits()
	tight.PerExporter = before + 2*size
	r = newRig(t, tight, parse(t, twoPackets), nil, Options{})
	r.send(b.datagram(b.template(256, fields...), set(256, record(6))))
	for r.store.Memory()+size < tight.PerExporter {
		b.domain++
		r.send(b.datagram(b.template(256, vendorless(999, 4))))
	}
	b.domain = 0
	if got := r.send(b.datagram(set(256, record(1), record(6)))); len(got) > 1 && r.dropped()["template_flood"] > 0 || r.dropped()["template_flood"] == 0 {
		t.Errorf("%q, lost %v", got, r.dropped())
	}
}

// Both directions of a biflow, records that wait for their rate, and records with lists are read in the same way.
func TestPacketsAreToldApartOnEveryPath(t *testing.T) {
	a6, b6, c4, d4 := addressBytes("2001:db8::1"), addressBytes("2001:db8::2"), be32(0x0a000001), be32(0x0a000002)
	tunnel := []template.Field{vendorless(27, 16), vendorless(28, 16), vendorless(4, 1), vendorless(8, 4), vendorless(12, 4), vendorless(4, 1), vendorless(7, 2), vendorless(11, 2)}
	record := join(a6, b6, b8(4), c4, d4, b8(17), be16(1111, 53))
	icmp := join(a6, b6, b8(4), c4, d4, b8(1), be16(0, 0x0803))
	plain := join(a6, b6, b8(58), make([]byte, 13))
	const outer, inner = "src=2001:db8::1 dst=2001:db8::2 etype=34525 proto=4", " or_src=10.0.0.1 or_etype=2048"
	reverse := func(element uint16) template.Field {
		return template.Field{Enterprise: ipfix.ReversePEN, Element: element, Length: 4}
	}
	for _, e := range []flow.Enricher{nil, nothing{}} {
		l := parse(t, twoPackets+"  - {name: path, number: 40, type: repeated uint32, from: 128}\n")
		b := build{protocol: flow.IPFIX}
		r := newRig(t, anyClock(), l, e, Options{})
		r.expectFlows("biflow", r.send(b.datagram(b.template(256, append(slices.Clone(tunnel), vendorless(1, 4), reverse(1))...), set(256, record, be32(9, 7), plain, be32(5, 6)))),
			"bytes=9 "+outer+" in_src=10.0.0.1 in_dst=10.0.0.2 in_etype=2048 in_proto=17 in_dport=53"+inner+" or_proto=17 or_sport=1111 or_dport=53 first_bytes=9",
			"bytes=5 src=2001:db8::1 dst=2001:db8::2 etype=34525 proto=58 or_src=2001:db8::1 or_etype=34525 or_proto=58 first_bytes=5",
			"bytes=7 src=2001:db8::2 dst=2001:db8::1 etype=34525 proto=4 in_src=10.0.0.2 in_dst=10.0.0.1 in_etype=2048 in_proto=17 in_dport=1111"+
				" or_src=10.0.0.2 or_etype=2048 or_proto=17 or_sport=53 or_dport=1111 first_bytes=7",
			"bytes=6 src=2001:db8::2 dst=2001:db8::1 etype=34525 proto=58 or_src=2001:db8::2 or_etype=34525 or_proto=58 first_bytes=6")

		list := append([]template.Field{listOf(291)}, tunnel...)
		numbers := short(basic(4, 128, 4, be32(64496, 64497)))
		r.expectFlows("lists", r.send(b.datagram(b.template(257, list...), set(257, numbers, icmp, numbers, plain))),
			outer+" in_src=10.0.0.1 in_dst=10.0.0.2 in_etype=2048 in_proto=1 in_itype=8"+inner+" or_proto=1 path=64496,64497",
			"src=2001:db8::1 dst=2001:db8::2 etype=34525 proto=58 or_src=2001:db8::1 or_etype=34525 or_proto=58 path=64496,64497")

		limits := anyClock()
		limits.RateWait = time.Minute
		r = newRig(t, limits, l, e, Options{})
		r.expectFlows("held", r.send(b.datagram(b.template(256, tunnel...), set(256, record, icmp, plain))))
		r.expectFlows("released", r.send(b.datagram(b.options(300, 1, process, rate4), set(300, be32(1, 100)))),
			outer+" in_src=10.0.0.1 in_dst=10.0.0.2 in_etype=2048 in_proto=17 in_dport=53"+inner+" or_proto=17 or_sport=1111 or_dport=53 rate=100",
			outer+" in_src=10.0.0.1 in_dst=10.0.0.2 in_etype=2048 in_proto=1 in_itype=8"+inner+" or_proto=1 rate=100",
			"src=2001:db8::1 dst=2001:db8::2 etype=34525 proto=58 or_src=2001:db8::1 or_etype=34525 or_proto=58 rate=100")
		r.expect("paths", nil)
	}
}

// A sampled frame with a packet in a tunnel replaces what the record itself has of the outer packet, in columns that prefer
// the inner one.
func TestTheInnerPacketOfAFrameIsWhole(t *testing.T) {
	l := parse(t, twoPackets)
	inside := join(be32(0x45000054, 0, 0x40010000, 0x0a000001, 0x0a000002), []byte{8, 0})
	frame := join(be32(0x45000070, 0, 0x402f0000, 0xc0000201, 0xc0000202), []byte{0, 0, 8, 0}, inside)
	for _, e := range []flow.Enricher{nil, nothing{}} {
		r := newRig(t, anyClock(), l, e, Options{})
		b := build{protocol: flow.IPFIX}
		fields := []template.Field{vendorless(8, 4), vendorless(7, 2), vendorless(4, 1), vendorless(5, 1), vendorless(ipfix.IPHeaderSection, uint16(len(frame)))}
		r.expectFlows("frame", r.send(b.datagram(b.template(256, fields...), set(256, be32(0xc0000201), be16(99), []byte{47, 4}, frame))),
			"bytes=112 packets=1 src=192.0.2.1 dst=192.0.2.2 etype=2048 proto=47 sport=99 tos=4 in_src=10.0.0.1 in_dst=10.0.0.2 in_etype=2048 in_proto=1 "+
				"or_src=10.0.0.1 or_etype=2048 or_proto=1 first_bytes=112 last_bytes=84 outer_first=4")
		r.expect("frame", nil)
	}
}
