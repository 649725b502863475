package sflow

// The meaning of a sample's records.

func (r *record) sampledHeader(protocol, length uint32, header []byte) {
	r.seenHeader = true
	r.put(atBytes, length)
	r.header(protocol, header)
}

// sampledEthernet says less than a header, so it is used only for samples without one.
func (r *record) sampledEthernet(length uint32, source, target []byte, kind uint32) {
	if r.seenHeader {
		return
	}
	r.put(atBytes, length)
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

func (r *record) extendedSwitch(source, target uint32) {
	r.switched, r.source = true, source
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
