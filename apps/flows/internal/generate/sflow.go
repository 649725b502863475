package generate

import "math/rand/v2"

// maxHeader is how many bytes of a packet a sample contains.
const maxHeader = 128

// writeSFlow writes samples of packets: a flow is one packet. Each has the first bytes of the packet. Some also
// have what a switch, a router or BGP knows of it. Now and then there are counters.
func writeSFlow(g *Generator, s *sender, e *Exporter, b []byte) ([]byte, Sums) {
	var sums Sums
	b = big.AppendUint32(b, 5)
	b = big.AppendUint32(b, 1) // the agent's address is IPv4
	b = append(b, e.Address.AsSlice()...)
	b = big.AppendUint32(b, s.id)
	b = big.AppendUint32(b, s.sequence)
	b = big.AppendUint32(b, s.uptime(g.now))
	samples := 1 + g.r.IntN(4)
	b = big.AppendUint32(b, uint32(samples))
	for i := range samples {
		s.samples++
		if i == samples-1 && g.repeats(s) {
			b = appendCounters(b, s)
			continue
		}
		t := g.world.talk(g.now, true)
		least := uint32(64) // of Ethernet, with a tag, IPv4 and TCP
		if t.v6 {
			least = 84
		}
		frame := max(uint32(t.bytes/t.packets)+18, least)
		sums.Flows++
		sums.Packets++
		sums.Bytes += uint64(frame)
		b = appendSample(b, g.r, s, e, &t, frame)
	}
	s.sequence++
	return b, sums
}

// appendSample writes a flow sample, one in four of the expanded kind.
func appendSample(b []byte, r *rand.Rand, s *sender, e *Exporter, t *talk, frame uint32) []byte {
	expanded := r.IntN(4) == 0
	kind := uint32(1)
	if expanded {
		kind = 3
	}
	b, at := open(b, kind)
	b = big.AppendUint32(b, s.samples)
	if expanded {
		b = big.AppendUint32(b, 0)
	}
	b = big.AppendUint32(b, t.in) // who samples: an interface
	b = big.AppendUint32(b, e.Rate)
	b = big.AppendUint32(b, s.samples*e.Rate)
	b = big.AppendUint32(b, 0) // dropped
	for _, i := range []uint32{t.in, t.out} {
		if expanded {
			b = big.AppendUint32(b, 0)
		}
		b = big.AppendUint32(b, i)
	}
	count := len(b)
	b = big.AppendUint32(b, 0)
	records := uint32(1)
	b, record := open(b, 1)
	b = big.AppendUint32(b, 1) // Ethernet
	b = big.AppendUint32(b, frame)
	b = big.AppendUint32(b, 4) // the checksum at the end of the frame
	length := len(b)
	b = big.AppendUint32(b, 0)
	b = appendFrame(b, r, t, frame)
	big.PutUint32(b[length:], uint32(len(b)-length-4))
	b = closed(b, record)
	if r.IntN(2) == 0 {
		records++
		b, record = open(b, 1001)
		b = big.AppendUint32(b, 100+t.in)
		b = big.AppendUint32(b, 0)
		b = big.AppendUint32(b, 100+t.out)
		b = closed(big.AppendUint32(b, 0), record)
	}
	if r.IntN(2) == 0 {
		records += 2
		b, record = open(b, 1002)
		b = appendHop(b, t)
		b = big.AppendUint32(b, uint32(t.source.mask))
		b = closed(big.AppendUint32(b, uint32(t.target.mask)), record)
		b, record = open(b, 1003)
		b = appendHop(b, t)
		// Own AS, source, its neighbour; one segment of a path, a sequence of two; one community; preference.
		for _, v := range []uint32{64511, t.source.as, t.source.as, 1, 2, 2, 64510, t.target.as, 1, 64511 << 16, 100} {
			b = big.AppendUint32(b, v)
		}
		b = closed(b, record)
	}
	big.PutUint32(b[count:], records)
	return closed(b, at)
}

// open starts a sample or a record, closed writes its length.
func open(b []byte, kind uint32) (_ []byte, at int) {
	return big.AppendUint32(big.AppendUint32(b, kind), 0), len(b)
}

func closed(b []byte, at int) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	big.PutUint32(b[at+4:], uint32(len(b)-at-8))
	return b
}

func appendHop(b []byte, t *talk) []byte {
	version := uint32(1)
	if t.v6 {
		version = 2
	}
	return append(big.AppendUint32(b, version), t.nextHop.AsSlice()...)
}

// appendFrame writes the first bytes of an Ethernet frame, three in eight with a VLAN.
func appendFrame(b []byte, r *rand.Rand, t *talk, frame uint32) []byte {
	start := len(b)
	b = append(b, t.target.mac[:]...)
	b = append(b, t.source.mac[:]...)
	head := uint32(14)
	if r.IntN(8) < 3 {
		b = append(b, 0x81, 0, 0, byte(100+t.in))
		head += 4
	}
	ip := uint16(frame - 4 - head)
	if t.v6 {
		b = append(b, 0x86, 0xdd, 0x60|t.tos>>4, t.tos<<4|byte(t.tenant), byte(t.target.port), byte(t.source.port))
		b = big.AppendUint16(b, max(ip, 40)-40)
		b = append(b, t.protocol, t.ttl)
	} else {
		b = append(b, 8, 0, 0x45, t.tos)
		b = big.AppendUint16(b, ip)
		b = append(b, 0, byte(t.source.port), 0x40, 0, t.ttl, t.protocol, 0, 0)
	}
	b = append(b, t.source.address.AsSlice()...)
	b = append(b, t.target.address.AsSlice()...)
	switch t.protocol {
	case 1, 58:
		b = append(b, t.icmpType, t.icmpCode, 0, 0, 0, 1, 0, 1)
	default:
		b = big.AppendUint16(b, t.source.port)
		b = big.AppendUint16(b, t.target.port)
		if t.protocol == 6 {
			b = append(b, 0, 0, 0, 1, 0, 0, 0, 1, 0x50, t.flags, 255, 255, 0, 0, 0, 0)
		} else {
			b = big.AppendUint16(b, ip-20)
			b = append(b, 0, 0)
		}
	}
	for n := min(int(frame)-4, maxHeader); len(b)-start < n; {
		b = append(b, byte(len(b)))
	}
	return b
}

// appendCounters writes the counters of an interface, which a collector of flows skips.
func appendCounters(b []byte, s *sender) []byte {
	b, at := open(b, 2)
	b = big.AppendUint32(b, s.samples)
	b = big.AppendUint32(b, 1)
	b = big.AppendUint32(b, 1)
	b, record := open(b, 1)
	b = append(b, make([]byte, 88)...)
	return closed(closed(b, record), at)
}
