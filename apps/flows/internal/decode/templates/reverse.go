package templates

import (
	"slices"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema/template"
)

// Reverse is a template of biflows, read as one of the flow in the other direction.
type Reverse struct {
	Definition
	Bound Bound
}

// The elements that a biflow's other direction has under another number.
var (
	responder = map[uint16]uint16{232: 1, 299: 2} // octets and packets of the responder
	opposite  = map[uint16]uint16{
		7: 11, 8: 12, 9: 13, 10: 14, 16: 17, 27: 28, 29: 30, 56: 80, 58: 59, 128: 129, 180: 181, 182: 183, 225: 226, 227: 228,
		243: 254, 245: 255, 281: 282, 484: 485, 487: 488, 490: 491,
	}
	// forwardOnly are about the packets of one direction, so that the other one has none unless it is reported.
	forwardOnly = []uint16{
		1, 2, 3, 5, 6, 15, 18, 19, 20, 23, 24, 31, 32, 52, 53, 54, 61, 62, 63, 70, 85, 86, 88, 89, 139, 176, 177, 178, 179, 192, 195,
		197, 208, 209, 231, 298, 352,
	}
)

func init() {
	for a, b := range opposite {
		opposite[b] = a
	}
}

// reverseFields returns the fields of a template of biflows as those of the other direction: its counters, with source
// and target exchanged. Other templates have none.
func reverseFields(fields []template.Field) ([]template.Field, bool) {
	counts := false
	var reported map[uint16]bool // elements of the reverse direction
	for _, f := range fields {
		if f.Enterprise == ipfix.ReversePEN {
			if reported == nil {
				reported = map[uint16]bool{}
			}
			reported[f.Element] = true
		}
		counts = counts || f.Enterprise == 0 && responder[f.Element] != 0
	}
	if reported == nil && !counts {
		return nil, false
	}
	all := slices.Clone(fields)
	for i, f := range fields {
		element := responder[f.Element]
		switch {
		case f.Enterprise == ipfix.ReversePEN:
			all[i].Enterprise = 0
			counts = counts || slices.Contains(layout.Octets, f.Element) || slices.Contains(layout.Packets, f.Element) ||
				slices.Contains(layout.Totals, f.Element)
		case f.Enterprise != 0:
		case element != 0:
			all[i].Element, counts = element, true
		case reported[f.Element] || slices.Contains(forwardOnly, f.Element):
			all[i].Enterprise, all[i].Element = layout.Reserved, 0 // which is no column's
		case opposite[f.Element] != 0:
			all[i].Element = opposite[f.Element]
		}
	}
	return all, counts
}

// Reverse returns the other direction of a template of biflows; nil for other templates.
func (def *Definition) Reverse(p flow.Protocol) *Reverse {
	fields, ok := reverseFields(def.Fields)
	if def.Options || !ok {
		return nil
	}
	r := &Reverse{Definition: New(p, def.ID, false, 0, fields)}
	r.Settle()
	return r
}

// HasCounts reports whether the record at the beginning of b has packets or octets in the other direction, and the record's
// length; 0 if it is cut off.
func (r *Reverse) HasCounts(b []byte) (any bool, size int) {
	s, size := r.readAttributes(b, needScaled)
	return size > 0 && (s.Octets > 0 || s.Packets > 0 || r.anySet(b, &r.totals)), size
}
