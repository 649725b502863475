package generate

import (
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// Ring returns prepared datagrams, over and over, fast enough that the sender is not the limit. Only what
// distinguishes one round from another is written again: sequence numbers and times of export. Flows keep the
// times with which they were generated, and sFlow samples their numbers. One goroutine may use a ring.
type Ring struct {
	account
	made      []made
	sequences []uint32 // of each exporter
	at        int
}

type made struct {
	flow.Datagram
	exporter int
	step     uint32 // of the sequence number
	uptime   uint32
	sums     Sums
}

// NewRing takes the first n datagrams of a generator. They include the templates of all exporters that send any.
// Do not use the generator after that.
func NewRing(g *Generator, n int) *Ring {
	r := &Ring{sequences: make([]uint32, len(g.senders))}
	r.exporters = g.Exporters()
	for i := range g.senders {
		r.exporters[i].Sums = Sums{}
		r.sequences[i] = g.senders[i].sequence
	}
	before := g.Exporters()
	for range n {
		d := g.Next()
		i := g.last
		d.Payload = append([]byte(nil), d.Payload...)
		s, now := &g.senders[i], g.exporters[i].Sums
		was := before[i].Sums
		before[i].Sums = now
		r.made = append(r.made, made{
			Datagram: d, exporter: i, uptime: s.uptime(d.Received),
			sums: Sums{1, now.Flows - was.Flows, now.Bytes - was.Bytes, now.Packets - was.Packets},
		})
	}
	// Sequence numbers count different things, and the next datagram of the exporter shows how much was counted.
	last := map[int]int{}
	for i := range r.made {
		m := &r.made[i]
		if before, ok := last[m.exporter]; ok {
			r.made[before].step = sequence(m.Payload) - sequence(r.made[before].Payload)
		}
		last[m.exporter] = i
	}
	for exporter, i := range last {
		r.made[i].step = g.senders[exporter].sequence - sequence(r.made[i].Payload)
	}
	return r
}

// Next returns the next datagram as it is sent now. Its payload is valid until the datagram comes round again.
func (r *Ring) Next(now time.Time) flow.Datagram {
	m := &r.made[r.at]
	if r.at++; r.at == len(r.made) {
		r.at = 0
	}
	b := m.Payload
	seconds, uptime := uint32(now.Unix()), m.uptime+uint32(now.Sub(m.Received).Milliseconds())
	switch b[1] {
	case 5:
		big.PutUint32(b[4:], uptime)
		big.PutUint32(b[8:], seconds)
		big.PutUint32(b[12:], uint32(now.Nanosecond()))
	case 9:
		big.PutUint32(b[4:], uptime)
		big.PutUint32(b[8:], seconds)
	case 10:
		big.PutUint32(b[4:], seconds)
	default:
		big.PutUint32(b[20:], uptime)
	}
	big.PutUint32(b[sequenceAt(b):], r.sequences[m.exporter])
	r.sequences[m.exporter] += m.step
	r.exporters[m.exporter].add(m.sums)
	d := m.Datagram
	d.Received = now
	return d
}

// sequenceAt is where a generated datagram has its sequence number.
func sequenceAt(b []byte) int {
	switch b[1] {
	case 9:
		return 12
	case 10:
		return 8
	}
	return 16
}

func sequence(b []byte) uint32 { return big.Uint32(b[sequenceAt(b):]) }
