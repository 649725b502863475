package sflow

import (
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
)

// structured has a column for whatever a structure may fill.
const structured = `
  - {name: in_if, number: 1, type: uint32, from: 10}
  - {name: out_if, number: 2, type: uint32, from: 14}
  - {name: in_kind, number: 3, type: uint32, from: 4294967295/7}
  - {name: out_kind, number: 4, type: uint32, from: 4294967295/8}
  - {name: status, number: 5, type: uint32, from: 89}
  - {name: reason, number: 6, type: uint32, from: 4294967295/13}
  - {name: rate, number: 7, type: uint32, from: 34}
  - {name: bytes, number: 8, type: uint32, from: 1}
  - {name: frame, number: 9, type: uint32, from: 352}
  - {name: etype, number: 10, type: uint32, from: 256}
  - {name: proto, number: 11, type: uint32, from: 4}
  - {name: tos, number: 12, type: uint32, from: 5}
  - {name: ttl, number: 13, type: uint32, from: 192}
  - {name: src_port, number: 14, type: uint32, from: 7}
  - {name: dst_port, number: 15, type: uint32, from: 11}
  - {name: flags, number: 16, type: uint32, from: 6}
  - {name: src, number: 17, type: ip, from: [8, 27]}
  - {name: dst, number: 18, type: ip, from: [12, 28]}
  - {name: src_mac, number: 19, type: uint64, from: 56}
  - {name: dst_mac, number: 20, type: uint64, from: 80}
  - {name: vlan, number: 21, type: uint32, from: 58}
  - {name: post_vlan, number: 22, type: uint32, from: 59}
  - {name: tag, number: 23, type: uint32, from: 243}
  - {name: post_tag, number: 24, type: uint32, from: 254}
  - {name: inner_tag, number: 25, type: uint32, from: 245}
  - {name: hop, number: 26, type: ip, from: [15, 62]}
  - {name: src_mask, number: 27, type: uint32, from: [9, 29]}
  - {name: dst_mask, number: 28, type: uint32, from: [13, 30]}
  - {name: bgp_hop, number: 29, type: ip, from: [18, 63]}
  - {name: src_as, number: 30, type: uint32, from: 16}
  - {name: dst_as, number: 31, type: uint32, from: 17}
  - {name: next_as, number: 32, type: uint32, from: 128}
  - {name: prev_as, number: 33, type: uint32, from: 129}
  - {name: nat_src, number: 34, type: ip, from: [225, 281]}
  - {name: nat_dst, number: 35, type: ip, from: [226, 282]}
  - {name: nat_src_port, number: 36, type: uint32, from: 227}
  - {name: nat_dst_port, number: 37, type: uint32, from: 228}
  - {name: label_hop, number: 38, type: ip, from: [47, 140]}
  - {name: segment, number: 39, type: uint32, from: 351}
  - {name: flow_label, number: 40, type: uint32, from: 31}
  - {name: fragment, number: 41, type: uint32, from: 54}
  - {name: inner_src, number: 42, type: ip, from: [4294967294/8, 4294967294/27]}
  - {name: tunnel, number: 43, type: uint32, from: 4294967295/9}
  - {name: icmp_type, number: 44, type: uint32, from: [176, 178]}
  - {name: labels, number: 50, type: repeated uint32, from: [70, 71, 72, 73, 74, 75, 76, 77, 78, 79]}
  - {name: path, number: 51, type: repeated uint32, from: 4294967295/10}
  - {name: sets, number: 52, type: repeated uint32, from: 4294967295/11}
  - {name: communities, number: 53, type: repeated uint32, from: 485}
  - {name: out_labels, number: 54, type: repeated uint32, from: 4294967295/12}
`

type columns map[string]string

func (c columns) number(name string, v any) {
	if n := v.(uint64); n != 0 {
		c[name] = fmt.Sprint(n)
	}
}

func (c columns) address(name string, v any) {
	if a, ok := netip.AddrFromSlice(v.([]byte)); ok && !a.IsUnspecified() {
		c[name] = a.String()
	}
}

func (c columns) list(name string, v []uint64) {
	if len(v) > 0 {
		c[name] = fmt.Sprint(v)
	}
}

func numbersOf(v any) (all []uint64) {
	for _, n := range v.([]any) {
		all = append(all, n.(uint64))
	}
	return all
}

// A bench decodes samples, in each way, and shows their columns.
type bench struct {
	t      *testing.T
	layout *layout.Layout
	counts [2]*count.Counters
	ways   [2]*Decoder
}

func newBench(t *testing.T) *bench {
	b := &bench{t: t, layout: layoutOf(t, structured)}
	for i, e := range []flow.Enricher{nil, idle{}} {
		b.counts[i] = &count.Counters{}
		b.ways[i] = must(New(b.layout, e, b.counts[i]))
	}
	return b
}

// decode decodes samples to rows, and to what was counted.
func (b *bench) decode(samples ...[]byte) (flows []columns, lost uint64, skipped map[string]uint64, passed uint64) {
	b.t.Helper()
	for i, d := range b.ways {
		c := b.counts[i]
		before, passedBefore := total(c)+c.Dropped(count.Misfit), c.Passed.Load()
		var skippedBefore [count.Structures]uint64
		for s := range c.Skipped {
			skippedBefore[s] = c.Skipped[s].Load()
		}
		out, _ := d.Append(nil, datagram(samples...))
		var got []columns
		rows(b.t, b.layout, out, func(r *schema.Row) { got = append(got, b.columns(r)) })
		lost, passed = total(c)+c.Dropped(count.Misfit)-before, c.Passed.Load()-passedBefore
		skipped = map[string]uint64{}
		for s := range c.Skipped {
			if n := c.Skipped[s].Load() - skippedBefore[s]; n > 0 {
				skipped[count.Structure(s).String()] = n
			}
		}
		if i > 0 && !slices.EqualFunc(flows, got, maps.Equal) {
			b.t.Fatalf("%v\nwithout a stage\n%v", got, flows)
		}
		flows = got
	}
	return flows, lost, skipped, passed
}

func (b *bench) columns(r *schema.Row) columns {
	all, s := columns{}, b.layout.File.Schema
	for _, c := range b.layout.Plan.Columns(b.layout.Plan.Root()) {
		switch {
		case c.Repeated:
			all.list(c.Name, r.Uints(must(schema.Lookup[schema.UintList](s.Message, c.Name))))
		case c.Logical == schema.IP:
			if a := r.IP(must(schema.Lookup[schema.IPColumn](s.Message, c.Name))).Unmap(); a.IsValid() && !a.IsUnspecified() {
				all[c.Name] = a.String()
			}
		default:
			all.number(c.Name, r.Uint(must(schema.Lookup[schema.UintColumn](s.Message, c.Name))))
		}
	}
	return all
}

// expectation is what the flow of a sample has, by sFlow.org's descriptions of the fields, whatever their order is.
func expectation(sample string, head values, records map[string]values) columns {
	all := columns{}
	output := func(format, value uint64) {
		switch format {
		case 0:
			if value == 0x3fffffff || value == 0xffffffff {
				all["out_kind"] = "1"
			} else {
				all.number("out_if", value)
			}
		case 1:
			all["out_kind"] = "2"
			all["status"] = fmt.Sprint(status(value))
			all.number("reason", value)
		case 2:
			all["out_kind"] = "3"
		}
	}
	input := func(format, value uint64) {
		if format == 0 && (value == 0x3fffffff || value == 0xffffffff) {
			all["in_kind"] = "1"
		} else if format == 0 {
			all.number("in_if", value)
		}
	}
	switch sample {
	case "flow_sample":
		in, out := head["input"].(uint64), head["output"].(uint64)
		input(in>>30, in&0x3fffffff)
		output(out>>30, out&0x3fffffff)
		all.number("rate", head["rate"])
	case "flow_sample_expanded":
		input(head["input_format"].(uint64), head["input"].(uint64))
		output(head["output_format"].(uint64), head["output"].(uint64))
		all.number("rate", head["rate"])
	case "discarded_packet":
		input(0, head["input"].(uint64))
		output(0, head["output"].(uint64))
		all["out_kind"] = "2"
		all["status"] = fmt.Sprint(status(head["reason"].(uint64)))
		all.number("reason", head["reason"])
		all["rate"] = "1"
	}

	header, hasHeader := records["sampled_header"]
	ethernet, hasEthernet := records["sampled_ethernet"]
	ip, hasIP := records["sampled_ipv4"]
	if !hasIP {
		ip, hasIP = records["sampled_ipv6"]
	}
	if hasIP {
		all.number("bytes", ip["length"])
		all.number("proto", ip["protocol"])
		all.address("src", ip["src_ip"])
		all.address("dst", ip["dst_ip"])
		if p := ip["protocol"].(uint64); p != 1 && p != 58 {
			all.number("src_port", ip["src_port"])
			all.number("dst_port", ip["dst_port"])
		}
		all.number("flags", ip["tcp_flags"])
		all["etype"] = fmt.Sprint(0x86dd)
		if tos, ok := ip["tos"]; ok {
			all.number("tos", tos)
			all["etype"] = fmt.Sprint(0x800)
		} else {
			all.number("tos", ip["priority"])
		}
	}
	if hasHeader { // of a protocol that is not read
		all.number("frame", header["frame_length"])
		if length, stripped := header["frame_length"].(uint64), header["stripped"].(uint64); !hasIP && length > stripped {
			all.number("bytes", length-stripped)
		}
	}
	if hasEthernet {
		for column, field := range map[string]string{"src_mac": "src_mac", "dst_mac": "dst_mac"} {
			var n uint64
			for _, b := range ethernet[field].([]byte) {
				n = n<<8 | uint64(b)
			}
			all.number(column, n)
		}
		n := ethernet["length"].(uint64)
		if !hasHeader {
			all.number("frame", n)
		}
		if !hasIP && !hasHeader && n > 18 {
			all.number("bytes", n-18)
		}
		if kind := ethernet["type"].(uint64); !hasIP && kind >= 1536 {
			all.number("etype", kind)
		}
	}

	source, tag, known := uint64(0), uint64(0), false
	if v, ok := records["extended_switch"]; ok {
		target := v["dst_vlan"].(uint64)
		if source = v["src_vlan"].(uint64); source > 4095 {
			source = 0
		}
		if target > 4095 {
			target = 0
		}
		known = source != 0 || target != 0
		all.number("post_vlan", target)
		all.number("post_tag", target)
	}
	if v, ok := records["extended_vlantunnel"]; ok {
		if stack := numbersOf(v["stack"]); len(stack) > 0 {
			tag = stack[0] & 4095
			if len(stack) > 1 {
				all.number("inner_tag", stack[1]&4095)
			}
		}
	}
	if !known {
		source = tag
	}
	if tag == 0 {
		tag = source
	}
	all.number("vlan", source)
	all.number("tag", tag)

	if v, ok := records["extended_router"]; ok {
		all.address("hop", v["nexthop"])
		all.number("src_mask", v["src_mask_len"])
		all.number("dst_mask", v["dst_mask_len"])
	}
	if v, ok := records["extended_gateway"]; ok {
		all.address("bgp_hop", v["nexthop"])
		all.number("prev_as", v["src_peer_as"])
		if all.number("src_as", v["src_as"]); all["src_as"] == "" {
			all.number("src_as", v["as"])
		}
		var path, sets, every []uint64
		for _, segment := range v["dst_as_path"].([]any) {
			numbers := numbersOf(segment.(values)["numbers"])
			every = append(every, numbers...)
			switch segment.(values)["kind"].(uint64) {
			case 1:
				sets = append(sets, numbers...)
			case 2:
				path = append(path, numbers...)
			}
		}
		all.list("path", path)
		all.list("sets", sets)
		if len(every) > 0 {
			all.number("next_as", every[0])
			all.number("dst_as", every[len(every)-1])
		}
		if all["dst_as"] == "" {
			all.number("dst_as", v["as"])
		}
		all.list("communities", numbersOf(v["communities"]))
	}
	if v, ok := records["extended_mpls"]; ok {
		all.address("label_hop", v["nexthop"])
		var in, out []uint64
		for i, entry := range numbersOf(v["in_stack"]) {
			if i < 10 && entry>>8 != 0 {
				in = append(in, entry>>12)
			}
			if entry>>8&1 != 0 { // the bottom
				break
			}
		}
		for _, entry := range numbersOf(v["out_stack"]) {
			out = append(out, entry>>12)
		}
		all.list("labels", in)
		all.list("out_labels", out)
	}
	if v, ok := records["extended_nat"]; ok {
		all.address("nat_src", v["src_address"])
		all.address("nat_dst", v["dst_address"])
	}
	if v, ok := records["extended_nat_port"]; ok {
		all.number("nat_src_port", v["src_port"])
		all.number("nat_dst_port", v["dst_port"])
	}
	for _, name := range []string{"extended_vni_egress", "extended_vni_ingress"} {
		if v, ok := records[name]; ok {
			all.number("segment", v["vni"])
		}
	}
	return all
}

// status is RFC 7270's for a reason of sFlow's.
func status(reason uint64) uint64 {
	code, ok := map[uint64]uint64{
		0: 3, 6: 3, 7: 3, 11: 3, 12: 3, 281: 3, 1: 4, 279: 4, 9: 1, 10: 1, 13: 1, 258: 1, 4: 5, 262: 5, 257: 9, 260: 11, 261: 10, 280: 12, 302: 12, 335: 12,
	}[reason]
	if !ok {
		return 128
	}
	return 128 + code
}

// known are the structures that fill columns; all others are counted by their name.
var known = []string{
	"sampled_header", "sampled_ethernet", "sampled_ipv4", "sampled_ipv6", "extended_switch", "extended_router", "extended_gateway",
	"extended_mpls", "extended_nat", "extended_vlantunnel", "extended_nat_port", "extended_vni_egress", "extended_vni_ingress",
}

// skips is what a structure is counted as; nothing for those that are read.
func skips(s *xdrStructure) string {
	switch {
	case s.name == "sampled_header":
		return "header_protocol" // which is zero here, or by chance
	case slices.Contains(known, s.name):
		return ""
	case s.format>>12 != 0:
		return "vendor_record"
	}
	return s.name
}

// flowSampleOf wraps records into a sample with these values.
func (x *xdrTable) sampleOf(s *xdrStructure, head values, records ...[]byte) []byte {
	head["records"] = []any{}
	b := x.appendFields(nil, s.fields, head)
	b[len(b)-1] = byte(len(records))
	return block(s.format, b, records...)
}

// Each field of each structure fills its column with its value, and no other column. What is not read is skipped by its
// length, and counted by its name.
func TestFieldsOfStructuresFillTheirColumns(t *testing.T) {
	x, b := readTable(t), newBench(t)
	sample := x.find(t, "flow_sample")
	head := x.zeros(sample)
	router := block(extendedRouter, words(0, 24, 16))
	next := block(flowSample, words(1, 2, 3, 4, 0, 6, 7, 1), block(sampledIPv4, words(60, 6, 1<<24, 2<<24, 3, 4, 5, 6)))
	after, _, _, _ := b.decode(next)
	for _, s := range x.all {
		if s.in != "flow" {
			continue
		}
		try := func(v values, title string) {
			records := map[string]values{s.name: v}
			parts := [][]byte{block(s.format, x.appendFields(nil, s.fields, v))}
			if s.format != extendedRouter {
				records["extended_router"] = values{"nexthop": []byte{}, "src_mask_len": uint64(24), "dst_mask_len": uint64(16)}
				parts = append(parts, router)
			}
			if isTransaction(s.format) {
				flows, lost, _, passed := b.decode(x.sampleOf(sample, head, parts...), next)
				if lost != 0 || passed != 1 || !slices.EqualFunc(flows, after, maps.Equal) {
					t.Errorf("%s: %v, %d lost, %d passed", title, flows, lost, passed)
				}
				packet := x.find(t, "sampled_ipv4")
				records[packet.name] = x.zeros(packet)
				parts = append(parts, block(packet.format, make([]byte, packet.least)))
			}
			want := expectation("flow_sample", head, records)
			flows, lost, skipped, _ := b.decode(x.sampleOf(sample, head, parts...), next)
			if len(flows) != 2 || !maps.Equal(flows[0], want) || !maps.Equal(flows[1], after[0]) || lost != 0 {
				t.Errorf("%s: %v\ninstead of\n%v; %d lost", title, flows, want, lost)
			}
			if name := skips(&s); name != "" && (skipped[name] != 1 || len(skipped) != 1) || name == "" && len(skipped) > 0 {
				t.Errorf("%s: skipped %v", title, skipped)
			}
		}
		try(x.zeros(&s), s.name)
		for _, f := range s.fields {
			for _, d := range x.distinct(f.kind) {
				v := x.zeros(&s)
				v[f.name] = d
				try(v, fmt.Sprint(s.name, ".", f.name, "=", d))
			}
		}
	}
}

// A structure that is cut anywhere is counted, and the next one is read.
func TestStructuresThatAreCutAreCounted(t *testing.T) {
	x, b := readTable(t), newBench(t)
	r := rand.New(rand.NewPCG(3, 4))
	sample := x.find(t, "flow_sample")
	for _, name := range known {
		s := x.find(t, name)
		for range 10 {
			whole := x.appendFields(nil, s.fields, x.fill(s, r))
			for n := range len(whole) {
				if x.parse(whole[:n], s) != nil {
					t.Fatal(name)
				}
				if name == "extended_gateway" && n >= len(whole)-4 { // the local preference is not read
					continue
				}
				ok := name == "extended_gateway" && x.parse(whole[:n], &xdrStructure{fields: s.fields[:5]}) != nil // some agents end here
				if name == "sampled_header" {
					ok = n >= 16 && n-16 >= int(word(whole, 3)) // its padding may lack
				}
				flows, lost, _, _ := b.decode(x.sampleOf(sample, x.zeros(sample), block(s.format, whole[:n]), block(extendedSwitch, words(5, 0, 6, 0))))
				if len(flows) != 1 || !ok && lost != 1 || flows[0]["post_vlan"] != "6" {
					t.Fatalf("%s, %d of %d: %v, %d lost", name, n, len(whole), flows, lost)
				}
			}
		}
	}
}

// Fields of samples, in the three kinds that are flows.
func TestFieldsOfSamplesFillTheirColumns(t *testing.T) {
	x, b := readTable(t), newBench(t)
	router := values{"nexthop": []byte{}, "src_mask_len": uint64(24), "dst_mask_len": uint64(16)}
	for _, name := range []string{"flow_sample", "flow_sample_expanded", "discarded_packet"} {
		s := x.find(t, name)
		for _, f := range s.fields {
			more := []any{uint64(1), uint64(2), uint64(3), uint64(0x3fffffff), uint64(0xffffffff), uint64(0x40000102), uint64(0x80000003)}
			if f.name == "records" {
				continue
			}
			for reason := range uint64(map[string]int{"reason": 400}[f.name]) {
				more = append(more, reason)
			}
			for _, d := range append(x.distinct(f.kind), more...) {
				head := x.zeros(s)
				head[f.name] = d
				want := expectation(name, head, map[string]values{"extended_router": router})
				flows, lost, skipped, passed := b.decode(x.sampleOf(s, head, block(extendedRouter, words(0, 24, 16))))
				if len(flows) != 1 || !maps.Equal(flows[0], want) || lost+passed != 0 || len(skipped) != 0 {
					t.Errorf("%s.%s=%x: %v\ninstead of\n%v; %d lost, %d passed", name, f.name, d, flows, want, lost, passed)
				}
				source, kind := head["source_index"], head["source_type"]
				if name == "flow_sample" {
					n := head["source"].(uint64)
					source, kind = n&0xffffff, n>>24
				}
				id := kind.(uint64)<<32 | source.(uint64)
				if name == "discarded_packet" {
					id |= 1 << 63
				}
				if got := b.ways[0].Drops(); len(got) != 1 || got[0] != (Drops{id, uint32(head["drops"].(uint64))}) {
					t.Errorf("%s.%s=%x: drops %v", name, f.name, d, got)
				}
			}
		}
	}
}

// A header of a packet of IP takes precedence over a sampled IP packet, as a whole, and that over any other header: in any order.
func TestAFlowIsNotHalfOfEachPacket(t *testing.T) {
	b := newBench(t)
	ip := block(sampledIPv6, words(60, 6, 0x20010db8, 0, 0, 1, 0x20010db8, 0, 0, 2, 53, 5353, 0x12, 0xb8))
	ethernet := block(sampledEthernet, words(99), hexed("010203040506 ffff 010203040507 ffff"), words(0x0806))
	four := columns{"src": "192.0.2.1", "dst": "198.51.100.2", "proto": "47", "bytes": "1000", "etype": "2048"}
	six := columns{"src": "2001:db8::1", "dst": "2001:db8::2", "proto": "6", "src_port": "53", "dst_port": "5353", "flags": "18", "tos": "184", "bytes": "60", "etype": "34525"}
	for name, c := range map[string]struct {
		header []byte
		want   columns
	}{
		"IP":             {raw(1, eth+"0800"+outer4("2f")), four},
		"ARP":            {raw(1, eth+"0806 0001"), six},
		"a short header": {raw(1, eth+"0800 4500"), six},
		"FDDI":           {raw(4, outer4("2f")), six},
	} {
		records := [][]byte{ip, ethernet, c.header}
		for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			flows, lost, _, _ := b.decode(sample(records[order[0]], records[order[1]], records[order[2]]).Payload[28:])
			got := flows[0]
			if got["frame"] != "1000" || lost != 0 {
				t.Errorf("%s, %v: %v", name, order, got)
			}
			for _, column := range []string{"src", "dst", "proto", "src_port", "dst_port", "flags", "tos", "bytes", "etype"} {
				if got[column] != c.want[column] {
					t.Errorf("%s, %v: %s is %s instead of %s", name, order, column, got[column], c.want[column])
				}
			}
		}
	}
}

// Counters are no flows, and are skipped by their length.
func TestStructuresOfCountersArePassed(t *testing.T) {
	x, b := readTable(t), newBench(t)
	r := rand.New(rand.NewPCG(5, 6))
	next := block(flowSample, words(1, 2, 3, 4, 0, 6, 7, 0))
	after, _, _, _ := b.decode(next)
	for _, s := range x.all {
		if s.in != "counter" {
			continue
		}
		for _, name := range []string{"counters_sample", "counters_sample_expanded"} {
			in := x.find(t, name)
			head := x.fill(in, r)
			head["counters"] = []any{values{"format": uint64(s.format), "data": x.appendFields(nil, s.fields, x.fill(&s, r))}}
			flows, lost, skipped, passed := b.decode(block(in.format, x.appendFields(nil, in.fields, head)), next)
			if passed != 1 || lost != 0 || len(skipped) != 0 || !slices.EqualFunc(flows, after, maps.Equal) {
				t.Errorf("%s: %v, %d lost, %d passed", s.name, flows, lost, passed)
			}
		}
	}
}

// Samples by chance, of any structures in any order, are what the slow reader makes of their bytes.
func TestSamplesByChanceAreWhatTheSlowReaderReads(t *testing.T) {
	x, b := readTable(t), newBench(t)
	var flowRecords []xdrStructure
	for _, s := range x.all {
		if s.in == "flow" {
			flowRecords = append(flowRecords, s)
		}
	}
	seeds := uint64(3000)
	if testing.Short() {
		seeds = 500
	}
	filled := map[string]int{}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 7))
		in := x.find(t, []string{"flow_sample", "flow_sample_expanded", "discarded_packet"}[r.IntN(3)])
		head := x.fill(in, r)
		for _, f := range in.fields {
			if r.IntN(8) == 0 && (f.name == "input" || f.name == "output") {
				head[f.name] = uint64(0x3fffffff)
			}
			if strings.HasSuffix(f.name, "_format") {
				head[f.name] = uint64(r.IntN(4))
			}
		}
		var names []string
		for range r.IntN(5) { // what is read is more interesting
			names = append(names, known[r.IntN(len(known))])
		}
		for range r.IntN(3) {
			names = append(names, flowRecords[r.IntN(len(flowRecords))].name)
		}
		slices.Sort(names)
		names = slices.Compact(names)
		if slices.Contains(names, "sampled_ipv4") {
			names = slices.DeleteFunc(names, func(s string) bool { return s == "sampled_ipv6" })
		}
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		records, wantSkipped := map[string]values{}, map[string]uint64{}
		var parts [][]byte
		packet, transaction := false, false
		for _, name := range names {
			s := x.find(t, name)
			v := x.fill(s, r)
			switch name {
			case "sampled_header":
				v["protocol"] = []uint64{0, 4, 15, 99}[r.IntN(4)]
			case "sampled_ethernet":
				if r.IntN(2) == 0 {
					v["type"] = uint64(r.IntN(65536))
				}
			case "extended_gateway":
				for _, segment := range v["dst_as_path"].([]any) {
					segment.(values)["kind"] = 1 + uint64(r.IntN(3))
				}
			}
			bytes := x.appendFields(nil, s.fields, v)
			records[name] = x.parse(bytes, s)
			parts = append(parts, block(s.format, bytes))
			if skipped := skips(s); skipped != "" {
				wantSkipped[skipped]++
			}
			packet = packet || strings.HasPrefix(name, "sampled_")
			transaction = transaction || isTransaction(s.format)
		}
		sample := x.sampleOf(in, head, parts...)
		flows, lost, skipped, passed := b.decode(sample)
		if transaction && !packet {
			if len(flows) != 0 || passed != 1 || lost != 0 {
				t.Fatalf("%d, %v: %v", seed, names, flows)
			}
			continue
		}
		want := expectation(in.name, head, records)
		if len(flows) != 1 || !maps.Equal(flows[0], want) || lost+passed != 0 || !maps.Equal(skipped, wantSkipped) {
			t.Fatalf("%d, %v: %v\ninstead of\n%v; %d lost, skipped %v of %v\n%s", seed, names, flows, want, lost, skipped, wantSkipped, hex.Dump(sample))
		}
		for name := range want {
			filled[name]++
		}
	}
	for _, c := range b.layout.Plan.Columns(b.layout.Plan.Root()) {
		switch c.Name { // of sampled headers alone
		case "ttl", "flow_label", "fragment", "inner_src", "tunnel", "icmp_type":
		default:
			if filled[c.Name] == 0 {
				t.Errorf("no sample has filled %s", c.Name)
			}
		}
	}
}
