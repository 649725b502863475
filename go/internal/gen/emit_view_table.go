package gen

import (
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// emitTable writes the group's tables, with the group's first message.
func (v *viewType) emitTable() {
	group := v.groupOf(v.message)
	first := slices.IndexFunc(group, v.isSelected) // the others are reached through skipped fields only
	specs := []*plan.Field{}
	for _, field := range v.fields {
		if field.Map != nil {
			specs = append(specs, field)
		}
	}
	v.emitMapSpecs(specs)
	if group[first] != v.message {
		return
	}
	v.reserveClosed(group)
	v.P("// ", v.table, " describes ", v.message.Name, " and what belongs to it to the table-driven readers.")
	v.P("var ", v.table, " = []", v.Wire("MessageTable"), "{")
	for _, m := range group {
		v.Printf("{Name: %q, ", m.Name)
		if dropped := v.Dropped(m); len(dropped) > 0 {
			v.Printf("Dropped: []uint32{%s}, ", numberList(dropped))
		}
		v.P("Fields: []", v.Wire("FieldTable"), "{")
		if v.isSelected(m) {
			for _, field := range v.Fields(m) {
				v.emitFieldTable(field, group)
			}
		}
		v.P("}},")
	}
	v.P("}")
}

// reserveClosed writes the enum tables that the group refers to before the group itself.
func (v *viewType) reserveClosed(group []*plan.Message) {
	for _, m := range group {
		for _, field := range v.Fields(m) {
			v.closed.table(field)
		}
	}
}

// numberList gives the numbers of fields, as a list in Go.
func numberList(fields []*plan.Field) string {
	var numbers []string
	for _, field := range fields {
		numbers = append(numbers, itoa(field.Number))
	}
	return strings.Join(numbers, ", ")
}

func (v *viewType) emitFieldTable(field *plan.Field, group []*plan.Message) {
	v.Printf("{Name: %q, Number: %d, Kind: %s", field.Name, field.Number, v.Wire(kindName(field)))
	flags := ""
	add := func(flag string) {
		if flags != "" {
			flags += " | "
		}
		flags += v.Wire(flag)
	}
	if field.IsRepeated() {
		add("Repeated")
	}
	if v.verify(field) {
		add("VerifyUtf8")
	}
	if field.Map != nil {
		add("Map")
	}
	if field.Extendee != nil && field.Extendee.MessageSet {
		add("SetItem")
	}
	if flags != "" {
		v.Printf(", Flags: %s", flags)
	}
	if child := field.Message; child != nil {
		theirs := v.groupOf(child)
		if len(group) == 0 || theirs[0] != group[0] {
			v.Printf(", Child: &%s", v.TypeName(theirs[0], tableSuffix))
		}
		if index := v.indexInGroup(child); index != 0 {
			v.Printf(", Index: %d", index)
		}
	}
	if closed := v.closed.table(field); closed != "" {
		v.Printf(", Closed: %s", closed)
	}
	v.P("},")
}

// emitMapSpecs writes what the runtime must know of each map field.
func (v *viewType) emitMapSpecs(fields []*plan.Field) {
	for _, field := range fields {
		closed := v.closed.table(field.Map.Value)
		name := v.Claim("map"+v.name+v.goNames[field], "map "+field.Name)
		v.maps[field] = name
		v.Printf("var %s = %s{Number: %d, Key: %s, Value: %s", name, v.View("MapSpec"), field.Number,
			v.Wire(kindName(field.Map.Key)), v.Wire(kindName(field.Map.Value)))
		if v.verify(field.Map.Key) {
			v.Printf(", VerifyKey: true")
		}
		if v.verify(field.Map.Value) {
			v.Printf(", VerifyValue: true")
		}
		if closed != "" {
			v.Printf(", Closed: %s", closed)
		}
		v.P("}")
	}
}
