package ops

import (
	"sync"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// kept is for how many seconds the page shows the past.
const kept = 60

// point is the state of the counters at one time.
type point struct {
	at               time.Time
	datagrams, flows uint64
	bytes            uint64 // of datagrams
	delivered        uint64
	dropped          [count.Reasons]uint64
	evicted          [count.Resources]uint64 // exporters with flows
	sampled          seen                    // since the start
}

func (p *point) lost() (n uint64) {
	for r := count.QueueFull; r < count.Reasons; r++ {
		n += p.dropped[r]
	}
	return n
}

// history has a point for each of the last seconds.
type history struct {
	mu     sync.Mutex
	points []point // the newest last; kept+1 at most

	// The period since the output last acknowledged a flow in which there were flows for it: waiting or lost ones.
	busySince, busyUntil time.Time
}

func read(c *count.Counters, now time.Time) point {
	p := point{at: now, delivered: c.Delivered.Load()}
	for protocol := range flow.Protocols {
		p.datagrams += c.Datagrams[protocol].Load()
		p.bytes += c.Bytes[protocol].Load()
		p.flows += c.Flows[protocol].Load()
	}
	for r := range count.Reasons {
		p.dropped[r] = c.Dropped(r)
	}
	for short := range count.Resources {
		for rank := count.Recent; rank < count.Ranks; rank++ {
			p.evicted[short] += c.Evictions[rank][short].Exporters.Load()
		}
	}
	return p
}

// add adds a point, and returns how many flows came since the last one, and in how many seconds.
func (h *history) add(p point) (flows, seconds float64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	last := p
	if n := len(h.points); n > 0 {
		last = h.points[n-1]
	}
	switch busy := p.flows > last.flows || p.flows > p.delivered+p.lost(); {
	case p.delivered != last.delivered:
		h.busySince, h.busyUntil = time.Time{}, time.Time{}
	case busy && h.busySince.IsZero():
		h.busySince, h.busyUntil = last.at, p.at
	case busy:
		h.busyUntil = p.at
	}
	if h.points = append(h.points, p); len(h.points) > kept+1 {
		h.points = append(h.points[:0], h.points[1:]...)
	}
	return float64(p.flows - last.flows), p.at.Sub(last.at).Seconds()
}

// stuck returns for how long there were flows of which none was acknowledged.
func (h *history) stuck() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.busyUntil.Sub(h.busySince)
}

// Rates are per second.
type Rates struct {
	Datagrams float64 `json:"datagrams"`
	Flows     float64 `json:"flows"`
	Received  float64 `json:"receivedBytes"` // of datagrams
	Delivered float64 `json:"delivered"`     // flows acknowledged
	Bytes     float64 `json:"wireBytes"`     // of the traffic: times the sampling rate, extrapolated
	Packets   float64 `json:"wirePackets"`
}

// between returns the rates from one point to another.
func between(a, b *point) (r Rates) {
	seconds := b.at.Sub(a.at).Seconds()
	if seconds <= 0 {
		return r
	}
	flows := float64(b.flows - a.flows)
	r = Rates{
		Datagrams: float64(b.datagrams-a.datagrams) / seconds,
		Flows:     flows / seconds,
		Received:  float64(b.bytes-a.bytes) / seconds,
		Delivered: float64(b.delivered-a.delivered) / seconds,
	}
	if sampled := b.sampled.flows - a.sampled.flows; sampled > 0 {
		// Flows are encoded first and sampled a chunk later: if more were sampled, some are from the second before.
		scale := max(1, flows/sampled) / seconds
		r.Bytes = scale * (b.sampled.bytes - a.sampled.bytes)
		r.Packets = scale * (b.sampled.packets - a.sampled.packets)
	}
	return r
}

// recent returns the rates of the last seconds, those of each second of the past, and the first and last point.
func (h *history) recent(window int) (now Rates, past []Rates, first, last point) {
	h.mu.Lock()
	defer h.mu.Unlock()
	past = make([]Rates, 0, kept)
	n := len(h.points)
	if n == 0 {
		return now, past, first, last
	}
	for i := 1; i < n; i++ {
		past = append(past, between(&h.points[i-1], &h.points[i]))
	}
	return between(&h.points[max(0, n-1-window)], &h.points[n-1]), past, h.points[0], h.points[n-1]
}
