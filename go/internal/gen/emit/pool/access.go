package pool

import (
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// emitAccessors writes the methods of fields that are not plain.
func (p *poolType) emitAccessors() {
	for _, field := range p.fields {
		switch {
		case IsPlain(field):
		case field.Type == plan.TypeMessage:
			p.emitChildAccessors(field)
		default:
			p.emitValueAccessors(field)
		}
	}
	for _, oneof := range p.oneofs {
		name := p.oneof[oneof]
		p.P("// Which", name, " is the number of the member of oneof ", oneof.Name, " that is set, or 0:")
		for _, field := range oneof.Fields {
			p.P("//   ", field.Number, " ", field.Name)
		}
		p.Code(`
			func (m *$type$) Which$oneof$() uint32 {
				if m == nil {
					return 0
				}
				return m.which$oneof$
			}

			func (m *$type$) Clear$oneof$() {`, "oneof", name)
		p.leaveOneof(oneof, nil)
		p.P("m.which", name, " = 0\n}\n")
		p.emitLeave(oneof)
	}
}

// emitLeave writes the function that all members of a oneof call before they set another one, so that they share
// the code.
func (p *poolType) emitLeave(oneof *plan.Oneof) {
	children := p.children(oneof, nil)
	if len(children) <= mostInLine {
		return
	}
	name := p.oneof[oneof]
	p.P("// leave", name, " empties the message that is set in oneof ", oneof.Name, ", if one is.")
	p.P("func (m *", p.name, ") leave", name, "() {\nswitch m.which", name, " {")
	for _, field := range children {
		p.P("case ", field.Number, ":\n", p.slot(field), " = ", p.zero(field))
	}
	p.P("}\n}\n")
}

// mostInLine is how many messages of a oneof the setters of the other members empty in line.
const mostInLine = 2

// children are the message members of a oneof, except one.
func (p *poolType) children(oneof *plan.Oneof, but *plan.Field) (list []*plan.Field) {
	for _, field := range oneof.Fields {
		if field != but && field.Type == plan.TypeMessage {
			list = append(list, field)
		}
	}
	return list
}

// leaveOneof empties the messages of a oneof, except the one that will be set. All are empty while no member is
// set.
func (p *poolType) leaveOneof(oneof *plan.Oneof, but *plan.Field) {
	if len(p.children(oneof, nil)) > mostInLine {
		p.Code("if m.which$oneof$ != 0 {\nm.leave$oneof$()\n}", "oneof", p.oneof[oneof])
		return
	}
	for _, field := range p.children(oneof, but) {
		p.P(p.slot(field), " = ", p.zero(field))
	}
}

// zero is the empty value of a field's slot.
func (p *poolType) zero(field *plan.Field) string {
	switch {
	case field.IsRepeated() || isPointer(field) || field.Type == plan.TypeBytes:
		return "nil"
	case field.Type == plan.TypeMessage:
		return PoolGoType(p.File, field) + "{}"
	case field.Type == plan.TypeString:
		return `""`
	case field.Type == plan.TypeBool && field.Oneof == nil:
		return "false"
	}
	return "0"
}

// load is the expression of a singular value that is present.
func (p *poolType) load(field *plan.Field) string {
	slot := p.slot(field)
	if field.Oneof == nil || emit.IsText(field) || field.Type == plan.TypeMessage {
		return slot
	}
	switch field.Type {
	case plan.TypeBool:
		return slot + " != 0"
	case plan.TypeUint64, plan.TypeFixed64:
		return slot
	case plan.TypeFloat:
		return p.Ident("math", "Float32frombits") + "(uint32(" + slot + "))"
	case plan.TypeDouble:
		return p.Ident("math", "Float64frombits") + "(" + slot + ")"
	}
	return p.GoType(field) + "(" + slot + ")"
}

// store returns the statement that sets a singular value, but not its presence.
func (p *poolType) store(field *plan.Field, value string) string {
	slot := p.slot(field)
	if field.Oneof == nil || emit.IsText(field) {
		return slot + " = " + value
	}
	switch field.Type {
	case plan.TypeBool:
		return slot + " = 0\nif " + value + " {\n" + slot + " = 1\n}"
	case plan.TypeUint64, plan.TypeFixed64:
		return slot + " = " + value
	case plan.TypeFloat:
		return slot + " = uint64(" + p.Ident("math", "Float32bits") + "(" + value + "))"
	case plan.TypeDouble:
		return slot + " = " + p.Ident("math", "Float64bits") + "(" + value + ")"
	}
	return slot + " = uint64(" + value + ")"
}

// markPresent returns the statement that makes a field present.
func (p *poolType) markPresent(field *plan.Field) string {
	if field.Oneof != nil {
		return p.which(field) + " = " + emit.Itoa(field.Number)
	}
	word, bit := p.word(field)
	return word + " |= " + bit
}

func (p *poolType) emitHas(field *plan.Field) {
	p.P("func (m *", p.name, ") Has", p.goNames[field], "() bool { return m != nil && ", p.has(field), " }\n")
}

func (p *poolType) emitClear(field *plan.Field) {
	name := p.goNames[field]
	if field.Oneof == nil && !isPointer(field) {
		word, bit := p.word(field)
		p.Code("func (m *$type$) Clear$name$() { $slot$, $word$ = $zero$, $word$&^($bit$) }\n\n",
			"name", name, "slot", p.slot(field), "zero", p.zero(field), "word", word, "bit", bit)
		return
	}
	p.P("func (m *", p.name, ") Clear", name, "() {")
	switch {
	case field.Oneof != nil:
		p.P("if ", p.has(field), " {\n", p.which(field), " = 0")
		if field.Type == plan.TypeMessage {
			p.P(p.slot(field), " = ", p.zero(field))
		}
		p.P("}")
	default:
		p.P(p.slot(field), " = nil")
	}
	p.P("}\n")
}

func (p *poolType) emitValueAccessors(field *plan.Field) {
	name, kind := p.goNames[field], p.GoType(field)
	fallback := p.DefaultOf(field)
	ending := "."
	if fallback != "0" && fallback != `""` && fallback != "nil" && fallback != "false" {
		ending = "; its default when it is absent."
	}
	p.P("// Get", name, " is ", emit.Declaration(field), ending)
	if field.Comment != "" {
		p.P("//")
		p.Comment(field.Comment)
	}
	p.P("func (m *", p.name, ") Get", name, "() ", kind, " {")
	p.P("if m == nil || ", p.hasNot(field), " {\nreturn ", fallback, "\n}")
	p.P("return ", p.load(field), "\n}\n")
	p.emitHas(field)
	if field.Oneof == nil {
		word, bit := p.word(field)
		p.Code("func (m *$type$) Set$name$(value $kind$) { $slot$, $word$ = value, $word$|$bit$ }\n\n",
			"name", name, "kind", kind, "slot", p.slot(field), "word", word, "bit", bit)
		p.emitClear(field)
		return
	}
	p.P("func (m *", p.name, ") Set", name, "(value ", kind, ") {")
	p.leaveOneof(field.Oneof, field)
	p.P(p.store(field, "value"), "\n", p.markPresent(field), "\n}\n")
	p.emitClear(field)
}

func (p *poolType) emitChildAccessors(field *plan.Field) {
	name, kind := p.goNames[field], PoolGoType(p.File, field)
	slot := p.slot(field)
	address := "&" + slot
	if isPointer(field) {
		address = slot
	}
	p.P("// Get", name, " is ", emit.Declaration(field), "; nil when it is absent.")
	if field.Comment != "" {
		p.P("//")
		p.Comment(field.Comment)
	}
	p.P("func (m *", p.name, ") Get", name, "() *", kind, " {")
	if field.Oneof == nil && isPointer(field) {
		p.P("if m == nil {\nreturn nil\n}\nreturn ", slot, "\n}\n")
	} else {
		p.P("if m == nil || ", p.hasNot(field), " {\nreturn nil\n}\nreturn ", address, "\n}\n")
	}
	p.emitHas(field)
	p.P("func (m *", p.name, ") Mutable", name, "() *", kind, " {")
	p.P("if ", p.hasNot(field), " {")
	if field.Oneof != nil {
		p.leaveOneof(field.Oneof, field)
	}
	if isPointer(field) {
		p.P(slot, " = new(", kind, ")")
	} else {
		p.P(slot, " = ", kind, "{}")
	}
	if field.Oneof != nil || !isPointer(field) {
		p.P(p.markPresent(field))
	}
	p.P("}\nreturn ", address, "\n}\n")
	p.emitClear(field)
}
