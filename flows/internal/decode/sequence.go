package decode

// sequence follows the sequence numbers of a domain. The protocol determines what they count: NetFlow v5 flows, v9
// and sFlow datagrams, IPFIX records.
type sequence struct {
	last    uint32        // datagram's number
	had     sequenceCount // the content of the last datagram
	started bool
	uptime  uint32 // of the exporter, if the protocol has it
	lost    uint64
}

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

// see processes the sequence number of a datagram and returns how much is missing before it. A datagram that comes
// late was counted as lost before. found corrects that.
func (s *sequence) see(m *message, has sequenceCount) (lost, found uint64, restarted bool) {
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

// follows reports whether a step is what exporters send that deviate from RFC 7011: some, such as softflowd,
// number the records up to the datagram's end, and some do not number options records.
func (s *sequence) follows(step uint32, has sequenceCount) bool {
	return step == s.had.all-s.had.options || has.known && (step == has.all || step == has.all-has.options)
}
