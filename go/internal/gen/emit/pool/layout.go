package pool

import (
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// A group's layouts are in a variable and a function, as the tables are.
const (
	layoutPattern = "hotLayout*"
	layoutSuffix  = "HotLayout"
)

// layouts is the expression of a pointer to the layouts of m's group.
func layouts(f *emit.File, m *plan.Message) string { return f.OfGroup(m, layoutPattern, layoutSuffix) }

// layoutOf is the expression of a message's layout.
func layoutOf(f *emit.File, m *plan.Message) string {
	group, local := strings.CutPrefix(layouts(f, m), "&")
	if !local {
		group = "(*" + group + ")"
	}
	return group + "[" + emit.Itoa(f.IndexInGroup(m)) + "]"
}

// emitLayouts writes the layouts of the file's messages, in the groups of the tables.
func emitLayouts(f *emit.File) {
	written := map[*plan.Message]bool{}
	for _, m := range f.Messages() {
		group := f.GroupOf(m)
		if written[group[0]] {
			continue
		}
		written[group[0]] = true
		f.EmitGroup(group[0], layoutPattern, layoutSuffix, f.Pool("Layout"))
		f.P("var ", f.TypeName(group[0], layoutPattern), " = []", f.Pool("Layout"), "{")
		for _, member := range group {
			if member.MapEntry || !f.IsSelected(member) {
				f.P("{},")
			} else {
				newPoolType(f, member).emitLayout(len(group))
			}
		}
		f.P("}\n")
	}
}

// offset is the offset of a member in a struct.
func offset(f *emit.File, in, member string) string {
	return "uint32(" + f.Ident("unsafe", "Offsetof") + "(" + in + "{}." + member + "))"
}

func (p *poolType) emitLayout(group int) {
	p.Printf("{Tables: %s, ", p.table)
	if p.index != 0 {
		p.Printf("Index: %d, ", p.index)
	}
	p.Printf("%s", p.Fill("Of: (*[]$type$)(nil), Code: (*$type$)(nil), Size: $unsafe.Sizeof$($type${})", "type", p.name))
	if hasSlabs(p.File, p.message) {
		p.Printf(", Memory: (*%s)(nil)", p.slabs())
	}
	if p.words > 0 {
		p.Printf(", Has: %s(%s{}.has)", p.Ident("unsafe", "Offsetof"), p.name)
	}
	// The traits, and the numbers that a recursion needs.
	var traits []string
	if !p.decodesByTable(p.message) {
		traits = append(traits, p.Pool("Straight"))
	}
	if !p.encodesByTable(p.message) {
		traits = append(traits, p.Pool("Encodes"))
	}
	if p.isRecursive() {
		traits = append(traits, p.Pool("Recursive"))
		p.Printf(", First: %d, Group: %d", p.index, group)
	}
	if p.counts(p.message) {
		traits = append(traits, p.Pool("Counts"))
	}
	if hasSlabs(p.File, p.message) {
		traits = append(traits, p.Pool("HasSlabs"))
	}
	if p.requires() {
		traits = append(traits, p.Pool("Requires"))
		if p.emitRequired() {
			traits = append(traits, p.Pool("RequiresMore"))
		}
	}
	if len(traits) > 0 {
		p.Printf(", Traits: %s", strings.Join(traits, " | "))
	}
	// The fields. Some have a part, too, in a list of its own.
	parts := 0
	if len(p.fields) > 0 {
		p.P(", Fields: []", p.Pool("Field"), "{")
		for _, field := range p.fields {
			part := 0
			if p.hasPart(field) {
				part = parts
				parts++
			}
			p.emitEntry(field, part)
		}
		p.Printf("}")
	}
	if parts > 0 {
		p.P(", Parts: []", p.Pool("Part"), "{")
		for _, field := range p.fields {
			if p.hasPart(field) {
				p.emitPart(field)
			}
		}
		p.Printf("}")
	}
	p.P("},")
}

// hasPart reports whether a field is more than one value in its place.
func (p *poolType) hasPart(field *plan.Field) bool { return field.IsRepeated() || field.Message != nil }

// emitEntry writes the pool.Field of a field.
func (p *poolType) emitEntry(field *plan.Field, part int) {
	is, shows, word := p.LayoutKind(field), 0, "0"
	switch {
	case field.Map != nil:
		is, shows = emit.LayoutMap|emit.LayoutList, emit.LayoutShowsInPointer
	case field.IsRepeated():
		is, shows = is|emit.LayoutList, emit.LayoutShowsInLength
	case field.Oneof != nil:
		shows, word = emit.LayoutShowsInOneof, offset(p.File, p.name, p.which(field)[len("m."):])
	case isPointer(field):
		shows = emit.LayoutShowsInPointer
	case field.HasPresence():
		shows, word = p.bits[field]%32, emit.Itoa(p.bits[field]/32*4)
	case emit.IsText(field):
		shows = emit.LayoutShowsInLength
	case field.Type == plan.TypeBool:
		shows = emit.LayoutShowsIn1
	default:
		shows = emit.LayoutShowsIn4
		switch field.Type {
		case plan.TypeInt64, plan.TypeUint64, plan.TypeSint64, plan.TypeFixed64, plan.TypeSfixed64, plan.TypeDouble:
			shows = emit.LayoutShowsIn8
		}
	}
	if field.Presence == plan.Required {
		shows |= emit.LayoutRequired
	}
	if field.Oneof != nil || p.hasPart(field) {
		shows |= emit.LayoutCompound
	}
	wireType := field.WireType
	if field.Packed {
		wireType = 2
	}
	p.P("{", emit.TagValue(field.Number, wireType), ", ", offset(p.File, p.name, p.slot(field)[len("m."):]), ", ", word, ", ", is|shows<<8|part<<16, "},")
}

// emitPart writes the pool.Part of a field.
func (p *poolType) emitPart(field *plan.Field) {
	var places []string
	place := func(name string) { places = append(places, p.Pool(name)) }
	p.Printf("{")
	if field.Map != nil {
		key, value := mapTypes(p.File, field)
		form := "MapOf"
		if p.Options.SortedMaps {
			form = "SortedOf"
			if key == "bool" {
				key = "uint8"
			}
		}
		p.Printf("Map: (*%s[%s, %s])(nil), Key: %d, Is: %d, ", p.Pool(form), key, value, p.LayoutKind(field.Map.Key), p.LayoutKind(field.Map.Value))
		if e := field.Map.Value.Enum; e != nil && e.Values[0].Number != 0 {
			p.Printf("Else: %d, ", e.Values[0].Number)
		}
		place("InSlab")
		p.Printf("Slab: %s, ", offset(p.File, p.slabs(), p.slabName("maps", field)))
		if p.needsOrder(field) {
			place("Ordered")
			p.Printf("Order: %s, Keys: %s, ", offset(p.File, p.slabs(), p.slabName("keys", field)), offset(p.File, p.name, "keys"+p.goNames[field]))
		}
		if field.Map.Value.Message != nil {
			p.Printf("Value: %s, ", offset(p.File, p.slabs(), p.slabName("of", field)))
		}
	} else {
		p.Printf("Kind: %s, ", p.Wire(emit.KindName(field)))
		if field.IsRepeated() || isPointer(field) {
			place("InSlab")
			p.Printf("Slab: %s, ", offset(p.File, p.slabs(), p.slabName("of", field)))
		}
		if isPointer(field) {
			place("Pointer")
		}
	}
	if child := childOf(field); child != nil {
		index := p.IndexInGroup(child)
		if p.GroupOf(child)[0] != p.GroupOf(p.message)[0] {
			p.Printf("Child: %s, ", layouts(p.File, child))
		} else {
			index -= p.index
		}
		if index != 0 {
			p.Printf("Index: %d, ", index)
		}
		switch {
		case p.sharesSlabs(child):
			place("Shared")
		case hasSlabs(p.File, child):
			place("Apart")
			p.Printf("At: %s, ", offset(p.File, p.slabs(), p.slabName("at", field)))
		}
	}
	if len(places) > 0 {
		p.Printf("Of: %s", strings.Join(places, " | "))
	}
	p.P("},")
}

// emitDecodeByTable writes the decoder of a message that a loop of the runtime reads.
func (p *poolType) emitDecodeByTable() {
	p.Code(`
		func (m *$type$) DecodeHot(d *$pool.Decoder$, slabs $unsafe.Pointer$, b []byte, i, levels int) int {
			return $layout$.DecodeHot($unsafe.Pointer$(m), d, slabs, b, i, levels)
		}

		`, "layout", layoutOf(p.File, p.message))
}

// emitEncodeByTable writes the encoder of a message that a loop of the runtime writes.
func (p *poolType) emitEncodeByTable() {
	p.Code(`
		func (m *$type$) EncodeHot(e *$pool.Encoder$, i int) int { return $layout$.EncodeHot($unsafe.Pointer$(m), e, i) }

		`, "layout", layoutOf(p.File, p.message))
}

// emitNoEncode writes methods that are never called: messages that lack fields have no methods that write them.
func (p *poolType) emitNoEncode() {
	p.P("func (*", p.name, ") EncodeHot(*", p.Pool("Encoder"), ", int) int { panic(\"hotpb: fields were left out of ", p.name, "\") }\n")
}
