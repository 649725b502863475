package templates

import (
	"encoding/binary"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/go/schema/template"
)

// Lists are the values in the lists of a record (RFC 6313), each for the element that a repeated column names.
//
// A record with lists is encoded in an expanded form: the record itself, and then one array for each element that its
// lists may have. Only records of templates with lists, in layouts with repeated columns, are expanded.
type Lists struct {
	wanted wanted
	values [][]byte // by wanted, each after its length
	left   int      // values that the record may still have

	skipped, broken, unused int

	template func(id uint16) *Definition // of the domain; nil if there is none
	expanded []byte
}

// NewLists returns lists of what the layout wants, with templates of the domain whose records are read.
func (b *Binder) NewLists(template func(id uint16) *Definition) Lists {
	return Lists{wanted: b.lists, values: make([][]byte, len(b.lists)), template: template}
}

// Expand reads the lists of records of a template, and returns these records in expanded form, and the others. It returns
// false if one is cut off.
func (l *Lists) Expand(def *Definition, arrays []int, set []byte) (expanded, rest []byte, ok bool) {
	l.expanded = l.expanded[:0]
	for len(set) >= def.Least && len(l.expanded) < mostExpanded {
		size := def.Record(set, nil)
		if size == 0 {
			return l.expanded, nil, false
		}
		l.record(def, arrays, set[:size])
		set = set[size:]
	}
	return l.expanded, set, true
}

// Count counts what was not read, and begins to count.
func (l *Lists) Count(c *count.Local) {
	c.Drop(count.ListSkipped, l.skipped)
	c.Drop(count.Malformed, l.broken)
	c.ListsUnused.Add(uint64(l.unused))
	l.skipped, l.broken, l.unused = 0, 0, 0
}

// mostExpanded is how many bytes of expanded records are encoded at once, and the record that reaches it.
const mostExpanded = 1 << 16

// The bounds of the lists of a record.
const (
	mostDepth  = 4    // lists in lists
	mostValues = 1000 // of all lists
	mostValue  = 64   // bytes of a value; longer ones end their list
)

// What the elements of a list have to do with the flow.
const (
	noneOf       = 0
	exactlyOneOf = 1
)

// holds reports whether all elements of a list may be about the flow. Those of noneOf are not, and of exactlyOneOf only
// one is, and the list does not say which.
func holds(semantic byte) bool { return semantic != noneOf && semantic != exactlyOneOf }

// list reads a list. Of a list that contradicts its lengths, it keeps what comes before that.
func (l *Lists) list(f template.Field, b []byte, depth int) {
	switch kind := listKind(f); {
	case len(b) == 0: // the exporter has none
	case depth > mostDepth:
		l.skipped++
	case !holds(b[0]):
		l.unused++
	case kind == basicList:
		l.basic(-1, b[1:], depth)
	case kind == namedList:
		if to := l.wanted.index(sourceOf(f)); to >= 0 {
			l.basic(to, b[1:], depth)
		} else {
			l.unused++
		}
	case kind == subTemplateLists:
		l.several(b[1:], depth)
	case len(b) < 3:
		l.broken++
	default:
		l.records(binary.BigEndian.Uint16(b[1:]), b[3:], depth)
	}
}

// basic reads a basicList after its semantic: the element and length of its values, as in templates, and the values. They
// fill the wanted element with this index; if it is less than 0, the element of the list.
func (l *Lists) basic(to int, b []byte, depth int) {
	if len(b) < 4 {
		l.broken++
		return
	}
	f := template.Field{Element: binary.BigEndian.Uint16(b), Length: binary.BigEndian.Uint16(b[2:])}
	b = b[4:]
	if f.Element&0x8000 != 0 {
		if len(b) < 4 {
			l.broken++
			return
		}
		f.Element, f.Enterprise, b = f.Element&0x7fff, binary.BigEndian.Uint32(b), b[4:]
	}
	nested := listKind(f) != noList
	if to < 0 {
		to = l.wanted.index(sourceOf(f))
	}
	if to < 0 && !nested {
		l.unused++
		return
	}
	for len(b) > 0 {
		n, prefix := int(f.Length), 0
		if n == template.VariableLength {
			n, prefix = ipfix.VariableLength(b)
		}
		if n+prefix == 0 || n+prefix > len(b) {
			l.broken++
			return
		}
		value := b[prefix : prefix+n]
		b = b[prefix+n:]
		if nested {
			l.list(f, value, depth+1)
		} else if !l.add(to, value) {
			l.skipped++
			return
		}
	}
}

// several reads a subTemplateMultiList after its semantic: for each part its template and length, which includes both of
// these, and records.
func (l *Lists) several(b []byte, depth int) {
	for len(b) > 0 {
		if len(b) < 4 {
			l.broken++
			return
		}
		n := int(binary.BigEndian.Uint16(b[2:]))
		if n < 4 || n > len(b) {
			l.broken++
			return
		}
		l.records(binary.BigEndian.Uint16(b), b[4:n], depth)
		b = b[n:]
	}
}

// records reads the records of a list, by a template of the same domain.
func (l *Lists) records(id uint16, b []byte, depth int) {
	t := l.template(id)
	switch {
	case t == nil || t.Options:
		l.skipped++
		return
	case !l.wanted.wants(t):
		l.unused++
		return
	}
	for len(b) > 0 {
		size := 0
		if len(b) >= t.Least {
			size = t.Record(b, nil)
		}
		if size == 0 {
			l.broken++
			return
		}
		full := false
		t.Record(b[:size], func(i int, value []byte) {
			if f := t.Fields[i]; listKind(f) != noList {
				l.list(f, value, depth+1)
			} else if to := l.wanted.index(sourceOf(f)); to >= 0 && !l.add(to, value) {
				full = true
			}
		})
		if full {
			l.skipped++
			return
		}
		b = b[size:]
	}
}

// record reads the lists of a record and appends it to the expanded ones.
func (l *Lists) record(def *Definition, arrays []int, b []byte) {
	for i := range l.values {
		l.values[i] = l.values[i][:0]
	}
	l.left = mostValues
	def.Record(b, func(i int, value []byte) {
		if f := def.Fields[i]; listKind(f) != noList {
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
func (l *Lists) add(to int, value []byte) bool {
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
