package schema

import (
	"github.com/hotpb/hotpb/go/schema/internal/descriptor"
	"github.com/hotpb/hotpb/go/wire"
)

// Int32 adds an int32 column: a varint, of ten bytes for negative numbers.
func (m *Message) Int32(name string, number uint32, options ...Option) IntColumn {
	return IntColumn{m.addKind(name, number, wire.Int32, false, options)}
}

// Int32s adds a repeated int32 column.
func (m *Message) Int32s(name string, number uint32, options ...Option) IntList {
	return IntList{m.addKind(name, number, wire.Int32, true, options)}
}

// Int64 adds an int64 column: a varint, of ten bytes for negative numbers.
func (m *Message) Int64(name string, number uint32, options ...Option) IntColumn {
	return IntColumn{m.addKind(name, number, wire.Int64, false, options)}
}

// Int64s adds a repeated int64 column.
func (m *Message) Int64s(name string, number uint32, options ...Option) IntList {
	return IntList{m.addKind(name, number, wire.Int64, true, options)}
}

// Sint32 adds a sint32 column, for numbers that are often negative.
func (m *Message) Sint32(name string, number uint32, options ...Option) IntColumn {
	return IntColumn{m.addKind(name, number, wire.Sint32, false, options)}
}

// Sint32s adds a repeated sint32 column.
func (m *Message) Sint32s(name string, number uint32, options ...Option) IntList {
	return IntList{m.addKind(name, number, wire.Sint32, true, options)}
}

// Sint64 adds a sint64 column, for numbers that are often negative.
func (m *Message) Sint64(name string, number uint32, options ...Option) IntColumn {
	return IntColumn{m.addKind(name, number, wire.Sint64, false, options)}
}

// Sint64s adds a repeated sint64 column.
func (m *Message) Sint64s(name string, number uint32, options ...Option) IntList {
	return IntList{m.addKind(name, number, wire.Sint64, true, options)}
}

// Sfixed32 adds an sfixed32 column.
func (m *Message) Sfixed32(name string, number uint32, options ...Option) IntColumn {
	return IntColumn{m.addKind(name, number, wire.Sfixed32, false, options)}
}

// Sfixed64 adds an sfixed64 column.
func (m *Message) Sfixed64(name string, number uint32, options ...Option) IntColumn {
	return IntColumn{m.addKind(name, number, wire.Sfixed64, false, options)}
}

// Uint32 adds a uint32 column.
func (m *Message) Uint32(name string, number uint32, options ...Option) UintColumn {
	return UintColumn{m.addKind(name, number, wire.Uint32, false, options)}
}

// Uint32s adds a repeated uint32 column. Message.Add adds lists of the kinds that have no method of their own, such as
// fixed32: UintList{m.Add(Column{…})}.
func (m *Message) Uint32s(name string, number uint32, options ...Option) UintList {
	return UintList{m.addKind(name, number, wire.Uint32, true, options)}
}

// Uint64 adds a uint64 column.
func (m *Message) Uint64(name string, number uint32, options ...Option) UintColumn {
	return UintColumn{m.addKind(name, number, wire.Uint64, false, options)}
}

// Uint64s adds a repeated uint64 column.
func (m *Message) Uint64s(name string, number uint32, options ...Option) UintList {
	return UintList{m.addKind(name, number, wire.Uint64, true, options)}
}

// Fixed32 adds a fixed32 column.
func (m *Message) Fixed32(name string, number uint32, options ...Option) UintColumn {
	return UintColumn{m.addKind(name, number, wire.Fixed32, false, options)}
}

// Fixed64 adds a fixed64 column.
func (m *Message) Fixed64(name string, number uint32, options ...Option) UintColumn {
	return UintColumn{m.addKind(name, number, wire.Fixed64, false, options)}
}

// Float adds a float column.
func (m *Message) Float(name string, number uint32, options ...Option) FloatColumn {
	return FloatColumn{m.addKind(name, number, wire.Float, false, options)}
}

// Floats adds a repeated float column.
func (m *Message) Floats(name string, number uint32, options ...Option) FloatList {
	return FloatList{m.addKind(name, number, wire.Float, true, options)}
}

// Double adds a double column.
func (m *Message) Double(name string, number uint32, options ...Option) FloatColumn {
	return FloatColumn{m.addKind(name, number, wire.Double, false, options)}
}

// Doubles adds a repeated double column.
func (m *Message) Doubles(name string, number uint32, options ...Option) FloatList {
	return FloatList{m.addKind(name, number, wire.Double, true, options)}
}

// Bool adds a bool column.
func (m *Message) Bool(name string, number uint32, options ...Option) BoolColumn {
	return BoolColumn{m.addKind(name, number, wire.Bool, false, options)}
}

// Bools adds a repeated bool column.
func (m *Message) Bools(name string, number uint32, options ...Option) BoolList {
	return BoolList{m.addKind(name, number, wire.Bool, true, options)}
}

// String adds a string column. The option CheckUTF8 checks that strings are UTF-8.
func (m *Message) String(name string, number uint32, options ...Option) StringColumn {
	return StringColumn{m.addKind(name, number, wire.String, false, options)}
}

// Strings adds a repeated string column.
func (m *Message) Strings(name string, number uint32, options ...Option) StringList {
	return StringList{m.addKind(name, number, wire.String, true, options)}
}

// Bytes adds a bytes column.
func (m *Message) Bytes(name string, number uint32, options ...Option) BytesColumn {
	return BytesColumn{m.addKind(name, number, wire.Bytes, false, options)}
}

// BytesList adds a repeated bytes column.
func (m *Message) BytesList(name string, number uint32, options ...Option) BytesList {
	return BytesList{m.addKind(name, number, wire.Bytes, true, options)}
}

// Enum adds a column of an enum.
func (m *Message) Enum(name string, number uint32, e *Enum, options ...Option) EnumColumn {
	return EnumColumn{m.add(name, number, Column{Kind: wire.Enum, Enum: e}, options)}
}

// Enums adds a repeated column of an enum.
func (m *Message) Enums(name string, number uint32, e *Enum, options ...Option) EnumList {
	return EnumList{m.add(name, number, Column{Kind: wire.Enum, Enum: e, Repeated: true}, options)}
}

// IP adds a column of addresses: bytes, always 16, IPv4 mapped into IPv6.
func (m *Message) IP(name string, number uint32, options ...Option) IPColumn {
	return IPColumn{m.add(name, number, Column{Kind: wire.Bytes, Logical: IP}, options)}
}

// IPs adds a repeated column of addresses.
func (m *Message) IPs(name string, number uint32, options ...Option) IPList {
	return IPList{m.add(name, number, Column{Kind: wire.Bytes, Logical: IP, Repeated: true}, options)}
}

// MAC adds a column of 48-bit hardware addresses: a uint64, the first byte highest.
func (m *Message) MAC(name string, number uint32, options ...Option) MACColumn {
	return MACColumn{m.add(name, number, Column{Kind: wire.Uint64, Logical: MAC}, options)}
}

// Timestamp adds a column of points in time: an int64 of units since 1970, or
// with the unit WellKnown a message google.protobuf.Timestamp.
func (m *Message) Timestamp(name string, number uint32, unit Unit, options ...Option) TimeColumn {
	c := Column{Kind: wire.Int64, Logical: Timestamp, Unit: unit}
	if unit == WellKnown {
		c.Kind, c.Presence, c.Message = wire.Message, Explicit, m.wellKnown("google.protobuf.Timestamp")
	}
	return TimeColumn{m.add(name, number, c, options)}
}

// Duration adds a column of spans of time: an int64 of units, or with the unit
// WellKnown a message google.protobuf.Duration.
func (m *Message) Duration(name string, number uint32, unit Unit, options ...Option) DurationColumn {
	c := Column{Kind: wire.Int64, Logical: Duration, Unit: unit}
	if unit == WellKnown {
		c.Kind, c.Presence, c.Message = wire.Message, Explicit, m.wellKnown("google.protobuf.Duration")
	}
	return DurationColumn{m.add(name, number, c, options)}
}

func (m *Message) wellKnown(name string) *Message {
	m.adopt()
	return m.schema.WellKnown(name)
}

// WellKnown returns google.protobuf.Timestamp or google.protobuf.Duration as a message of the schema. It creates
// the message on the first call.
func (s *Schema) WellKnown(name string) *Message {
	for _, m := range s.messages {
		if m.Name == name {
			return m
		}
	}
	m := s.AddMessage(name)
	m.Int64("seconds", 1)
	m.Int32("nanos", 2)
	return m
}

// Nested adds a column of messages of a type created by NewMessage.
func (m *Message) Nested(name string, number uint32, message *Message, options ...Option) MessageColumn {
	return MessageColumn{m.add(name, number, Column{Kind: wire.Message, Message: message, Presence: Explicit}, options)}
}

// NestedList adds a repeated column of messages.
func (m *Message) NestedList(name string, number uint32, message *Message, options ...Option) MessageList {
	return MessageList{m.add(name, number, Column{Kind: wire.Message, Message: message, Repeated: true}, options)}
}

// Group adds a column of messages that are encoded between tags instead of length-prefixed (DELIMITED in
// editions).
func (m *Message) Group(name string, number uint32, message *Message, options ...Option) MessageColumn {
	return MessageColumn{m.add(name, number, Column{Kind: wire.Group, Message: message, Presence: Explicit}, options)}
}

// Map adds a map. The function adds the columns of its entries: key with the
// number 1, of a kind that can be a key, and value with the number 2.
//
//	labels := s.Map("labels", 7, func(e *schema.Message) {
//		key, value = e.String("key", 1), e.String("value", 2)
//	})
func (m *Message) Map(name string, number uint32, entry func(*Message), options ...Option) MapColumn {
	m.adopt()
	e := m.schema.AddMessage(m.Name + "." + descriptor.EntryName(name))
	e.entry = true
	if entry != nil {
		entry(e)
	}
	for _, c := range e.columns {
		c.Presence = Explicit
	}
	return MapColumn{m.add(name, number, Column{Kind: wire.Message, Message: e, Repeated: true, Map: true}, options)}
}
