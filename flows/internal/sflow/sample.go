package sflow

// The meaning of a sample's records.

// sampledHeader: octets are those of the packet that the frame carries, as NetFlow counts them: its length if it is
// of IP, else what the frame has besides its own header and what was stripped. The frame's length has its own field.
func (r *record) sampledHeader(protocol, length, stripped uint32, header []byte) {
	r.seenHeader = true
	r.put(atFrame, length)
	r.octets = 0
	n := r.header(protocol, header)
	if r.octets == 0 {
		r.octets = length - min(length, stripped) - min(length-min(length, stripped), uint32(n))
	}
	r.put(atBytes, r.octets)
}

// sampledEthernet says less than a header, so it is used only for samples without one.
func (r *record) sampledEthernet(length uint32, source, target []byte, kind uint32) {
	if r.seenHeader {
		return
	}
	r.put(atFrame, length)
	r.put(atBytes, length-min(length, ethernetSize+checksumSize))
	r.take(atSourceMAC, source)
	r.take(atTargetMAC, target)
	r.put(atEtherType, kind)
}

func (r *record) sampledIP(v version, length, protocol uint32, source, target []byte) {
	r.put(atBytes, length)
	r.put(atProtocol, protocol)
	r.addresses(v, source, target)
	kind := uint32(etherIPv4)
	if v == six {
		kind = etherIPv6
	}
	r.put(atEtherType, kind)
}

func (r *record) sampledPorts(source, target, flags, tos uint32) {
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

func versionOf(address []byte) version {
	switch len(address) {
	case 4:
		return four
	case 16:
		return six
	}
	return none
}
