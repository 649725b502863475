package schema

import (
	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/wire"
)

// Column is the definition of one column. It is data: what the builder's calls
// fill in, what importers make, and what exports read.
type Column struct {
	Name     string
	Number   uint32    // the field number, explicit and stable
	Kind     wire.Kind // how it is encoded
	Logical  Logical   // what the kind stands for, Plain for nothing else
	Unit     Unit      // of a Timestamp or Duration
	Repeated bool      // maps included
	Unpacked bool      // a repeated number with a tag for each element
	Map      bool      // of Message, which is an entry with the columns key = 1 and value = 2

	Message *Message // the type of a message, group or map column
	Enum    *Enum    // the type of an enum column

	Presence  Presence
	Policy    Policy
	Misfit    Misfit
	Default   string // what an absent column of explicit presence reads as, as in a descriptor; "" for zero
	Oneof     string // the name of the oneof that the column is in
	Disabled  bool   // switched off, unless Compile is told otherwise
	Deferred  bool   // kept typed in the record and encoded at its end
	CheckUTF8 bool   // a string that is not UTF-8 is a misfit

	Group      string   // columns of one group are switched on and off together
	Sources    []Source // what fills the column in a template binding, the first that a template has (of addresses that is not zero)
	Comment    string   // for exports
	ClickHouse string   // the type in the target table, when the usual one will not do

	index uint32 // of the handle
}

// Logical says what the values of a column are, where the kind alone does not.
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
	Explicit                       // what was set is written, zero too
	LegacyRequired                 // Explicit, and decoding misses it where it is absent
)

// Policy says what a second value does to a column that is not repeated.
type Policy uint8

// The policies.
const (
	Last  Policy = iota // it is the column's value: protobuf's own rule
	First               // it is ignored
)

// Misfit says what becomes of a value that its column cannot hold: a number out
// of range, a string that is not UTF-8 where that is checked, a value that a closed enum
// does not have. It never costs more than the column, and is counted.
type Misfit uint8

// The ways with misfits. Mask writes another number than the one that came:
// 5,000,000,000 becomes 705,032,704 in a uint32. Where nothing can be cut off (strings, enums), Mask is Drop.
const (
	Drop   Misfit = iota // nothing is written
	Mask                 // the low bits are written
	Refuse               // nothing is written, and Record.Err reports the first
)

// Source names a field of an input template: an information element of IPFIX,
// which NetFlow v9 shares up to 127 (Enterprise 0), or one of an enterprise.
type Source struct {
	Enterprise uint32
	Element    uint16
}

// Enum is a named set of numbers.
type Enum struct {
	Name   string // full, like flows.FlowType
	Values []EnumValue
	Closed bool // other numbers are no values of it

	known  *wire.EnumTable // of a closed enum, once it is compiled
	schema *Schema
}

// EnumValue is one name of an enum.
type EnumValue struct {
	Name    string
	Number  int32
	Comment string
}

// has tells whether v is a value of a closed enum that is compiled.
func (e *Enum) has(v int32) bool { return e.known.Has(v) }

// Handle is what the handles of all types have in common: the column they stand for.
type Handle struct {
	scope uint32 // of the message that the column is in
	index uint32 // among the columns of the schema
}

// The handles: one type for each kind of value, so that a value of another kind is
// refused by the compiler, or, for names known only at run time, when the handle is looked up.
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
	case c.Logical == IP:
		return encode.ShapeIP
	case c.Repeated: // of the other logical types there are no lists
	case c.Logical == MAC:
		return encode.ShapeMAC
	case c.Logical == Timestamp:
		return encode.ShapeTime
	case c.Logical == Duration:
		return encode.ShapeDuration
	}
	return encode.KindShapes[c.Kind]
}
