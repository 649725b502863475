package pool

import (
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// sizeOf estimates how many bytes of memory a value of a map needs.
func sizeOf(field *plan.Field) int {
	switch {
	case field.Type == plan.TypeBytes:
		return 24
	case field.Type == plan.TypeString:
		return 16
	}
	return 8
}

// decodeMap reads entries while their tag follows.
func (p *poolType) decodeMap(field *plan.Field) {
	loops := len(field.Tag) <= 2
	if loops {
		p.P("for {")
	}
	p.decodeEntry(field)
	if loops {
		p.repeat(field)
	}
}

// decodeEntry reads a map's entry as a message with the fields 1 and 2.
func (p *poolType) decodeEntry(field *plan.Field) {
	key, value := field.Map.Key, field.Map.Value
	slot := p.slot(field)
	p.Code(`
		from, end := $wire.ReadBytes$(b, i)
		if end < 0 || levels <= 0 {
			return -1
		}
		i = end
		`)
	if !p.Options.SortedMaps {
		p.P("if !d.Take(", sizeOf(key)+sizeOf(value)+8, ") {\nreturn d.Exceeded(start)\n}")
	}
	p.P("var key ", p.GoType(key))
	at := ""
	switch {
	case value.Type == plan.TypeMessage:
		at = p.childSlabs(field)
		p.takeMessage(value, p.slabName("of", field), "value")
	case value.Type == plan.TypeEnum:
		p.P("var value ", p.GoType(value), " = ", p.EnumDefault(value.Enum, ""))
	default:
		p.P("var value ", p.GoType(value))
	}
	p.Code(`
		for entry, j := b[:i], from; j < len(entry); {
			if tag, j = $wire.ReadTag$(entry, j); j < 0 {
				return -1
			}
			switch tag {`)
	p.P("case ", emit.TagValue(1, key.WireType), ": // key")
	p.readInto("key", key)
	p.P("case ", emit.TagValue(2, value.WireType), ": // value")
	if value.Type == plan.TypeMessage {
		p.Printf("j = value.DecodeHot(d, %s, entry, j, levels-1)\n", at)
	} else {
		p.readInto("value", value)
	}
	p.Code("default:\nj = $wire.Skip$(entry, j, tag, levels-1)\n}\nif j < 0 {\nreturn -1\n}\n}")
	if emit.IsClosed(value) {
		p.ifDefined(value, "value")
	}
	maps := "&s." + p.slabName("maps", field)
	if p.Options.SortedMaps {
		p.P("if !", slot, ".PutHot(d, ", maps, ", key, value) {\nreturn d.Exceeded(start)\n}")
	} else {
		p.P("if ", slot, " == nil {\n", slot, " = ", p.Pool("Map"), "(", maps, ")\n}")
		p.P(slot, "[key] = value")
	}
	if p.needsOrder(field) {
		keys := "m.keys" + p.goNames[field]
		p.P(keys, " = append(s.", p.slabName("keys", field), ".Extend(", keys, ", 1), key)")
	}
	if emit.IsClosed(value) {
		p.P("} else {\nd.Keep(&m.hot, b[start:i])\n}")
	}
}

// readInto reads a map's key or value into a variable.
func (p *poolType) readInto(variable string, field *plan.Field) {
	if value := p.readValue(field, "entry", "j", variable); value != variable {
		p.P(variable, " = ", value)
	}
}

// mapTypes are the Go types of a map's keys and values.
func mapTypes(f *emit.File, field *plan.Field) (key, value string) {
	key, value = f.GoType(field.Map.Key), PoolGoType(f, field.Map.Value)
	if field.Map.Value.Type == plan.TypeMessage {
		value = "*" + value
	}
	return key, value
}

func mapType(f *emit.File, field *plan.Field) string {
	key, value := mapTypes(f, field)
	switch {
	case !f.Options.SortedMaps:
		return "map[" + key + "]" + value
	case key == "bool":
		return f.Pool("BoolMap") + "[" + value + "]"
	}
	return f.Pool("SortedMap") + "[" + key + ", " + value + "]"
}

// mapSlab is the type of the slab for a map field.
func mapSlab(f *emit.File, field *plan.Field) string {
	key, value := mapTypes(f, field)
	switch {
	case !f.Options.SortedMaps:
		return f.Pool("Slab") + "[" + mapType(f, field) + "]"
	case key == "bool":
		key = "uint8"
	}
	return f.Pool("SortedSlab") + "[" + key + ", " + value + "]"
}

// MapLen is the expression of the number of a map's entries.
func MapLen(f *emit.File, from string) string {
	if f.Options.SortedMaps {
		return from + ".Len()"
	}
	return "len(" + from + ")"
}

// eachEntry is the head of a loop over a map's entries. names are those of key and value.
func eachEntry(f *emit.File, names, from string) string {
	if f.Options.SortedMaps {
		from += ".All()"
	}
	return "for " + names + " := range " + from + " {"
}

// EachByKey is the head of a loop over a map's entries by ascending key.
func EachByKey(f *emit.File, field *plan.Field, from string) string {
	if f.Options.SortedMaps {
		return eachEntry(f, "key, value", from)
	}
	return "for _, key := range " + keysOf(f, from) + " {\nvalue := " + from + "[key]"
}

// keysOf is the expression of a map's keys in ascending order.
func keysOf(f *emit.File, from string) string {
	if f.Options.SortedMaps {
		return f.Pool("Keys") + "(" + from + ".All())"
	}
	return f.Pool("SortedKeys") + "(" + from + ")"
}
