package sflow

// portKind is what the interface of a sample is.
type portKind uint8

const (
	onePort   portKind = iota // also an unknown one: interface 0
	ownPort                   // the device itself is the source or the target
	noPort                    // discarded
	manyPorts                 // to several interfaces
)

// The compact format has the kind in two bits, and a number for no interface.
const (
	compactBits = 30
	compactMask = 1<<compactBits - 1
	ownCompact  = compactMask
	ownExpanded = 1<<32 - 1 // some agents use the compact number there, too
)

// input takes the input interface in the expanded form. Only single interfaces exist there.
func (r *record) input(format, value uint32) {
	switch {
	case format != 0:
	case value == ownCompact || value == ownExpanded:
		r.bytes[atInputKind] = byte(ownPort)
	default:
		r.put(atInput, value)
	}
}

// output takes the output interface in the expanded form. Only single interfaces have an index. A packet that was
// discarded has the reason in its forwarding status.
func (r *record) output(format, value uint32) {
	switch {
	case format == 0 && (value == ownCompact || value == ownExpanded):
		r.bytes[atOutputKind] = byte(ownPort)
	case format == 0:
		r.put(atOutput, value)
	case format == 1:
		r.bytes[atOutputKind] = byte(noPort)
		r.discard(value)
	case format == 2:
		r.bytes[atOutputKind] = byte(manyPorts)
	}
}

// discardSource marks a source's count of discarded packets that the agent could not report: it is apart from that of
// its samples.
const discardSource = 1 << 63

// The values of element 89 (RFC 7270) for packets that were dropped.
const (
	droppedUnknown     = 128
	droppedACL         = 129
	droppedUnroutable  = 131
	droppedAdjacency   = 132
	droppedNeedsPieces = 133
	droppedTTL         = 137
	droppedPolicer     = 138
	droppedRED         = 139
	droppedRPF         = 140
)

// dropped is the forwarding status for a reason of sFlow: up to 255 a code of ICMP's destination unreachable, above
// a reason of sFlow's own. RFC 7270 has no code for most of those.
func dropped(reason uint32) byte {
	switch reason {
	case 0, 6, 7, 11, 12, 281: // network or host: unreachable, unknown, or not for this type of service; not routable
		return droppedUnroutable
	case 1, 279: // host unreachable; neighbour unresolved
		return droppedAdjacency
	case 9, 10, 13, 258: // prohibited; by an access list
		return droppedACL
	case 4, 262: // needs fragments; too big
		return droppedNeedsPieces
	case 257:
		return droppedTTL
	case 260:
		return droppedRED
	case 261: // traffic shaping
		return droppedPolicer
	case 280, 302, 335: // reverse path: of multicast, unicast, either
		return droppedRPF
	}
	return droppedUnknown
}
