package gen

import "github.com/hotpb/hotpb/go/internal/gen/plan"

// requires tells whether the message or anything in it has required fields.
func (p *poolType) requires() bool {
	if p.message != nil {
		return p.needsRequired(p.message)
	}
	child := p.fields[0].Message
	return child != nil && p.needsRequired(child)
}

// emitMissing writes the search for absent required fields: the message's own,
// then those of its messages, both by ascending number.
func (p *poolType) emitMissing() {
	p.P("// MissingHot is the path of the first required field that is absent, or \"\".")
	if !p.requires() {
		p.P("func (m *", p.name, ") MissingHot(bool) string { return \"\" } // there are none\n")
		return
	}
	p.P("func (m *", p.name, ") MissingHot(byKey bool) string {\nif m == nil {\nm = new(", p.name, ")\n}")
	for _, field := range p.fields {
		if field.Presence == plan.Required {
			p.Printf("if %s {\nreturn %q\n}\n", p.hasNot(field), field.Name)
		}
	}
	for _, field := range p.fields {
		child := childOf(field)
		if child == nil || !p.needsRequired(child) {
			continue
		}
		slot := p.slot(field)
		switch {
		case field.Map != nil:
			p.P("{")
			// The order matters, and costs memory, only where something is missing.
			p.P("missing := false\n", p.eachEntry("_, value", slot), "\nif value == nil || value.MissingHot(byKey) != \"\" {\nmissing = true\nbreak\n}\n}")
			p.P("if missing {")
			p.P("keys := m.keys", p.goNames[field])
			p.P("if byKey {\nkeys = ", p.keysOf(field, slot), "\n} else {\nkeys = ", p.Pool("LastKeys"), "(keys)\n}")
			p.P("for n, key := range keys {")
			p.P("value, _ := ", p.lookUp(slot, "key"), "\nif value == nil {\nvalue = new(", p.poolGoType(field.Map.Value), ")\n}")
			p.Printf("if path := value.MissingHot(byKey); path != \"\" {\nreturn %s(%q, n, \"value.\"+path)\n}\n}\n}\n}\n", p.Pool("Within"), field.Name)
		case field.IsRepeated():
			p.P("for n := range ", slot, " {")
			p.Printf("if path := %s[n].MissingHot(byKey); path != \"\" {\nreturn %s(%q, n, path)\n}\n}\n", slot, p.Pool("Within"), field.Name)
		default:
			p.P("if ", p.has(field), " {")
			p.Printf("if path := %s.MissingHot(byKey); path != \"\" {\nreturn %s(%q, -1, path)\n}\n}\n", slot, p.Pool("Within"), field.Name)
		}
	}
	p.P("return \"\"\n}\n")
}
