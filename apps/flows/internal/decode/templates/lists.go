package templates

import (
	"slices"

	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
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

// wanted are the elements of lists that repeated columns name; of a stack of labels, the first.
type wanted []schema.Source

func newWanted(columns []schema.Column) (w wanted) {
	for _, c := range columns {
		for _, source := range c.Sources {
			if c.Repeated && source.Enterprise != layout.Reserved && w.index(source) < 0 {
				w = append(w, source)
			}
		}
	}
	return w
}

// index returns which of the wanted elements this is; less than 0 for none.
func (w wanted) index(s schema.Source) int {
	for i, x := range w {
		if x == s || isLabel(x) && isLabel(s) {
			return i
		}
	}
	return -1
}

// arrays returns which of the wanted elements the lists of a template may have.
func (w wanted) arrays(fields []template.Field) (arrays []int) {
	for i, x := range w {
		if slices.ContainsFunc(fields, func(f template.Field) bool {
			kind := listKind(f)
			return kind == namedList && sourceOf(f) == x || kind != namedList && kind != noList
		}) {
			arrays = append(arrays, i)
		}
	}
	return arrays
}

// hide returns the fields of a template without the lists that are read here.
func (w wanted) hide(fields []template.Field) []template.Field {
	fields = slices.Clone(fields)
	for i, f := range fields {
		if listKind(f) != noList && w.index(sourceOf(f)) >= 0 {
			fields[i].Enterprise, fields[i].Element = layout.Reserved, 0 // which is no column's
		}
	}
	return fields
}

// expand returns the fields of records with these arrays after them.
func (w wanted) expand(fields []template.Field, arrays []int) []template.Field {
	for _, i := range arrays {
		s := w[i]
		fields = append(fields, template.Field{
			Enterprise: s.Enterprise, Element: s.Element, Length: template.VariableLength, Each: template.VariableLength,
		})
	}
	return fields
}

func sourceOf(f template.Field) schema.Source {
	return schema.Source{Enterprise: f.Enterprise, Element: f.Element}
}

// isLabel reports whether an element is an entry of a stack of MPLS labels: the label is its first 20 bits.
func isLabel(s schema.Source) bool { return s.Enterprise == 0 && s.Element >= 70 && s.Element <= 79 }

// wants reports whether records of a template may have what fills a column.
func (w wanted) wants(def *Definition) bool {
	return def.structured || slices.ContainsFunc(def.Fields, func(f template.Field) bool { return w.index(sourceOf(f)) >= 0 })
}
