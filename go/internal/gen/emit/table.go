package emit

import (
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// emitTable writes a group's tables, for m, the first message of the group that is generated.
func (f *File) emitTable(m *plan.Message, group []*plan.Message) {
	for _, member := range group { // the enum tables that it refers to come first
		for _, field := range f.Fields(member) {
			f.ClosedTable(field)
		}
	}
	f.EmitGroup(m, TablePattern, TableSuffix, f.Wire("MessageTable"))
	f.P("var ", f.TypeName(group[0], TablePattern), " = []", f.Wire("MessageTable"), "{")
	for _, member := range group {
		f.Printf("{Name: %q, ", member.Name)
		if dropped := f.Dropped(member); len(dropped) > 0 {
			f.Printf("Dropped: []uint32{%s}, ", NumberList(dropped))
		}
		f.P("Fields: []", f.Wire("FieldTable"), "{")
		if f.IsSelected(member) {
			for _, field := range f.Fields(member) {
				f.emitFieldTable(field, group)
			}
		}
		f.P("}},")
	}
	f.P("}")
}

// NumberList returns the numbers of fields, as a list in Go.
func NumberList(fields []*plan.Field) string {
	var numbers []string
	for _, field := range fields {
		numbers = append(numbers, Itoa(field.Number))
	}
	return strings.Join(numbers, ", ")
}

func (f *File) emitFieldTable(field *plan.Field, group []*plan.Message) {
	f.Printf("{Name: %q, Number: %d, Kind: %s", field.Name, field.Number, f.Wire(KindName(field)))
	flags := ""
	add := func(flag string) {
		if flags != "" {
			flags += " | "
		}
		flags += f.Wire(flag)
	}
	if field.IsRepeated() {
		add("Repeated")
	}
	if f.Verify(field) {
		add("VerifyUtf8")
	}
	if field.Map != nil {
		add("Map")
	}
	if field.Extendee != nil && field.Extendee.MessageSet {
		add("SetItem")
	}
	if field.Extendee != nil && field.Packed {
		add("Packed")
	}
	if flags != "" {
		f.Printf(", Flags: %s", flags)
	}
	if child := field.Message; child != nil {
		theirs := f.GroupOf(child)
		if len(group) == 0 || theirs[0] != group[0] {
			f.Printf(", Child: %s", f.Tables(child))
		}
		if index := f.IndexInGroup(child); index != 0 {
			f.Printf(", Index: %d", index)
		}
	}
	if closed := f.ClosedTable(field); closed != "" {
		f.Printf(", Closed: %s", closed)
	}
	f.P("},")
}
