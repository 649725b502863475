package decode

// sequence follows the sequence numbers of a domain. What they number depends on the protocol: NetFlow v5 flows, v9
// and sFlow datagrams, IPFIX records.
type sequence struct {
	last    uint32 // datagram's number
	had     tally  // what was in it
	started bool
	uptime  uint32 // of the exporter, where the protocol tells
	lost    uint64
}

// tally is how much of what sequence numbers number is in a datagram.
type tally struct {
	all     uint32
	options uint32 // those of all that are options records
	known   bool   // not when there were sets whose template is not known
}

// Beyond these, a number that is not the next one says that the exporter has started anew rather than that something
// was lost, or has come late.
const (
	longestGap = 1 << 24
	latest     = 1 << 12
	backInTime = 10_000 // milliseconds of uptime: datagrams may come in another order than they were sent
)

// see takes the sequence number of a datagram and tells how much is missing before it. A datagram that comes late was
// counted as lost before: found takes that back.
func (s *sequence) see(m *message, has tally) (lost, found uint64, restarted bool) {
	younger := uint64(m.uptime)+backInTime < uint64(s.uptime)
	gap := int32(m.sequence - s.last - s.had.all)
	switch {
	case !s.started || !s.had.known || gap == 0 || s.follows(m.sequence-s.last, has):
	case younger || gap > longestGap || gap < -latest:
		restarted = true
	case gap > 0:
		lost = uint64(gap)
		s.lost += lost
	default:
		if has.known {
			found = min(uint64(has.all), s.lost)
			s.lost -= found
		}
		return lost, found, restarted
	}
	s.last, s.had, s.started, s.uptime = m.sequence, has, true, m.uptime
	return lost, found, restarted
}

// follows tells whether a step is what exporters make of RFC 7011 that number the records up to the datagram's end, as
// softflowd does, or do not number options records.
func (s *sequence) follows(step uint32, has tally) bool {
	return step == s.had.all-s.had.options || has.known && (step == has.all || step == has.all-has.options)
}
