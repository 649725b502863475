package layout

import (
	"math"
	"math/bits"
	"net/netip"
	"time"

	"github.com/hotpb/hotpb/go/schema"
)

// Values are the collector's own values for the flows of a datagram.
type Values struct {
	Protocol  uint8   // flow.Protocol
	Sequence  uint32  // of the datagram
	Rate      float64 // sampling rate: one packet of so many was sampled; 0 if it is unknown
	Rated     bool    // the rate is known, but the record itself has it
	EtherType uint16  // that the addresses imply; 0 if nothing implies it
	Tunnelled bool    // there is an inner packet, whose addresses imply InnerEtherType
	Octets    uint64  // of the flow, for columns that are multiplied by the rate
	Packets   uint64
	Exporter  netip.Addr
	Sender    netip.Addr
	Received  time.Time

	InnerEtherType uint16
}

// Begin clears the record and sets the constants of the file and the collector's own columns.
func (l *Layout) Begin(r *schema.Record, v *Values) {
	r.Reset()
	l.File.SetConstants(r)
	m := &l.Meta
	for _, c := range m.Received {
		r.Time(c, v.Received)
	}
	for _, c := range m.Exporter {
		r.IP(c, v.Exporter)
	}
	for _, c := range m.Sender {
		r.IP(c, v.Sender)
	}
	for _, c := range m.FlowType {
		r.Uint(c, uint64(v.Protocol))
	}
	for _, c := range m.FlowTypeEnum {
		r.Enum(c, int32(v.Protocol))
	}
	for _, c := range m.Sequence {
		r.Uint(c, uint64(v.Sequence))
	}
	if v.EtherType|v.InnerEtherType != 0 {
		for i := range m.EtherType {
			if kind := m.EtherType[i].value(v); kind != 0 {
				r.Uint(m.EtherType[i].Column, uint64(kind))
			}
		}
	}
	if v.Rate > 0 || v.Rated {
		for _, c := range m.SamplingKnown {
			r.Bool(c, true)
		}
	}
	if v.Rate == 0 {
		return
	}
	for _, c := range m.SamplingRate {
		r.Uint(c, uint64(math.Round(v.Rate)))
	}
	for _, c := range m.ScaledOctets {
		r.Uint(c, Scale(v.Octets, v.Rate))
	}
	for _, c := range m.ScaledPackets {
		r.Uint(c, Scale(v.Packets, v.Rate))
	}
}

// Scale multiplies a count by a sampling rate, rounded to the nearest integer. A product above 64 bits is the largest
// number.
func Scale(n uint64, rate float64) uint64 {
	if whole := uint64(rate); float64(whole) == rate {
		if high, low := bits.Mul64(n, whole); high == 0 {
			return low
		}
		return math.MaxUint64
	}
	if scaled := math.Round(float64(n) * rate); scaled < math.MaxUint64 {
		return uint64(scaled)
	}
	return math.MaxUint64
}
