package gen

import "github.com/hotpb/hotpb/go/internal/gen/plan"

// sizeOf is about how many bytes of memory a value of a map takes.
func sizeOf(field *plan.Field) int {
	switch {
	case field.Type == plan.TypeBytes:
		return 24
	case field.Type == plan.TypeString:
		return 16
	}
	return 8
}

// decodeEntry reads a map's entry as a message with the fields 1 and 2.
func (p *poolType) decodeEntry(field *plan.Field) {
	key, value := field.Map.Key, field.Map.Value
	slot := p.slot(field)
	p.readLength("b", "i")
	p.P("if levels <= 0 {\nreturn -1\n}")
	if !p.Options.SortedMaps {
		p.P("if !d.Take(", sizeOf(key)+sizeOf(value)+8, ") {\nreturn d.Exceeded(start)\n}")
	}
	p.P("var key ", p.goType(key))
	at := ""
	switch {
	case value.Type == plan.TypeMessage:
		at = p.childSlabs(field)
		slab := "s." + p.slabName("of", field)
		p.P("if !", slab, ".Take(d, 1) {\nreturn d.Exceeded(start)\n}")
		p.P("value := ", slab, ".One()\n*value = ", p.poolGoType(value), "{}")
	case value.Type == plan.TypeEnum:
		p.P("var value ", p.goType(value), " = ", p.enumDefault(value.Enum, ""))
	default:
		p.P("var value ", p.goType(value))
	}
	p.Printf("for entry, j := b[:i], from; j < len(entry); {\ntag, k := %s(entry, j)\nif k < 0 {\nreturn -1\n}\nj = k\nswitch tag {\n", p.Wire("ReadTag"))
	p.P("case ", tagValue(1, key.WireType), ": // key")
	p.P("key = ", p.readValue(key, "entry", "j"))
	p.P("case ", tagValue(2, value.WireType), ": // value")
	if value.Type == plan.TypeMessage {
		p.readLength("entry", "j")
		p.P("if levels <= 1 {\nreturn -1\n}")
		p.Printf("if value.DecodeHot(d, %s, entry[:j], from, levels-2) != 0 {\nreturn -1\n}\n", at)
	} else {
		p.P("value = ", p.readValue(value, "entry", "j"))
	}
	p.Printf("default:\nif j = %s(entry, j, tag, levels-1); j < 0 {\nreturn -1\n}\n}\n}\n", p.Wire("Skip"))
	if isClosed(value) {
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
	if isClosed(value) {
		p.P("} else {\nd.Keep(&m.hot, b[start:i])\n}")
	}
}

// mapTypes are the Go types of a map's keys and values.
func (f *File) mapTypes(field *plan.Field) (key, value string) {
	key, value = f.goType(field.Map.Key), f.poolGoType(field.Map.Value)
	if field.Map.Value.Type == plan.TypeMessage {
		value = "*" + value
	}
	return key, value
}

func (f *File) mapType(field *plan.Field) string {
	key, value := f.mapTypes(field)
	switch {
	case !f.Options.SortedMaps:
		return "map[" + key + "]" + value
	case key == "bool":
		return f.Pool("BoolMap") + "[" + value + "]"
	}
	return f.Pool("SortedMap") + "[" + key + ", " + value + "]"
}

// mapSlab is the type of the slab for a map field.
func (f *File) mapSlab(field *plan.Field) string {
	key, value := f.mapTypes(field)
	switch {
	case !f.Options.SortedMaps:
		return f.Pool("Slab") + "[" + f.mapType(field) + "]"
	case key == "bool":
		key = "uint8"
	}
	return f.Pool("SortedSlab") + "[" + key + ", " + value + "]"
}

// mapLen is the number of a map's entries.
func (f *File) mapLen(from string) string {
	if f.Options.SortedMaps {
		return from + ".Len()"
	}
	return "len(" + from + ")"
}

// eachEntry is the head of a loop over a map's entries, names being those of key and value.
func (f *File) eachEntry(names, from string) string {
	if f.Options.SortedMaps {
		from += ".All()"
	}
	return "for " + names + " := range " + from + " {"
}

// eachByKey is the head of such a loop by ascending key.
func (f *File) eachByKey(field *plan.Field, from string) string {
	if f.Options.SortedMaps {
		return f.eachEntry("key, value", from)
	}
	return "for _, key := range " + f.keysOf(from) + " {\nvalue := " + from + "[key]"
}

// keysOf is the expression of a map's keys, ascending.
func (f *File) keysOf(from string) string {
	if f.Options.SortedMaps {
		return f.Pool("Keys") + "(" + from + ".All())"
	}
	return f.Pool("SortedKeys") + "(" + from + ")"
}
