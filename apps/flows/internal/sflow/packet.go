package sflow

import (
	"encoding/binary"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
)

// The protocols of a sampled header: EtherTypes and IP protocols that are parsed.
const (
	headerEthernet = 1
	headerPPP      = 7
	headerAAL5IP   = 10
	headerIPv4     = 11
	headerIPv6     = 12
	headerMPLS     = 13
	headerPOS      = 14

	etherIPv4      = 0x0800
	etherIPv6      = 0x86dd
	etherVLAN      = 0x8100 // 802.1Q
	etherQinQ      = 0x88a8 // 802.1ad
	etherOldQinQ   = 0x9100
	etherMPLS      = 0x8847
	etherMulticast = 0x8848 // MPLS
	etherPPPoE     = 0x8864 // sessions
	etherBridged   = 0x6558 // Ethernet in GRE, as NVGRE uses it, and here in pseudowires
	leastEtherType = 0x0600 // less is the length of a frame of 802.3

	ipICMP     = 1
	ipTCP      = 6
	ipUDP      = 17
	ipDCCP     = 33
	ipICMPv6   = 58
	ipSCTP     = 132
	ipUDPLite  = 136
	ipHops     = 0 // extension headers of IPv6
	ipRoute    = 43
	ipFragment = 44
	ipAuth     = 51
	ipOptions  = 60
)

// header parses the first bytes of a packet, as far as they reach: samples end anywhere. It returns how many bytes
// are before the payload of the link layer.
func (r *record) header(protocol uint32, b []byte) (before int) {
	switch protocol {
	case headerEthernet:
		if len(b) < ethernetSize {
			return ethernetSize
		}
		r.take(atTargetMAC, b[:12]) // and the source's
		return ethernetSize + r.network(uint32(binary.BigEndian.Uint16(b[12:])), b[ethernetSize:])
	case headerIPv4:
		return r.network(etherIPv4, b)
	case headerIPv6:
		return r.network(etherIPv6, b)
	case headerAAL5IP:
		if IP(b) == headerIPv6 {
			return r.network(etherIPv6, b)
		}
		return r.network(etherIPv4, b)
	case headerMPLS:
		return r.network(etherMPLS, b)
	case headerPPP, headerPOS:
		kind, rest := ppp(b)
		if kind == 0 {
			r.skip(count.PPPPayload)
			return len(b) - len(rest)
		}
		return len(b) - len(rest) + r.network(kind, rest)
	}
	r.skip(count.HeaderProtocol)
	return 0
}

// network parses the payload of an EtherType. It returns the size of what the link layer has before it.
func (r *record) network(kind uint32, b []byte) (before int) {
	if kind != etherIPv4 && kind != etherIPv6 {
		if before, kind, b = r.link(kind, b); kind == 0 {
			return before
		}
	}
	r.put(atEtherType, kind)
	switch {
	case kind == etherIPv4 && len(b) >= 20 && b[0]>>4 == 4:
		r.ipv4(b)
	case kind == etherIPv6 && len(b) >= 40 && b[0]>>4 == 6:
		r.ipv6(b)
	}
	return before
}

func (r *record) ipv4(b []byte) {
	r.addresses(four, b[12:16], b[16:20])
	protocol := b[9]
	r.octets = uint32(binary.BigEndian.Uint16(b[2:])) // 0 where the card cuts packets, after they are counted
	r.put(atProtocol, uint32(protocol))
	r.put(atTOS, uint32(b[1]))
	r.bytes[atTTL] = b[8]
	fragment := binary.BigEndian.Uint16(b[6:])
	r.fragment(uint32(binary.BigEndian.Uint16(b[4:])), fragment&0x1fff, byte(fragment>>8)&0xe0)
	b = within(b, r.octets)
	if n := 4 * int(b[0]&15); n >= 20 && n <= len(b) && fragment&0x1fff == 0 {
		r.transport(protocol, b[n:])
		r.tunnel(protocol, b[n:])
	}
}

// fragment is reported with the flags of IPv4: 0x40 not to be cut, 0x20 more to come.
func (r *record) fragment(id uint32, offset uint16, flags byte) {
	r.put(atFragmentID, id)
	binary.BigEndian.PutUint16(r.bytes[atFragment:], offset)
	r.bytes[atFragmentFlag] = flags
}

func (r *record) ipv6(b []byte) {
	r.addresses(six, b[8:24], b[24:40])
	first := binary.BigEndian.Uint32(b)
	r.put(atTOS, first>>20&0xff)
	r.put(atFlowLabel, first&0xfffff)
	r.bytes[atTTL] = b[7]
	if n := uint32(binary.BigEndian.Uint16(b[4:])); n > 0 { // 0 is a jumbogram
		r.octets = n + 40
	}
	b = within(b, r.octets)
	x := skipExtensions(b[6], b[40:])
	if x.fragmented {
		r.fragment(x.id, x.offset, x.more<<5)
	}
	r.put(atProtocol, uint32(x.next))
	if x.whole {
		r.transport(x.next, x.rest)
		r.tunnel(x.next, x.rest)
	}
}

// within cuts what a frame has after the packet, to be long enough. A length that is too small says nothing.
func within(b []byte, octets uint32) []byte {
	if octets < 20 || uint64(octets) >= uint64(len(b)) {
		return b
	}
	return b[:octets]
}

// extensions are the headers between IPv6's own and the payload.
type extensions struct {
	next       byte // the first header that is not one of them
	rest       []byte
	whole      bool // rest begins with that header, for it is not a later fragment
	fragmented bool
	id         uint32
	offset     uint16
	more       byte
}

func skipExtensions(next byte, b []byte) extensions {
	x := extensions{next: next, rest: b, whole: true}
	for x.whole {
		b, n := x.rest, 0
		switch x.next {
		case ipHops, ipRoute, ipOptions:
			if len(b) >= 2 {
				n = 8 * (int(b[1]) + 1)
			}
		case ipAuth:
			if len(b) >= 2 {
				n = 4 * (int(b[1]) + 2)
			}
		case ipFragment:
			if len(b) >= 8 {
				n = 8
				offset := binary.BigEndian.Uint16(b[2:])
				x.fragmented, x.id, x.offset, x.more = true, binary.BigEndian.Uint32(b[4:]), offset>>3, byte(offset&1)
				x.whole = offset>>3 == 0
			}
		}
		if n == 0 || n > len(b) {
			break
		}
		x.next, x.rest = b[0], b[n:]
	}
	return x
}

func (r *record) transport(protocol byte, b []byte) {
	switch protocol {
	case ipTCP, ipUDP, ipDCCP, ipSCTP, ipUDPLite:
		if len(b) >= 4 {
			r.put(atSourcePort, uint32(binary.BigEndian.Uint16(b)))
			r.put(atTargetPort, uint32(binary.BigEndian.Uint16(b[2:])))
		}
		if protocol == ipTCP && len(b) >= 14 {
			r.put(atTCPFlags, uint32(b[13]))
		}
	case ipICMP, ipICMPv6:
		if len(b) >= 2 {
			r.take(atICMPType, b[:2])
		}
	}
}
