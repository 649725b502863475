package decode

import (
	"encoding/binary"
	"slices"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/template"
)

// lists are the values in the lists of a record (RFC 6313), each for the element that a repeated column names.
//
// A record with lists is encoded in an expanded form: the record itself, and then one array for each element that its
// lists may have. Only records of templates with lists, in layouts with repeated columns, are expanded.
type lists struct {
	wanted []schema.Source // of all repeated columns; of a stack of labels, the first
	values [][]byte        // by wanted, each after its length
	left   int             // values that the record may still have

	skipped, broken, unused int

	templates map[uint16]*inputTemplate // of the domain
	expanded  []byte
}

// mostExpanded is how many bytes of expanded records are encoded at once, and the record that reaches it.
const mostExpanded = 1 << 16

func newLists(columns []schema.Column) (l lists) {
	for _, c := range columns {
		for _, source := range c.Sources {
			if c.Repeated && source.Enterprise != layout.Reserved && l.index(source) < 0 {
				l.wanted = append(l.wanted, source)
			}
		}
	}
	l.values = make([][]byte, len(l.wanted))
	return l
}

// index returns which of the wanted elements this is; less than 0 for none.
func (l *lists) index(s schema.Source) int {
	for i, w := range l.wanted {
		if w == s || isLabel(w) && isLabel(s) {
			return i
		}
	}
	return -1
}

func sourceOf(f template.Field) schema.Source {
	return schema.Source{Enterprise: f.Enterprise, Element: f.Element}
}

// arrays returns which of the wanted elements the lists of a template may have.
func (l *lists) arrays(fields []template.Field) (arrays []int) {
	for i, w := range l.wanted {
		if slices.ContainsFunc(fields, func(f template.Field) bool {
			kind := listKind(f)
			return kind == namedList && sourceOf(f) == w || kind != namedList && kind != noList
		}) {
			arrays = append(arrays, i)
		}
	}
	return arrays
}

// hide returns the fields of a template without the lists that are read here.
func (l *lists) hide(fields []template.Field) []template.Field {
	fields = slices.Clone(fields)
	for i, f := range fields {
		if listKind(f) != noList && l.index(sourceOf(f)) >= 0 {
			fields[i].Enterprise, fields[i].Element = layout.Reserved, 0 // which is no column's
		}
	}
	return fields
}

// expand returns the fields of records with these arrays after them.
func (l *lists) expand(fields []template.Field, arrays []int) []template.Field {
	for _, i := range arrays {
		s := l.wanted[i]
		fields = append(fields, template.Field{
			Enterprise: s.Enterprise, Element: s.Element, Length: template.VariableLength, Each: template.VariableLength,
		})
	}
	return fields
}

// encodeLists is encodeRun for records with lists.
func (d *Decoder) encodeLists(
	dst []byte, m *message, dom *domain, def *definition, b *bound, set []byte, clock template.Clock,
) (out []byte, records int) {
	l := &d.lists
	out, l.templates = dst, dom.templates
	for len(set) >= def.least {
		l.expanded = l.expanded[:0]
		for len(set) >= def.least && len(l.expanded) < mostExpanded {
			size := def.record(set, nil)
			if size == 0 {
				d.malformed(m)
				set = nil
				break
			}
			l.record(def, b.arrays, set[:size])
			set = set[size:]
		}
		var n int
		out, n = d.encodeRun(out, m, dom, def, b, l.expanded, clock)
		records += n
	}
	d.counts.Drop(count.ListSkipped, l.skipped)
	d.counts.Drop(count.Malformed, l.broken)
	d.counts.ListsUnused.Add(uint64(l.unused))
	l.templates, l.skipped, l.broken, l.unused = nil, 0, 0, 0
	return out, records
}

// record reads the lists of a record and appends it to the expanded ones.
func (l *lists) record(def *definition, arrays []int, b []byte) {
	for i := range l.values {
		l.values[i] = l.values[i][:0]
	}
	l.left = mostValues
	def.record(b, func(i int, value []byte) {
		if f := def.fields[i]; listKind(f) != noList {
			l.list(f, value, 1)
		}
	})
	l.expanded = append(l.expanded, b...)
	for _, i := range arrays {
		values := l.values[i]
		l.expanded = append(binary.BigEndian.AppendUint16(append(l.expanded, 255), uint16(len(values))), values...)
	}
}

// add adds a value to a list; false if there is no room for it.
func (l *lists) add(to int, value []byte) bool {
	if l.left == 0 || len(value) > mostValue {
		return false
	}
	l.left--
	if isLabel(l.wanted[to]) && len(value) == 3 {
		entry := uint32(value[0])<<16 | uint32(value[1])<<8 | uint32(value[2])
		l.values[to] = binary.BigEndian.AppendUint32(append(l.values[to], 4), entry>>4)
		return true
	}
	l.values[to] = append(append(l.values[to], byte(len(value))), value...)
	return true
}

// isLabel reports whether an element is an entry of a stack of MPLS labels: the label is its first 20 bits.
func isLabel(s schema.Source) bool { return s.Enterprise == 0 && s.Element >= 70 && s.Element <= 79 }
