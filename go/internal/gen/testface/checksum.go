package testface

import (
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"github.com/hotpb/hotpb/go/internal/gen/pool"
	"github.com/hotpb/hotpb/go/internal/gen/view"
)

var ChecksumFace = emit.Face{
	Name:    "checksum",
	Of:      []string{"pool", "view"},
	Suffix:  "_checksum.hot.go",
	Strict:  true,
	Selects: true,
	Emit:    emitChecksum,
}

// emitChecksum writes, for each message, a method that reads every field and adds it up as bench/peers does for all contenders:
// the sum of (2*number+1)*value. It is for measurements only, so it has a file of its own.
func emitChecksum(f *emit.File) error {
	for _, m := range f.Messages() {
		if f.Options.Has("pool") {
			s := summer{File: f}
			s.names, _ = pool.PoolMembers(f, m)
			f.P("// ChecksumHot is the sum of all fields.")
			f.P("func (m *", pool.PoolMessage(f, m), ") ChecksumHot() (sum uint64) {")
			for _, field := range f.Fields(m) {
				s.pool(field)
			}
			f.P("return sum\n}\n")
		}
		if f.Options.Has("view") {
			s := summer{File: f}
			s.names, _ = view.ViewMembers(f, m)
			f.P("// ChecksumHot is the sum of all fields; it opens every message.")
			f.P("func (v *", f.TypeName(m, emit.ViewSuffix), ") ChecksumHot() (sum uint64, _ error) {")
			for _, field := range f.Fields(m) {
				s.view(field)
			}
			f.P("return sum, nil\n}\n")
		}
	}
	return nil
}

type summer struct {
	*emit.File
	names map[*plan.Field]string
}

// value is the expression of what a value that is no message counts.
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
		value := "1 + value.ChecksumHot()"
		if field.Map.Value.Type != plan.TypeMessage {
			value = s.value(field.Map.Value, "value")
		}
		s.P("for key, value := range ", name, " {\nsum += ", k, " * (1 + 3*", s.value(field.Map.Key, "key"), " + 5*(", value, "))\n}")
	case field.IsRepeated() && field.Type == plan.TypeMessage:
		s.P("for i := range ", name, " {\nsum += ", k, " * (1 + ", name, "[i].ChecksumHot())\n}")
	case field.IsRepeated():
		s.P("for _, x := range ", name, " {\nsum += ", k, " * ", s.value(field, "x"), "\n}")
	case field.Type == plan.TypeMessage:
		s.P("if x := m.Get", s.names[field], "(); x != nil {\nsum += ", k, " * (1 + x.ChecksumHot())\n}")
	case pool.IsPlain(field):
		s.P("sum += ", k, " * ", s.value(field, name))
	default:
		s.P("if m.Has", s.names[field], "() {\nsum += ", k, " * ", s.value(field, "m.Get"+s.names[field]+"()"), "\n}")
	}
}

func (s *summer) view(field *plan.Field) {
	name := "v." + s.names[field]
	k := weight(field)
	add := "if err != nil {\nreturn 0, err\n}\nn, err := c.ChecksumHot()\nif err != nil {\nreturn 0, err\n}"
	switch {
	case field.Map != nil && field.Map.Value.Type == plan.TypeMessage:
		s.P("for key, value := range ", name, "() {\nvar c ", s.TypeName(field.Map.Value.Message, emit.ViewSuffix), "\nerr := c.OpenMessage(value)\n", add)
		s.P("sum += ", k, " * (1 + 3*", s.value(field.Map.Key, "key"), " + 5*(1+n))\n}")
	case field.Map != nil:
		s.P("for key, value := range ", name, "() {\nsum += ", k, " * (1 + 3*", s.value(field.Map.Key, "key"), " + 5*", s.value(field.Map.Value, "value"), ")\n}")
	case field.IsRepeated() && field.Type == plan.TypeMessage:
		s.P("for c, it := (", s.TypeName(field.Message, emit.ViewSuffix), "{}), ", name, "Iter(); it.Next(); {\nerr := c.OpenElement(&it)\n", add)
		s.P("sum += ", k, " * (1 + n)\n}")
	case field.IsRepeated():
		s.P("for it := ", name, "Iter(); it.Next(); {\nsum += ", k, " * ", s.value(field, "it.Value()"), "\n}")
	case field.Type == plan.TypeMessage:
		s.P("if v.Has", s.names[field], "() {\nvar c ", s.TypeName(field.Message, emit.ViewSuffix), "\nerr := c.OpenMessage(", name, "Message())\n", add)
		s.P("sum += ", k, " * (1 + n)\n}")
	case field.HasPresence():
		s.P("if v.Has", s.names[field], "() {\nsum += ", k, " * ", s.value(field, name+"()"), "\n}")
	default:
		s.P("sum += ", k, " * ", s.value(field, name+"()"))
	}
}
