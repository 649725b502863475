package sflow

import (
	"encoding/binary"

	"github.com/hotpb/hotpb/apps/flows/internal/layout"
)

// Tunnels that are looked into, one level deep.
const (
	ipInIP4   = 4
	ipInIP6   = 41
	ipGRE     = 47
	portVXLAN = 4789
)

// Where the fields of the inner packet are.
const (
	atInnerSource   = atInner
	atInnerTarget   = atInnerSource + 16
	atInnerBytes    = atInnerTarget + 16
	atInnerEther    = atInnerBytes + 4
	atInnerPorts    = atInnerEther + 2 // source and target
	atInnerProtocol = atInnerPorts + 4
	atInnerTOS      = atInnerProtocol + 1
	atInnerTTL      = atInnerTOS + 1
	atInnerFlags    = atInnerTTL + 1
	atTunnel        = atInnerFlags + 1
	atSegment       = atTunnel + 1 // VNI of VXLAN, key of GRE
	innerSize       = atSegment + 4 - atInner
)

// innerPlaces are the fields of the inner packet. They have an enterprise of their own, so that the schema says for
// each column whether it takes the inner packet, the outer one, or the inner one if there is one.
func innerPlaces(v version) []place {
	const inner = layout.Inner
	all := []place{
		{atInnerBytes, 4, 1, inner}, {atInnerEther, 2, 256, inner}, {atInnerPorts, 2, 7, inner}, {atInnerPorts + 2, 2, 11, inner},
		{atInnerProtocol, 1, 4, inner}, {atInnerTOS, 1, 5, inner}, {atInnerTTL, 1, 192, inner}, {atInnerFlags, 1, 6, inner},
		{atTunnel, 1, layout.Tunnel, layout.Reserved}, {atSegment, 4, 351, 0},
	}
	switch v {
	case four:
		return append(all, place{atInnerSource, 4, 8, inner}, place{atInnerTarget, 4, 12, inner})
	case six:
		return append(all, place{atInnerSource, 16, 27, inner}, place{atInnerTarget, 16, 28, inner})
	}
	return nil
}

// tunnel looks for a packet in the payload of an IP packet.
func (r *record) tunnel(protocol byte, b []byte) {
	switch protocol {
	case ipInIP4:
		r.inside(protocol, 0, etherIPv4, b)
	case ipInIP6:
		r.inside(protocol, 0, etherIPv6, b)
	case ipGRE:
		r.gre(b)
	case ipUDP:
		// After UDP's header: eight bits of flags, of which one says that there is a VNI.
		if len(b) >= 16 && binary.BigEndian.Uint16(b[2:]) == portVXLAN && b[8]&0x08 != 0 {
			r.inside(protocol, binary.BigEndian.Uint32(b[12:])>>8, etherBridged, b[16:])
		}
	}
}

// gre reads a header of RFC 2784 and 2890. Version 1, of PPTP, is left alone.
func (r *record) gre(b []byte) {
	if len(b) < 4 || b[1]&7 != 0 || b[0]&0x40 != 0 { // routing of RFC 1701, which is obsolete
		return
	}
	flags, kind, key := b[0], uint32(binary.BigEndian.Uint16(b[2:])), uint32(0)
	n := 4
	if flags&0x80 != 0 { // checksum
		n += 4
	}
	if flags&0x20 != 0 {
		if len(b) < n+4 {
			return
		}
		key = binary.BigEndian.Uint32(b[n:])
		n += 4
	}
	if flags&0x10 != 0 { // sequence number
		n += 4
	}
	if len(b) >= n {
		r.inside(ipGRE, key, kind, b[n:])
	}
}

// inside takes the inner packet, if it is of IP.
func (r *record) inside(tunnel byte, segment, kind uint32, b []byte) {
	var protocol byte
	kind, b = r.strip(kind, b) // Ethernet, or MPLS in GRE by RFC 4023
	switch {
	case kind == etherIPv4 && len(b) >= 20 && b[0]>>4 == 4:
		r.variant.inner = four
		r.take(atInnerSource, b[12:16])
		r.take(atInnerTarget, b[16:20])
		r.put(atInnerBytes, uint32(binary.BigEndian.Uint16(b[2:])))
		r.bytes[atInnerTOS], r.bytes[atInnerTTL] = b[1], b[8]
		protocol = b[9]
		b = within(b, r.word(atInnerBytes))
		if n := 4 * int(b[0]&15); n >= 20 && n <= len(b) && binary.BigEndian.Uint16(b[6:])&0x1fff == 0 {
			b = b[n:]
		} else {
			b = nil
		}
	case kind == etherIPv6 && len(b) >= 40 && b[0]>>4 == 6:
		r.variant.inner = six
		r.take(atInnerSource, b[8:24])
		r.take(atInnerTarget, b[24:40])
		r.put(atInnerBytes, uint32(binary.BigEndian.Uint16(b[4:]))+40)
		r.bytes[atInnerTOS], r.bytes[atInnerTTL] = byte(binary.BigEndian.Uint32(b)>>20), b[7]
		if n := r.word(atInnerBytes); n > 40 {
			b = within(b, n)
		}
		x := skipExtensions(b[6], b[40:])
		if protocol, b = x.next, x.rest; !x.whole {
			b = nil
		}
	default:
		return
	}
	r.bytes[atTunnel], r.bytes[atInnerProtocol] = tunnel, protocol
	r.put(atSegment, segment)
	binary.BigEndian.PutUint16(r.bytes[atInnerEther:], uint16(kind))
	switch protocol {
	case ipTCP, ipUDP, ipDCCP, ipSCTP, ipUDPLite:
		if len(b) >= 4 {
			r.take(atInnerPorts, b[:4])
		}
		if protocol == ipTCP && len(b) >= 14 {
			r.bytes[atInnerFlags] = b[13]
		}
	}
}
