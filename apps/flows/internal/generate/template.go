package generate

import "github.com/hotpb/hotpb/apps/flows/internal/flow"

// writeV9 counts datagrams, and in the header templates, options and flows.
func writeV9(g *Generator, s *sender, e *Exporter, b []byte) ([]byte, Sums) {
	var sums Sums
	b = big.AppendUint16(b, 9)
	b = big.AppendUint16(b, 0)
	b = big.AppendUint32(b, s.uptime(g.now))
	b = big.AppendUint32(b, uint32(g.now.Unix()))
	b = big.AppendUint32(b, s.sequence)
	b = big.AppendUint32(b, s.id)
	count, n := 0, 1+g.r.IntN(perV9)
	if g.repeats(s) {
		b = appendTemplates(b, 0, flow.NetFlow9)
		var at int
		b, at = begin(b, 1)
		b = big.AppendUint16(b, templateOptions)
		b = big.AppendUint16(b, 4) // bytes of the scope's fields
		b = big.AppendUint16(b, 8)
		b = appendFields(b, []field{{1, 4, 0}, {34, 4, 0}, {35, 1, 0}}) // of the scope: the system
		b = end(b, at)
		b, at = begin(b, templateOptions)
		b = big.AppendUint32(b, s.id)
		b = big.AppendUint32(b, e.Rate)
		b = end(append(b, 1), at)
		count, n = 4, min(n, perV9-4)
	}
	b = g.talks(b, n, &sums, func(b []byte, t *talk) []byte {
		b = t.common(b)
		b = big.AppendUint32(b, uint32(t.bytes))
		b = big.AppendUint32(b, uint32(t.packets))
		b = big.AppendUint32(b, s.uptime(t.start))
		return big.AppendUint32(b, s.uptime(t.end))
	})
	big.PutUint16(b[2:], uint16(count+n))
	s.sequence++
	return b, sums
}

// writeIPFIX counts records, including those of options.
func writeIPFIX(g *Generator, s *sender, e *Exporter, b []byte) ([]byte, Sums) {
	var sums Sums
	b = big.AppendUint16(b, 10)
	b = big.AppendUint16(b, 0)
	b = big.AppendUint32(b, uint32(g.now.Unix()))
	b = big.AppendUint32(b, s.sequence)
	b = big.AppendUint32(b, s.id)
	n := 1 + g.r.IntN(perIPFIX)
	if g.repeats(s) {
		b = appendTemplates(b, 2, flow.IPFIX)
		var at int
		b, at = begin(b, 3)
		b = big.AppendUint16(b, templateOptions)
		b = big.AppendUint16(b, 3)                                        // fields
		b = big.AppendUint16(b, 1)                                        // those of the scope
		b = appendFields(b, []field{{149, 4, 0}, {34, 4, 0}, {35, 1, 0}}) // the scope: the observation domain
		b = end(b, at)
		b, at = begin(b, templateOptions)
		b = big.AppendUint32(b, s.id)
		b = big.AppendUint32(b, e.Rate)
		b = end(append(b, 1), at)
		s.sequence++
		n = min(n, perIPFIX-5)
	}
	b = g.talks(b, n, &sums, func(b []byte, t *talk) []byte {
		b = t.common(b)
		b = append(b, t.icmpType, t.icmpCode)
		b = big.AppendUint64(b, t.bytes)
		b = big.AppendUint64(b, t.packets)
		b = big.AppendUint64(b, uint64(t.start.UnixMilli()))
		b = big.AppendUint64(b, uint64(t.end.UnixMilli()))
		b = big.AppendUint32(b, t.tenant)
		if g.r.IntN(64) == 0 { // the long form of a length, which is always allowed
			b = append(b, 255, 0)
		}
		b = append(b, byte(len(t.application)))
		return append(b, t.application...)
	})
	big.PutUint16(b[2:], uint16(len(b)))
	s.sequence += uint32(n)
	return b, sums
}

// appendTemplates writes the set with the two templates of flows.
func appendTemplates(b []byte, set uint16, p flow.Protocol) []byte {
	b, at := begin(b, set)
	for i, id := range []uint16{templateV4, templateV6} {
		f := fields(p, i == 1)
		b = big.AppendUint16(b, id)
		b = big.AppendUint16(b, uint16(len(f)))
		b = appendFields(b, f)
	}
	return end(b, at)
}
