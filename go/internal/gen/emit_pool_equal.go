package gen

import "github.com/hotpb/hotpb/go/internal/gen/plan"

// emitEqual writes the comparison of two messages.
func (p *poolType) emitEqual() {
	if p.message == nil {
		return
	}
	p.P("// Equal tells whether two messages have the same fields with the same values, and the same unknown fields. NaN is equal to NaN.")
	p.P("func (m *", p.name, ") Equal(o *", p.name, ") bool {")
	p.P("if m == o {\nreturn true\n}\nif m == nil || o == nil {\nreturn false\n}")
	for _, oneof := range p.oneofs {
		p.P("if m.which", p.oneof[oneof], " != o.which", p.oneof[oneof], " {\nreturn false\n}")
	}
	switch {
	case p.words > 0:
		p.P("if m.has != o.has {\nreturn false\n}")
	}
	for _, field := range p.fields {
		slot := p.slot(field)
		other := "o" + slot[1:]
		switch {
		case field.Map != nil:
			p.P("if ", p.mapLen(slot), " != ", p.mapLen(other), " {\nreturn false\n}")
			p.P(p.eachEntry("key, a", slot), "\nb, has := ", p.lookUp(other, "key"))
			p.P("if !has || ", p.differ(field.Map.Value, "a", "b", true), " {\nreturn false\n}\n}")
		case field.IsRepeated():
			p.P("if len(", slot, ") != len(", other, ") {\nreturn false\n}")
			p.P("for n := range ", slot, " {\nif ", p.differ(field, slot+"[n]", other+"[n]", false), " {\nreturn false\n}\n}")
		case field.Type == plan.TypeMessage && field.Oneof == nil && isPointer(field):
			p.P("if ", p.differ(field, slot, other, true), " {\nreturn false\n}")
		case !isPlain(field):
			get := "Get" + p.goNames[field] + "()"
			p.P("if ", p.has(field), " && ", p.differ(field, "m."+get, "o."+get, true), " {\nreturn false\n}")
		default:
			p.P("if ", p.differ(field, slot, other, false), " {\nreturn false\n}")
		}
	}
	p.P("return m.hot.EqualUnknown(&o.hot)\n}\n")
}

// differ is the condition that two values differ; of messages, pointer tells
// whether the expressions are pointers.
func (p *poolType) differ(field *plan.Field, a, b string, pointer bool) string {
	switch field.Type {
	case plan.TypeMessage:
		if !pointer {
			b = "&" + b
		}
		return "!" + a + ".Equal(" + b + ")"
	case plan.TypeBytes:
		return "string(" + a + ") != string(" + b + ")"
	case plan.TypeFloat, plan.TypeDouble:
		return "!" + p.Pool("EqualFloats") + "(" + a + ", " + b + ")"
	}
	return a + " != " + b
}
