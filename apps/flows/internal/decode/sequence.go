package decode

import (
	"slices"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// sequence follows the sequence numbers of a domain. The protocol determines what they count: NetFlow v5 flows, v9
// and sFlow datagrams, IPFIX records.
type sequence struct {
	seen    time.Time     // when the last datagram came
	last    uint32        // its number
	had     sequenceCount // the content of the last datagram
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

// sequenceCount counts what the sequence numbers of a protocol count, in one datagram.
type sequenceCount struct {
	all     uint32
	options uint32 // the options records among them
	known   bool   // false if there were sets whose template is unknown
}

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

// step is what the sequence number of a datagram shows.
type step struct {
	lost, found uint64 // is missing before it; was counted as lost, and has come late
	repeated    bool   // has come before
	restarted   bool   // the numbers have begun again
}

// see processes the sequence number of a datagram. A datagram that comes late was counted as lost before, and one that comes
// twice was not.
func (s *sequence) see(m *message, has sequenceCount) (x step) {
	follows := s.started && s.had.known && s.follows(m.sequence-s.last, has)
	first, expected, known := m.sequence, s.last+s.had.all, s.had.known
	if s.proof < 0 {
		first, expected, known = m.sequence-has.all, s.last, has.known
	}
	gap := int32(first - expected)
	switch {
	case !s.started || !known || follows || gap == 0:
	case s.restarted(m, gap):
		x.restarted = true
		s.gaps = [mostGaps]span{}
	case gap > 0:
		x.lost = uint64(gap)
		s.add(span{expected, uint32(gap)})
	default:
		if has.known {
			x.found = s.take(span{first, has.all})
			x.repeated = has.all > 0 && s.came(span{m.sequence, has.all})
		}
		return x
	}
	s.came(span{m.sequence, has.all})
	s.last, s.had, s.started, s.uptime, s.export = m.sequence, has, true, m.uptime, m.export.Unix()
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
func (s *sequence) restarted(m *message, gap int32) bool {
	return uint64(m.uptime)+backInTime < uint64(s.uptime) || gap > longestGap || gap < -latest ||
		m.protocol == flow.IPFIX && gap < 0 && m.export.Unix() > s.export
}

// follows reports whether a step is one without a gap: the number of records in the last datagram, or what exporters send
// that deviate from RFC 7011. Some do not number options records. Some, such as softflowd, number the records up to the
// datagram's end. A lost datagram may look like one or the other by chance, so each counts only for exporters that are not
// known to do otherwise.
func (s *sequence) follows(step uint32, has sequenceCount) bool {
	before := step == s.had.all || step == s.had.all-s.had.options
	after := has.known && (step == has.all || step == has.all-has.options)
	switch {
	case before && !after && has.known:
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
