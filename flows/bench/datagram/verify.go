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

	"github.com/hotpb/hotpb/flows/internal/flow"
	"github.com/hotpb/hotpb/flows/internal/layout"
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
	for column, v := range numbers(m) {
		c.uint(column, v)
	}
	for column, v := range addresses(m) {
		a, _ := netip.AddrFromSlice(v)
		c.address(column, a)
	}
	return c
}

func numbers(m *flowmessage.FlowMessage) map[string]uint64 {
	return map[string]uint64{
		"time_received": m.TimeReceivedNs / 1e6, "flow_type": uint64(protocolOf(m.Type)), "sampling_rate": m.SamplingRate,
		"flow_start": m.TimeFlowStartNs / 1e6, "flow_end": m.TimeFlowEndNs / 1e6, "bytes": m.Bytes, "packets": m.Packets,
		"in_if": uint64(m.InIf), "out_if": uint64(m.OutIf), "src_as": uint64(m.SrcAs), "dst_as": uint64(m.DstAs),
		"etype": uint64(m.Etype), "proto": uint64(m.Proto), "src_port": uint64(m.SrcPort), "dst_port": uint64(m.DstPort),
		"tcp_flags": uint64(m.TcpFlags), "ip_tos": uint64(m.IpTos), "ip_ttl": uint64(m.IpTtl),
		"icmp_type": uint64(m.IcmpType),
		"icmp_code": uint64(m.IcmpCode), "ipv6_flow_label": uint64(m.Ipv6FlowLabel), "src_net_mask": uint64(m.SrcNet),
		"dst_net_mask": uint64(m.DstNet), "forwarding_status": uint64(m.ForwardingStatus), "src_mac": m.SrcMac,
		"dst_mac":  m.DstMac,
		"src_vlan": uint64(m.SrcVlan), "dst_vlan": uint64(m.DstVlan),
	}
}

func addresses(m *flowmessage.FlowMessage) map[string][]byte {
	return map[string][]byte{
		"exporter_address": m.SamplerAddress, "src_addr": m.SrcAddr, "dst_addr": m.DstAddr, "next_hop": m.NextHop,
	}
}

func protocolOf(t flowmessage.FlowMessage_FlowType) flow.Protocol {
	return map[flowmessage.FlowMessage_FlowType]flow.Protocol{
		flowmessage.FlowMessage_NETFLOW_V5: flow.NetFlow5, flowmessage.FlowMessage_NETFLOW_V9: flow.NetFlow9,
		flowmessage.FlowMessage_IPFIX: flow.IPFIX, flowmessage.FlowMessage_SFLOW_5: flow.SFlow5,
	}[t]
}

// ourMessages reads messages of the layout, in the columns that goflow2 also has.
func ourMessages(l *layout.Layout, b []byte) (all []message, err error) {
	numbers, addresses := numbers(new(flowmessage.FlowMessage)), addresses(new(flowmessage.FlowMessage))
	numbers["frame_bytes"] = 0
	row, s := l.Plan.NewRow(), l.File.Schema
	for at := 0; at < len(b); {
		one, next, err := wire.CutDelimited(b, at, wire.Options{})
		if err != nil {
			return nil, err
		}
		if err := row.Unmarshal(one); err != nil {
			return nil, err
		}
		m := message{}
		for name := range numbers {
			if c, err := s.FindUint(name); err == nil {
				m.uint(name, row.Uint(c))
			} else if c, err := s.FindEnum(name); err == nil {
				m.uint(name, uint64(row.Enum(c)))
			} else if c, err := s.FindMAC(name); err == nil {
				m.uint(name, row.MAC(c))
			} else if c, err := s.FindTime(name); err != nil {
				return nil, err
			} else if row.Has(c.Handle) {
				m.uint(name, uint64(row.Time(c).UnixMilli()))
			}
		}
		for name := range addresses {
			c, err := s.FindIP(name)
			if err != nil {
				return nil, err
			}
			m.address(name, row.IP(c))
		}
		all, at = append(all, m), next
	}
	return all, nil
}
