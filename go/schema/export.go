package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/schema/internal/locked"
	"github.com/hotpb/hotpb/go/wire"
)

// protoFile is a plan in the form of a .proto file. The text and the descriptor are both written from it.
type protoFile struct {
	plan    *Plan
	name    string
	pkg     string
	edition bool // 2023, for features that proto3 lacks
	imports []string
	types   []*protoType // the outermost ones

	messages, enums map[string]*protoType // by full name
}

// protoType is a message or enum with the types declared in it.
type protoType struct {
	name    string // the last part
	full    string
	message *plannedMessage // nil for an enum, and for a message that only holds others
	enum    *Enum
	nested  []*protoType

	fields          []protoField // in the order of the text: by number, oneofs together
	oneofs          []string     // in that order
	reservedNumbers []Range
	reservedNames   []string

	names map[string]bool // of its elements, once declares has been called
}

type protoField struct {
	*Column
	oneof     int // index into oneofs, or -1
	synthetic int // index of the oneof that protoc adds for an optional field of proto3, or -1
}

// reachable returns the messages and enums to which columns lead that are on, in the order of their creation.
func (p *Plan) reachable() (messages []*plannedMessage, enums []*Enum) {
	if p.isEmpty() {
		return nil, nil
	}
	seen, used := make([]bool, len(p.messages)), map[*Enum]bool{}
	queue := []*plannedMessage{p.messages[0]}
	seen[0] = true
	for len(queue) > 0 {
		m := queue[0]
		queue = queue[1:]
		for _, c := range m.columns {
			if c.Enum != nil {
				used[c.Enum] = true
			}
			if i := p.ops[c.index].child; i >= 0 && !seen[i] {
				seen[i] = true
				queue = append(queue, p.messages[i])
			}
		}
	}
	for i, m := range p.messages {
		if seen[i] {
			messages = append(messages, m)
		}
	}
	for _, e := range p.enums {
		if used[e] {
			enums = append(enums, e)
		}
	}
	return messages, enums
}

// protoFiles lays out the plan as .proto files: its own file last, after those of the well-known types that it
// imports. A plan that a .proto cannot express is an error.
func (p *Plan) protoFiles() ([]*protoFile, error) {
	if p.isEmpty() {
		return nil, errNoPlan()
	}
	var wrong problems
	main := &protoFile{plan: p, name: p.fileName(), pkg: p.pkg}
	known := map[string]*protoFile{}
	home := func(full string, content []string) *protoFile {
		name, ok := imported(full, content, &wrong)
		if !ok {
			return main
		}
		if known[name] == nil {
			known[name] = &protoFile{plan: p, name: name, pkg: "google.protobuf"}
		}
		return known[name]
	}
	if p.pkg == "google.protobuf" {
		wrong.add(p.messages[0].def.Name, "the package google.protobuf is protobuf's own")
		return nil, wrong.err()
	}
	messages, enums := p.reachable()
	for _, m := range messages {
		file := home(m.def.Name, m.content())
		file.declare(m.def.Name, m, nil, &wrong)
		file.edition = file.edition || needsEdition(m)
	}
	for _, e := range enums {
		file := home(e.Name, e.content())
		file.declare(e.Name, nil, e, &wrong)
		file.edition = file.edition || e.Closed
	}
	files := make([]*protoFile, 0, len(known)+1)
	for _, f := range known {
		files = append(files, f)
		main.imports = append(main.imports, f.name)
	}
	slices.SortFunc(files, func(a, b *protoFile) int { return strings.Compare(a.name, b.name) })
	slices.Sort(main.imports)
	files = append(files, main)
	for _, f := range files {
		for _, t := range f.types {
			f.fill(t, &wrong)
		}
	}
	main.check(&wrong)
	if len(wrong) > 0 {
		return nil, wrong.err()
	}
	return files, nil
}

// childOf returns the message type of a column that is on.
func (p *Plan) childOf(c *Column) *plannedMessage { return p.messages[p.ops[c.index].child] }

// fileName returns the name of the plan's file.
func (p *Plan) fileName() string { return p.messages[0].def.Name + ".proto" }

// needsEdition reports whether a message has features that proto3 lacks.
func needsEdition(m *plannedMessage) bool {
	return slices.ContainsFunc(m.columns, func(c *Column) bool {
		return c.Kind == wire.Group || c.Presence == LegacyRequired && !m.def.entry || c.Default != ""
	})
}

// declare puts a type where its name says. If the plan lacks the messages around it, they are declared without
// columns.
func (f *protoFile) declare(full string, m *plannedMessage, e *Enum, wrong *problems) {
	inner := full
	if f.pkg != "" {
		var ok bool
		if inner, ok = strings.CutPrefix(full, f.pkg+"."); !ok {
			wrong.add(full, fmt.Sprintf("is not in the package %s, and a .proto has only one package", f.pkg))
			return
		}
	}
	if f.messages == nil {
		f.messages, f.enums = map[string]*protoType{}, map[string]*protoType{}
	}
	list, path := &f.types, ""
	if f.pkg != "" {
		path = f.pkg + "."
	}
	for {
		part, rest, more := strings.Cut(inner, ".")
		path += part
		t := f.messages[path]
		if t == nil && more {
			t = f.enums[path]
		}
		if t == nil {
			t = &protoType{name: part, full: path}
			*list = append(*list, t)
			if more || e == nil {
				f.messages[path] = t
			} else {
				f.enums[path] = t
			}
		}
		if !more {
			if t.message, t.enum = m, e; e != nil && len(t.nested) > 0 {
				wrong.add(full, "is an enum, but there are messages in it")
			}
			return
		}
		if t.enum != nil {
			wrong.add(full, fmt.Sprintf("is in %s, which is an enum", path))
			return
		}
		list, inner = &t.nested, rest
		path += "."
	}
}

// fill lays out the fields of a message and of those in it.
func (f *protoFile) fill(t *protoType, wrong *problems) {
	for _, n := range t.nested {
		f.fill(n, wrong)
	}
	if t.message == nil {
		return
	}
	members := map[string][]*Column{}
	for _, c := range t.message.columns {
		members[c.Oneof] = append(members[c.Oneof], c)
	}
	for _, c := range t.message.columns {
		switch {
		case c.Oneof == "":
			t.fields = append(t.fields, protoField{c, -1, -1})
		case c == members[c.Oneof][0]:
			for _, member := range members[c.Oneof] {
				t.fields = append(t.fields, protoField{member, len(t.oneofs), -1})
			}
			t.oneofs = append(t.oneofs, c.Oneof)
		}
	}
	if !f.edition {
		t.synthesise()
	}
	t.reserve()
}

// synthesise adds the oneofs that protoc adds for optional fields of proto3.
func (t *protoType) synthesise() {
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
		if !t.message.optional(c) {
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

// optional reports whether a column has the word optional before it in proto3.
func (m *plannedMessage) optional(c *Column) bool {
	return c.Presence == Explicit && c.Oneof == "" && c.Message == nil && !c.Repeated && !m.def.entry
}

// reserve collects the numbers and names that must not be used again: those that the schema reserves, and the
// columns that are off.
func (t *protoType) reserve() {
	ranges := slices.Clone(t.message.def.ReservedNumbers)
	names := slices.Clone(t.message.def.ReservedNames)
	for _, c := range t.message.off {
		ranges = append(ranges, Range{c.Number, c.Number})
		names = append(names, c.Name)
	}
	t.reservedNumbers = locked.MergeRanges(ranges)
	slices.Sort(names)
	t.reservedNames = slices.Compact(names)
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
func imported(full string, content []string, wrong *problems) (file string, ok bool) {
	name, google := strings.CutPrefix(full, "google.protobuf.")
	i := slices.IndexFunc(wellKnownTypes, func(t wellKnown) bool { return t.name == name })
	if !google || i < 0 {
		return "", false
	}
	t := wellKnownTypes[i]
	if strings.ReplaceAll(strings.Join(content, ", "), "google.protobuf.", "") != t.content {
		wrong.add(full, fmt.Sprintf("differs from protobuf's own type (%s); no other type may have this name", t.content))
	}
	return "google/protobuf/" + t.file + ".proto", true
}

// content has a line for each column that is on.
func (m *plannedMessage) content() (lines []string) {
	columns := m.locked().Columns
	locked.SortColumns(columns)
	for _, c := range columns {
		if c.Logical = ""; !c.Off { // which a .proto does not say
			lines = append(lines, fmt.Sprintf("%d %s %s", c.Number, c.Name, c.TypeText()))
		}
	}
	return lines
}

// content has a line for each value.
func (e *Enum) content() (lines []string) {
	for _, v := range e.Values {
		lines = append(lines, fmt.Sprintf("%d %s", v.Number, v.Name))
	}
	if e.Closed {
		lines = append(lines, "closed")
	}
	return lines
}
