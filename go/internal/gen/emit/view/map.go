package view

import (
	"strconv"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

func formatUint(n uint64) string { return strconv.FormatUint(n, 10) }

// emitMap writes the accessors of a map field. Iteration returns a message value unopened, and look-up opens it.
func (v *viewType) emitMap(field *plan.Field) {
	name := v.goNames[field]
	key := v.GoType(field.Map.Key)
	value, read := v.View("Message"), "e.Message()"
	if field.Map.Value.Type != plan.TypeMessage {
		value, read = v.GoType(field.Map.Value), v.mapValue(field, "e.Value()")
	}
	v.fieldComment(field)
	v.method(name, "() "+v.Ident("iter", "Seq2")+"["+key+", "+value+"]",
		"iterates over "+emit.Declaration(field)+" in the order of the input; a later entry replaces an earlier one with its key.")
	v.Code(`
		return func(yield func($key$, $value$) bool) {
			e := v.$name$Iter()
			for e.Next() && yield($readKey$, $read$) {
			}
		}
		}
		`, "key", key, "value", value, "name", name, "readKey", v.Read(field.Map.Key, "e.Key()", ""), "read", read)
	v.emitLen(field)
	v.emitMapFind(field, key)
	v.emitIter(field)
}

// mapValue reads a value that is not a message; an enum's default may not be zero.
func (v *viewType) mapValue(field *plan.Field, from string) string {
	value := field.Map.Value
	if value.Type == plan.TypeEnum && value.Enum.Values[0].Number != 0 {
		return v.View("EnumValue") + "(" + from + ", " + v.EnumDefault(value.Enum, "") + ")"
	}
	return v.Read(value, from, "")
}

// findWalks is the comment of the look-up.
const findWalks = "walks over all entries: for many keys, collect the entries into a map."

func (v *viewType) emitMapFind(field *plan.Field, key string) {
	name := v.goNames[field]
	match := v.Read(field.Map.Key, "e.Key()", "") + " == key"
	if field.Map.Key.Type == plan.TypeBool {
		match = "(" + v.Read(field.Map.Key, "e.Key()", "") + ") == key"
	}
	if field.Map.Value.Type != plan.TypeMessage {
		v.method(name+"Find", "(key "+key+") (value "+v.GoType(field.Map.Value)+", ok bool)", findWalks)
		v.Code(`
			e := v.$name$Iter()
			for e.Next() {
				if $match$ {
					value, ok = $read$, true
				}
			}
			return value, ok
			}
			`, "name", name, "match", match, "read", v.mapValue(field, "e.Value()"))
		return
	}
	child := v.GoType(field.Map.Value)
	v.method(name+"Find", "(key "+key+") (c "+child+", ok bool, err error)", findWalks)
	v.Code(`
		var m $view.Message$
		e := v.$name$Iter()
		for e.Next() {
			if $match$ {
				m, ok = e.Message(), true
			}
		}
		if ok {
			err = c.OpenMessage(m)
		}
		return c, ok, err
		}
		`, "name", name, "match", match)
}

// emitMapSpecs writes the properties of each map field that the runtime must know.
func (v *viewType) emitMapSpecs() {
	for _, field := range v.fields {
		if field.Map == nil {
			continue
		}
		closed := v.ClosedTable(field.Map.Value)
		name := v.Claim("map"+v.name+v.goNames[field], "map "+field.Name)
		v.maps[field] = name
		v.Printf("var %s = %s{Number: %d, Key: %s, Value: %s", name, v.View("MapSpec"), field.Number,
			v.Wire(emit.KindName(field.Map.Key)), v.Wire(emit.KindName(field.Map.Value)))
		if v.Verify(field.Map.Key) {
			v.Printf(", VerifyKey: true")
		}
		if v.Verify(field.Map.Value) {
			v.Printf(", VerifyValue: true")
		}
		if closed != "" {
			v.Printf(", Closed: %s", closed)
		}
		v.P("}")
	}
}
