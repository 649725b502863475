package gen

import (
	"slices"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// slabs is the type with the slabs of this message; the members of a recursion
// share one.
func (p *poolType) slabs() string {
	if p.message == nil {
		return p.name + slabsSuffix
	}
	return p.slabsOf(p.message)
}

func (f *File) slabsOf(m *plan.Message) string { return f.TypeName(f.groupOf(m)[0], slabsSuffix) }

// isRecursive tells whether the message can contain itself: then the lists of
// several messages grow by turns.
func (p *poolType) isRecursive() bool { return p.message != nil && p.message.Recursion != 0 }

// sharesSlabs tells whether a child uses the slabs of the message itself.
func (p *poolType) sharesSlabs(child *plan.Message) bool {
	return p.isRecursive() && child.Recursion == p.message.Recursion
}

// slabName is the slab of a field, and of what belongs to it. Fields that differ in their sort of access only may have one
// name.
func (p *poolType) slabName(prefix string, field *plan.Field) string {
	name := p.goNames[field]
	for other, theirs := range p.goNames {
		if other != field && theirs == p.goNames[field] {
			name += "_" + itoa(field.Number)
			break
		}
	}
	if p.isRecursive() { // in one type with those of other messages
		return prefix + itoa(p.index) + name
	}
	return prefix + name
}

// childOf gives the message of a field's elements, entries' values or value.
func childOf(field *plan.Field) *plan.Message {
	if field.Map != nil {
		return field.Map.Value.Message
	}
	return field.Message
}

// slabList are the slabs that a message needs for its own fields: name and type.
func (p *poolType) slabList() (list [][2]string) {
	slab := func(element string) string { return p.Pool("Slab") + "[" + element + "]" }
	for _, field := range p.fields {
		switch {
		case field.Map != nil:
			list = append(list, [2]string{p.slabName("maps", field), p.mapSlab(field)})
			if p.needsOrder(field) {
				list = append(list, [2]string{p.slabName("keys", field), slab(p.goType(field.Map.Key))})
			}
			if field.Map.Value.Message != nil {
				list = append(list, [2]string{p.slabName("of", field), slab(p.poolGoType(field.Map.Value))})
			}
		case field.IsRepeated() || isPointer(field):
			list = append(list, [2]string{p.slabName("of", field), slab(p.poolGoType(field))})
		}
	}
	return list
}

// nested are the fields whose messages have slabs of their own.
func (p *poolType) nested() (list []*plan.Field) {
	for _, field := range p.fields {
		if child := childOf(field); child != nil && !p.sharesSlabs(child) && p.hasSlabs(child) {
			list = append(list, field)
		}
	}
	return list
}

// emitSlabs writes the type with the slabs, and its walks.
func (p *poolType) emitSlabs() {
	members := []*poolType{p}
	if p.isRecursive() {
		members = nil
		for _, m := range p.groupOf(p.message) {
			if !m.MapEntry && p.isSelected(m) {
				members = append(members, newPoolType(p.File, m))
			}
		}
		if members[0].message != p.message {
			return // written with the first one
		}
	}
	name := p.slabs()
	p.P("// ", name, " is the memory of what ", p.name, " holds.")
	p.P("type ", name, " struct {")
	for _, m := range members {
		for _, slab := range m.slabList() {
			p.P(slab[0], " ", slab[1])
		}
		for _, field := range m.nested() {
			p.P(m.slabName("at", field), " *", p.slabsOf(childOf(field)))
		}
	}
	p.P("}\n")
	p.P("// EachHot shows every slab to the walk.")
	p.P("func (s *", name, ") EachHot(w *", p.Pool("Walk"), ") {")
	for _, m := range members {
		for _, slab := range m.slabList() {
			p.P("w.Slab(&s.", slab[0], ")")
		}
		for _, field := range m.nested() {
			at := "s." + m.slabName("at", field)
			p.P("if ", at, " != nil {\n", at, ".EachHot(w)\n}")
		}
	}
	p.P("}\n")
	p.emitCount(name)
}

// emitCount writes the scan that counts the elements of a message that has not
// been decoded yet. What a message contains of itself is not counted.
func (p *poolType) emitCount(name string) {
	p.P("// CountHot counts the elements in an encoded message.")
	p.P("func (s *", name, ") CountHot(b []byte) {")
	counted := slices.DeleteFunc(slices.Clone(p.fields), func(field *plan.Field) bool {
		child := childOf(field)
		return field.Map != nil && !p.Options.SortedMaps || field.Delimited || !field.IsRepeated() && child == nil
	})
	if p.isRecursive() || len(counted) == 0 {
		p.P("}\n")
		return
	}
	p.Printf(`for i := 0; i < len(b); {
			tag, next := %s(b, i)
			if next < 0 {
				return
			}
			switch tag {
		`, p.Wire("ReadTag"))
	for _, field := range counted {
		slab := "s." + p.slabName("of", field)
		if packable(field) {
			p.P("case ", tagValue(field.Number, 2), ": // ", field.Name, ", packed")
			p.Printf("from, end := %s(b, next)\nif end < 0 {\nreturn\n}\n", p.Wire("ReadBytes"))
			switch field.WireType {
			case 0:
				p.Printf("n, _, _ := %s(b[from:end])\n%s.Count(n)\n", p.Wire("CountVarints"), slab)
			case 1:
				p.P(slab, ".Count((end - from) / 8)")
			default:
				p.P(slab, ".Count((end - from) / 4)")
			}
			p.P("i = end\ncontinue")
		}
		p.P("case ", tagValue(field.Number, field.WireType), ": // ", field.Name)
		if field.Map != nil {
			p.P("s.", p.slabName("maps", field), ".Count(1)")
			if childOf(field) != nil {
				p.P(slab, ".Count(1)")
			}
			continue // what is inside the entries is not counted
		}
		if field.IsRepeated() || isPointer(field) {
			p.P(slab, ".Count(1)")
		}
		if child := childOf(field); child != nil {
			p.Printf("from, end := %s(b, next)\nif end < 0 {\nreturn\n}\n", p.Wire("ReadBytes"))
			at := p.childSlabs(field)
			if p.counts(child) {
				p.P(at, ".CountHot(b[from:end])")
			} else {
				p.P("_ = from")
			}
			p.P("i = end\ncontinue")
		}
	}
	p.Printf(`}
			if i = %s(b, next, tag, %s); i < 0 {
				return
			}
		}
		}

		`, p.Wire("Skip"), p.Wire("DefaultDepth"))
}

// counts tells whether a message has anything to count in it.
func (p *poolType) counts(m *plan.Message) bool {
	return m.Recursion == 0 && slices.ContainsFunc(p.Fields(m), func(field *plan.Field) bool {
		if field.Map != nil {
			return p.Options.SortedMaps
		}
		return field.IsRepeated() || isPointer(field) || field.Message != nil && p.counts(field.Message)
	})
}

// hasSlabs tells whether anything is ever in the slabs of a message.
func (f *File) hasSlabs(m *plan.Message) bool {
	return m.Recursion != 0 || slices.ContainsFunc(f.Fields(m), func(field *plan.Field) bool {
		return field.IsRepeated() || isPointer(field) || field.Message != nil && f.hasSlabs(field.Message)
	})
}

// childSlabs gives the expression of the slabs for a field's message, after the
// statement that sees that there are any.
func (p *poolType) childSlabs(field *plan.Field) string {
	child := childOf(field)
	if p.sharesSlabs(child) {
		return "s"
	}
	if !p.hasSlabs(child) {
		return "nil" // s itself may be nil
	}
	at := "s." + p.slabName("at", field)
	p.Printf("if %s == nil {\n%s = new(%s)\n}\n", at, at, p.slabsOf(child))
	return at
}
