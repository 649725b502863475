package wire

import "slices"

// Kind is the declared type of a field.
type Kind uint8

// The kinds, in the order of the vector schemas. A group or DELIMITED field is Group.
const (
	Int32 Kind = iota + 1
	Int64
	Uint32
	Uint64
	Sint32
	Sint64
	Fixed32
	Fixed64
	Sfixed32
	Sfixed64
	Float
	Double
	Bool
	String
	Bytes
	Enum
	Message
	Group
)

// kindTypes is a table because the readers below look it up for every record.
var kindTypes = [32]Type{
	Fixed32: Fixed32Type, Sfixed32: Fixed32Type, Float: Fixed32Type,
	Fixed64: Fixed64Type, Sfixed64: Fixed64Type, Double: Fixed64Type,
	String: BytesType, Bytes: BytesType, Message: BytesType,
	Group: StartGroup,
}

// Type returns the wire type of one element of the kind.
func (k Kind) Type() Type { return kindTypes[k&31] }

// packable reports whether repeated fields of the kind may be packed.
func (k Kind) packable() bool { return k.Type() != BytesType && k.Type() != StartGroup }

// Flags are further properties of a field.
type Flags uint8

// The flags of a field.
const (
	Repeated   Flags = 1 << iota // maps included
	VerifyUtf8                   // a string that is checked by default
	Map                          // a map field; its kind is Message, its child the entry
	SetItem                      // an extension of a message set
	Packed                       // an extension that is written packed
)

// FieldTable describes one field to the table-driven readers.
type FieldTable struct {
	Name   string // the field's name in the .proto
	Number uint32
	Kind   Kind
	Flags  Flags

	// The type of a message, group or map field is (*Child)[Index]. If Child is nil, the slice is the one that holds
	// the field's own message, so recursive types need no code that runs at start-up.
	Child *[]MessageTable
	Index uint32

	// Closed lists the values of a closed enum; nil for an open one.
	Closed *EnumTable
}

// Matches reports whether a record with this wire type belongs to the field.
func (f *FieldTable) Matches(t Type) bool {
	return t == f.Kind.Type() || t == BytesType && f.Flags&Repeated != 0 && f.Kind.packable()
}

func (f *FieldTable) child(group []MessageTable) ([]MessageTable, *MessageTable) {
	if f.Child != nil {
		group = *f.Child
	}
	return group, &group[f.Index]
}

// MessageTable describes one message. Generators emit such tables as static data; a program can also build them at
// run time. Fields are in ascending order of numbers; a message set has none.
type MessageTable struct {
	Name   string
	Fields []FieldTable

	// Dropped lists the numbers of fields that the code was generated without and whose records are not kept. They
	// are checked like unknown fields, but not stored.
	Dropped []uint32
}

// Find returns the index of the field with this number, or -1.
func (m *MessageTable) Find(number uint32) int {
	fields := m.Fields
	// The usual case: numbers from 1 without gaps.
	if i := int(number) - 1; uint(i) < uint(len(fields)) && fields[i].Number == number {
		return i
	}
	low, high := 0, len(fields)
	if high == 0 || number > fields[high-1].Number { // as unknown fields often are
		return -1
	}
	for low < high {
		middle := int(uint(low+high) >> 1)
		if fields[middle].Number < number {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if fields[low].Number == number {
		return low
	}
	return -1
}

// EnumTable lists the values of a closed enum.
type EnumTable struct {
	Min, Max int32
	Values   []int32 // ascending; nil if every value from Min to Max is defined
}

// Has reports whether the enum defines v. It is small enough to be inlined: most enums have no gaps.
func (e *EnumTable) Has(v int32) bool {
	return v >= e.Min && v <= e.Max && (e.Values == nil || e.lists(v))
}

// lists looks v up among the values. It tries first the place that v has if no smaller value is missing.
func (e *EnumTable) lists(v int32) bool {
	if i := uint32(v) - uint32(e.Min); uint64(i) < uint64(len(e.Values)) && e.Values[i] == v {
		return true
	}
	_, found := slices.BinarySearch(e.Values, v)
	return found
}

// Options are the limits and rules of one decode. The zero value has the
// defaults of spec/wire.md.
type Options struct {
	Strict   bool // check every string, including those that the schema leaves unchecked
	MaxDepth int  // levels below the root; 0 means 100; at most 1000
	MaxSize  int  // bytes; 0 means 2^31 − 1, which is also the maximum
}

// DefaultDepth is the depth limit if the options set none.
const DefaultDepth = 100

// Depth returns the depth limit in force. It is bounded because depth costs stack.
func (o Options) Depth() int {
	switch {
	case o.MaxDepth == 0:
		return DefaultDepth
	case o.MaxDepth < 0:
		return 0
	}
	return min(o.MaxDepth, 1000)
}

// Size returns the size limit in force.
func (o Options) Size() int {
	if o.MaxSize <= 0 || o.MaxSize > MaxSize {
		return MaxSize
	}
	return o.MaxSize
}
