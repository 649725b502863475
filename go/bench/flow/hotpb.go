package flow

import (
	"github.com/hotpb/hotpb/go/schema"
)

// flowSchema is the schema of the messages, with handles for those that take part in the case.
type flowSchema struct {
	plan *schema.Plan

	timeReceived, samplingRate, inIf, outIf, bytes, packets, etype, proto, srcPort, dstPort, tcpFlags schema.UintColumn
	srcAS, dstAS, srcNetMask, dstNetMask, srcVlan, dstVlan, srcMAC, dstMAC, ipTos, ipTTL, flowLabel   schema.UintColumn
	forwardingStatus, inIfSpeed                                                                       schema.UintColumn
	exporterAddress, srcAddr, dstAddr, nextHop                                                        schema.IPColumn
	exporterName, inIfName, outIfName, srcCountry                                                     schema.StringColumn
	inIfBoundary                                                                                      schema.EnumColumn
}

func newFlowSchema(fields int) *flowSchema {
	s := schema.New("Flow", schema.Package("hotpb.bench"))
	f := &flowSchema{
		timeReceived: s.Uint64("time_received", 1), samplingRate: s.Uint64("sampling_rate", 2),
		exporterAddress: s.IP("exporter_address", 3), inIf: s.Uint32("in_if", 4), outIf: s.Uint32("out_if", 5),
		srcAddr: s.IP("src_addr", 6), dstAddr: s.IP("dst_addr", 7), bytes: s.Uint64("bytes", 8), packets: s.Uint64("packets", 9),
		etype: s.Uint32("etype", 10), proto: s.Uint32("proto", 11), srcPort: s.Uint32("src_port", 12), dstPort: s.Uint32("dst_port", 13),
		tcpFlags: s.Uint32("tcp_flags", 14),
	}
	if fields == 33 {
		f.srcAS, f.dstAS = s.Uint32("src_as", 15), s.Uint32("dst_as", 16)
		f.srcNetMask, f.dstNetMask = s.Uint32("src_net_mask", 17), s.Uint32("dst_net_mask", 18)
		f.srcVlan, f.dstVlan = s.Uint32("src_vlan", 19), s.Uint32("dst_vlan", 20)
		f.srcMAC, f.dstMAC = s.Uint64("src_mac", 21), s.Uint64("dst_mac", 22)
		f.nextHop, f.ipTos, f.ipTTL = s.IP("next_hop", 23), s.Uint32("ip_tos", 24), s.Uint32("ip_ttl", 25)
		f.flowLabel, f.forwardingStatus = s.Uint32("ipv6_flow_label", 26), s.Uint32("forwarding_status", 27)
		f.exporterName, f.inIfName, f.outIfName = s.String("exporter_name", 28), s.String("in_if_name", 29), s.String("out_if_name", 30)
		f.inIfSpeed, f.srcCountry = s.Uint32("in_if_speed", 31), s.String("src_country", 32)
		boundary := s.NewEnum("Boundary", schema.EnumValue{Name: "UNDEFINED"}, schema.EnumValue{Name: "EXTERNAL", Number: 1},
			schema.EnumValue{Name: "INTERNAL", Number: 2})
		f.inIfBoundary = s.Enum("in_if_boundary", 33, boundary)
	}
	plan, err := s.Compile()
	if err != nil {
		panic(err)
	}
	f.plan = plan
	return f
}

// set fills in a record by handles.
func (s *flowSchema) set(r *schema.Record, i, fields int) {
	f := &flows[i]
	s.small(r, &f.Flow14)
	if fields == 33 {
		s.large(r, f)
	}
}

func (s *flowSchema) small(r *schema.Record, f *Flow14) {
	r.Uint(s.timeReceived, f.TimeReceived)
	r.Uint(s.samplingRate, f.SamplingRate)
	r.IP(s.exporterAddress, f.ExporterAddress)
	r.Uint(s.inIf, uint64(f.InIf))
	r.Uint(s.outIf, uint64(f.OutIf))
	r.IP(s.srcAddr, f.SrcAddr)
	r.IP(s.dstAddr, f.DstAddr)
	r.Uint(s.bytes, f.Bytes)
	r.Uint(s.packets, f.Packets)
	r.Uint(s.etype, uint64(f.Etype))
	r.Uint(s.proto, uint64(f.Proto))
	r.Uint(s.srcPort, uint64(f.SrcPort))
	r.Uint(s.dstPort, uint64(f.DstPort))
	r.Uint(s.tcpFlags, uint64(f.TCPFlags))
}

func (s *flowSchema) large(r *schema.Record, f *Flow33) {
	r.Uint(s.srcAS, uint64(f.SrcAS))
	r.Uint(s.dstAS, uint64(f.DstAS))
	r.Uint(s.srcNetMask, uint64(f.SrcNetMask))
	r.Uint(s.dstNetMask, uint64(f.DstNetMask))
	r.Uint(s.srcVlan, uint64(f.SrcVlan))
	r.Uint(s.dstVlan, uint64(f.DstVlan))
	r.Uint(s.srcMAC, f.SrcMAC)
	r.Uint(s.dstMAC, f.DstMAC)
	r.IP(s.nextHop, f.NextHop)
	r.Uint(s.ipTos, uint64(f.IPTos))
	r.Uint(s.ipTTL, uint64(f.IPTTL))
	r.Uint(s.flowLabel, uint64(f.IPv6FlowLabel))
	r.Uint(s.forwardingStatus, uint64(f.ForwardingStatus))
	r.String(s.exporterName, f.ExporterName)
	r.String(s.inIfName, f.InIfName)
	r.String(s.outIfName, f.OutIfName)
	r.Uint(s.inIfSpeed, uint64(f.InIfSpeed))
	r.String(s.srcCountry, f.SrcCountry)
	r.Enum(s.inIfBoundary, f.InIfBoundary)
}

func newHotpb(fields int) rival {
	s := newFlowSchema(fields)
	r := s.plan.NewRecord()
	return rival{func(i int) ([]byte, error) {
		r.Reset()
		s.set(r, i, fields)
		return r.Encoded(), r.Err()
	}, "handles; one record"}
}

func newHotpbStruct(fields int) rival {
	buffer := make([]byte, 0, 1024)
	note := "bound struct; one buffer"
	if fields == 14 {
		b := bind[Flow14](fields)
		return rival{func(i int) (_ []byte, err error) {
			buffer, err = b.Append(buffer[:0], &flows[i].Flow14)
			return buffer, err
		}, note}
	}
	b := bind[Flow33](fields)
	return rival{func(i int) (_ []byte, err error) {
		buffer, err = b.Append(buffer[:0], &flows[i])
		return buffer, err
	}, note}
}

func bind[T any](fields int) *schema.Binding[T] {
	b, err := schema.Bind[T](newFlowSchema(fields).plan)
	if err != nil {
		panic(err)
	}
	return b
}

// slab takes a batch over and cuts the messages out of it.
func slab(b *schema.Batch, messages [][]byte) ([][]byte, int, error) {
	slab, spans := b.Take()
	for i, s := range spans {
		messages[i] = slab[s.Body:s.End]
	}
	return messages[:len(spans)], len(slab), nil
}

func newHotpbBatch(fields int) batcher {
	s := newFlowSchema(fields)
	b, messages := s.plan.NewBatch(), make([][]byte, count)
	return batcher{func() ([][]byte, int, error) {
		for i := range flows {
			s.set(b.Record(), i, fields)
			if err := b.Add(); err != nil {
				return nil, 0, err
			}
		}
		return slab(b, messages)
	}, "handles; one slab a batch"}
}

func newHotpbStructBatch(fields int) batcher {
	var add func(to *schema.Batch, i int) error
	var plan *schema.Plan
	if fields == 14 {
		b := bind[Flow14](fields)
		plan, add = b.Plan(), func(to *schema.Batch, i int) error { return b.AddTo(to, &flows[i].Flow14) }
	} else {
		b := bind[Flow33](fields)
		plan, add = b.Plan(), func(to *schema.Batch, i int) error { return b.AddTo(to, &flows[i]) }
	}
	b, messages := plan.NewBatch(), make([][]byte, count)
	return batcher{func() ([][]byte, int, error) {
		for i := range flows {
			if err := add(b, i); err != nil {
				return nil, 0, err
			}
		}
		return slab(b, messages)
	}, "bound struct; one slab a batch"}
}
