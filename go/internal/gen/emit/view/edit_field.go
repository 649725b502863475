package view

import (
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// onWire is the number that represents x on the wire, as the runtime's methods expect it.
func (e *editType) onWire(field *plan.Field, x string) string {
	switch field.Type {
	case plan.TypeInt32:
		return "uint64(int64(" + x + "))"
	case plan.TypeInt64, plan.TypeUint32:
		return "uint64(" + x + ")"
	case plan.TypeEnum:
		return "uint64(int64(" + x + "))"
	case plan.TypeSint32:
		return e.Wire("EncodeZigzag") + "(int64(" + x + "))"
	case plan.TypeSint64:
		return e.Wire("EncodeZigzag") + "(" + x + ")"
	case plan.TypeBool:
		return e.View("BoolVarint") + "(" + x + ")"
	case plan.TypeSfixed32:
		return "uint32(" + x + ")"
	case plan.TypeSfixed64:
		return "uint64(" + x + ")"
	case plan.TypeFloat:
		return e.Ident("math", "Float32bits") + "(" + x + ")"
	case plan.TypeDouble:
		return e.Ident("math", "Float64bits") + "(" + x + ")"
	}
	return x // uint64, fixed32, fixed64, string, bytes
}

// verb is the part of a runtime method's name that says which kind of value it sets.
func verb(field *plan.Field) string {
	switch {
	case field.Type == plan.TypeString:
		return "String"
	case field.Type == plan.TypeBytes:
		return "Bytes"
	}
	return map[int]string{0: "Varint", 1: "Fixed64", 5: "Fixed32"}[field.WireType]
}

// emitSet writes the setter of a number, bool, enum, string or bytes field.
func (e *editType) emitSet(field *plan.Field) {
	e.method("Set"+e.names[field], "(x "+e.GoType(field)+")", e.set(field))
}

// set is the call of a setter. Its arguments contain the field's properties.
func (e *editType) set(field *plan.Field) string {
	at, method, flags, closed := "&e."+e.slot(field), "Set"+verb(field), 0, ""
	if field.Oneof != nil {
		flags |= slotMember
		at = "e." + e.slot(field) + map[bool]string{true: ".Text()", false: ".Number()"}[emit.IsText(field)]
	}
	if field.HasPresence() {
		flags |= slotPresent
	}
	if field.Type == plan.TypeString && e.Verify(field) {
		flags |= emit.LayoutVerifies
	}
	if emit.IsClosed(field) {
		method, closed = "SetClosed", e.ClosedTable(field)+", "
	}
	if method == "SetVarint" && flags == slotPresent && field.Number < 16 {
		return e.layout + ".SetNumber(&e.ed, " + at + ", " + e.tag(field) + ", " + e.onWire(field, "x") + ")"
	}
	return e.layout + "." + method + "(&e.ed, " + at + ", " + e.tag(field) + ", " + emit.Itoa(flags) + ", " + closed + e.onWire(field, "x") + ")"
}

func (e *editType) emitClear(field *plan.Field) {
	e.method("Clear"+e.names[field], "()", e.call("Clear", field, ""))
}

// byValue writes the form of a method that returns the child instead of filling one in.
func (e *editType) byValue(name, parameters, arguments, kind string, fails bool) {
	into := "e." + name + "Into(" + arguments + "&c)"
	if fails {
		e.P("func (e *", e.kind, ") ", name, "(", parameters, ") (c ", kind, ", err error) {\nerr = ", into, "\nreturn c, err\n}\n")
	} else {
		e.P("func (e *", e.kind, ") ", name, "(", parameters, ") (c ", kind, ") {\n", into, "\nreturn c\n}\n")
	}
}

// into writes the form that fills in a child.
func (e *editType) into(name, parameters, kind, call string) {
	signature := "(" + parameters + "c *" + kind + ")"
	if strings.HasPrefix(call, "return ") {
		signature += " error"
	}
	e.method(name+"Into", signature, call)
}

const handle = "c.Handle()"

// emitMessage writes the methods of a singular message field.
func (e *editType) emitMessage(field *plan.Field) {
	name, kind := e.names[field], e.editName(field.Message)
	e.byValue("Edit"+name, "", "", kind, true)
	e.into("Edit"+name, "", kind, "return "+e.call("Edit", field, handle))
	e.byValue("New"+name, "", "", kind, false)
	e.into("New"+name, "", kind, e.call("New", field, handle))
	e.method("Set"+name, "(c *"+e.GoType(field)+")", e.call("SetMessage", field, "c.RawBytes()"))
}
