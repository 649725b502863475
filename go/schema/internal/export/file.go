// Package export writes the schema of a plan as .proto files and as their descriptors.
package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/schema/internal/locked"
	"github.com/hotpb/hotpb/go/wire"
)

// schema is what all files of a schema share.
type schema struct {
	messages map[string]*locked.Message
	enums    map[string]*locked.Enum
	report   func(where, reason string)
}

// File is a schema in the form of a .proto file. Its text and its descriptor are both written from it.
type File struct {
	*schema
	name    string
	pkg     string
	edition bool // 2023, for features that proto3 lacks
	imports []string
	types   []*declaration // the outermost ones

	declared map[string]*declaration // by full name
}

// declaration is a message or enum with the types declared in it.
type declaration struct {
	name    string // the last part
	full    string
	message *locked.Message // nil for an enum, and for a message that only holds others
	enum    *locked.Enum
	nested  []*declaration

	fields []field  // in the order of the text: by number, oneofs together
	oneofs []string // in that order

	names map[string]bool // of its elements, once declares has been called
}

type field struct {
	*locked.Column
	oneof     int // index into oneofs, or -1
	synthetic int // index of the oneof that protoc adds for an optional field of proto3, or -1
}

// Files lays out a schema, the result of locked.Lock.Reached, as .proto files: its own file last, after those of the
// well-known types that it imports. Whatever a .proto cannot express is reported.
func Files(l *locked.Lock, pkg string, report func(where, reason string)) []*File {
	if pkg == "google.protobuf" {
		report(l.Root, "the package google.protobuf is protobuf's own")
		return nil
	}
	s := &schema{report: report, messages: map[string]*locked.Message{}, enums: map[string]*locked.Enum{}}
	main := &File{schema: s, name: l.Root + ".proto", pkg: pkg}
	known := map[string]*File{}
	home := func(full string, content []string) *File {
		name, ok := s.imported(full, content)
		if !ok {
			return main
		}
		if known[name] == nil {
			known[name] = &File{schema: s, name: name, pkg: "google.protobuf"}
		}
		return known[name]
	}
	for i := range l.Messages {
		m := &l.Messages[i]
		s.messages[m.Name] = m
		file := home(m.Name, messageContent(m))
		file.declare(m.Name, m, nil)
		file.edition = file.edition || needsEdition(m)
	}
	for i := range l.Enums {
		e := &l.Enums[i]
		s.enums[e.Name] = e
		file := home(e.Name, enumContent(e))
		file.declare(e.Name, nil, e)
		file.edition = file.edition || e.Closed
	}
	files := make([]*File, 0, len(known)+1)
	for _, f := range known {
		files = append(files, f)
		main.imports = append(main.imports, f.name)
	}
	slices.SortFunc(files, func(a, b *File) int { return strings.Compare(a.name, b.name) })
	slices.Sort(main.imports)
	files = append(files, main)
	for _, f := range files {
		for _, t := range f.types {
			f.fill(t)
		}
	}
	main.check()
	return files
}

// needsEdition reports whether a message has features that proto3 lacks.
func needsEdition(m *locked.Message) bool {
	return slices.ContainsFunc(m.Columns, func(c locked.Column) bool {
		return c.Kind == wire.Group || c.Required || c.Default != ""
	})
}

// declare puts a type where its name says. If the plan lacks the messages around it, they are declared without
// columns.
func (f *File) declare(full string, m *locked.Message, e *locked.Enum) {
	inner := full
	if f.pkg != "" {
		var ok bool
		if inner, ok = strings.CutPrefix(full, f.pkg+"."); !ok {
			f.report(full, fmt.Sprintf("is not in the package %s, and a .proto has only one package", f.pkg))
			return
		}
	}
	if f.declared == nil {
		f.declared = map[string]*declaration{}
	}
	list, path := &f.types, ""
	if f.pkg != "" {
		path = f.pkg + "."
	}
	for {
		part, rest, more := strings.Cut(inner, ".")
		path += part
		t := f.declared[path]
		if t == nil {
			t = &declaration{name: part, full: path}
			*list = append(*list, t)
			f.declared[path] = t
		}
		if !more {
			if t.message, t.enum = m, e; e != nil && len(t.nested) > 0 {
				f.report(full, "is an enum, but there are messages in it")
			}
			return
		}
		if t.enum != nil {
			f.report(full, fmt.Sprintf("is in %s, which is an enum", path))
			return
		}
		list, inner = &t.nested, rest
		path += "."
	}
}

// fill lays out the fields of a message and of those in it.
func (f *File) fill(t *declaration) {
	for _, n := range t.nested {
		f.fill(n)
	}
	if t.message == nil {
		return
	}
	columns := t.message.Columns
	members := map[string][]*locked.Column{}
	for i := range columns {
		members[columns[i].Oneof] = append(members[columns[i].Oneof], &columns[i])
	}
	for i := range columns {
		switch c := &columns[i]; {
		case c.Oneof == "":
			t.fields = append(t.fields, field{c, -1, -1})
		case c == members[c.Oneof][0]:
			for _, member := range members[c.Oneof] {
				t.fields = append(t.fields, field{member, len(t.oneofs), -1})
			}
			t.oneofs = append(t.oneofs, c.Oneof)
		}
	}
	if !f.edition {
		t.synthesise()
	}
}

// synthesise adds the oneofs that protoc adds for optional fields of proto3.
func (t *declaration) synthesise() {
	used := map[string]bool{}
	for _, f := range t.fields {
		used[f.Name] = true
	}
	for _, name := range t.oneofs {
		used[name] = true
	}
	count := len(t.oneofs)
	for i := range t.fields {
		c := t.fields[i].Column
		if !c.Explicit {
			continue
		}
		name := c.Name
		if name[0] != '_' {
			name = "_" + name
		}
		for used[name] {
			name = "X" + name
		}
		used[name] = true
		t.fields[i].synthetic = count
		count++
		t.oneofs = append(t.oneofs, name)
	}
}

// wellKnown is a type of google.protobuf that .proto files import: where it is, and its columns or values.
type wellKnown struct{ name, file, content string }

var wellKnownTypes = []wellKnown{
	{"Any", "any", "1 type_url string, 2 value bytes"},
	{"Duration", "duration", "1 seconds int64, 2 nanos int32"},
	{"Empty", "empty", ""},
	{"FieldMask", "field_mask", "1 paths repeated string"},
	{"SourceContext", "source_context", "1 file_name string"},
	{"Struct", "struct", "1 fields map message Struct.FieldsEntry"},
	{"Struct.FieldsEntry", "struct", "1 key string, 2 value message Value"},
	{"Value", "struct", "1 null_value enum NullValue oneof kind, 2 number_value double oneof kind, 3 string_value string oneof kind, " +
		"4 bool_value bool oneof kind, 5 struct_value message Struct oneof kind, 6 list_value message ListValue oneof kind"},
	{"ListValue", "struct", "1 values repeated message Value"},
	{"NullValue", "struct", "0 NULL_VALUE"},
	{"Timestamp", "timestamp", "1 seconds int64, 2 nanos int32"},
	{"DoubleValue", "wrappers", "1 value double"},
	{"FloatValue", "wrappers", "1 value float"},
	{"Int64Value", "wrappers", "1 value int64"},
	{"UInt64Value", "wrappers", "1 value uint64"},
	{"Int32Value", "wrappers", "1 value int32"},
	{"UInt32Value", "wrappers", "1 value uint32"},
	{"BoolValue", "wrappers", "1 value bool"},
	{"StringValue", "wrappers", "1 value string"},
	{"BytesValue", "wrappers", "1 value bytes"},
}

// imported finds the well-known type of that name. A type that differs from the file is an error, because readers
// use the file.
func (s *schema) imported(full string, content []string) (file string, ok bool) {
	name, google := strings.CutPrefix(full, "google.protobuf.")
	i := slices.IndexFunc(wellKnownTypes, func(t wellKnown) bool { return t.name == name })
	if !google || i < 0 {
		return "", false
	}
	t := wellKnownTypes[i]
	if strings.ReplaceAll(strings.Join(content, ", "), "google.protobuf.", "") != t.content {
		s.report(full, fmt.Sprintf("differs from protobuf's own type (%s); no other type may have this name", t.content))
	}
	return "google/protobuf/" + t.file + ".proto", true
}

// messageContent has a line for each column.
func messageContent(m *locked.Message) (lines []string) {
	for _, c := range m.Columns {
		c.Logical = "" // which a .proto does not say
		lines = append(lines, fmt.Sprintf("%d %s %s", c.Number, c.Name, c.TypeText()))
	}
	return lines
}

// enumContent has a line for each value.
func enumContent(e *locked.Enum) (lines []string) {
	for _, v := range e.Values {
		lines = append(lines, fmt.Sprintf("%d %s", v.Number, v.Name))
	}
	if e.Closed {
		lines = append(lines, "closed")
	}
	return lines
}
