package datagram

import (
	"net/netip"
	"time"

	"github.com/netsampler/goflow2/v2/decoders/netflow"
	"github.com/netsampler/goflow2/v2/decoders/netflowlegacy"
	protoproducer "github.com/netsampler/goflow2/v2/producer/proto"

	"github.com/hotpb/hotpb/go/schema"
)

// setElement sets one field of a record of NetFlow v9 or IPFIX. The inputs have no column twice.
func (h *handles) setElement(r *schema.Record, f *netflow.DataField, boot time.Time) {
	v, _ := f.Value.([]byte)
	switch f.Type {
	case 1, 85, 23, 352, 231:
		r.Uint(h.bytes, number(v))
	case 2, 86, 24, 298:
		r.Uint(h.packets, number(v))
	case 4:
		r.Uint(h.proto, number(v))
	case 5:
		r.Uint(h.tos, number(v))
	case 6:
		r.Uint(h.tcpFlags, number(v))
	case 7, 180, 182:
		r.Uint(h.srcPort, number(v))
	case 8, 27:
		r.IP(h.src, address(v))
	case 9, 29:
		r.Uint(h.srcMask, number(v))
	case 10:
		r.Uint(h.inIf, number(v))
	case 11, 181, 183:
		r.Uint(h.dstPort, number(v))
	case 12, 28:
		r.IP(h.dst, address(v))
	case 13, 30:
		r.Uint(h.dstMask, number(v))
	case 14:
		r.Uint(h.outIf, number(v))
	case 15, 62:
		r.IP(h.nextHop, address(v))
	case 16:
		r.Uint(h.srcAS, number(v))
	case 17:
		r.Uint(h.dstAS, number(v))
	case 21:
		r.Time(h.end, boot.Add(time.Duration(number(v))*time.Millisecond))
	case 22:
		r.Time(h.start, boot.Add(time.Duration(number(v))*time.Millisecond))
	case 31:
		r.Uint(h.flowLabel, number(v))
	case 56:
		r.MAC(h.srcMAC, number(v))
	case 58, 243:
		r.Uint(h.srcVLAN, number(v))
	case 59, 254:
		r.Uint(h.dstVLAN, number(v))
	case 80:
		r.MAC(h.dstMAC, number(v))
	case 89:
		r.Uint(h.forwarding, number(v))
	case 150:
		r.Time(h.start, time.Unix(int64(number(v)), 0))
	case 151:
		r.Time(h.end, time.Unix(int64(number(v)), 0))
	case 152:
		r.Time(h.start, time.UnixMilli(int64(number(v))))
	case 153:
		r.Time(h.end, time.UnixMilli(int64(number(v))))
	case 176, 178:
		r.Uint(h.icmpType, number(v))
	case 177, 179:
		r.Uint(h.icmpCode, number(v))
	case 192:
		r.Uint(h.ttl, number(v))
	case 256:
		r.Uint(h.etype, number(v))
	}
}

func address(b []byte) netip.Addr {
	a, _ := netip.AddrFromSlice(b)
	return a
}

func ipv4(v uint32) netip.Addr {
	return netip.AddrFrom4([4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)})
}

// setLegacy sets a record of NetFlow v5.
func (h *handles) setLegacy(r *schema.Record, f *netflowlegacy.RecordsNetFlowV5, export time.Time, uptime uint32) {
	r.Time(h.start, export.Add(-time.Duration(uptime-f.First)*time.Millisecond))
	r.Time(h.end, export.Add(-time.Duration(uptime-f.Last)*time.Millisecond))
	r.Uint(h.bytes, uint64(f.DOctets))
	r.Uint(h.packets, uint64(f.DPkts))
	r.IP(h.src, ipv4(uint32(f.SrcAddr)))
	r.IP(h.dst, ipv4(uint32(f.DstAddr)))
	r.IP(h.nextHop, ipv4(uint32(f.NextHop)))
	r.Uint(h.inIf, uint64(f.Input))
	r.Uint(h.outIf, uint64(f.Output))
	r.Uint(h.srcAS, uint64(f.SrcAS))
	r.Uint(h.dstAS, uint64(f.DstAS))
	r.Uint(h.proto, uint64(f.Proto))
	r.Uint(h.srcPort, uint64(f.SrcPort))
	r.Uint(h.dstPort, uint64(f.DstPort))
	r.Uint(h.tcpFlags, uint64(f.TCPFlags))
	r.Uint(h.tos, uint64(f.Tos))
	r.Uint(h.srcMask, uint64(f.SrcMask))
	r.Uint(h.dstMask, uint64(f.DstMask))
}

// setSample sets what goflow2's producer has found in a sample of sFlow.
func (h *handles) setSample(r *schema.Record, m *protoproducer.ProtoProducerMessage) {
	r.Uint(h.bytes, m.Bytes)
	r.Uint(h.packets, m.Packets)
	r.IP(h.src, address(m.SrcAddr))
	r.IP(h.dst, address(m.DstAddr))
	r.IP(h.nextHop, address(m.NextHop))
	r.Uint(h.inIf, uint64(m.InIf))
	r.Uint(h.outIf, uint64(m.OutIf))
	r.Uint(h.srcAS, uint64(m.SrcAs))
	r.Uint(h.dstAS, uint64(m.DstAs))
	r.Uint(h.etype, uint64(m.Etype))
	r.Uint(h.proto, uint64(m.Proto))
	r.Uint(h.srcPort, uint64(m.SrcPort))
	r.Uint(h.dstPort, uint64(m.DstPort))
	r.Uint(h.tcpFlags, uint64(m.TcpFlags))
	r.Uint(h.tos, uint64(m.IpTos))
	r.Uint(h.ttl, uint64(m.IpTtl))
	r.Uint(h.icmpType, uint64(m.IcmpType))
	r.Uint(h.icmpCode, uint64(m.IcmpCode))
	r.Uint(h.flowLabel, uint64(m.Ipv6FlowLabel))
	r.Uint(h.srcMask, uint64(m.SrcNet))
	r.Uint(h.dstMask, uint64(m.DstNet))
	r.MAC(h.srcMAC, m.SrcMac)
	r.MAC(h.dstMAC, m.DstMac)
	r.Uint(h.srcVLAN, uint64(m.SrcVlan))
	r.Uint(h.dstVLAN, uint64(m.DstVlan))
}
