package generate

import (
	"encoding/binary"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// big is the byte order of all protocols.
var big = binary.BigEndian

// perDatagram is how many records of the greatest length fit into an Ethernet frame.
const (
	perV5    = 29
	perV9    = 16
	perIPFIX = 11
)

// writeV5 writes IPv4 only, and interfaces and AS numbers of 16 bits.
func writeV5(g *Generator, s *sender, e *Exporter, b []byte) ([]byte, Sums) {
	var sums Sums
	n := 1 + g.r.IntN(perV5)
	b = big.AppendUint16(b, 5)
	b = big.AppendUint16(b, uint16(n))
	b = big.AppendUint32(b, s.uptime(g.now))
	b = big.AppendUint32(b, uint32(g.now.Unix()))
	b = big.AppendUint32(b, uint32(g.now.Nanosecond()))
	b = big.AppendUint32(b, s.sequence)
	b = append(b, byte(s.id>>8), byte(s.id))
	b = big.AppendUint16(b, 1<<14|uint16(e.Rate)) // one packet of each Rate, not at random
	for range n {
		t := g.world.talk(g.now, false)
		sums.flow(&t)
		b = append(b, t.source.address.AsSlice()...)
		b = append(b, t.target.address.AsSlice()...)
		b = append(b, t.nextHop.AsSlice()...)
		b = big.AppendUint16(b, uint16(t.in))
		b = big.AppendUint16(b, uint16(t.out))
		b = big.AppendUint32(b, uint32(t.packets))
		b = big.AppendUint32(b, uint32(t.bytes))
		b = big.AppendUint32(b, s.uptime(t.start))
		b = big.AppendUint32(b, s.uptime(t.end))
		b = t.ports(b)
		b = append(b, 0, t.flags, t.protocol, t.tos)
		b = big.AppendUint16(b, uint16(t.source.as))
		b = big.AppendUint16(b, uint16(t.target.as))
		b = append(b, t.source.mask, t.target.mask, 0, 0)
	}
	s.sequence += uint32(n)
	return b, sums
}

func (s *Sums) flow(t *talk) {
	s.Flows++
	s.Bytes += t.bytes
	s.Packets += t.packets
}

// ports returns the ports, or the type and code of ICMP in the place where routers report them.
func (t *talk) ports(b []byte) []byte {
	target := t.target.port
	if t.protocol == 1 || t.protocol == 58 {
		target = uint16(t.icmpType)<<8 | uint16(t.icmpCode)
	}
	b = big.AppendUint16(b, t.source.port)
	return big.AppendUint16(b, target)
}

// The templates of NetFlow v9 and IPFIX.
const (
	templateV4 = 256 + iota
	templateV6
	templateOptions
)

type field struct {
	element, length uint16
	enterprise      uint32
}

// fields are the fields of a template. Further fields, which depend on the protocol and the version of IP, are
// here and in appendTalk.
func fields(p flow.Protocol, v6 bool) []field {
	f := []field{{8, 4, 0}, {12, 4, 0}, {15, 4, 0}}
	masks, icmp := []field{{9, 1, 0}, {13, 1, 0}}, []field{{176, 1, 0}, {177, 1, 0}}
	if v6 {
		f = []field{{27, 16, 0}, {28, 16, 0}, {62, 16, 0}}
		masks, icmp = []field{{29, 1, 0}, {30, 1, 0}}, []field{{178, 1, 0}, {179, 1, 0}}
	}
	f = append(f, field{10, 4, 0}, field{14, 4, 0}, field{16, 4, 0}, field{17, 4, 0}, field{7, 2, 0}, field{11, 2, 0})
	f = append(f, field{4, 1, 0}, field{5, 1, 0}, field{6, 1, 0}, field{192, 1, 0})
	f = append(f, masks...)
	if p == flow.NetFlow9 {
		return append(f, field{1, 4, 0}, field{2, 4, 0}, field{22, 4, 0}, field{21, 4, 0})
	}
	f = append(f, icmp...)
	f = append(f, field{1, 8, 0}, field{2, 8, 0}, field{152, 8, 0}, field{153, 8, 0})
	return append(f, field{Tenant, 4, Enterprise}, field{Application, 65535, Enterprise})
}

// appendFields writes the fields in the form that a template has.
func appendFields(b []byte, fields []field) []byte {
	for _, f := range fields {
		if f.enterprise != 0 {
			b = big.AppendUint16(b, f.element|1<<15)
			b = big.AppendUint16(b, f.length)
			b = big.AppendUint32(b, f.enterprise)
			continue
		}
		b = big.AppendUint16(b, f.element)
		b = big.AppendUint16(b, f.length)
	}
	return b
}

// begin starts a set, and end writes its length, with padding to four bytes.
func begin(b []byte, id uint16) (_ []byte, at int) {
	return big.AppendUint16(big.AppendUint16(b, id), 0), len(b)
}

func end(b []byte, at int) []byte {
	for (len(b)-at)%4 != 0 {
		b = append(b, 0)
	}
	big.PutUint16(b[at+2:], uint16(len(b)-at))
	return b
}

// talks generates the flows, and writes those of each version of IP into a set of their own.
func (g *Generator) talks(b []byte, n int, sums *Sums, write func([]byte, *talk) []byte) []byte {
	var talks [perV9]talk
	for i := range n {
		talks[i] = g.world.talk(g.now, true)
		sums.flow(&talks[i])
	}
	for _, v6 := range []bool{false, true} {
		at := -1
		for i := range n {
			if talks[i].v6 != v6 {
				continue
			}
			if at < 0 {
				id := uint16(templateV4)
				if v6 {
					id = templateV6
				}
				b, at = begin(b, id)
			}
			b = write(b, &talks[i])
		}
		if at >= 0 {
			b = end(b, at)
		}
	}
	return b
}

// common writes the beginning of the records of NetFlow v9 and IPFIX.
func (t *talk) common(b []byte) []byte {
	b = append(b, t.source.address.AsSlice()...)
	b = append(b, t.target.address.AsSlice()...)
	b = append(b, t.nextHop.AsSlice()...)
	b = big.AppendUint32(b, t.in)
	b = big.AppendUint32(b, t.out)
	b = big.AppendUint32(b, t.source.as)
	b = big.AppendUint32(b, t.target.as)
	b = t.ports(b)
	return append(b, t.protocol, t.tos, t.flags, t.ttl, t.source.mask, t.target.mask)
}
