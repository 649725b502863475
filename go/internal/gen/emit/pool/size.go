package pool

import (
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// emitSize writes the method that returns the size of the encoding. Maps and packed varints are left to the table.
func (p *poolType) emitSize() {
	p.P("func (m *", p.name, ") Size() (n int) {\nif m == nil {\nreturn 0\n}")
	for k, field := range p.fields {
		slot, width := p.slot(field), numberWidth(field)
		tag := len(field.Tag)
		switch {
		case field.Map != nil || field.Packed && width == 0:
			p.P("n += m.RefHot().FieldSize(", k, ")")
		case field.Packed:
			p.P("if len(", slot, ") > 0 {\nn += ", tag, " + ", p.Pool("SizeText"), "(", width, "*len(", slot, "))\n}")
		case field.IsRepeated() && width > 0:
			p.P("n += ", tag+width, " * len(", slot, ")")
		case field.IsRepeated():
			p.P("for k := range ", slot, " {\nn += ", p.sizeOfOne(field, slot+"[k]"), "\n}")
		case !IsPlain(field):
			p.P("if ", p.has(field), " {\nn += ", p.sizeOfOne(field, p.load(field)), "\n}")
		default:
			p.P("if ", p.NotZero(field, slot), " {\nn += ", p.sizeOfOne(field, slot), "\n}")
		}
	}
	p.P("return n + m.hot.UnknownSize()\n}\n")
}

// numberWidth is the size of the values of a field whose values all have the same size, else 0.
func numberWidth(field *plan.Field) int {
	if field.Type == plan.TypeBool {
		return 1
	}
	return map[int]int{1: 8, 5: 4}[field.WireType]
}

// sizeOfOne is the size of one record.
func (p *poolType) sizeOfOne(field *plan.Field, value string) string {
	tag := len(field.Tag)
	size := emit.Itoa(tag) + " + "
	switch {
	case field.Type == plan.TypeMessage:
		call := ".Size()"
		if !field.Message.File.Requested || !p.IsSelected(field.Message) {
			call = ".RefHot().Size()" // its code may have no methods that write it
		}
		if field.Delimited {
			return emit.Itoa(2*tag) + " + " + value + call
		}
		return size + p.Pool("SizeText") + "(" + value + call + ")"
	case emit.IsText(field):
		return size + p.Pool("SizeText") + "(len(" + value + "))"
	case numberWidth(field) > 0:
		return emit.Itoa(tag + numberWidth(field))
	}
	return size + p.Wire("SizeVarint") + "(" + p.ToVarint(field, value) + ")"
}
