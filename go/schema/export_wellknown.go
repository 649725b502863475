package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/schema/internal/locked"
)

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
