package datagram

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/netsampler/goflow2/v2/decoders/netflow"
	"github.com/netsampler/goflow2/v2/decoders/netflowlegacy"
	"github.com/netsampler/goflow2/v2/decoders/sflow"
	protoproducer "github.com/netsampler/goflow2/v2/producer/proto"

	"github.com/hotpb/hotpb/examples/flows/internal/flow"
	"github.com/hotpb/hotpb/examples/flows/internal/layout"
	"github.com/hotpb/hotpb/examples/flows/internal/truth"
	"github.com/hotpb/hotpb/go/schema"
)

// unfused is goflow2's decoders with the schema's handles: what a collector would be that keeps goflow2 for the wire
// and writes its flows by a schema. Of sFlow, goflow2's producer parses the sampled headers.
type unfused struct {
	*truth.Decoder
	layout *layout.Layout
	record *schema.Record
	h      *handles
	rate   uint32    // of options records
	boot   time.Time // of options records, where headers do not say when the exporter was started
	values layout.Values
	sample protoproducer.ProtoProducerMessage
	out    []byte
}

func newHandles(in *input) (converter, error) {
	l, err := loadLayout()
	if err != nil {
		return converter{}, err
	}
	h, err := findHandles(l)
	if err != nil {
		return converter{}, err
	}
	u := &unfused{Decoder: truth.NewDecoder(), layout: l, record: l.Plan.NewRecord(), h: h}
	for i := range in.templates {
		if err := u.convert(&in.templates[i]); err != nil {
			return converter{}, err
		}
	}
	return converter{
		convert:  func() ([]byte, error) { err := u.convert(&in.data); return u.out, err },
		messages: func(b []byte) ([]message, error) { return ourMessages(l, b) },
		note:     "goflow2's decoder, values set by handles of flows.yaml; one record, one buffer",
	}, nil
}

func (u *unfused) convert(dg *flow.Datagram) error {
	packet, err := u.Decode(dg.Payload)
	if err != nil {
		return err
	}
	u.out = u.out[:0]
	u.values = layout.Values{
		Protocol: uint8(flow.Detect(dg.Payload)), Exporter: dg.From.Addr(), Sender: dg.From.Addr(),
		Received: dg.Received, Rate: u.rate,
	}
	switch p := packet.(type) {
	case *netflowlegacy.PacketNetFlowV5:
		u.values.Sequence, u.values.Rate = p.FlowSequence, uint32(p.SamplingInterval&0x3fff)
		export := time.Unix(int64(p.UnixSecs), int64(p.UnixNSecs))
		for i := range p.Records {
			u.begin()
			u.h.setLegacy(u.record, &p.Records[i], export, p.SysUptime)
			u.end()
		}
	case *netflow.NFv9Packet:
		u.values.Sequence = p.SequenceNumber
		u.sets(p.FlowSets, time.Unix(int64(p.UnixSeconds), 0).Add(-time.Duration(p.SystemUptime)*time.Millisecond))
	case *netflow.IPFIXPacket:
		u.values.Sequence = p.SequenceNumber
		u.sets(p.FlowSets, u.boot)
	case *sflow.Packet:
		u.values.Sequence = p.SequenceNumber
		u.values.Exporter, _ = netip.AddrFromSlice(p.AgentIP)
		return u.samples(p)
	}
	return u.record.Err()
}

func (u *unfused) begin() { u.layout.Begin(u.record, &u.values) }
func (u *unfused) end()   { u.out = u.record.AppendDelimited(u.out) }

func (u *unfused) sets(sets []any, boot time.Time) {
	for _, set := range sets {
		switch s := set.(type) {
		case netflow.DataFlowSet:
			for _, record := range s.Records {
				u.begin()
				for i := range record.Values {
					u.h.setElement(u.record, &record.Values[i], boot)
				}
				u.end()
			}
		case netflow.OptionsDataFlowSet:
			for _, record := range s.Records {
				for _, f := range record.OptionsValues {
					switch f.Type {
					case 34, 50, 305:
						u.rate = uint32(number(f.Value.([]byte)))
					case 160: // systemInitTimeMilliseconds
						u.boot = time.UnixMilli(int64(number(f.Value.([]byte))))
					}
				}
			}
		}
	}
}

func (u *unfused) samples(p *sflow.Packet) error {
	for _, sample := range p.Samples {
		switch sample.(type) {
		case sflow.FlowSample, sflow.ExpandedFlowSample:
			m := &u.sample
			m.Reset()
			if err := protoproducer.SearchSFlowSampleConfig(m, sample, nil); err != nil {
				return err
			}
			u.values.Rate = uint32(m.SamplingRate)
			u.begin()
			u.h.setSample(u.record, m)
			u.end()
		}
	}
	return u.record.Err()
}

// handles are those of the columns of flows.yaml that the exporters fill.
type handles struct {
	bytes, packets, inIf, outIf, srcAS, dstAS, etype, proto, srcPort, dstPort, tcpFlags, tos, ttl, icmpType, icmpCode,
	flowLabel, srcMask, dstMask, forwarding, srcVLAN, dstVLAN schema.UintColumn
	src, dst, nextHop schema.IPColumn
	srcMAC, dstMAC    schema.MACColumn
	start, end        schema.TimeColumn
}

func findHandles(l *layout.Layout) (*handles, error) {
	h, s := &handles{}, l.File.Schema
	var err error
	for name, c := range map[string]*schema.UintColumn{
		"bytes": &h.bytes, "packets": &h.packets, "in_if": &h.inIf, "out_if": &h.outIf, "src_as": &h.srcAS,
		"dst_as": &h.dstAS,
		"etype":  &h.etype, "proto": &h.proto, "src_port": &h.srcPort, "dst_port": &h.dstPort, "tcp_flags": &h.tcpFlags,
		"ip_tos": &h.tos, "ip_ttl": &h.ttl, "icmp_type": &h.icmpType, "icmp_code": &h.icmpCode,
		"ipv6_flow_label": &h.flowLabel,
		"src_net_mask":    &h.srcMask, "dst_net_mask": &h.dstMask, "forwarding_status": &h.forwarding, "src_vlan": &h.srcVLAN,
		"dst_vlan": &h.dstVLAN,
	} {
		if *c, err = s.FindUint(name); err != nil {
			return nil, err
		}
	}
	for name, c := range map[string]*schema.IPColumn{"src_addr": &h.src, "dst_addr": &h.dst, "next_hop": &h.nextHop} {
		if *c, err = s.FindIP(name); err != nil {
			return nil, err
		}
	}
	for name, c := range map[string]*schema.MACColumn{"src_mac": &h.srcMAC, "dst_mac": &h.dstMAC} {
		if *c, err = s.FindMAC(name); err != nil {
			return nil, err
		}
	}
	for name, c := range map[string]*schema.TimeColumn{"flow_start": &h.start, "flow_end": &h.end} {
		if *c, err = s.FindTime(name); err != nil {
			return nil, err
		}
	}
	return h, nil
}

func number(b []byte) (v uint64) {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.BigEndian.Uint16(b))
	case 4:
		return uint64(binary.BigEndian.Uint32(b))
	case 8:
		return binary.BigEndian.Uint64(b)
	}
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	return v
}
