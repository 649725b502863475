package view

import (
	"strconv"
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

// method opens a method. comment follows its name in its comment. Only the first method of a field that has a comment in the
// schema has one, and a method that is different from others of its kind: package view documents them all.
func (v *viewType) method(name, signature, comment string) {
	v.emitDoc(name, comment)
	v.P("func (v *", v.name, ") ", name, signature, " {")
}

// oneLine writes a method that returns an expression.
func (v *viewType) oneLine(name, signature, comment, expression string) {
	v.emitDoc(name, comment)
	v.P("func (v *", v.name, ") ", name, signature, " { return ", expression, " }\n")
}

// doc is the comment of a field's first accessor: none if the schema has none.
func (v *viewType) doc(field *plan.Field, verb string) string {
	if field.Comment == "" {
		return ""
	}
	return verb + " " + emit.Declaration(field) + "."
}

// emitDoc writes a method's comment, with the field's own below it.
func (v *viewType) emitDoc(name, comment string) {
	if comment == "" {
		return
	}
	v.P("// ", name, " ", comment)
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

// based is a call of the view's Base with the place of the field's slot. Base knows the values of a nil view.
func (v *viewType) based(method string, field *plan.Field, arguments ...string) string {
	places, _ := v.slotPlaces()
	return "v.hot()." + method + "(" + strings.Join(append([]string{strconv.Itoa(places[field])}, arguments...), ", ") + ")"
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
	v.oneLine("Has"+v.goNames[field], "() bool", "", "v != nil && "+v.has(field))
}

func (v *viewType) emitSingular(field *plan.Field) {
	name := v.goNames[field]
	comment := v.doc(field, "reads")
	fallback := v.DefaultOf(field)
	if field.Type == plan.TypeBytes && fallback != "nil" {
		variable := v.Claim("default"+v.name+name, "default of "+field.Name)
		v.P("var ", variable, " = ", fallback, "\n") // created once: accessors do not allocate
		fallback = variable
		comment = "reads " + emit.Declaration(field) + ". The default is shared: do not change it."
	}
	v.fieldComment(field)
	if emit.IsText(field) && field.Default == nil {
		method := map[plan.Type]string{plan.TypeString: "String", plan.TypeBytes: "ByteSlice"}[field.Type]
		if field.Oneof != nil {
			v.oneLine(name, "() "+v.GoType(field), comment, v.based("Member"+method, field, emit.Itoa(field.Number)))
		} else {
			v.oneLine(name, "() "+v.GoType(field), comment, v.based(method, field))
		}
		return
	}
	if field.Oneof == nil && v.isZero(field) {
		places, _ := v.slotPlaces()
		v.oneLine(name, "() "+v.GoType(field), comment, v.Read(field, "v.hot()", strconv.Itoa(places[field])))
		return
	}
	v.method(name, "() "+v.GoType(field), comment)
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

// isZero reports whether an absent field reads as zero.
func (v *viewType) isZero(field *plan.Field) bool {
	if field.Type == plan.TypeEnum {
		fallback := v.DefaultOf(field)
		for _, value := range field.Enum.Values {
			if v.ValueName(field.Enum, value) == fallback {
				return value.Number == 0
			}
		}
	}
	return field.Default == nil
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
	v.method(name, "() (c "+child+", err error)", v.doc(field, "opens"))
	message, open := v.based("Sub", field, v.tag(field)), "c.OpenMessage(v."+name+"Message())"
	if field.Oneof != nil {
		message = v.based("Member", field, emit.Itoa(field.Number), v.tag(field))
	}
	if opened, here := v.Views[field.Message].(*viewType); here { // in one step, if the child's layout is in this file
		places, _ := v.slotPlaces()
		number := "0"
		if field.Oneof != nil {
			number = emit.Itoa(field.Number)
		}
		open = v.Fill("$child$.OpenSub(c.hot(), v.hot(), $place$, $number$, $tag$)",
			"child", opened.layout, "place", places[field], "number", number, "tag", v.tag(field))
	}
	v.P("err = v.", name, "Into(&c)\nreturn\n}\n")
	v.oneLine(name+"Into", "(c *"+child+") error", "", open)
	v.oneLine(name+"Message", "() "+v.View("Message"), "", message)
}

func (v *viewType) emitWhich(oneof *plan.Oneof) {
	name := "Which" + v.oneof[oneof]
	v.P("// ", name, " is the number of the member of oneof ", oneof.Name, " that is set, or 0:")
	for _, field := range oneof.Fields {
		v.P("//   ", field.Number, " ", field.Name)
	}
	v.P("func (v *", v.name, ") ", name, "() uint32 { return ", v.based("Which", oneof.Fields[0]), " }\n")
}

func (v *viewType) emitLen(field *plan.Field) {
	v.oneLine(v.goNames[field]+"Len", "() int", "", v.based("Len", field))
}

// iterator returns the type and the expression of a repeated field's iterator.
func (v *viewType) iterator(field *plan.Field) (kind, made string) {
	number := emit.Itoa(field.Number)
	switch {
	case field.Map != nil:
		return v.View("Entries"), v.based("Entries", field, "&"+v.maps[field])
	case field.Type == plan.TypeMessage:
		return v.View("Messages"), v.based("Messages", field, v.tag(field))
	case field.Type == plan.TypeString:
		return v.View("StringIter"), v.based("Strings", field, number)
	case field.Type == plan.TypeBytes:
		return v.View("BytesIter"), v.based("ByteSlices", field, number)
	}
	elems := v.based("Elems", field, number, v.Wire(emit.WireTypeName(field)))
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
	v.oneLine(v.goNames[field]+"Iter", "() "+kind, "", made)
}

// nthWalks is the comment of the access by index.
const nthWalks = "walks over the elements before element n: to read them all, iterate."

func (v *viewType) emitRepeated(field *plan.Field) {
	name, element := v.goNames[field], v.GoType(field)
	v.fieldComment(field)
	v.method(name, "() "+v.Ident("iter", "Seq")+"["+element+"]", v.doc(field, "iterates over"))
	// The iterator is declared before the loop, which would copy a variable of its own in each turn.
	v.Code(`
		return func(yield func($element$) bool) {
			e := v.$name$Iter()
			for e.Next() && yield(e.Value()) {
			}
		}
		}

		`, "element", element, "name", name)
	v.emitLen(field)
	v.oneLine(name+"Nth", "(n int) "+element, nthWalks, "v."+name+"Iter().Nth(n)")
	v.emitIter(field)
}

func (v *viewType) emitRepeatedMessage(field *plan.Field) {
	name, element := v.goNames[field], v.GoType(field)
	v.fieldComment(field)
	v.method(name, "() "+v.Ident("iter", "Seq2")+"["+element+", error]", v.doc(field, "opens the elements of"))
	v.Code(`
		return func(yield func($element$, error) bool) {
			var c $element$
			e := v.$name$Iter()
			for e.Next() {
				if err := c.OpenElement(&e); !yield(c, err) {
					return
				}
			}
		}
		}

		`, "element", element, "name", name)
	v.emitLen(field)
	v.method(name+"Nth", "(n int) (c "+element+", err error)", nthWalks)
	v.P("err = c.OpenMessage(", v.based("NthMessage", field, v.tag(field), "n"), ")\nreturn\n}\n")
	v.emitIter(field)
}
