package sflow

import (
	"encoding/binary"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
)

// What the link layer has between Ethernet's header and the packet.

func tagged(kind uint32) bool { return kind == etherVLAN || kind == etherQinQ || kind == etherOldQinQ }

// etherTypeAt is the EtherType at a place.
func etherTypeAt(b []byte, at int) uint32 { return uint32(binary.BigEndian.Uint16(b[at:])) }

// link takes the tags and labels, and finds the packet after them. It returns how much is before the payload of the
// link layer, of which labels are a part; and the EtherType of what remains, 0 if it has none.
func (r *record) link(kind uint32, b []byte) (before int, _ uint32, _ []byte) {
	size := len(b)
	for tags := 0; tagged(kind) && len(b) >= 4; tags++ {
		switch tag := binary.BigEndian.Uint16(b) & 0xfff; tags {
		case 0:
			r.tag = uint32(tag)
		case 1:
			binary.BigEndian.PutUint16(r.bytes[atInnerTag:], tag)
		}
		kind, b = etherTypeAt(b, 2), b[4:]
	}
	if kind < leastEtherType {
		kind, b = snap(b)
	}
	before = size - len(b)
	if kind == etherMPLS || kind == etherMulticast {
		if len(b) >= 4 {
			clear(r.bytes[atLabels : atLabels+3*labels]) // those of extended_mpls: the header has its own
		}
		n := 0
		for bottom := false; !bottom && len(b) >= 4; b = b[4:] {
			if n < labels {
				r.take(atLabels+3*n, b[:3])
				n++
			}
			bottom = b[2]&1 != 0
		}
		next, rest := r.labelled(kind, b)
		if next == kind {
			r.skip(count.MPLSPayload)
			return before, kind, b
		}
		kind, b = next, rest
	}
	switch kind {
	case 0, etherIPv4, etherIPv6:
	case etherPPPoE:
		if kind, b = r.strip(kind, b); kind != etherPPPoE {
			before = size - len(b)
		}
	default:
		kind, b = r.strip(kind, b)
	}
	return before, kind, b
}

// strip finds the packet in the payload of an EtherType. It counts those of MPLS and PPP that it does not find.
func (r *record) strip(kind uint32, b []byte) (uint32, []byte) {
	for {
		switch {
		case tagged(kind) && len(b) >= 4:
			kind, b = etherTypeAt(b, 2), b[4:]
		case kind == etherBridged && len(b) >= ethernetSize:
			kind, b = etherTypeAt(b, 12), b[ethernetSize:]
		case kind == etherMPLS || kind == etherMulticast:
			for bottom := false; !bottom && len(b) >= 4; b = b[4:] {
				bottom = b[2]&1 != 0
			}
			next, rest := r.labelled(kind, b)
			if next == kind {
				r.skip(count.MPLSPayload)
				return kind, b
			}
			kind, b = next, rest
		case kind == etherPPPoE:
			next, rest := pppoe(b)
			if next == 0 {
				r.skip(count.PPPPayload)
				return kind, b
			}
			kind, b = next, rest
		case kind < leastEtherType:
			if kind, b = snap(b); kind < leastEtherType {
				return 0, b
			}
		default:
			return kind, b
		}
	}
}

// snap returns the EtherType of a frame of 802.3, and what follows it; 0 if it has none.
func snap(b []byte) (kind uint32, rest []byte) {
	if len(b) >= 8 && b[0] == 0xaa && b[1] == 0xaa && b[2] == 3 && b[3]|b[4]|b[5] == 0 {
		return etherTypeAt(b, 6), b[8:]
	}
	return 0, b
}

// pppoe returns the EtherType of what a session carries (RFC 2516), and that; 0 if there is none.
func pppoe(b []byte) (kind uint32, rest []byte) {
	if len(b) < 6 || b[0] != 0x11 || b[1] != 0 {
		return 0, b
	}
	if n := int(etherTypeAt(b, 4)); n < len(b)-6 { // padding follows
		b = b[:6+n]
	}
	return ppp(b[6:])
}

// ppp returns the EtherType of what PPP carries, and that; 0 if there is none. The header may be that of HDLC (RFC
// 1662), of Cisco's HDLC, or compressed to the last byte of the protocol (RFC 1661).
func ppp(b []byte) (kind uint32, rest []byte) {
	if len(b) >= 4 && (b[0] == 0x0f || b[0] == 0x8f) && b[1] == 0 {
		return etherTypeAt(b, 2), b[4:]
	}
	if len(b) >= 2 && b[0] == 0xff && b[1] == 3 {
		b = b[2:]
	}
	var protocol uint32
	switch {
	case len(b) >= 1 && b[0]&1 == 1:
		protocol, rest = uint32(b[0]), b[1:]
	case len(b) >= 2:
		protocol, rest = etherTypeAt(b, 0), b[2:]
	}
	switch protocol {
	case 0x0021:
		return etherIPv4, rest
	case 0x0057:
		return etherIPv6, rest
	case 0x0281:
		return etherMPLS, rest
	case 0x0283:
		return etherMulticast, rest
	}
	return 0, b
}

// labelled returns the EtherType of what follows labels, and that; the same type if it is neither of IP nor in Ethernet.
// Labels have no type: by the first four bits it is of IP, or has the control word of a pseudowire (RFC 4385). But a
// pseudowire may do without that word, and then the bits are of a MAC address, so the rest has to fit, too.
func (r *record) labelled(kind uint32, b []byte) (uint32, []byte) {
	if len(b) == 0 {
		return kind, b
	}
	size := 0
	if r.sized {
		size = len(b) + r.beyond
	}
	var control, ip fit
	switch b[0] >> 4 {
	case 0:
		if len(b) >= 4 {
			control = fitsEthernet(b[4:], size-4)
		}
	case 4:
		if ip, kind = fitsIPv4(b), etherIPv4; ip == proven {
			return kind, b
		}
	case 6:
		ip, kind = fitsIPv6(b, size), etherIPv6
	}
	bare := fitsEthernet(b, size)
	switch {
	case control > bare || control > unfit && control == bare && b[0]|b[1] == 0:
		return etherBridged, b[4:]
	case bare > ip || bare == ip && bare > unfit && !(r.sized && ip == proven): // few addresses look like Ethernet's type
		return etherBridged, b
	}
	return kind, b
}

// fit is how sure it is what bytes are.
type fit uint8

const (
	unfit    fit = iota
	possible     // a type that is known
	likely       // a header of IP, by its version
	proven       // and by its checksum or length
)

// fitsEthernet rates bytes as an Ethernet frame of a size; 0 or less if that is unknown.
func fitsEthernet(b []byte, size int) fit {
	if len(b) < ethernetSize {
		return unfit
	}
	before := len(b)
	kind, b := etherTypeAt(b, 12), b[ethernetSize:]
	for tags := 0; tags < 4 && tagged(kind) && len(b) >= 4; tags++ {
		kind, b = etherTypeAt(b, 2), b[4:]
	}
	switch kind {
	case etherIPv4:
		return fitsIPv4(b)
	case etherIPv6:
		return fitsIPv6(b, size-(before-len(b)))
	case etherMPLS, etherMulticast, etherPPPoE,
		0x0806, 0x8035, 0x8809, 0x8863, 0x888e, 0x88cc, 0x88f7, 0x8902: // ARP, RARP, slow protocols, PPPoE's discovery, 802.1X, LLDP, PTP, CFM
		return possible
	}
	if kind <= 1500 && len(b) >= 3 && b[2] == 3 && (b[0] == 0xaa && b[1] == 0xaa || b[0] == 0x42 && b[1] == 0x42) { // SNAP, spanning tree
		return possible
	}
	return unfit
}

func fitsIPv4(b []byte) fit {
	if len(b) < 20 || b[0]>>4 != 4 {
		return unfit
	}
	n, octets := 4*int(b[0]&15), int(etherTypeAt(b, 2))
	if n < 20 || octets != 0 && octets < n {
		return unfit
	}
	if n > len(b) {
		return likely
	}
	sum := uint32(0)
	for i := 0; i < n; i += 2 {
		sum += etherTypeAt(b, i)
	}
	if sum = sum>>16 + sum&0xffff; sum>>16+sum&0xffff == 0xffff {
		return proven
	}
	return likely
}

// fitsIPv6: the next header shows it, unless the size is known.
func fitsIPv6(b []byte, size int) fit {
	if len(b) < 40 || b[0]>>4 != 6 {
		return unfit
	}
	if size > 0 {
		if short := size - 40 - int(etherTypeAt(b, 4)); short < -checksumSize || short > checksumSize {
			return likely
		}
		return proven
	}
	switch b[6] {
	case ipHops, ipICMP, ipInIP4, ipTCP, ipUDP, ipDCCP, ipInIP6, ipRoute, ipFragment, ipGRE, 50, ipAuth, ipICMPv6, 59, ipOptions, 88, 89, 103, 112, 115, ipSCTP, 135, ipUDPLite:
		return proven
	}
	return likely
}
