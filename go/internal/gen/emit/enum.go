package emit

import (
	"sort"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// emitEnum writes the native type of an enum.
func emitEnum(f *File, e *plan.Enum) {
	name := f.EnumName(e)
	f.P("// ", name, " is the enum ", e.Name, ".")
	if e.Comment != "" {
		f.P("//")
		f.Comment(e.Comment)
	}
	f.P("type ", name, " int32")
	f.P("// The values of ", name, ".")
	f.P("const (")
	for _, value := range e.Values {
		f.Comment(value.Comment)
		f.P(f.ValueName(e, value), " ", name, " = ", value.Number)
	}
	f.P(")")
	f.P("// String returns the name of the value, or its number if the enum does not define it.")
	f.P("func (x ", name, ") String() string {")
	f.P("switch x {")
	seen := map[int32]bool{} // aliases: the first name is used
	for _, value := range e.Values {
		if !seen[value.Number] {
			seen[value.Number] = true
			f.Printf("case %d: return %q\n", value.Number, value.Name)
		}
	}
	f.P("}")
	f.P("return ", f.Ident("strconv", "Itoa"), "(int(x))")
	f.P("}")
	f.P()
}

// ClosedTable returns the expression of the address of a closed enum's table; "" for other types. The table is
// written once in a file, on the first call.
func (f *File) ClosedTable(field *plan.Field) string {
	e := field.Enum
	if e == nil || !e.Closed {
		return ""
	}
	if f.shared.closed == nil {
		f.shared.closed = map[*plan.Enum]string{}
	}
	if f.shared.closed[e] == "" {
		f.shared.closed[e] = f.Claim("closed"+GoCamelCase(e.Name), "values of "+e.Name)
		f.emitClosed(e, f.shared.closed[e])
	}
	return "&" + f.shared.closed[e]
}

func (f *File) emitClosed(e *plan.Enum, name string) {
	var values []int32
	seen := map[int32]bool{}
	for _, value := range e.Values {
		if !seen[value.Number] {
			seen[value.Number] = true
			values = append(values, value.Number)
		}
	}
	sort.Slice(values, func(i, j int) bool { return values[i] < values[j] })
	low, high := values[0], values[len(values)-1]
	f.P("// ", name, " holds the values of the closed enum ", e.Name, ".")
	f.Printf("var %s = %s{Min: %d, Max: %d", name, f.Wire("EnumTable"), low, high)
	if int64(high)-int64(low)+1 != int64(len(values)) {
		f.Printf(", Values: []int32{%d", values[0])
		for _, value := range values[1:] {
			f.Printf(", %d", value)
		}
		f.Printf("}")
	}
	f.P("}")
}
