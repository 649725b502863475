package sflow

import (
	"bytes"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	flowmessage "github.com/netsampler/goflow2/v2/pb"
	protoproducer "github.com/netsampler/goflow2/v2/producer/proto"
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/wire"
)

// likeGoflow2 has the columns of goflow2's own message, with their numbers, from the elements that stand for them.
const likeGoflow2 = `
package: flowpb
message: FlowMessage
columns:
  - {name: type, number: 1, type: FlowType, from: 4294967295/1}
  - {name: sequence_num, number: 4, type: uint32, from: 4294967295/2}
  - {name: sampling_rate, number: 3, type: uint64, from: 34}
  - {name: sampler_address, number: 11, type: ip, from: [130, 131]}
  - {name: time_received_ns, number: 110, type: uint64}
  - {name: time_flow_start_ns, number: 111, type: timestamp(nanos), from: 152}
  - {name: time_flow_end_ns, number: 112, type: timestamp(nanos), from: 153}
  - {name: bytes, number: 9, type: uint64, from: 352}
  - {name: packets, number: 10, type: uint64, from: 2}
  - {name: src_addr, number: 6, type: ip, from: [8, 27], deferred: true}
  - {name: dst_addr, number: 7, type: ip, from: [12, 28], deferred: true}
  - {name: etype, number: 30, type: uint32, from: 256}
  - {name: proto, number: 20, type: uint32, from: 4}
  - {name: src_port, number: 21, type: uint32, from: 7}
  - {name: dst_port, number: 22, type: uint32, from: 11}
  - {name: in_if, number: 18, type: uint32, from: 10, deferred: true}
  - {name: out_if, number: 19, type: uint32, from: 14}
  - {name: src_mac, number: 27, type: mac, from: 56}
  - {name: dst_mac, number: 28, type: mac, from: 80}
  - {name: src_vlan, number: 33, type: uint32, from: 58}
  - {name: dst_vlan, number: 34, type: uint32, from: 59}
  - {name: vlan_id, number: 29, type: uint32, from: 243}
  - {name: ip_tos, number: 23, type: uint32, from: 5}
  - {name: ip_ttl, number: 25, type: uint32, from: 192}
  - {name: tcp_flags, number: 26, type: uint32, from: 6}
  - {name: ipv6_flow_label, number: 37, type: uint32, from: 31}
  - {name: fragment_id, number: 35, type: uint32, from: 54}
  - {name: fragment_offset, number: 36, type: uint32, from: 88}
  - {name: ip_flags, number: 38, type: uint32, from: 197}
  - {name: src_as, number: 14, type: uint32, from: 16}
  - {name: dst_as, number: 15, type: uint32, from: 17}
  - {name: next_hop_as, number: 13, type: uint32, from: 128}
  - {name: next_hop, number: 12, type: ip, from: [15, 62]}
  - {name: bgp_next_hop, number: 100, type: ip, from: [18, 63]}
  - {name: src_net, number: 16, type: uint32, from: [9, 29]}
  - {name: dst_net, number: 17, type: uint32, from: [13, 30]}
  - {name: mpls_label, number: 81, type: repeated uint32, from: [70, 71, 72, 73, 74, 75, 76, 77, 78, 79]}
  - {name: bgp_communities, number: 101, type: repeated uint32, from: 485}
  - {name: as_path, number: 102, type: repeated uint32, from: 4294967295/10}
enums:
  FlowType: {values: {FLOWUNKNOWN: 0, SFLOW_5: 1, NETFLOW_V5: 2, NETFLOW_V9: 3, IPFIX: 4}}
`

func goflow2Layout(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "goflow2.yaml")
	if err := os.WriteFile(path, []byte(likeGoflow2), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// messages reads a stream of length-prefixed messages.
func messages(t testing.TB, stream []byte) (all []*flowmessage.FlowMessage) {
	t.Helper()
	for at := 0; at < len(stream); {
		b, next, err := wire.CutDelimited(stream, at, wire.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := &flowmessage.FlowMessage{}
		if err := proto.Unmarshal(b, m); err != nil {
			t.Fatal(err)
		}
		if len(m.ProtoReflect().GetUnknown()) > 0 {
			t.Fatalf("unknown fields in %v", m)
		}
		all, at = append(all, m), next
	}
	return all
}

// comparable is goflow2's message as far as the columns go. Values that both have in different forms are converted to one:
// addresses have sixteen bytes, next hops of zeros are none, times end at milliseconds, the number of sFlow is another; the VLAN of the header goes
// without its priority, and stands in for that of a switch that does not tell. ICMP's type and code are left out:
// goflow2 looks for the first header of ICMP after it has counted it, so none is (v2.2.6).
func comparable(m *flowmessage.FlowMessage) *flowmessage.FlowMessage {
	for _, a := range []*[]byte{&m.SamplerAddress, &m.SrcAddr, &m.DstAddr, &m.NextHop, &m.BgpNextHop} {
		if len(*a) == 4 {
			*a = append([]byte{10: 0xff, 11: 0xff}, *a...)
		}
		if v, ok := netip.AddrFromSlice(*a); ok && v.Unmap().IsUnspecified() { // which is no address
			*a = nil
		}
	}
	for _, hop := range []*[]byte{&m.NextHop, &m.BgpNextHop} {
		if a, ok := netip.AddrFromSlice(*hop); ok && a.Unmap().IsUnspecified() {
			*hop = nil
		}
	}
	milli := func(ns uint64) uint64 { return ns / 1e6 * 1e6 }
	for _, v := range []*uint32{&m.SrcVlan, &m.DstVlan} {
		if *v > 4095 {
			*v = 0
		}
	}
	vlan := m.VlanId & 0xfff
	if vlan == 0 {
		vlan = m.SrcVlan
	}
	source := m.SrcVlan
	if source == 0 && m.DstVlan == 0 {
		source = vlan
	}
	flags := m.IpFlags & 7 << 5 // of IPv6, the lowest bit is that more is to come, and the others mean nothing
	if m.Etype == etherIPv6 {
		flags = m.IpFlags & 1 << 5
	}
	return &flowmessage.FlowMessage{
		Type: flowmessage.FlowMessage_FlowType(flow.SFlow5), SequenceNum: m.SequenceNum, SamplingRate: m.SamplingRate,
		SamplerAddress: m.SamplerAddress, TimeFlowStartNs: milli(m.TimeFlowStartNs), TimeFlowEndNs: milli(m.TimeFlowEndNs),
		Bytes: m.Bytes, Packets: m.Packets, SrcAddr: m.SrcAddr, DstAddr: m.DstAddr, Etype: m.Etype, Proto: m.Proto,
		SrcPort: m.SrcPort, DstPort: m.DstPort, InIf: port(m.InIf), OutIf: port(m.OutIf), SrcMac: m.SrcMac, DstMac: m.DstMac,
		SrcVlan: source, DstVlan: m.DstVlan, VlanId: vlan, IpTos: m.IpTos, IpTtl: m.IpTtl, IpFlags: flags,
		TcpFlags:      m.TcpFlags,
		Ipv6FlowLabel: m.Ipv6FlowLabel, FragmentId: m.FragmentId,
		FragmentOffset: m.FragmentOffset, SrcAs: m.SrcAs, DstAs: m.DstAs, NextHopAs: m.NextHopAs, NextHop: m.NextHop,
		MplsLabel: m.MplsLabel, BgpCommunities: m.BgpCommunities, AsPath: m.AsPath,
		BgpNextHop: m.BgpNextHop, SrcNet: m.SrcNet, DstNet: m.DstNet,
	}
}

// port is the interface that goflow2 reports with the bits of its kind, or none for those that are not one interface.
func port(v uint32) uint32 {
	if v > 1<<30-2 {
		return 0
	}
	return v
}

// header puts goflow2's message of a header of IP without Ethernet, which it does not look into, aside.
func header(m *flowmessage.FlowMessage) *flowmessage.FlowMessage {
	return &flowmessage.FlowMessage{
		Type: m.Type, SequenceNum: m.SequenceNum, SamplingRate: m.SamplingRate, SamplerAddress: m.SamplerAddress,
		TimeFlowStartNs: m.TimeFlowStartNs, TimeFlowEndNs: m.TimeFlowEndNs, Bytes: m.Bytes, Packets: m.Packets, InIf: m.InIf,
		OutIf: m.OutIf, SrcVlan: m.SrcVlan, DstVlan: m.DstVlan, VlanId: m.VlanId,
	}
}

// compare decodes datagrams in all ways and reports the differences from goflow2's producer.
func compare(
	t *testing.T, ds []flow.Datagram, keep func(*flowmessage.FlowMessage) *flowmessage.FlowMessage,
) (flows int) {
	t.Helper()
	made, path := newProducer(t), goflow2Layout(t)
	var counts count.Counters
	decoders := map[string]appender{
		"direct": decoder(t, New, path, nil, &counts), "record": decoder(t, New, path, idle{}, &counts),
		"goflow2":        decoder(t, NewGoflow2, path, nil, &counts),
		"goflow2+record": decoder(t, NewGoflow2, path, idle{}, &counts),
	}
	for i := range ds {
		stock := produce(t, made, &ds[i])
		var want []*flowmessage.FlowMessage
		for _, f := range stock {
			want = append(want, comparable(&f.(*protoproducer.ProtoProducerMessage).FlowMessage))
		}
		for name, d := range decoders {
			stream, n := d.Append(nil, &ds[i])
			got := messages(t, stream)
			if n != len(got) || n != len(want) {
				t.Fatalf("%s, datagram %d: %d flows, %d messages, not %d", name, i, n, len(got), len(want))
			}
			for j := range got {
				if g, w := keep(got[j]), keep(want[j]); !proto.Equal(g, w) {
					t.Fatalf("%s, datagram %d, sample %d:\n%v\ninstead of\n%v", name, i, j, g, w)
				}
			}
		}
		flows += len(want)
		made.Commit(stock)
	}
	for r := range count.Reasons {
		if n := counts.Dropped(r); n > 0 {
			t.Errorf("%d %v", n, r)
		}
	}
	return flows
}

func all(m *flowmessage.FlowMessage) *flowmessage.FlowMessage { return m }

func TestCapturesAreWhatGoflow2MakesOfThem(t *testing.T) {
	for name, ds := range inputs(t) {
		keep := all
		if name == "pmacctd" {
			keep = header
		}
		if n := compare(t, ds, keep); n < 5 {
			t.Errorf("%s: %d flows", name, n)
		}
	}
	for seed := range uint64(5) {
		compare(t, generated(seed, 400), all)
	}
}

func TestPmacctdsHeadersOfIPAreRead(t *testing.T) {
	ds := read(t, "../../testdata/pmacctd_sflow5.dgrams")
	d := decoder(t, New, goflow2Layout(t), nil, &count.Counters{})
	protocols, sources := map[string]int{}, map[string]int{}
	for i := range ds {
		stream, _ := d.Append(nil, &ds[i])
		for _, m := range messages(t, stream) {
			protocols[fmt.Sprintf("%x %d", m.Etype, m.Proto)]++
			sources[fmt.Sprintf("%x", m.SrcAddr)]++
			if m.DstPort == 0 || !bytes.Equal(m.SrcAddr, m.DstAddr) {
				t.Fatalf("on loopback: %v", m)
			}
		}
	}
	if len(protocols) != 1 || protocols["800 17"] < 1000 || len(sources) != 1 {
		t.Errorf("%v from %v", protocols, sources)
	}
}
