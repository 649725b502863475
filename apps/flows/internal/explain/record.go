package explain

import (
	"fmt"

	"github.com/hotpb/hotpb/apps/flows/internal/decode"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

// piecesOf returns the fields of a data record. Those that hold the beginning of a packet have its parts below them.
func piecesOf(s *decode.Set, r *decode.Record) (pieces []piece) {
	faults := faultsOf(s.Faults)
	times := map[string]int{}
	for i, f := range s.Fields {
		span := r.Spans[i]
		value := r.Bytes[span.At:][:span.Length]
		name := nameOf(f, s.Protocol, false)
		if times[name]++; times[name] > 1 {
			name = fmt.Sprintf("%s #%d", name, times[name])
		}
		pieces = append(pieces, piece{
			name: name, at: span.At, length: span.Length, text: valueOf(f, value), element: sourceOf(f),
			isElement: true, list: isList(f, s.Protocol), fault: faults[i],
		})
		if protocol := sampled(f, value); protocol != 0 {
			pieces[len(pieces)-1].text = ""
			p := packet{bytes: r.Bytes, end: span.At + span.Length, depth: 1}
			p.header(protocol, span.At)
			pieces = append(pieces, p.pieces...)
		}
	}
	return pieces
}

// isList reports whether a field has a structure of its own, such as the lists of RFC 6313.
func isList(f template.Field, p flow.Protocol) bool {
	if f.Enterprise != 0 {
		return false
	}
	switch f.Element {
	case 291, 292, 293, 484, 485, 487, 488, 490, 491:
		return p == flow.IPFIX
	case 104, 313, 314, 315, 316:
		return true
	}
	return false
}

// sampled returns sFlow's number for the protocol of a sampled packet; 0 if the field is none.
func sampled(f template.Field, value []byte) uint32 {
	switch {
	case f.Enterprise != 0 || len(value) == 0:
	case f.Element == 104 || f.Element == 315:
		return 1
	case f.Element == 313 && value[0]>>4 == 6:
		return 12
	case f.Element == 313:
		return 11
	}
	return 0
}
