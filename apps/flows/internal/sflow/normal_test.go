package sflow

import (
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema"
)

// wide has the columns that normalisation fills.
const wide = `
  - {name: in_if, number: 1, type: uint32, from: 10}
  - {name: out_if, number: 2, type: uint32, from: 14}
  - {name: in_kind, number: 3, type: uint32, from: 4294967295/7}
  - {name: out_kind, number: 4, type: uint32, from: 4294967295/8}
  - {name: status, number: 5, type: uint32, from: 89}
  - {name: src_vlan, number: 6, type: uint32, from: 58}
  - {name: dst_vlan, number: 7, type: uint32, from: 59}
  - {name: bytes, number: 8, type: uint64, from: 1}
  - {name: frame, number: 9, type: uint64, from: 352}
  - {name: etype, number: 10, type: uint32, from: 256}
  - {name: outer_proto, number: 11, type: uint32, from: 4}
  - {name: proto, number: 12, type: uint32, from: [4294967294/4, 4]}
  - {name: src_port, number: 13, type: uint32, from: [4294967294/7, 7]}
  - {name: dst_port, number: 14, type: uint32, from: [4294967294/11, 11]}
  - {name: inner_bytes, number: 15, type: uint32, from: 4294967294/1}
  - {name: inner_etype, number: 16, type: uint32, from: 4294967294/256}
  - {name: tunnel, number: 17, type: uint32, from: 4294967295/9}
  - {name: segment, number: 18, type: uint32, from: 351}
  - {name: src, number: 19, type: ip, from: [4294967294/8, 4294967294/27, 8, 27]}
  - {name: dst, number: 20, type: ip, from: [4294967294/12, 4294967294/28, 12, 28]}
  - {name: label, number: 21, type: uint32, from: 70}
`

// numbers decodes datagrams, with and without a stage, and returns the columns of the flows that are not zero.
func numbers(t *testing.T, ds ...flow.Datagram) (flows []map[string]uint64, addresses []string) {
	t.Helper()
	l := layoutOf(t, wide)
	for i, e := range []flow.Enricher{nil, idle{}} {
		for j, make := range []maker[appender]{plain(New), plain(NewGoflow2)} {
			d, err := make(l, e, &count.Counters{})
			if err != nil {
				t.Fatal(err)
			}
			var got []map[string]uint64
			var ips []string
			for k := range ds {
				stream, _ := d.Append(nil, &ds[k])
				rows(t, l, stream, func(r *schema.Row) {
					flow := map[string]uint64{}
					for _, c := range l.Plan.Columns(l.Plan.Root()) {
						if h, err := schema.Lookup[schema.UintColumn](l.File.Schema.Message, c.Name); err == nil && r.Uint(h) != 0 {
							flow[c.Name] = r.Uint(h)
						}
					}
					got = append(got, flow)
					ips = append(ips, r.IP(must(schema.Lookup[schema.IPColumn](l.File.Schema.Message, "src"))).Unmap().String()+" "+r.IP(must(schema.Lookup[schema.IPColumn](l.File.Schema.Message, "dst"))).Unmap().String())
				})
			}
			if i == 0 && j == 0 {
				flows, addresses = got, ips
				continue
			}
			for k := range got {
				if len(got[k]) != len(flows[k]) || ips[k] != addresses[k] {
					t.Errorf("%v instead of %v", got[k], flows[k])
				}
				for name, v := range flows[k] {
					if got[k][name] != v {
						t.Errorf("%s: %d instead of %d", name, got[k][name], v)
					}
				}
			}
		}
	}
	return flows, addresses
}

// The forms of interfaces are those of sFlow v5's specification (struct interface), the status is RFC 7270's.
func TestInterfacesAreSingleInternalDiscardedOrMany(t *testing.T) {
	type is = map[string]uint64
	for name, c := range map[string]struct {
		compact  [2]uint32 // input, output
		expanded [4]uint32
		want     is
	}{
		"single":            {[2]uint32{7, 9}, [4]uint32{0, 7, 0, 9}, is{"in_if": 7, "out_if": 9}},
		"unknown":           {[2]uint32{0, 0}, [4]uint32{0, 0, 0, 0}, is{}},
		"from inside":       {[2]uint32{0x3fffffff, 9}, [4]uint32{0, 0x3fffffff, 0, 9}, is{"out_if": 9, "in_kind": 1}},
		"to inside":         {[2]uint32{7, 0x3fffffff}, [4]uint32{0, 7, 0, 0xffffffff}, is{"in_if": 7, "out_kind": 1}},
		"discarded":         {[2]uint32{7, 0x40000100}, [4]uint32{0, 7, 1, 256}, is{"in_if": 7, "out_kind": 2, "status": 128}},
		"by an access list": {[2]uint32{7, 0x40000102}, [4]uint32{0, 7, 1, 258}, is{"in_if": 7, "out_kind": 2, "status": 129}},
		"no route":          {[2]uint32{7, 0x40000000}, [4]uint32{0, 7, 1, 0}, is{"in_if": 7, "out_kind": 2, "status": 131}},
		"too big":           {[2]uint32{7, 0x40000106}, [4]uint32{0, 7, 1, 262}, is{"in_if": 7, "out_kind": 2, "status": 133}},
		"TTL":               {[2]uint32{7, 0x40000101}, [4]uint32{0, 7, 1, 257}, is{"in_if": 7, "out_kind": 2, "status": 137}},
		"RED":               {[2]uint32{7, 0x40000104}, [4]uint32{0, 7, 1, 260}, is{"in_if": 7, "out_kind": 2, "status": 139}},
		"rate":              {[2]uint32{7, 0x40000105}, [4]uint32{0, 7, 1, 261}, is{"in_if": 7, "out_kind": 2, "status": 138}},
		"three":             {[2]uint32{7, 0x80000003}, [4]uint32{0, 7, 2, 3}, is{"in_if": 7, "out_kind": 3}},
		"of another format": {[2]uint32{0xc0000001, 0xc0000001}, [4]uint32{3, 1, 3, 1}, is{}},
	} {
		compact := datagram(block(flowSample, words(1, 2, 1000, 3000, 0, c.compact[0], c.compact[1], 0)))
		x := c.expanded
		expanded := datagram(block(expandedFlowSample, words(1, 0, 2, 1000, 3000, 0, x[0], x[1], x[2], x[3], 0)))
		flows, _ := numbers(t, *compact, *expanded)
		for i, f := range flows {
			if len(f) != len(c.want) {
				t.Errorf("%s, %d: %v", name, i, f)
			}
			for column, v := range c.want {
				if f[column] != v {
					t.Errorf("%s, %d: %v", name, i, f)
				}
			}
		}
		if len(flows) != 2 {
			t.Errorf("%s: %d flows", name, len(flows))
		}
	}
}

// A discarded packet is reported as one, or lost and counted as such, so no rate multiplies it: not the operator's either.
func TestDiscardedPacketsStandForThemselves(t *testing.T) {
	l := layoutOf(t, `
  - {name: rate, number: 1, type: uint32, from: 34}
  - {name: known, number: 2, type: bool, from: 4294967295/4}
  - {name: scaled, number: 3, type: uint64, from: 4294967295/5}
  - {name: status, number: 4, type: uint32, from: 89}
`)
	rate, scaled := must(schema.Lookup[schema.UintColumn](l.File.Schema.Message, "rate")), must(schema.Lookup[schema.UintColumn](l.File.Schema.Message, "scaled"))
	known, status := must(schema.Lookup[schema.BoolColumn](l.File.Schema.Message, "known")), must(schema.Lookup[schema.UintColumn](l.File.Schema.Message, "status"))
	packet := raw(1, eth+"0800"+inner4)
	for _, e := range []flow.Enricher{nil, idle{}} {
		for _, rules := range []func(netip.Addr) (float64, float64){nil, func(netip.Addr) (float64, float64) { return 500, 0 }, func(netip.Addr) (float64, float64) { return 0, 9 }} {
			d := must(New(l, e, &count.Counters{}))
			d.Rules = rules
			out, _ := d.Append(nil, datagram(block(discardedPacket, words(1, 0, 3, 0, 3, 4, 260, 1), packet), block(flowSample, words(1, 2, 1000, 3000, 0, 7, 9, 1), packet)))
			want := [][3]uint64{{1, 40, 139}, {1000, 40_000, 0}}
			if rules != nil {
				if _, override := rules(netip.Addr{}); override > 0 {
					want[1] = [3]uint64{9, 360, 0}
				}
			}
			i := 0
			rows(t, l, out, func(r *schema.Row) {
				if got := [3]uint64{r.Uint(rate), r.Uint(scaled), r.Uint(status)}; got != want[i] || !r.Bool(known) {
					t.Errorf("%v instead of %v, %v", got, want[i], r.Bool(known))
				}
				i++
			})
			if d.Unsampled() != 0 || i != 2 {
				t.Errorf("%d unsampled of %d", d.Unsampled(), i)
			}
		}
	}
}

func TestUnknownVLANsAreNone(t *testing.T) {
	flows, _ := numbers(t, *sample(block(extendedSwitch, words(0xffffffff, 0, 20, 0))), *sample(block(extendedSwitch, words(4096, 0, 0xffffffff, 0))),
		*sample(block(extendedSwitch, words(0xffffffff, 0, 0xffffffff, 0)), raw(1, "020000000001 020000000002 8100 0064 0806")))
	if f := flows[0]; f["src_vlan"] != 0 || f["dst_vlan"] != 20 {
		t.Error(f)
	}
	if f := flows[1]; f["src_vlan"] != 0 || f["dst_vlan"] != 0 {
		t.Error(f)
	}
	if f := flows[2]; f["src_vlan"] != 100 || f["dst_vlan"] != 0 {
		t.Errorf("the header's is not used: %v", f)
	}
}

const (
	eth    = "0200000000aa 0200000000bb "
	inner4 = "45b8 0028 1234 4000 3c06 0000 0a000001 0a000002 01bb d903 00000001 00000002 5012 ffff 0000 0000 "
	inner6 = "6b8abcde 000c 11 40 20010db8000000000000000000000001 20010db8000000000000000000000002 0035 8235 000c 0000 "
)

func outer4(protocol string) string {
	return "4500 03e8 1234 4000 3c" + protocol + " 0000 c0000201 c6336402 "
}

// Expectations are from RFC 2003, 4213, 2784, 2890, 4023, 7637 and 7348.
func TestTunnelsAreLookedInto(t *testing.T) {
	const v4, v6 = "10.0.0.1 10.0.0.2", "2001:db8::1 2001:db8::2"
	type is = map[string]uint64
	tcp := is{"proto": 6, "src_port": 443, "dst_port": 55555, "inner_bytes": 40, "inner_etype": 0x800}
	udp := is{"proto": 17, "src_port": 53, "dst_port": 0x8235, "inner_bytes": 52, "inner_etype": 0x86dd}
	vxlan := "3039 12b5 0100 0000 08000000 00002a00 "
	for name, c := range map[string]struct {
		packet    string
		addresses string
		inner     is
		more      is
	}{
		"IPv4 in IPv4":         {outer4("04") + inner4, v4, tcp, is{"tunnel": 4, "outer_proto": 4}},
		"IPv6 in IPv4":         {outer4("29") + inner6, v6, udp, is{"tunnel": 41, "outer_proto": 41}},
		"GRE":                  {outer4("2f") + "0000 0800 " + inner4, v4, tcp, is{"tunnel": 47, "outer_proto": 47}},
		"GRE with all":         {outer4("2f") + "b000 86dd 00000000 00000007 00000001 " + inner6, v6, udp, is{"tunnel": 47, "segment": 7}},
		"NVGRE":                {outer4("2f") + "2000 6558 00002a01 " + eth + "8100 0005 0800 " + inner4, v4, tcp, is{"tunnel": 47, "segment": 0x2a01}},
		"MPLS in GRE":          {outer4("2f") + "0000 8847 00064040 000c8140 " + inner4, v4, tcp, is{"tunnel": 47, "outer_proto": 47}},
		"no IP in MPLS in GRE": {outer4("2f") + "0000 8847 00064040 000c8140 " + "00000000" + inner4, "192.0.2.1 198.51.100.2", is{}, is{"tunnel": 0, "proto": 47}},
		"VXLAN":                {outer4("11") + vxlan + eth + "0800 " + inner4, v4, tcp, is{"tunnel": 17, "segment": 42, "outer_proto": 17}},
		"VXLAN in IPv6": {
			"60000000 0064 11 40 20010db8000000000000000000000003 20010db8000000000000000000000004 " + vxlan + eth + "86dd " + inner6, v6, udp,
			is{"tunnel": 17, "segment": 42, "etype": 0x86dd},
		},
		"no VNI":               {outer4("11") + strings.Replace(vxlan, "0800", "0000", 1) + eth + "0800 " + inner4, "192.0.2.1 198.51.100.2", is{}, is{"tunnel": 0, "proto": 17, "dst_port": 4789}},
		"PPTP":                 {outer4("2f") + "3001 880b 00000000 00000000 " + inner4, "192.0.2.1 198.51.100.2", is{}, is{"tunnel": 0, "proto": 47}},
		"cut in the tunnel":    {outer4("2f") + "b000", "192.0.2.1 198.51.100.2", is{}, is{"tunnel": 0, "proto": 47}},
		"cut in the inner one": {outer4("04") + inner4[:20], "192.0.2.1 198.51.100.2", is{}, is{"tunnel": 0, "proto": 4}},
		"a later fragment":     {strings.Replace(outer4("04"), "4000", "0010", 1) + inner4, "192.0.2.1 198.51.100.2", is{}, is{"tunnel": 0, "proto": 4}},
	} {
		kind := "0800 "
		if c.packet[0] == '6' {
			kind = "86dd "
		}
		flows, addresses := numbers(t, *sample(raw(1, eth+kind+c.packet)))
		if len(flows) != 1 || addresses[0] != c.addresses {
			t.Errorf("%s: %v", name, addresses)
		}
		for _, want := range []is{c.inner, c.more} {
			for column, v := range want {
				if flows[0][column] != v {
					t.Errorf("%s, %s: %v", name, column, flows[0])
				}
			}
		}
	}
}

// Every prefix of every packet is read without harm.
func TestPacketsThatEndAnywhere(t *testing.T) {
	d := decoder(t, New, "../../flows.yaml", nil, &count.Counters{})
	for _, packet := range []string{
		outer4("04") + inner4, outer4("29") + inner6, outer4("2f") + "b000 86dd 00000000 00000007 00000001 " + inner6,
		outer4("2f") + "0000 8847 00064040 000c8140 " + inner4,
		outer4("11") + "3039 12b5 0100 0000 08000000 00002a00 " + eth + "8100 0005 0800 " + inner4,
	} {
		b, err := hex.DecodeString(strings.ReplaceAll(eth+"8100 0001 8847 00010040 00011140"+packet, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		for n := range b {
			if _, flows := d.Append(nil, sample(raw(1, hex.EncodeToString(b[:n])))); flows != 1 {
				t.Errorf("%d bytes: %d flows", n, flows)
			}
		}
	}
}

// The review's case, where the capture is at hand: what Akvorado's decoder makes of it.
func TestTheArticlesCapture(t *testing.T) {
	path := article()
	if path == "" {
		t.Skip("HOTPB_DATA is not set: it names a folder with flows/akvorado/data-1140.pcap")
	}
	flows, _ := numbers(t, read(t, path)...)
	for _, f := range flows {
		t.Log(f)
		if f["src_vlan"] > 4095 || f["in_if"] > 1<<29 || f["out_if"] > 1<<29 || f["frame"] <= f["bytes"] || f["etype"] == 0 {
			t.Error(f)
		}
	}
}
