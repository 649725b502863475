package schema

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/schema/internal/bind"
	"github.com/hotpb/hotpb/go/schema/internal/descriptor"
	"github.com/hotpb/hotpb/go/schema/internal/locked"
	"github.com/hotpb/hotpb/go/wire"
)

// FromStruct creates a schema from a struct type. Each field is a column that its tag describes:
//
//	type Flow struct {
//		SrcAddr  netip.Addr `hotpb:"src_addr,5"`
//		Bytes    uint64     `hotpb:"bytes,9,fixed64"`
//		Start    time.Time  `hotpb:"start,10,,millis"`
//		Country  string     `hotpb:"country,11,,deferred,group=geo"`
//		Labels   []Label    `hotpb:"labels,12"`
//		Internal int        `hotpb:"-"`
//	}
//
// A tag has the name, the number, the kind, and options. The kind is protobuf's name of a scalar, or ip, mac,
// timestamp, duration, enum, message, group. Without a kind the Go type determines it (uint8 to uint32 are uint32,
// structs are messages, a netip.Addr or [16]byte is an ip, a time.Time a timestamp). For a slice it is the kind of
// the elements. Enums are integer types with a method EnumValues() []EnumValue.
//
// The options: optional, first, deferred, disabled, unpacked, utf8, drop, mask, refuse (see the Options of these
// names); group=NAME, oneof=NAME; from=ELEMENT or from=ENTERPRISE/ELEMENT (see Source), more than once; and the
// unit that a timestamp or duration needs: seconds, millis, micros, nanos, wellknown. A pointer to a single
// value is optional.
//
// Bind can bind a struct to the plan of its schema. An error lists all wrong fields; each part is an *Error,
// InvalidSchema. Compile reports the faults that are not in tags.
func FromStruct[T any](root string, options ...SchemaOption) (*Schema, error) {
	b := structReader{s: New(root, options...), messages: map[reflect.Type]*Message{}, enums: map[reflect.Type]*Enum{}}
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		return nil, &Error{wire.InvalidSchema, t.String(), "is not a struct"}
	}
	b.messages[t] = b.s.Message
	b.columns(b.s.Message, t)
	if len(b.wrong) > 0 {
		return nil, errors.Join(b.wrong...)
	}
	return b.s, nil
}

// enumValuer is implemented by the integer types of enum columns.
type enumValuer interface{ EnumValues() []EnumValue }

// structReader reads the tags of struct types.
type structReader struct {
	s        *Schema
	messages map[reflect.Type]*Message
	enums    map[reflect.Type]*Enum
	wrong    []error
}

func (b *structReader) columns(m *Message, t reflect.Type) {
	for _, f := range bind.StructFields(t, 0) {
		where := t.String() + "." + f.Name
		c, reason := b.column(m, f)
		if reason == "" && !f.IsExported() {
			reason = "is not exported"
		}
		if reason != "" {
			b.wrong = append(b.wrong, &Error{wire.InvalidSchema, where, reason})
			continue
		}
		m.Add(c)
	}
}

func (b *structReader) column(m *Message, f bind.StructField) (c Column, reason string) {
	parts := strings.Split(f.StructField.Tag.Get("hotpb"), ",")
	if len(parts) < 2 || parts[0] == "" {
		return c, `has no tag with a name and a number, like hotpb:"name,1", or "-"`
	}
	number, err := strconv.ParseUint(parts[1], 10, 32)
	if err != nil {
		return c, fmt.Sprintf("%q is not a number", parts[1])
	}
	c.Name, c.Number = parts[0], uint32(number)
	word := ""
	if len(parts) > 2 {
		word = parts[2]
	}
	unit := false
	for _, option := range parts[min(3, len(parts)):] {
		if isUnit, reason := c.option(option); reason != "" {
			return c, reason
		} else if isUnit {
			unit = true
		}
	}
	t := f.Type
	if t.Kind() == reflect.Map {
		return c, b.mapOf(&c, m, t)
	}
	if c.Repeated = t.Kind() == reflect.Slice && bind.FieldOf(t) != bind.FieldText; c.Repeated {
		t = t.Elem()
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
		if !c.Repeated {
			c.Presence = Explicit
		}
	}
	if reason := b.kind(&c, m, t, word); reason != "" {
		return c, reason
	}
	timed := c.Logical == Timestamp || c.Logical == Duration
	switch {
	case timed && !unit:
		return c, "has no unit: seconds, millis, micros, nanos or wellknown"
	case !timed && unit:
		return c, "has a unit and is not a time"
	case timed && c.Unit == WellKnown:
		c.Kind, c.Presence = wire.Message, Explicit
		c.Message = b.s.WellKnown("google.protobuf." + map[Logical]string{Timestamp: "Timestamp", Duration: "Duration"}[c.Logical])
	case c.Message != nil && !c.Repeated:
		c.Presence = Explicit
	}
	return c, ""
}

// option reads one option of a tag.
func (c *Column) option(text string) (unit bool, reason string) {
	name, value, valued := strings.Cut(text, "=")
	plain := map[string]Option{
		"optional": Optional, "first": KeepFirst, "deferred": Deferred, "disabled": Disabled, "unpacked": Unpacked,
		"utf8": CheckUTF8, "zero": CountZero, "drop": OnMisfit(Drop), "mask": OnMisfit(Mask), "refuse": OnMisfit(Refuse),
	}
	units := map[string]Unit{"seconds": Seconds, "millis": Millis, "micros": Micros, "nanos": Nanos, "wellknown": WellKnown}
	switch u, isUnit := units[text]; {
	case isUnit:
		c.Unit = u
		return true, ""
	case plain[text] != nil:
		plain[text](c)
	case name == "group" && value != "":
		c.Group = value
	case name == "oneof" && value != "":
		InOneof(value)(c)
	case name == "from" && valued:
		enterprise, element, ok := strings.Cut(value, "/")
		if !ok {
			enterprise, element = "0", value
		}
		e, err := strconv.ParseUint(enterprise, 10, 32)
		n, err2 := strconv.ParseUint(element, 10, 16)
		if err != nil || err2 != nil {
			return false, fmt.Sprintf("%q is not an element", value)
		}
		c.Sources = append(c.Sources, Source{uint32(e), uint16(n)})
	default:
		return false, fmt.Sprintf("%q is not an option", text)
	}
	return false, ""
}

// kind fills in the properties of a column of a single value.
func (b *structReader) kind(c *Column, m *Message, t reflect.Type, word string) (reason string) {
	if word == "" {
		if word = usualKind(t); word == "" {
			return fmt.Sprintf("a %s has no usual kind", t)
		}
	}
	switch word {
	case "ip":
		c.Kind, c.Logical = wire.Bytes, IP
	case "mac":
		c.Kind, c.Logical = wire.Uint64, MAC
	case "timestamp":
		c.Kind, c.Logical = wire.Int64, Timestamp
	case "duration":
		c.Kind, c.Logical = wire.Int64, Duration
	case "enum":
		c.Kind = wire.Enum
		c.Enum, reason = b.enum(t)
	case "message", "group":
		c.Kind = wire.Message
		if word == "group" {
			c.Kind = wire.Group
		}
		if t.Kind() != reflect.Struct || bind.FieldOf(t) != bind.FieldNone {
			return fmt.Sprintf("a message is a struct, not a %s", t)
		}
		c.Message = b.message(m, c.Name, t)
	default:
		k := slices.Index(locked.KindNames[:], word)
		if k < 0 {
			return fmt.Sprintf("%q is not a kind", word)
		}
		c.Kind = wire.Kind(k)
	}
	return reason
}

// usualKind is the kind of a Go type whose tag names none.
func usualKind(t reflect.Type) string {
	if t.Kind() == reflect.Bool {
		return "bool"
	}
	if t.Implements(reflect.TypeFor[enumValuer]()) {
		return "enum"
	}
	switch f := bind.FieldOf(t); f {
	case bind.FieldUint8, bind.FieldUint16, bind.FieldUint32:
		return "uint32"
	case bind.FieldUint64:
		return "uint64"
	case bind.FieldInt8, bind.FieldInt16, bind.FieldInt32:
		return "int32"
	case bind.FieldInt64:
		return "int64"
	case bind.FieldFloat32:
		return "float"
	case bind.FieldFloat64:
		return "double"
	case bind.FieldText:
		if t.Kind() == reflect.Slice {
			return "bytes"
		}
		return "string"
	case bind.FieldAddr, bind.FieldArray16, bind.FieldArray4:
		return "ip"
	case bind.FieldArray6:
		return "mac"
	case bind.FieldTime:
		return "timestamp"
	case bind.FieldDuration:
		return "duration"
	}
	if t.Kind() == reflect.Struct {
		return "message"
	}
	return ""
}

// enum returns the enum of an integer type, which it creates on the first call.
func (b *structReader) enum(t reflect.Type) (*Enum, string) {
	if e := b.enums[t]; e != nil {
		return e, ""
	}
	v, ok := reflect.Zero(t).Interface().(enumValuer)
	if !ok {
		return nil, fmt.Sprintf("an enum needs a type with a method EnumValues, which %s does not have", t)
	}
	e := b.s.NewEnum(t.Name(), v.EnumValues()...)
	b.enums[t] = e
	return e, ""
}

// message returns the message of a struct type, which it creates on the first call. Its name is that of the type,
// or of the column if the type has no name.
func (b *structReader) message(m *Message, column string, t reflect.Type) *Message {
	if known := b.messages[t]; known != nil {
		return known
	}
	name := t.Name()
	if i := strings.IndexByte(name, '['); i >= 0 {
		name = name[:i]
	}
	var inner *Message
	if name == "" {
		inner = b.s.AddMessage(m.Name + "." + strings.TrimSuffix(descriptor.EntryName(column), "Entry"))
	} else {
		inner = b.s.NewMessage(name)
	}
	b.messages[t] = inner
	b.columns(inner, t)
	return inner
}

// mapOf creates the entry type of a map.
func (b *structReader) mapOf(c *Column, m *Message, t reflect.Type) (reason string) {
	e := b.s.AddMessage(m.Name + "." + descriptor.EntryName(c.Name))
	e.entry = true
	for i, part := range []reflect.Type{t.Key(), t.Elem()} {
		if part.Kind() == reflect.Pointer {
			part = part.Elem()
		}
		column := Column{Name: []string{"key", "value"}[i], Number: uint32(i + 1), Presence: Explicit}
		if reason := b.kind(&column, e, part, ""); reason != "" {
			return reason
		}
		if column.Logical == Timestamp || column.Logical == Duration {
			return "a map cannot hold times"
		}
		e.Add(column)
	}
	c.Kind, c.Repeated, c.Map, c.Message = wire.Message, true, true, e
	return ""
}
