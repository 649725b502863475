// Package sequence finds by the sequence numbers of datagrams what was lost on their way, and by the totals of sFlow's agents
// what these had no resources for.
package sequence

import (
	"slices"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// Ports follow the sequence numbers of an observation domain, which each port of its exporter counts apart.
type Ports struct {
	all  map[uint16]*sequence
	last *sequence // of port
	port uint16
}

// mostPorts is how many ports of a domain are followed.
const mostPorts = 8

// Number is what the header of a datagram has about its place among others.
type Number struct {
	Protocol flow.Protocol
	Value    uint32
	Uptime   uint32 // of the exporter in milliseconds, if the protocol has it
	Export   int64  // in seconds since 1970
}

// Count counts what the sequence numbers of a protocol count, in one datagram.
type Count struct {
	All     uint32
	Options uint32 // the options records among them
	Known   bool   // false if there were sets whose template is unknown
}

// Step is what the sequence number of a datagram shows.
type Step struct {
	Lost, Found uint64 // is missing before it; was counted as lost, and has come late
	Repeated    bool   // has come before
	Restarted   bool   // the numbers have begun again
	Late        bool   // a later one has come before
}

// Totals are the steps of all datagrams of an exporter.
type Totals struct {
	Lost     uint64 // without what has come late
	Found    uint64 // that was lost, and has come late
	Repeated uint64
	Restarts uint64
}

// Add counts a step.
func (t *Totals) Add(x Step) {
	t.Lost += x.Lost - x.Found
	t.Found += x.Found
	if x.Repeated {
		t.Repeated++
	}
	if x.Restarted {
		t.Restarts++
	}
}

// Follow processes the sequence number of a datagram that has come from a port.
func (p *Ports) Follow(port uint16, now time.Time, n Number, has Count) Step {
	if p.last == nil || p.port != port {
		s := p.all[port]
		if s == nil {
			if len(p.all) >= mostPorts {
				p.forget()
			}
			if p.all == nil {
				p.all = map[uint16]*sequence{}
			}
			s = &sequence{}
			p.all[port] = s
		}
		p.last, p.port = s, port
	}
	p.last.seen = now
	x := p.last.see(n, has)
	x.Late = p.last.last != n.Value
	return x
}

// forget makes room for another port: it drops the one that has been silent for longest.
func (p *Ports) forget() {
	var oldest uint16
	var since time.Time
	for port, s := range p.all {
		if since.IsZero() || s.seen.Before(since) {
			oldest, since = port, s.seen
		}
	}
	delete(p.all, oldest)
}

// sequence follows the numbers of one port. The protocol determines what they count: NetFlow v5 flows, v9
// and sFlow datagrams, IPFIX records.
type sequence struct {
	seen    time.Time // when the last datagram came
	last    uint32    // its number
	had     Count     // the content of the last datagram
	started bool
	uptime  uint32           // of the exporter, if the protocol has it
	export  int64            // of the last datagram, in seconds since 1970
	gaps    [mostGaps]span   // what is missing and may come late; the newest first
	recent  [mostRecent]span // the last datagrams: their numbers, and how many follow
	turn    uint8            // where the next one goes
	proof   int8             // above 0 that a number is that of the datagram's first record, below 0 that it is the one after its last
}

// span are numbers that follow each other.
type span struct{ from, n uint32 }

// Beyond these limits, an unexpected number means that the exporter has restarted, rather than that something was
// lost or has come late.
const (
	longestGap = 1 << 24
	latest     = 1 << 12
	backInTime = 10_000 // milliseconds of uptime: datagrams may arrive in another order than they were sent
)

const (
	mostGaps   = 8
	mostRecent = 8
	mostProof  = 3 // so that some datagrams can refute it
)

// see processes the sequence number of a datagram. A datagram that comes late was counted as lost before, and one that comes
// twice was not.
func (s *sequence) see(m Number, has Count) (x Step) {
	follows := s.started && s.had.Known && s.follows(m.Value-s.last, has)
	first, expected, known := m.Value, s.last+s.had.All, s.had.Known
	if s.proof < 0 {
		first, expected, known = m.Value-has.All, s.last, has.Known
	}
	gap := int32(first - expected)
	switch {
	case !s.started || !known || follows || gap == 0:
	case s.restarted(m, gap):
		x.Restarted = true
		s.gaps = [mostGaps]span{}
	case gap > 0:
		x.Lost = uint64(gap)
		s.add(span{expected, uint32(gap)})
	default:
		if has.Known {
			x.Found = s.take(span{first, has.All})
			x.Repeated = has.All > 0 && s.came(span{m.Value, has.All})
		}
		return x
	}
	s.came(span{m.Value, has.All})
	s.last, s.had, s.started, s.uptime, s.export = m.Value, has, true, m.Uptime, m.Export
	return x
}

// came reports whether one of the last datagrams had the same number and as many records, and else notes this one.
func (s *sequence) came(d span) bool {
	if slices.Contains(s.recent[:], d) {
		return true
	}
	s.recent[s.turn%mostRecent] = d
	s.turn++
	return false
}

// restarted reports whether a number is that of an exporter that has restarted. One of IPFIX does not say how long it has
// been running; but only after a restart a datagram that was exported later has a lower number.
func (s *sequence) restarted(m Number, gap int32) bool {
	return uint64(m.Uptime)+backInTime < uint64(s.uptime) || gap > longestGap || gap < -latest ||
		m.Protocol == flow.IPFIX && gap < 0 && m.Export > s.export
}

// follows reports whether a step is one without a gap: the number of records in the last datagram, or what exporters send
// that deviate from RFC 7011. Some do not number options records. Some, such as softflowd, number the records up to the
// datagram's end. A lost datagram may look like one or the other by chance, so each counts only for exporters that are not
// known to do otherwise.
func (s *sequence) follows(step uint32, has Count) bool {
	before := step == s.had.All || step == s.had.All-s.had.Options
	after := has.Known && (step == has.All || step == has.All-has.Options)
	switch {
	case before && !after && has.Known:
		s.proof = min(s.proof+1, mostProof)
		return s.proof >= 0
	case after && !before:
		s.proof = max(s.proof-1, -mostProof)
		return s.proof <= 0
	}
	return before
}

// add adds a gap. The oldest one makes room: what comes late for it stays lost.
func (s *sequence) add(gap span) {
	copy(s.gaps[1:], s.gaps[:])
	s.gaps[0] = gap
}

// take takes numbers out of the gaps, and returns how many were there.
func (s *sequence) take(late span) uint64 {
	for i := range s.gaps {
		g := &s.gaps[i]
		from, to := int64(int32(late.from-g.from)), int64(int32(late.from-g.from))+int64(late.n)
		if from, to = max(from, 0), min(to, int64(g.n)); from >= to {
			continue
		}
		rest := span{g.from + uint32(to), g.n - uint32(to)}
		g.n = uint32(from)
		if rest.n > 0 && g.n > 0 {
			s.add(rest)
		} else if rest.n > 0 {
			*g = rest
		}
		return uint64(to - from)
	}
	return 0
}
