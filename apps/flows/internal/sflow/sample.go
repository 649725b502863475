package sflow

import (
	"encoding/binary"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
)

// The meaning of a sample's records.

// sampledHeader: octets are those of the packet that the frame carries, as NetFlow counts them: its length if it is
// of IP, else what the frame has besides its own header and what was stripped. The frame's length has its own field.
func (r *record) sampledHeader(protocol, length, stripped uint32, header []byte) {
	r.seenHeader = true
	r.packet = true
	r.put(atFrame, length)
	r.octets = 0
	r.beyond = int(length) - int(stripped) - len(header)
	r.sized = r.beyond >= 0
	n, ok := 0, true
	if r.seenIP {
		n, ok = r.replaceIP(protocol, header)
	} else {
		n = r.header(protocol, header)
	}
	if !ok {
		return
	}
	if r.octets == 0 {
		r.octets = length - min(length, stripped) - min(length-min(length, stripped), uint32(n))
	}
	r.put(atBytes, r.octets)
}

// replaceIP reads a header after a sampled IP packet, which yields to a packet of IP in the header: a flow is not half
// of each. It returns the size of what is before the payload, and false if there is no such packet.
func (r *record) replaceIP(protocol uint32, header []byte) (before int, ok bool) {
	fields, v := r.bytes, r.variant.ip
	clear(r.bytes[atEtherType:atTTL])
	r.variant.ip = none
	before = r.header(protocol, header)
	if r.variant.ip != none {
		return before, true
	}
	copy(r.bytes[atEtherType:atTTL], fields[atEtherType:])
	r.variant.ip = v
	return before, false
}

// sampledEthernet says less than a header or a sampled IP packet, so it fills what they have not, in any order.
func (r *record) sampledEthernet(length uint32, source, target []byte, kind uint32) {
	r.packet = true
	if !r.seenHeader {
		r.put(atFrame, length)
		if !r.seenIP {
			r.put(atBytes, length-min(length, ethernetSize+checksumSize))
		}
	}
	if ipfix.Zeros(r.bytes[atTargetMAC : atSourceMAC+6]) {
		r.take(atSourceMAC, source)
		r.take(atTargetMAC, target)
	}
	if r.word(atEtherType) == 0 && kind >= leastEtherType {
		r.put(atEtherType, kind)
	}
}

// sampledIP says less than a header of a packet of IP, too. It reports whether it is used.
func (r *record) sampledIP(v version, length, protocol uint32, source, target []byte) bool {
	r.packet = true
	if r.seenHeader && r.variant.ip != none {
		return false
	}
	r.seenIP = true
	r.put(atBytes, length)
	r.put(atProtocol, protocol)
	r.addresses(v, source, target)
	kind := uint32(etherIPv4)
	if v == six {
		kind = etherIPv6
	}
	r.put(atEtherType, kind)
	return true
}

// sampledPorts: packets of ICMP have none, whatever agents report in their place.
func (r *record) sampledPorts(protocol, source, target, flags, tos uint32) {
	if protocol == ipICMP || protocol == ipICMPv6 {
		source, target = 0, 0
	}
	r.put(atSourcePort, source)
	r.put(atTargetPort, target)
	r.put(atTCPFlags, flags)
	r.put(atTOS, tos)
}

// The sizes of what Ethernet adds to a packet.
const (
	ethernetSize = 14
	checksumSize = 4
)

// extendedSwitch: a VLAN that does not exist means that the switch does not know it.
func (r *record) extendedSwitch(source, target uint32) {
	const vlans = 4096
	if source >= vlans {
		source = 0
	}
	if target >= vlans {
		target = 0
	}
	r.switched, r.source = source != 0 || target != 0, source
	r.put(atPostVLAN, target)
	r.put(atPostTag, target)
}

func (r *record) extendedRouter(hop []byte, source, target uint32) {
	r.variant.hop = versionOf(hop)
	r.take(atHop, hop)
	r.put(atSourceMask, source)
	r.put(atTargetMask, target)
}

// extendedGateway: a path without AS numbers leads into the router's own, and so does that of a source without
// one.
func (r *record) extendedGateway(hop []byte, own, source, previous, first, last uint32) {
	r.variant.bgpHop = versionOf(hop)
	r.take(atBGPHop, hop)
	if source == 0 {
		source = own
	}
	if last == 0 {
		last = own
	}
	r.put(atSourceAS, source)
	r.put(atTargetAS, last)
	r.put(atNextAS, first)
	r.put(atPreviousAS, previous)
}

// extendedNAT: source and target after the translation.
func (r *record) extendedNAT(b []byte) bool {
	source, b, ok := address(b)
	if !ok {
		return false
	}
	target, _, ok := address(b)
	if !ok {
		return false
	}
	if x := r.extra(); x != nil {
		r.variant.natSource, r.variant.natTarget = versionOf(source), versionOf(target)
		copy(x[atNATSource:], source)
		copy(x[atNATTarget:], target)
	}
	return true
}

func (r *record) natPort(b []byte) {
	if x := r.extra(); x != nil {
		copy(x[atNATPorts:], b[:8])
	}
}

// discard notes that the packet was discarded, and why.
func (r *record) discard(reason uint32) {
	r.bytes[atForwarding] = dropped(reason)
	if x := r.extra(); x != nil {
		binary.BigEndian.PutUint32(x[atReason:], reason)
	}
}

// versionOf is none for an address that is zero, as for one of no type.
func versionOf(address []byte) version {
	switch len(address) {
	case 4:
		if binary.BigEndian.Uint32(address) != 0 {
			return four
		}
	case 16:
		if binary.BigEndian.Uint64(address)|binary.BigEndian.Uint64(address[8:]) != 0 {
			return six
		}
	}
	return none
}
