package datagram

import (
	"fmt"
	"net/netip"

	"github.com/netsampler/goflow2/v2/decoders/sflow"
	protoproducer "github.com/netsampler/goflow2/v2/producer/proto"
)

// samples encodes the samples of an sFlow datagram. goflow2's producer reads their records, headers included, into one
// message that is used again.
func (u *unfused) samples(packet any) error {
	p, ok := packet.(*sflow.Packet)
	if !ok {
		return fmt.Errorf("a packet that is %T", packet)
	}
	u.values.Exporter, _ = netip.AddrFromSlice(p.AgentIP)
	m := &u.message
	for _, sample := range p.Samples {
		m.Reset()
		if err := protoproducer.SearchSFlowSampleConfig(m, sample, nil); err != nil {
			return err
		}
		u.values.Rate = float64(m.SamplingRate)
		u.begin()
		for _, field := range [...]struct {
			element uint16
			v       uint64
		}{
			{10, uint64(m.InIf)}, {14, uint64(m.OutIf)}, {2, m.Packets}, {352, m.Bytes}, {256, uint64(m.Etype)}, {4, uint64(m.Proto)},
			{7, uint64(m.SrcPort)}, {11, uint64(m.DstPort)}, {6, uint64(m.TcpFlags)}, {5, uint64(m.IpTos)}, {192, uint64(m.IpTtl)},
			{176, uint64(m.IcmpType)}, {177, uint64(m.IcmpCode)}, {31, uint64(m.Ipv6FlowLabel)}, {56, m.SrcMac}, {80, m.DstMac},
			{58, uint64(m.SrcVlan)}, {59, uint64(m.DstVlan)}, {16, uint64(m.SrcAs)}, {17, uint64(m.DstAs)},
			{9, uint64(m.SrcNet)}, {13, uint64(m.DstNet)},
		} {
			u.number(field.element, field.v)
		}
		for _, field := range [...]struct {
			element uint16
			b       []byte
		}{{8, m.SrcAddr}, {12, m.DstAddr}, {15, m.NextHop}} {
			a, _ := netip.AddrFromSlice(field.b)
			u.address(field.element, a)
		}
		u.end()
	}
	return nil
}
