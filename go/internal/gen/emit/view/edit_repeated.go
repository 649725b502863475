package view

import (
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// emitRepeated writes the methods of a repeated field of numbers, bools, enums, strings or bytes.
func (e *editType) emitRepeated(field *plan.Field) {
	name, element := e.names[field], e.GoType(field)
	add := e.View("AddNumbers") + "(&" + e.layout + ", &e.ed, " + emit.Itoa(e.fieldIndex(field)) + ", values)"
	switch field.Type {
	case plan.TypeString:
		add = e.call("AddStrings", field, "values")
	case plan.TypeBytes:
		add = e.call("AddBytes", field, "values")
	}
	e.method("Add"+name, "(values ..."+element+")", add)
	e.method("Set"+name+"At", "(n int, x "+element+")", e.call("Set"+verb(field)+"At", field, "n, "+e.onWire(field, "x")))
	e.emitRemove(field)
}

func (e *editType) emitRemove(field *plan.Field) {
	e.method("Remove"+e.names[field], "(from, to int)", e.call("Remove", field, "from, to"))
}

func (e *editType) emitRepeatedMessage(field *plan.Field) {
	name, child, kind := e.names[field], e.GoType(field), e.editName(field.Message)
	e.byValue("Add"+name, "", "", kind, false)
	e.into("Add"+name, "", kind, e.call("New", field, handle))
	e.method("Append"+name, "(c *"+child+")", e.call("Append", field, "c.RawBytes()"))
	at := name + "At"
	e.byValue("Edit"+at, "n int", "n, ", kind, true)
	e.into("Edit"+at, "n int, ", kind, "return "+e.call("EditAt", field, "n, "+handle))
	e.method("Set"+at, "(n int, c *"+child+")", e.call("SetMessageAt", field, "n, c.RawBytes()"))
	e.emitRemove(field)
}

// datum is the key or value of a map as the runtime expects it.
func (e *editType) datum(field *plan.Field, x string) string {
	switch {
	case field.Type == plan.TypeString:
		return e.View("Text") + "(" + x + ")"
	case field.Type == plan.TypeBytes:
		return e.View("Data") + "(" + x + ")"
	case field.WireType == 5:
		return e.View("Number") + "(uint64(" + e.onWire(field, x) + "))"
	}
	return e.View("Number") + "(" + e.onWire(field, x) + ")"
}

func (e *editType) emitMap(field *plan.Field) {
	name := e.names[field]
	key, value := field.Map.Key, field.Map.Value
	parameter, datum := "key "+e.GoType(key), e.datum(key, "key")
	if value.Type != plan.TypeMessage {
		e.method("Put"+name, "("+parameter+", value "+e.GoType(value)+")", e.call("Put", field, datum+", "+e.datum(value, "value")))
	} else {
		kind := e.editName(value.Message)
		e.byValue("Edit"+name, parameter, "key, ", kind, true)
		e.into("Edit"+name, parameter+", ", kind, "return "+e.call("EditEntry", field, datum+", "+handle))
		e.byValue("New"+name, parameter, "key, ", kind, false)
		e.into("New"+name, parameter+", ", kind, e.call("NewEntry", field, datum+", "+handle))
		e.method("Put"+name, "("+parameter+", value *"+e.GoType(value)+")",
			e.call("PutMessage", field, datum+", value.RawBytes()"))
	}
	e.method("Delete"+name, "("+parameter+")", e.call("Delete", field, datum))
}
