package pool

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Layout describes a message to the loops of this package: where its fields are, and how their presence shows.
// Generated code has one for each message, as static data. The layouts of messages that can contain each other are in
// one slice.
type Layout struct {
	Tables *[]wire.MessageTable // the names of the fields, for errors, and the values of closed enums
	Index  int                  // of the message's own table
	Of     any                  // the type of the message: a nil pointer to a slice of them
	Memory any                  // the type of its slabs: a nil pointer to them
	Code   Code                 // the message's own methods: a nil pointer to it
	Fields []Field
	Parts  []Part // of the fields that are more than one value in place
	Size   uintptr
	Has    uintptr // where the message has its presence bits
	Traits Traits
	Must   uint32   // the bits of required fields in the first word of presence bits
	Inner  []uint16 // the indexes of fields whose messages have Requires
	First  int      // how far before this layout its group begins, if the members of the group share their slabs,
	Group  int      // and the number of layouts in the group
	large  uint32   // 1 if an encoding did not fit into the room on the stack, 2 if it had long texts
}

// Traits are properties of a whole message.
type Traits uint8

// The traits.
const (
	Recursive    Traits = 1 << iota // it can contain itself
	Counts                          // a counting scan finds elements in it
	Requires                        // it, or a nested message, has required fields
	RequiresMore                    // its own required fields are not all in Must
	HasSlabs                        // it, or a nested message, has elements in slabs
	Straight                        // it has a generated decoder; otherwise a loop reads it
	Encodes                         // it has a generated encoder; otherwise a loop writes it
)

// Code is the interface through which this package calls a message of unknown type.
type Code interface {
	Reset()
	DecodeHot(d *Decoder, slabs unsafe.Pointer, b []byte, i, levels int) int
	EncodeHot(e *Encoder, i int) int
}

// code returns the message at m with its own methods. An interface consists of a type word and a pointer to the
// value: Layout.Code holds a nil pointer of the message's type, and code replaces the nil with m.
func (l *Layout) code(m unsafe.Pointer) Code {
	c := l.Code
	(*[2]unsafe.Pointer)(unsafe.Pointer(&c))[1] = m
	return c
}

// Field describes a field in four words: its tag as it is written, the place of its value, the place that shows its
// presence (the offset of its oneof's number, or the offset from Layout.Has of its word of bits), and the properties
// of the field. In the last word, bits 0–7 say what the field is, 8–15 how its presence shows, and 16–31 hold the
// index of its Part. The generator writes the last word as a number.
type Field [4]uint32

// The kind of a field: a wire.Kind or isMap, and flags.
const (
	kindBits = 1<<5 - 1
	isMap    = 19 // instead of a kind
	verifies = 1 << 5
	isList   = 1 << 6
	isClosed = 1 << 7
)

// How a field shows its presence: by a bit of a word (0–31), or by one of these.
const (
	showsInOneof   = 32 + iota // the word has the field's number
	showsInPointer             // the value is a pointer that is not nil
	showsInLength              // the value has a length that is not zero
	showsIn1                   // the value has this many bytes, and not all are zero
	showsIn4
	showsIn8
	showBits   = 1<<6 - 1
	isRequired = 1 << 6
)

// isCompound is the last bit of a field's presence: the field is a list, a map, a message or a member of a oneof.
const isCompound = 1 << 15

func (f *Field) tag() uint32    { return f[0] }
func (f *Field) number() uint32 { return f[0] >> 3 }
func (f *Field) kind() wire.Kind {
	return wire.Kind(f[3] & kindBits)
}
func (f *Field) shows() uint32        { return f[3] >> 8 & showBits }
func (f *Field) is(flags uint32) bool { return f[3]&flags != 0 }

// bits returns the word that holds the bit of a field's presence.
func (l *Layout) bits(f *Field, m unsafe.Pointer) *uint32 {
	return (*uint32)(unsafe.Add(m, l.Has+uintptr(f[2])))
}

// required reports whether the message is incomplete without the field.
func (f *Field) required() bool { return f[3]>>8&isRequired != 0 }

// nested reports whether the field is more than one value in place.
func (f *Field) nested() bool { return f[3]&isList != 0 || f.kind() >= wire.Message }

// packed reports whether the field is written packed.
func (f *Field) packed() bool {
	return f[3]&isList != 0 && f[0]&7 == uint32(wire.BytesType) && f.kind() < isMap && f.kind().Type() != wire.BytesType
}

// shown reports whether the field is present in m; for a list or map, whether it has elements.
func (l *Layout) shown(f *Field, m unsafe.Pointer) bool {
	at := unsafe.Add(m, f[1])
	switch shows := f.shows(); {
	case shows < showsInOneof:
		return *l.bits(f, m)>>shows&1 != 0
	case shows == showsInLength:
		return *(*int)(unsafe.Add(at, unsafe.Sizeof(uintptr(0)))) != 0
	case shows == showsIn4:
		return *(*uint32)(at) != 0
	case shows == showsIn8:
		return *(*uint64)(at) != 0
	case shows == showsInOneof:
		return *(*uint32)(unsafe.Add(m, f[2])) == f.number()
	case shows == showsInPointer:
		return *(*unsafe.Pointer)(at) != nil
	}
	return *(*uint8)(at) != 0
}

// Part holds more about a field: where its slab is among the slabs of its message, and the kind of its elements.
type Part struct {
	Child *[]Layout // of messages; nil for the group of the message itself
	Index int       // the layout there; for the message's own group, the distance from its layout
	Map   MapType
	Kind  wire.Kind // of the elements
	Of    Places
	Key   uint32 // the kind of a map's keys, as in a Field,
	Is    uint32 // and of its values
	Else  int32  // for an enum, the value of an entry that has none
	Slab  uint32 // the slab of the elements, of the maps
	At    uint32 // the pointer to the slabs of the child
	Value uint32 // the slab of a map's messages
	Order uint32 // the slab of a map's keys in input order,
	Keys  uint32 // and the place of these keys in the message
}

// Places are the parts that a Part has.
type Places uint8

// The places.
const (
	InSlab  Places = 1 << iota // it has a slab
	Pointer                    // the message has a pointer to the child
	Apart                      // the child has slabs of its own, at At
	Shared                     // the child uses the slabs of the message
	Ordered                    // the order of the map's entries is recorded
)

// part returns the Part of a field.
func (l *Layout) part(f *Field) *Part { return &l.Parts[f[3]>>16] }

// child returns the layout of a field's messages.
func (l *Layout) child(p *Part) *Layout {
	if p.Child != nil {
		return &(*p.Child)[p.Index]
	}
	return (*Layout)(unsafe.Add(unsafe.Pointer(l), p.Index*int(unsafe.Sizeof(*l))))
}

// hidden returns the message's Hidden, which is its first field.
func (l *Layout) hidden(m unsafe.Pointer) *Hidden { return (*Hidden)(m) }

// find returns the index of the field with this number, or -1.
func (l *Layout) find(number uint32) int {
	fields := l.Fields
	if i := int(number) - 1; uint(i) < uint(len(fields)) && fields[i].number() == number {
		return i // numbers from 1 without gaps
	}
	low, high := 0, len(fields)
	for low < high {
		middle := int(uint(low+high) >> 1)
		if fields[middle].number() < number {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < len(fields) && fields[low].number() == number {
		return low
	}
	return -1
}
