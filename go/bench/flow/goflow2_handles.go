package flow

import (
	"net/netip"
	"time"

	"github.com/netsampler/goflow2/v2/decoders/netflow"

	"github.com/hotpb/hotpb/go/schema"
)

// setValue sets what goflow2 has decoded.
func (s *exportSchema) setValue(r *schema.Record, f *netflow.DataField, boot time.Time) {
	v, _ := f.Value.([]byte)
	switch f.Type {
	case 1:
		r.Uint(s.bytes, number(v))
	case 2:
		r.Uint(s.packets, number(v))
	case 4:
		r.Uint(s.proto, number(v))
	case 5:
		r.Uint(s.tos, number(v))
	case 6:
		r.Uint(s.tcpFlags, number(v))
	case 7:
		r.Uint(s.srcPort, number(v))
	case 8, 27:
		a, _ := netip.AddrFromSlice(v)
		r.IP(s.src, a)
	case 9:
		r.Uint(s.srcNet, number(v))
	case 10:
		r.Uint(s.inIf, number(v))
	case 11:
		r.Uint(s.dstPort, number(v))
	case 12, 28:
		a, _ := netip.AddrFromSlice(v)
		r.IP(s.dst, a)
	case 13:
		r.Uint(s.dstNet, number(v))
	case 14:
		r.Uint(s.outIf, number(v))
	case 15:
		a, _ := netip.AddrFromSlice(v)
		r.IP(s.nextHop, a)
	case 16:
		r.Uint(s.srcAS, number(v))
	case 17:
		r.Uint(s.dstAS, number(v))
	case 21:
		r.Time(s.end, boot.Add(time.Duration(number(v))*time.Millisecond))
	case 22:
		r.Time(s.start, boot.Add(time.Duration(number(v))*time.Millisecond))
	case 31:
		r.Uint(s.flowLabel, number(v))
	case 152:
		r.Time(s.start, time.UnixMilli(int64(number(v))))
	case 153:
		r.Time(s.end, time.UnixMilli(int64(number(v))))
	}
}
