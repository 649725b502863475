package pool

import (
	"slices"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// slabs is the type with the slabs of this message. The members of a recursion component share one.
func (p *poolType) slabs() string { return slabsOf(p.File, p.message) }

func slabsOf(f *emit.File, m *plan.Message) string { return f.TypeName(f.GroupOf(m)[0], slabsSuffix) }

// isRecursive reports whether the message can contain itself. Then the lists of several messages grow in turn.
func (p *poolType) isRecursive() bool { return p.message.Recursion != 0 }

// sharesSlabs reports whether a child uses the slabs of the message itself.
func (p *poolType) sharesSlabs(child *plan.Message) bool {
	return p.isRecursive() && child.Recursion == p.message.Recursion
}

// slabName is the slab of a field and of the values that belong to it. Fields that differ only in their kind of
// access may share a name.
func (p *poolType) slabName(prefix string, field *plan.Field) string {
	name := p.goNames[field]
	for rival, theirs := range p.goNames {
		if rival != field && theirs == p.goNames[field] {
			name += "_" + emit.Itoa(field.Number)
			break
		}
	}
	if p.isRecursive() { // one type holds the slabs of other messages, too
		return prefix + emit.Itoa(p.index) + name
	}
	return prefix + name
}

// childOf returns the message type of a field's elements, entries' values or value.
func childOf(field *plan.Field) *plan.Message {
	if field.Map != nil {
		return field.Map.Value.Message
	}
	return field.Message
}

// slabList are the slabs that a message needs for its own fields: name and type.
func (p *poolType) slabList() (list [][2]string) {
	slab := func(element string) string { return p.Pool("Slab") + "[" + element + "]" }
	messages := p.Pool("Children")
	for _, field := range p.fields {
		switch {
		case field.Map != nil:
			list = append(list, [2]string{p.slabName("maps", field), mapSlab(p.File, field)})
			if p.needsOrder(field) {
				list = append(list, [2]string{p.slabName("keys", field), slab(p.GoType(field.Map.Key))})
			}
			if field.Map.Value.Message != nil {
				list = append(list, [2]string{p.slabName("of", field), messages})
			}
		case field.Message != nil && !p.isRow(field) && (field.IsRepeated() || isPointer(field)):
			list = append(list, [2]string{p.slabName("of", field), messages})
		case field.IsRepeated():
			list = append(list, [2]string{p.slabName("of", field), slab(PoolGoType(p.File, field))})
		}
	}
	return list
}

// nested are the fields whose messages have slabs of their own.
func (p *poolType) nested() (list []*plan.Field) {
	for _, field := range p.fields {
		if child := childOf(field); child != nil && !p.sharesSlabs(child) && hasSlabs(p.File, child) {
			list = append(list, field)
		}
	}
	return list
}

// emitSlabs writes the type with the slabs, if there are any.
func (p *poolType) emitSlabs() {
	if !hasSlabs(p.File, p.message) {
		return
	}
	members := []*poolType{p}
	if p.isRecursive() {
		members = nil
		for _, m := range p.GroupOf(p.message) {
			if !m.MapEntry && p.IsSelected(m) {
				members = append(members, newPoolType(p.File, m))
			}
		}
		if members[0].message != p.message {
			return // already written with the first one
		}
	}
	name := p.slabs()
	p.P("type ", name, " struct {")
	for _, m := range members {
		for _, slab := range m.slabList() {
			p.P(slab[0], " ", slab[1])
		}
		for _, field := range m.nested() {
			p.P(m.slabName("at", field), " *", slabsOf(p.File, childOf(field)))
		}
	}
	p.P("}\n")
}

// counts reports whether a message has anything to count.
func (p *poolType) counts(m *plan.Message) bool {
	return m.Recursion == 0 && slices.ContainsFunc(p.Fields(m), func(field *plan.Field) bool {
		if field.Map != nil {
			return p.Options.SortedMaps
		}
		return field.IsRepeated() || isPointer(field) || field.Message != nil && p.counts(field.Message)
	})
}

// hasSlabs reports whether the slabs of a message ever hold anything.
func hasSlabs(f *emit.File, m *plan.Message) bool {
	return m.Recursion != 0 || slices.ContainsFunc(f.Fields(m), func(field *plan.Field) bool {
		return field.IsRepeated() || isPointer(field) || field.Message != nil && hasSlabs(f, field.Message)
	})
}

// childSlabs is the expression of the slabs for a field's message.
func (p *poolType) childSlabs(field *plan.Field) string {
	child := childOf(field)
	if p.sharesSlabs(child) {
		return "slabs"
	}
	if !hasSlabs(p.File, child) {
		return "nil" // s itself may be nil
	}
	return p.Pool("Slabs") + "(" + p.address("s."+p.slabName("at", field)) + ", (*" + slabsOf(p.File, child) + ")(nil))"
}

// address is the address of a variable, without its type.
func (p *poolType) address(variable string) string {
	return p.Ident("unsafe", "Pointer") + "(&" + variable + ")"
}

// sizeOfMessage is the expression of the size of a field's message, and typeOfMessage that of its type.
func (p *poolType) sizeOfMessage(field *plan.Field) string {
	return p.Ident("unsafe", "Sizeof") + "(" + PoolGoType(p.File, field) + "{})"
}

func (p *poolType) typeOfMessage(field *plan.Field) string {
	return "(*[]" + PoolGoType(p.File, field) + ")(nil)"
}

// takeMessage declares a variable, a new message of a field from its slab. The record starts at start.
func (p *poolType) takeMessage(field *plan.Field, slab, variable string) {
	kind := PoolGoType(p.File, field)
	p.Code(`
		$variable$ := (*$kind$)(s.$slab$.New(d, start, $type$, $size$))
		if $variable$ == nil {
			return -1
		}
		*$variable$ = $kind${}
		`, "variable", variable, "kind", kind, "slab", slab, "type", p.typeOfMessage(field), "size", p.sizeOfMessage(field))
}
