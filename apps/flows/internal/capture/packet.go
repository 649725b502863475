package capture

import (
	"encoding/binary"
	"net/netip"

	"github.com/gopacket/gopacket/layers"
)

// found is the result of parsing a packet.
type found uint8

const (
	foreign found = iota
	whole
	fragment
	cut
)

// The EtherTypes and IP protocols that are parsed.
const (
	etherIPv4 = 0x0800
	etherIPv6 = 0x86dd
	etherVLAN = 0x8100 // 802.1Q
	etherQinQ = 0x88a8 // 802.1ad
	etherOld  = 0x9100 // the same, before it was standardized

	ipUDP = 17
)

// datagramOf parses a packet.
func datagramOf(link layers.LinkType, b []byte) (from netip.AddrPort, payload []byte, result found) {
	ip, ok := network(link, b)
	if !ok || len(ip) == 0 {
		return from, nil, foreign
	}
	switch ip[0] >> 4 {
	case 4:
		return inIPv4(ip)
	case 6:
		return inIPv6(ip)
	}
	return from, nil, foreign
}

// network returns the packet after its link header; false if it is not IP.
func network(link layers.LinkType, b []byte) ([]byte, bool) {
	skip, etherType := 0, -1 // if there is one
	switch link {
	case layers.LinkTypeRaw, layers.LinkTypeIPv4, layers.LinkTypeIPv6, 12, 14: // the numbers of Raw on BSD
		return b, true
	case layers.LinkTypeNull, layers.LinkTypeLoop: // the address family, in the byte order of the capturing machine
		skip = 4
	case layers.LinkTypeEthernet:
		skip, etherType = 14, 12
	case layers.LinkTypeLinuxSLL:
		skip, etherType = 16, 14
	case layers.LinkTypeLinuxSLL2:
		skip, etherType = 20, 0
	default:
		return nil, false
	}
	if len(b) < skip {
		return nil, false
	}
	if etherType < 0 {
		return b[skip:], true
	}
	kind := binary.BigEndian.Uint16(b[etherType:])
	b = b[skip:]
	for kind == etherVLAN || kind == etherQinQ || kind == etherOld {
		if len(b) < 4 {
			return nil, false
		}
		kind = binary.BigEndian.Uint16(b[2:])
		b = b[4:]
	}
	return b, kind == etherIPv4 || kind == etherIPv6
}

func inIPv4(b []byte) (from netip.AddrPort, payload []byte, result found) {
	if len(b) < 20 {
		return from, nil, cut
	}
	head := 4 * int(b[0]&15)
	switch {
	case b[9] != ipUDP || head < 20:
		return from, nil, foreign
	case binary.BigEndian.Uint16(b[6:])&0x3fff != 0: // more fragments, or an offset
		return from, nil, fragment
	case len(b) < head:
		return from, nil, cut
	}
	return inUDP(netip.AddrFrom4([4]byte(b[12:16])), b[head:])
}

func inIPv6(b []byte) (from netip.AddrPort, payload []byte, result found) {
	if len(b) < 40 {
		return from, nil, cut
	}
	source := netip.AddrFrom16([16]byte(b[8:24])).Unmap()
	next := b[6]
	b = b[40:]
	for {
		switch next {
		case ipUDP:
			return inUDP(source, b)
		case 44: // a fragment; a fragment that is the only one is a whole packet
			if len(b) < 8 {
				return from, nil, cut
			}
			if binary.BigEndian.Uint16(b[2:])&0xfff9 != 0 {
				return from, nil, fragment
			}
			next, b = b[0], b[8:]
		case 0, 43, 60: // hop-by-hop, routing, destination
			if len(b) < 2 || len(b) < 8*int(b[1])+8 {
				return from, nil, cut
			}
			next, b = b[0], b[8*int(b[1])+8:]
		default:
			return from, nil, foreign
		}
	}
}

// inUDP uses the length of UDP where it is plausible, because the link may have padded the packet.
func inUDP(source netip.Addr, b []byte) (from netip.AddrPort, payload []byte, result found) {
	if len(b) < 8 {
		return from, nil, cut
	}
	n := int(binary.BigEndian.Uint16(b[4:]))
	switch {
	case n > len(b):
		return from, nil, cut
	case n < 8:
		return from, nil, foreign
	}
	return netip.AddrPortFrom(source, binary.BigEndian.Uint16(b)), b[8:n], whole
}
