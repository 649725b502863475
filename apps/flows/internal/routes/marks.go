package routes

import (
	"encoding/binary"
	"math/bits"
	"net/netip"
	"sync/atomic"
)

// marks say where routes have changed, so that answers for the other addresses stay valid. Addresses that have their
// first 16 bits (IPv4) or 32 bits (IPv6) in common share a mark; for IPv6, so may others.
type marks struct {
	all    atomic.Uint64
	counts [families][1 << markBits]atomic.Uint32
}

const (
	markBits = 16
	longBits = 32 // bits of IPv6 addresses that share a mark
)

// version changes after a change of routes for the address.
func (m *marks) version(a netip.Addr) uint64 {
	f, place := mark(a)
	return m.all.Load()<<32 + uint64(m.counts[f][place].Load())
}

// mark returns the place of an address.
func mark(a netip.Addr) (Family, uint32) {
	if a.Is4() {
		b := a.As4()
		return IPv4, uint32(binary.BigEndian.Uint16(b[:]))
	}
	b := a.As16()
	return IPv6, spread(binary.BigEndian.Uint32(b[:]))
}

func spread(first uint32) uint32 { return bits.Reverse32(first) * 0x9e3779b1 >> (32 - markBits) }

// mostMarks is how many marks a prefix changes one by one.
const mostMarks = 1 << 10

// change marks all addresses of a prefix. The routes must have changed before.
func (m *marks) change(p netip.Prefix) {
	f, place := mark(p.Addr())
	whole := markBits
	if f == IPv6 {
		whole = longBits
	}
	missing := whole - p.Bits()
	switch {
	case missing <= 0:
		m.counts[f][place].Add(1)
	case 1<<min(missing, 30) > mostMarks:
		m.all.Add(1)
	case f == IPv4:
		for i := range uint32(1) << missing {
			m.counts[f][place+i].Add(1)
		}
	default:
		b := p.Addr().As16()
		first := binary.BigEndian.Uint32(b[:])
		for i := range uint32(1) << missing {
			m.counts[f][spread(first+i)].Add(1)
		}
	}
}
