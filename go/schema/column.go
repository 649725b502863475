package schema

import (
	"math"
	"strconv"
	"strings"

	rt "github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/schema/internal/descriptor"
	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/locked"
	"github.com/hotpb/hotpb/go/schema/internal/plan"
	"github.com/hotpb/hotpb/go/wire"
)

// Column is the definition of one column. It is data: the builder's calls fill it in, importers create it, and
// exports read it.
type Column struct {
	Name     string
	Number   uint32    // the field number, explicit and stable
	Kind     wire.Kind // the encoding
	Logical  Logical   // the meaning of the kind; Plain for none
	Unit     Unit      // of a Timestamp or Duration
	Repeated bool      // maps included
	Unpacked bool      // a repeated number with a tag for each element
	Map      bool      // of Message, which is an entry with the columns key = 1 and value = 2

	Message *Message // the type of a message, group or map column
	Enum    *Enum    // the type of an enum column

	Presence  Presence
	Misfit    Misfit
	Default   string // the value of an absent column with explicit presence, as in a descriptor; "" for zero
	Oneof     string // the name of the column's oneof
	Disabled  bool   // switched off, unless an option of Compile switches it on
	KeepFirst bool   // of several values, the first is written; protobuf's own rule is the last
	Deferred  bool   // kept typed in the record and encoded at its end
	CheckUTF8 bool   // a string that is not UTF-8 is a misfit

	Group      string   // columns of one group are switched on and off together
	Sources    []Source // fields that fill the column: for each record, the first that it has and that is not zero
	CountZero  bool     // the first that a record has fills the column, even if it is zero
	Comment    string   // for exports
	ClickHouse string   // the type in the target table, if the usual one does not fit

	index uint32 // of the handle
}

// Logical is the meaning of a column's values, if the kind alone does not say it.
type Logical uint8

// The logical types.
const (
	Plain     Logical = iota
	IP                // Bytes of 16 bytes; IPv4 is mapped into IPv6
	MAC               // Uint64 with the 48 bits of an address
	Timestamp         // Int64 or Uint64 in units since 1970, or Message google.protobuf.Timestamp
	Duration          // Int64 or Uint64 in units, or Message google.protobuf.Duration
)

// Unit is the unit of a timestamp or duration.
type Unit uint8

// The units. WellKnown is the message of that name in google.protobuf.
const (
	Seconds Unit = iota
	Millis
	Micros
	Nanos
	WellKnown
)

// Presence says when the value of a column that is not repeated is written.
type Presence uint8

// The rules of presence, with the names of the editions.
const (
	Implicit       Presence = iota // zero is not written and reads as zero
	Explicit                       // a value that was set is written, even if it is zero
	LegacyRequired                 // Explicit, and decoding fails if it is absent
)

// Misfit is the treatment of a value that its column cannot hold: a number out of range, a string that is not
// UTF-8 where that is checked, a value that a closed enum does not have. A misfit never costs more than the
// column, and it is counted.
type Misfit uint8

// The ways to treat misfits. Mask writes another number than the given one: 5,000,000,000 becomes 705,032,704 in a
// uint32. Where nothing can be cut off (strings, enums), Mask is Drop.
const (
	Drop   Misfit = iota // nothing is written
	Mask                 // the low bits are written
	Refuse               // nothing is written, and Record.Err reports the first
)

// Source names a field of an input template: an information element of IPFIX (Enterprise 0), which NetFlow v9
// shares up to 127, or one of an enterprise.
type Source struct {
	Enterprise uint32
	Element    uint16
}

// Enum is a named set of numbers.
type Enum struct {
	Name   string // full, like flows.FlowType
	Values []EnumValue
	Closed bool // other numbers are not values of it

	known  *rt.EnumTable  // for a closed enum, once it is compiled
	listed []locked.Value // Values, then, too
	schema *Schema
}

// EnumValue is one name of an enum.
type EnumValue struct {
	Name    string
	Number  int32
	Comment string
}

// Handle is the part that the handles of all types share: the column that they refer to.
type Handle struct{ h plan.Handle }

// The handles: one type for each kind of value. So the compiler refuses a value of another kind; for names that
// are known only at run time, the lookup of the handle refuses it.
type (
	UintColumn     struct{ Handle } // uint32, uint64, fixed32, fixed64
	IntColumn      struct{ Handle } // int32, int64, sint32, sint64, sfixed32, sfixed64
	FloatColumn    struct{ Handle } // float, double
	BoolColumn     struct{ Handle }
	EnumColumn     struct{ Handle }
	StringColumn   struct{ Handle }
	BytesColumn    struct{ Handle }
	IPColumn       struct{ Handle }
	MACColumn      struct{ Handle }
	TimeColumn     struct{ Handle }
	DurationColumn struct{ Handle }
	MessageColumn  struct{ Handle } // messages and groups

	UintList    struct{ Handle }
	IntList     struct{ Handle }
	FloatList   struct{ Handle }
	BoolList    struct{ Handle }
	EnumList    struct{ Handle }
	StringList  struct{ Handle }
	BytesList   struct{ Handle }
	IPList      struct{ Handle }
	MessageList struct{ Handle }
	MapColumn   struct{ Handle }
)

var shapeNames = [...]string{"Uint", "Int", "Float", "Bool", "Enum", "String", "Bytes", "IP", "MAC", "Time", "Duration", "Message", "Map"}

func (c *Column) shape() encode.Shape {
	switch {
	case c.Map:
		return encode.ShapeMap
	case c.Repeated && c.Logical != IP: // the other logical types have no lists
		return encode.KindShapes[c.Kind]
	}
	return c.valueShape()
}

// valueShape is the shape of one value of the column.
func (c *Column) valueShape() encode.Shape {
	switch c.Logical {
	case IP:
		return encode.ShapeIP
	case MAC:
		return encode.ShapeMAC
	case Timestamp:
		return encode.ShapeTime
	case Duration:
		return encode.ShapeDuration
	}
	return encode.KindShapes[c.Kind]
}

// parseDefault reads Column.Default: the word that represents the value, or its text.
func (c *Column) parseDefault() (word uint64, text []byte, ok bool) {
	s := c.Default
	bits := 64
	switch c.Kind {
	case wire.Int32, wire.Sint32, wire.Sfixed32, wire.Uint32, wire.Fixed32:
		bits = 32
	}
	switch c.Kind {
	case wire.String:
		return 0, []byte(s), true
	case wire.Bytes:
		text, ok = descriptor.Unescape(s)
		return 0, text, ok
	case wire.Bool:
		return map[string]uint64{"true": 1}[s], nil, s == "true" || s == "false"
	case wire.Enum:
		for _, v := range c.Enum.Values {
			if v.Name == s {
				return uint64(int64(v.Number)), nil, true
			}
		}
		return 0, nil, false
	case wire.Float, wire.Double:
		v, ok := descriptor.ParseFloat(s, c.Kind)
		return encode.FloatBits(c.Kind, v), nil, ok
	}
	if strings.HasPrefix(s, "+") {
		return 0, nil, false
	}
	if encode.KindShapes[c.Kind] == encode.ShapeUint {
		v, err := strconv.ParseUint(s, 10, bits)
		return v, nil, err == nil
	}
	v, err := strconv.ParseInt(s, 10, bits)
	return uint64(v), nil, err == nil
}

// defaultText returns Column.Default in the spelling of protoc; "" if there is none, or it is not a value of the
// column.
func (c *Column) defaultText() string {
	word, text, ok := uint64(0), []byte(nil), false
	if c.Default != "" && c.Message == nil {
		word, text, ok = c.parseDefault()
	}
	if !ok {
		return ""
	}
	switch c.Kind {
	case wire.String, wire.Bool, wire.Enum:
		return c.Default
	case wire.Bytes:
		return descriptor.Escape(text)
	case wire.Float:
		return descriptor.FormatFloat(float64(math.Float32frombits(uint32(word))), 32)
	case wire.Double:
		return descriptor.FormatFloat(math.Float64frombits(word), 64)
	}
	if encode.KindShapes[c.Kind] == encode.ShapeUint {
		return strconv.FormatUint(word, 10)
	}
	return strconv.FormatInt(int64(word), 10)
}
