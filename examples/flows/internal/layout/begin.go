package layout

import (
	"net/netip"
	"time"

	"github.com/hotpb/hotpb/go/schema"
)

// Values are the collector's own values for the flows of a datagram.
type Values struct {
	Protocol uint8  // flow.Protocol
	Sequence uint32 // of the datagram
	Rate     uint32 // sampling rate; 0 if it is unknown
	Exporter netip.Addr
	Sender   netip.Addr
	Received time.Time
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
	if v.Rate != 0 {
		for _, c := range m.SamplingRate {
			r.Uint(c, uint64(v.Rate))
		}
	}
}
