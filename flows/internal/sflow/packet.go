package sflow

import "encoding/binary"

// The protocols of a sampled header: EtherTypes and IP protocols that are parsed.
const (
	headerEthernet = 1
	headerIPv4     = 11
	headerIPv6     = 12
	headerMPLS     = 13

	etherIPv4      = 0x0800
	etherIPv6      = 0x86dd
	etherVLAN      = 0x8100 // 802.1Q
	etherQinQ      = 0x88a8 // 802.1ad
	etherOldQinQ   = 0x9100
	etherMPLS      = 0x8847
	etherMulticast = 0x8848 // MPLS

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
	case headerMPLS:
		return r.network(etherMPLS, b)
	}
	return 0
}

func tagged(kind uint32) bool { return kind == etherVLAN || kind == etherQinQ || kind == etherOldQinQ }

// network parses the payload of an EtherType. It returns the size of tags before it.
func (r *record) network(kind uint32, b []byte) (before int) {
	for tags := 0; tagged(kind) && len(b) >= 4; tags++ {
		switch tag := binary.BigEndian.Uint16(b) & 0xfff; tags {
		case 0:
			r.tag = uint32(tag)
		case 1:
			binary.BigEndian.PutUint16(r.bytes[atInnerTag:], tag)
		}
		kind, b = uint32(binary.BigEndian.Uint16(b[2:])), b[4:]
		before += 4
	}
	if kind == etherMPLS || kind == etherMulticast {
		clear(r.bytes[atLabels : atLabels+3*labels]) // what another record may say of them
		n := 0
		for bottom := false; !bottom && len(b) >= 4; b = b[4:] {
			if n < labels {
				r.take(atLabels+3*n, b[:3])
				n++
			}
			bottom = b[2]&1 != 0
		}
		kind = labelled(kind, b)
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

// labelled is the EtherType of what follows labels. They have no type: the version of IP shows it.
func labelled(kind uint32, b []byte) uint32 {
	if len(b) > 0 {
		switch b[0] >> 4 {
		case 4:
			return etherIPv4
		case 6:
			return etherIPv6
		}
	}
	return kind
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
