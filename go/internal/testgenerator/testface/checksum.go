package testface

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/emit/pool"
	"github.com/hotpb/hotpb/go/internal/gen/emit/view"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

var checksum = emit.Face{
	Name:    "checksum",
	Of:      []string{"pool", "view"},
	Suffix:  "_checksum.hot.go",
	Strict:  true,
	Selects: true,
	Emit:    emitChecksum,
}

// emitChecksum writes, for each message, a method that reads every field and adds it up as bench/peers does for all contenders:
// the sum of (2*number+1)*value. It is for measurements only, so it has a file of its own.
// Well-known types are in a package of the runtime: functions of the file add up theirs.
func emitChecksum(f *emit.File) error {
	var known []*plan.Message
	for _, m := range f.Messages() {
		writeSums(f, &known, m, "ChecksumHot()", "ChecksumHot()")
	}
	for i := 0; i < len(known); i++ { // a function may need others
		m := known[i]
		writeSums(f, &known, m, sumFunction(f, m, "pool")+"(m *"+pool.PoolMessage(f, m)+")", sumFunction(f, m, "view")+"(v *"+f.TypeName(m, emit.ViewSuffix)+")")
	}
	return nil
}

// writeSums writes the methods, or functions, that add up a message.
func writeSums(f *emit.File, known *[]*plan.Message, m *plan.Message, poolSignature, viewSignature string) {
	s := summer{File: f, known: known}
	receiver := func(name, typeName string) string {
		if isWellKnown(m) {
			return ""
		}
		return "(" + name + " *" + typeName + ") "
	}
	if f.Options.Has("pool") {
		s.names, _ = pool.PoolMembers(f, m)
		f.P("func ", receiver("m", pool.PoolMessage(f, m)), poolSignature, " (sum uint64) {")
		for _, field := range f.Fields(m) {
			s.pool(field)
		}
		f.P("return sum\n}\n")
	}
	if f.Options.Has("view") {
		s.names, _ = view.ViewMembers(f, m)
		f.P("func ", receiver("v", f.TypeName(m, emit.ViewSuffix)), viewSignature, " (sum uint64, _ error) {")
		for _, field := range f.Fields(m) {
			s.view(field)
		}
		f.P("return sum, nil\n}\n")
	}
}

func isWellKnown(m *plan.Message) bool { return strings.HasPrefix(m.File.Name, "google/protobuf/") }

// sumFunction is the name of a function of this file; others of the package have their own.
func sumFunction(f *emit.File, m *plan.Message, face string) string {
	return fmt.Sprintf("%sSum%08x%s", face, crc32.ChecksumIEEE([]byte(f.Plan.Name)), strings.ReplaceAll(m.Name, ".", "_"))
}

type summer struct {
	*emit.File
	names map[*plan.Field]string
	known *[]*plan.Message // the well-known types whose functions are needed
}

// sum is the call that adds up a message, which a variable holds or, if it is a pointer, points to.
func (s *summer) sum(m *plan.Message, face, variable string, isPointer bool) string {
	if !isWellKnown(m) {
		return variable + ".ChecksumHot()"
	}
	if !slices.Contains(*s.known, m) {
		*s.known = append(*s.known, m)
	}
	if !isPointer {
		variable = "&" + variable
	}
	return sumFunction(s.File, m, face) + "(" + variable + ")"
}

// value is the expression of the count of a value that is no message.
func (s *summer) value(field *plan.Field, x string) string {
	switch field.Type {
	case plan.TypeString:
		return s.Ident(checksums, "String") + "(" + x + ")"
	case plan.TypeBytes:
		return s.Ident(checksums, "Bytes") + "(" + x + ")"
	case plan.TypeBool:
		return s.Ident(checksums, "Bool") + "(" + x + ")"
	case plan.TypeFloat:
		return "uint64(" + s.Ident("math", "Float32bits") + "(" + x + "))"
	case plan.TypeDouble:
		return s.Ident("math", "Float64bits") + "(" + x + ")"
	}
	return "uint64(" + x + ")" // signed ones are extended
}

// checksums is the package with the values of strings.
const checksums = "github.com/hotpb/hotpb/go/bench/peers/checksum"

func weight(field *plan.Field) string { return emit.Itoa(2*field.Number + 1) }

func (s *summer) pool(field *plan.Field) {
	name := "m." + s.names[field]
	k := weight(field)
	switch {
	case field.Map != nil:
		value := ""
		if element := field.Map.Value; element.Type == plan.TypeMessage {
			value = "1 + " + s.sum(element.Message, "pool", "value", true)
		} else {
			value = s.value(element, "value")
		}
		s.Code("for key, value := range $name$ {\nsum += $k$ * (1 + 3*$key$ + 5*($value$))\n}", "name", name, "k", k, "key", s.value(field.Map.Key, "key"), "value", value)
	case field.IsRepeated() && field.Type == plan.TypeMessage:
		s.P("for i := range ", name, " {\nsum += ", k, " * (1 + ", s.sum(field.Message, "pool", name+"[i]", false), ")\n}")
	case field.IsRepeated():
		s.P("for _, x := range ", name, " {\nsum += ", k, " * ", s.value(field, "x"), "\n}")
	case field.Type == plan.TypeMessage:
		s.P("if x := m.Get", s.names[field], "(); x != nil {\nsum += ", k, " * (1 + ", s.sum(field.Message, "pool", "x", true), ")\n}")
	case pool.IsPlain(field):
		s.P("sum += ", k, " * ", s.value(field, name))
	default:
		s.P("if m.Has", s.names[field], "() {\nsum += ", k, " * ", s.value(field, "m.Get"+s.names[field]+"()"), "\n}")
	}
}

func (s *summer) view(field *plan.Field) {
	name := "v." + s.names[field]
	k := weight(field)
	add := func(m *plan.Message) string {
		return "if err != nil {\nreturn 0, err\n}\nn, err := " + s.sum(m, "view", "c", false) + "\nif err != nil {\nreturn 0, err\n}"
	}
	switch {
	case field.Map != nil && field.Map.Value.Type == plan.TypeMessage:
		s.P("for key, value := range ", name, "() {\nvar c ", s.TypeName(field.Map.Value.Message, emit.ViewSuffix), "\nerr := c.OpenMessage(value)\n", add(field.Map.Value.Message))
		s.P("sum += ", k, " * (1 + 3*", s.value(field.Map.Key, "key"), " + 5*(1+n))\n}")
	case field.Map != nil:
		s.P("for key, value := range ", name, "() {\nsum += ", k, " * (1 + 3*", s.value(field.Map.Key, "key"), " + 5*", s.value(field.Map.Value, "value"), ")\n}")
	case field.IsRepeated() && field.Type == plan.TypeMessage:
		s.P("{\nvar c ", s.TypeName(field.Message, emit.ViewSuffix), "\ne := ", name, "Iter()\nfor e.Next() {\nerr := c.OpenElement(&e)\n", add(field.Message))
		s.P("sum += ", k, " * (1 + n)\n}\n}")
	case field.IsRepeated():
		s.P("{\ne := ", name, "Iter()\nfor e.Next() {\nsum += ", k, " * ", s.value(field, "e.Value()"), "\n}\n}")
	case field.Type == plan.TypeMessage:
		s.P("if v.Has", s.names[field], "() {\nvar c ", s.TypeName(field.Message, emit.ViewSuffix), "\nerr := c.OpenMessage(", name, "Message())\n", add(field.Message))
		s.P("sum += ", k, " * (1 + n)\n}")
	case field.HasPresence():
		s.P("if v.Has", s.names[field], "() {\nsum += ", k, " * ", s.value(field, name+"()"), "\n}")
	default:
		s.P("sum += ", k, " * ", s.value(field, name+"()"))
	}
}
