package decode

import (
	"encoding/binary"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/go/schema/template"
)

// kindOfList is the encoding of a list (RFC 6313).
type kindOfList uint8

const (
	noList           kindOfList = iota
	basicList                   // values of one element, which the list names
	namedList                   // the same, in a field whose own element says what they are (RFC 8549)
	subTemplateList             // records of one template
	subTemplateLists            // records of several templates: subTemplateMultiList
)

func listKind(f template.Field) kindOfList {
	if f.Enterprise != 0 {
		return noList
	}
	switch f.Element {
	case 291:
		return basicList
	case 292:
		return subTemplateList
	case 293:
		return subTemplateLists
	case 484, 485, 487, 488, 490, 491: // communities: standard, extended, large; of source, of destination
		return namedList
	}
	return noList
}

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
func (l *lists) list(f template.Field, b []byte, depth int) {
	switch kind := listKind(f); {
	case len(b) == 0: // the exporter has none
	case depth > mostDepth:
		l.skipped++
	case !holds(b[0]):
		l.unused++
	case kind == basicList:
		l.basic(-1, b[1:], depth)
	case kind == namedList:
		if to := l.index(sourceOf(f)); to >= 0 {
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
func (l *lists) basic(to int, b []byte, depth int) {
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
		to = l.index(sourceOf(f))
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
func (l *lists) several(b []byte, depth int) {
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
func (l *lists) records(id uint16, b []byte, depth int) {
	t := l.templates[id]
	switch {
	case t == nil || t.options:
		l.skipped++
		return
	case !l.wants(t):
		l.unused++
		return
	}
	for len(b) > 0 {
		size := 0
		if len(b) >= t.least {
			size = t.record(b, nil)
		}
		if size == 0 {
			l.broken++
			return
		}
		full := false
		t.record(b[:size], func(i int, value []byte) {
			if f := t.fields[i]; listKind(f) != noList {
				l.list(f, value, depth+1)
			} else if to := l.index(sourceOf(f)); to >= 0 && !l.add(to, value) {
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

// wants reports whether records of a template may have what fills a column.
func (l *lists) wants(t *inputTemplate) bool {
	if t.structured {
		return true
	}
	for _, f := range t.fields {
		if l.index(sourceOf(f)) >= 0 {
			return true
		}
	}
	return false
}
