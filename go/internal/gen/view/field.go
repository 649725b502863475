package view

import (
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

func (v *viewType) emitAccessors() {
	for _, field := range v.fields {
		switch {
		case field.Map != nil:
			v.emitMap(field)
		case field.IsRepeated() && field.Type == plan.TypeMessage:
			v.emitRepeatedMessage(field)
		case field.IsRepeated():
			v.emitRepeated(field)
		case field.Type == plan.TypeMessage:
			v.emitSingularMessage(field)
			v.emitHas(field)
		default:
			v.emitSingular(field)
			if field.HasPresence() {
				v.emitHas(field)
			}
		}
	}
	for _, oneof := range v.oneofs {
		v.emitWhich(oneof)
	}
}

// method opens a method; what is its comment after its name. A field's first method has one; package view says what the others do.
func (v *viewType) method(name, signature, what string) {
	v.emitDoc(name, what)
	v.P("func (v *", v.name, ") ", name, signature, " {")
}

// oneLine writes a method that returns an expression; of a nil view it returns none, or the same if that is "".
func (v *viewType) oneLine(name, signature, what, none, expression string) {
	v.emitDoc(name, what)
	if none == "" {
		v.P("func (v *", v.name, ") ", name, signature, " { return ", expression, " }")
	} else {
		v.P("func (v *", v.name, ") ", name, signature, " {\nif v == nil {\nreturn ", none, "\n}\nreturn ", expression, "\n}")
	}
	v.P()
}

// doc is the comment of a field's first accessor.
func (v *viewType) doc(field *plan.Field) string {
	return "reads " + emit.Declaration(field) + "."
}

// emitDoc writes a method's comment, with the field's own below it.
func (v *viewType) emitDoc(name, what string) {
	if what == "" {
		return
	}
	v.P("// ", name, " ", what)
	if v.comment != "" {
		v.P("//")
		v.Comment(v.comment)
		v.comment = ""
	}
}

// fieldComment keeps the field's own comment for the method that is written next.
func (v *viewType) fieldComment(field *plan.Field) { v.comment = field.Comment }

// at is the expression of the slot of a singular field.
func (v *viewType) at(field *plan.Field) string {
	if field.Oneof == nil {
		return v.slot(field)
	}
	method := ".At("
	switch {
	case field.Type == plan.TypeMessage:
		method = ".Sub("
	case emit.IsText(field):
		method = ".Span("
	}
	return v.slot(field) + method + emit.Itoa(field.Number) + ")"
}

// has is the condition that a singular field is present.
func (v *viewType) has(field *plan.Field) string {
	switch {
	case field.Oneof != nil:
		return v.slot(field) + ".Which() == " + emit.Itoa(field.Number)
	case field.Type == plan.TypeMessage || emit.IsText(field):
		return v.slot(field) + ".Has()"
	}
	return v.slot(field) + " != 0"
}

// hasNot is the opposite of has.
func (v *viewType) hasNot(field *plan.Field) string {
	has := v.has(field)
	if strings.HasSuffix(has, ")") {
		return "!" + has
	}
	return strings.NewReplacer(" == ", " != ", " != ", " == ").Replace(has)
}

func (v *viewType) emitHas(field *plan.Field) {
	v.oneLine("Has"+v.goNames[field], "() bool", "", "", "v != nil && "+v.has(field))
}

func (v *viewType) emitSingular(field *plan.Field) {
	name := v.goNames[field]
	what := v.doc(field)
	fallback := v.DefaultOf(field)
	if field.Type == plan.TypeBytes && fallback != "nil" {
		variable := v.Claim("default"+v.name+name, "default of "+field.Name)
		v.P("var ", variable, " = ", fallback, "\n") // made once: accessors do not allocate
		fallback = variable
		what += " The default is shared: it must not be changed."
	}
	v.fieldComment(field)
	if emit.IsText(field) && field.Default == nil {
		v.oneLine(name, "() "+v.GoType(field), what, fallback, v.Read(field, "v.raw", v.at(field)))
		return
	}
	v.method(name, "() "+v.GoType(field), what)
	switch {
	case field.Oneof != nil && !emit.IsText(field):
		v.P("if v == nil {\nreturn ", fallback, "\n}")
		v.P("at := ", v.at(field))
		v.P("if at == 0 {\nreturn ", fallback, "\n}")
		v.P("return ", v.Read(field, "v.raw", "at"))
	default:
		v.P("if v == nil || ", v.hasNot(field), " {\nreturn ", fallback, "\n}")
		v.P("return ", v.Read(field, "v.raw", v.at(field)))
	}
	v.P("}")
}

// messageOf is the expression of a singular message that is not opened yet.
func (v *viewType) messageOf(field *plan.Field) string {
	return "v.raw.Sub(" + v.at(field) + ", " + v.tag(field) + ")"
}

func (v *viewType) tag(field *plan.Field) string {
	return formatUint(emit.TagValue(field.Number, field.WireType))
}

func (v *viewType) emitSingularMessage(field *plan.Field) {
	name, child := v.goNames[field], v.GoType(field)
	v.fieldComment(field)
	v.method(name, "() (c "+child+", err error)", "opens "+emit.Declaration(field)+".")
	v.P("err = v.", name, "Into(&c)\nreturn c, err\n}")
	v.oneLine(name+"Into", "(c *"+child+") error", "", "", "c.OpenMessage(v."+name+"Message())")
	v.oneLine(name+"Message", "() "+v.View("Message"), "", v.View("Message")+"{}", v.messageOf(field))
}

func (v *viewType) emitWhich(oneof *plan.Oneof) {
	name := "Which" + v.oneof[oneof]
	v.P("// ", name, " is the number of the member of oneof ", oneof.Name, " that is set, or 0:")
	for _, field := range oneof.Fields {
		v.P("//   ", field.Number, " ", field.Name)
	}
	v.P("func (v *", v.name, ") ", name, "() uint32 {\nif v == nil {\nreturn 0\n}\nreturn v.slot", v.oneof[oneof], ".Which()\n}")
	v.P()
}

func (v *viewType) emitLen(field *plan.Field) {
	v.oneLine(v.goNames[field]+"Len", "() int", "", "0", v.slot(field)+".Len()")
}

// iterator gives the type and the expression of a repeated field's iterator.
func (v *viewType) iterator(field *plan.Field) (kind, made string) {
	slot := v.slot(field)
	switch {
	case field.Map != nil:
		return v.View("Entries"), "v.raw.Entries(" + slot + ", &" + v.maps[field] + ")"
	case field.Type == plan.TypeMessage:
		return v.View("Messages"), "v.raw.Messages(" + slot + ", " + v.tag(field) + ")"
	case field.Type == plan.TypeString:
		return v.View("StringIter"), "v.raw.Strings(" + slot + ", " + emit.Itoa(field.Number) + ")"
	case field.Type == plan.TypeBytes:
		return v.View("BytesIter"), "v.raw.ByteSlices(" + slot + ", " + emit.Itoa(field.Number) + ")"
	}
	elems := "v.raw.Elems(" + slot + ", " + emit.Itoa(field.Number) + ", " + v.Wire(emit.WireTypeName(field)) + ")"
	if field.Type == plan.TypeEnum {
		enum := v.EnumName(field.Enum)
		closed := v.ClosedTable(field)
		if closed == "" {
			closed = "nil"
		}
		return v.View("EnumIter") + "[" + enum + "]", v.View("Enums") + "[" + enum + "](" + elems + ", " + closed + ")"
	}
	kind = v.View(emit.IterName(field))
	return kind, kind + "{Elems: " + elems + "}"
}

func (v *viewType) emitIter(field *plan.Field) {
	kind, made := v.iterator(field)
	v.oneLine(v.goNames[field]+"Iter", "() "+kind, "", kind+"{}", made)
}

func (v *viewType) emitRepeated(field *plan.Field) {
	name, element := v.goNames[field], v.GoType(field)
	v.fieldComment(field)
	v.method(name, "() "+v.Ident("iter", "Seq")+"["+element+"]", "iterates over "+emit.Declaration(field)+".")
	v.Printf(`return func(yield func(%s) bool) {
			for it := v.%sIter(); it.Next(); {
				if !yield(it.Value()) {
					return
				}
			}
		}
		}
		`, element, name)
	v.emitLen(field)
	v.oneLine(name+"At", "(n int) "+element, "", "", "v."+name+"Iter().At(n)")
	v.emitIter(field)
}

func (v *viewType) emitRepeatedMessage(field *plan.Field) {
	name, element := v.goNames[field], v.GoType(field)
	v.fieldComment(field)
	v.method(name, "() "+v.Ident("iter", "Seq2")+"["+element+", error]", "opens the elements of "+emit.Declaration(field)+".")
	v.Printf(`return func(yield func(%[1]s, error) bool) {
			var c %[1]s
			for it := v.%[2]sIter(); it.Next(); {
				err := c.OpenElement(&it)
				if !yield(c, err) {
					return
				}
			}
		}
		}
		`, element, name)
	v.emitLen(field)
	v.method(name+"At", "(n int) (c "+element+", err error)", "")
	v.Printf(`if v == nil {
			return c, %[3]s()
		}
		err = c.OpenMessage(v.raw.MessageAt(%[1]s, %[2]s, n))
		return c, err
		}
		`, v.slot(field), v.tag(field), v.View("ErrIndex"))
	v.emitIter(field)
}
