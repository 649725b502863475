package gen

import "github.com/hotpb/hotpb/go/internal/gen/plan"

// emitSize writes the size of a message's encoding.
func (p *poolType) emitSize() {
	p.P("// SizeHot is the size of the encoding.")
	p.P("func (m *", p.name, ") SizeHot() (size int) {\nif m == nil {\nreturn 0\n}")
	for _, field := range p.fields {
		slot := p.slot(field)
		switch {
		case field.Map != nil:
			p.P(p.eachEntry("key, value", slot), "\nn := 0\n_, _ = key, value")
			if field.Map.Value.Type == plan.TypeMessage {
				p.P("if value == nil {\nvalue = new(", p.poolGoType(field.Map.Value), ")\n}")
			}
			p.addSize("n", field.Map.Key, "key")
			p.addSize("n", field.Map.Value, "value")
			p.P("size += ", len(tagBytes(field.Number, 2)), " + ", p.Wire("SizeVarint"), "(uint64(n)) + n\n}")
		case field.Packed:
			p.P("if n := len(", slot, "); n > 0 {")
			switch field.WireType {
			case 0:
				p.P("n = 0\nfor _, v := range ", slot, " {\nn += ", p.Wire("SizeVarint"), "(", p.toVarint(field, "v"), ")\n}")
			case 1:
				p.P("n *= 8")
			default:
				p.P("n *= 4")
			}
			p.P("size += ", len(field.Tag), " + ", p.Wire("SizeVarint"), "(uint64(n)) + n\n}")
		case field.IsRepeated() && (field.WireType == 1 || field.WireType == 5):
			width := map[int]int{1: 8, 5: 4}[field.WireType]
			p.P("size += ", len(field.Tag)+width, " * len(", slot, ")")
		case field.IsRepeated():
			p.P("for n := range ", slot, " {")
			p.addSize("size", field, slot+"[n]")
			p.P("}")
		case !isPlain(field):
			p.P("if ", p.has(field), " {")
			p.addSize("size", field, p.load(field))
			p.P("}")
		default:
			p.P("if ", p.notZero(field, slot), " {")
			p.addSize("size", field, slot)
			p.P("}")
		}
	}
	p.P("return size + m.hot.UnknownSize()\n}\n")
}

// addSize adds the size of one record.
func (p *poolType) addSize(to string, field *plan.Field, value string) {
	tag := len(tagBytes(field.Number, field.WireType))
	length := func(n string) string { return p.Wire("SizeVarint") + "(uint64(" + n + ")) + " + n }
	switch {
	case field.Delimited:
		p.P(to, " += ", 2*tag, " + ", value, ".SizeHot()")
	case field.Type == plan.TypeMessage:
		p.P("child := ", value, ".SizeHot()\n", to, " += ", tag, " + ", length("child"))
	case isText(field):
		p.P(to, " += ", tag, " + ", length("len("+value+")"))
	case field.WireType == 0:
		p.P(to, " += ", tag, " + ", p.Wire("SizeVarint"), "(", p.toVarint(field, value), ")")
	case field.WireType == 1:
		p.P(to, " += ", tag, " + 8")
	default:
		p.P(to, " += ", tag, " + 4")
	}
}
