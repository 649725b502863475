package datagram

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"net/netip"
	"slices"

	flowmessage "github.com/netsampler/goflow2/v2/pb"
	"google.golang.org/protobuf/encoding/protodelim"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// A message has the non-zero values of a flow by column: numbers, addresses, times in milliseconds.
type message map[string]any

func (m message) uint(column string, v uint64) {
	if v != 0 {
		m[column] = v
	}
}

func (m message) address(column string, a netip.Addr) {
	if a = a.Unmap(); a.IsValid() && !a.IsUnspecified() {
		m[column] = a
	}
}

// verify compares a contender's messages of the datagram with those of goflow2's producer, in the columns that
// both have.
func (in *input) verify(c converter) error {
	stock, err := newGoflow2(in)
	if err != nil {
		return err
	}
	want, err := all(stock)
	if err != nil {
		return err
	}
	got, err := all(c)
	if err != nil {
		return err
	}
	if len(want) != in.flows || len(got) != in.flows {
		return fmt.Errorf("%d flows, and %d from goflow2; the datagram has %d", len(got), len(want), in.flows)
	}
	for i := range want {
		in.forget(want[i])
		in.forget(got[i])
		for _, as := range []string{"src_as", "dst_as"} {
			if _, sent := want[i][as]; c.fills && !sent {
				delete(got[i], as)
			}
		}
		if !maps.Equal(got[i], want[i]) {
			return fmt.Errorf("flow %d: %s", i, difference(got[i], want[i]))
		}
	}
	return nil
}

// forget removes values that goflow2 makes up. For sFlow, which has no times, it reports that flows began and
// ended when they were received. For IPFIX with times since the exporter's start, which options records report, it uses the times
// of the export.
func (in *input) forget(m message) {
	if in.protocol == flow.SFlow5 || in.protocol == flow.IPFIX {
		delete(m, "flow_start")
		delete(m, "flow_end")
	}
	if in.protocol == flow.SFlow5 { // goflow2's bytes are those of the frame, for which we have a column
		delete(m, "bytes")
		for _, vlan := range []string{"src_vlan", "dst_vlan"} { // that the switch does not know
			if m[vlan] == uint64(math.MaxUint32) {
				delete(m, vlan)
			}
		}
	} else {
		delete(m, "frame_bytes")
	}
}

func difference(got, want message) (text string) {
	names := maps.Clone(got)
	maps.Copy(names, want)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if got[name] != want[name] {
			text += fmt.Sprintf("%s is %v instead of %v; ", name, got[name], want[name])
		}
	}
	return text
}

func all(c converter) ([]message, error) {
	b, err := c.convert()
	if err != nil {
		return nil, err
	}
	return c.messages(b)
}

func goflow2Messages(b []byte) (all []message, err error) {
	r := bytes.NewReader(b)
	for {
		var m flowmessage.FlowMessage
		if err := protodelim.UnmarshalFrom(r, &m); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, columnsOf(&m))
	}
}

// columnsOf renames goflow2's values to the names of flows.yaml.
func columnsOf(m *flowmessage.FlowMessage) message {
	c := message{}
	c.uint("frame_bytes", m.Bytes)
	for i, v := range numbersOf(m) {
		c.uint(sharedNumbers[i], v)
	}
	for i, v := range addressesOf(m) {
		a, _ := netip.AddrFromSlice(v)
		c.address(sharedAddresses[i], a)
	}
	return c
}

// The columns that goflow2's messages also have, besides frame_bytes.
var (
	sharedNumbers = [...]string{
		"time_received", "flow_type", "sampling_rate", "flow_start", "flow_end", "bytes", "packets", "in_if", "out_if", "src_as", "dst_as",
		"etype", "proto", "src_port", "dst_port", "tcp_flags", "ip_tos", "ip_ttl", "icmp_type", "icmp_code", "ipv6_flow_label",
		"src_net_mask", "dst_net_mask", "forwarding_status", "src_mac", "dst_mac", "src_vlan", "dst_vlan",
	}
	sharedAddresses = [...]string{"exporter_address", "src_addr", "dst_addr", "next_hop"}
)

// numbersOf returns the values of sharedNumbers.
func numbersOf(m *flowmessage.FlowMessage) [len(sharedNumbers)]uint64 {
	return [...]uint64{
		m.TimeReceivedNs / 1e6, uint64(protocolOf(m.Type)), m.SamplingRate, m.TimeFlowStartNs / 1e6, m.TimeFlowEndNs / 1e6, m.Bytes, m.Packets,
		uint64(m.InIf), uint64(m.OutIf), uint64(m.SrcAs), uint64(m.DstAs),
		uint64(m.Etype), uint64(m.Proto), uint64(m.SrcPort), uint64(m.DstPort), uint64(m.TcpFlags), uint64(m.IpTos), uint64(m.IpTtl),
		uint64(m.IcmpType), uint64(m.IcmpCode), uint64(m.Ipv6FlowLabel),
		uint64(m.SrcNet), uint64(m.DstNet), uint64(m.ForwardingStatus), m.SrcMac, m.DstMac, uint64(m.SrcVlan), uint64(m.DstVlan),
	}
}

// addressesOf returns the values of sharedAddresses.
func addressesOf(m *flowmessage.FlowMessage) [len(sharedAddresses)][]byte {
	return [...][]byte{m.SamplerAddress, m.SrcAddr, m.DstAddr, m.NextHop}
}

func protocolOf(t flowmessage.FlowMessage_FlowType) flow.Protocol {
	switch t {
	case flowmessage.FlowMessage_NETFLOW_V5:
		return flow.NetFlow5
	case flowmessage.FlowMessage_NETFLOW_V9:
		return flow.NetFlow9
	case flowmessage.FlowMessage_IPFIX:
		return flow.IPFIX
	case flowmessage.FlowMessage_SFLOW_5:
		return flow.SFlow5
	}
	return flow.Unknown
}

// ourMessages reads messages of the layout, in the columns that goflow2 also has.
func ourMessages(l *layout.Layout, b []byte) (all []message, err error) {
	row, s := l.Plan.NewRow(), l.File.Schema
	for at := 0; at < len(b); {
		body, next, err := wire.CutDelimited(b, at, wire.Options{})
		if err != nil {
			return nil, err
		}
		if err := row.Unmarshal(body); err != nil {
			return nil, err
		}
		m := message{}
		for _, name := range append(slices.Clone(sharedNumbers[:]), "frame_bytes") {
			if c, err := schema.Lookup[schema.UintColumn](s.Message, name); err == nil {
				m.uint(name, row.Uint(c))
			} else if c, err := schema.Lookup[schema.EnumColumn](s.Message, name); err == nil {
				m.uint(name, uint64(row.Enum(c)))
			} else if c, err := schema.Lookup[schema.MACColumn](s.Message, name); err == nil {
				m.uint(name, row.MAC(c))
			} else if c, err := schema.Lookup[schema.TimeColumn](s.Message, name); err != nil {
				return nil, err
			} else if row.Has(c.Handle) {
				m.uint(name, uint64(row.Time(c).UnixMilli()))
			}
		}
		for _, name := range sharedAddresses {
			c, err := schema.Lookup[schema.IPColumn](s.Message, name)
			if err != nil {
				return nil, err
			}
			m.address(name, row.IP(c))
		}
		all, at = append(all, m), next
	}
	return all, nil
}
