package codec

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Table lists the plain fields of a wide message: numbers, bools, enums, strings and bytes, singular and repeated.
// Loops of this package read, write and size these fields through a pointer to the struct; generated code handles the
// rest of the message.
type Table struct {
	Fields   []Entry // by ascending number
	Presence uintptr // where the struct has its presence bits, for fields with HasBit

	ready atomic.Pointer[prepared]
}

// Entry is one field. Its place, kind and shape are those of the struct that the code was generated for; the compiler
// and Guard check them against the linked struct.
type Entry struct {
	Tag  wire.Tag // as it is written
	Kind wire.Kind
	How  How
	Bit  uint16  // for HasBit
	At   uintptr // the offset of the field in the struct
}

// How says how a struct stores a field.
type How uint8

// The ways in which a struct stores a field, other than as a value that is absent if it is zero.
const (
	List     How = 1 << iota // a slice
	Pointer                  // a pointer to the value, nil if it is absent
	OrNil                    // bytes that are nil if they are absent
	HasBit                   // a presence bit, in addition to a value or a pointer
	Required                 // it must be present
	Verify                   // a string that must be UTF-8
)

// prepared is a table's fields in the form of the loops, once its first message is read or written.
type prepared struct {
	steps    []step
	readers  []reader
	byNumber [mostDense]uint8 // the indices of the fields with these numbers, if they are below none
}

const mostDense, none = 320, 255

// step is an entry as the loops that write and size a message need it.
type step struct {
	*Entry
	mask uint64  // of the bits that are 0 if the field is absent, or 0 if place must decide
	word uintptr // the offset of the eight bytes with these bits
	form form
}

// reader is an entry as the loop that reads a message needs it.
type reader struct {
	tag   wire.Tag
	at    uintptr
	form  form
	boxed bool // the value is reached by a pointer
}

// form is how the value of a singular field is in memory.
type form uint8

const (
	otherForm form = iota
	textForm       // of UTF-8
	anyTextForm
	blobForm
	fixed32Form
	fixed64Form
	int32Form // the forms from here on are varints
	uint32Form
	int64Form
	boolForm
	zigzag32Form
	zigzag64Form
)

// reader returns the entry in that form.
func (f *Entry) reader() reader {
	r := reader{tag: f.Tag, at: f.At, boxed: f.How&Pointer != 0}
	if f.How&HasBit == 0 && !(isText(f.Kind) && r.boxed) { // decodeEntry reads those
		r.form = f.form()
	}
	return r
}

// form returns the form of an entry; it is otherForm for a list.
func (f *Entry) form() form {
	switch k := f.Kind; {
	case f.How&List != 0:
		return otherForm
	case k == wire.Bytes:
		return blobForm
	case k == wire.String && f.How&Verify != 0:
		return textForm
	case k == wire.String:
		return anyTextForm
	case k == wire.Bool:
		return boolForm
	case k == wire.Sint32:
		return zigzag32Form
	case k == wire.Sint64:
		return zigzag64Form
	case k.Type() == wire.Fixed32Type:
		return fixed32Form
	case k.Type() == wire.Fixed64Type:
		return fixed64Form
	case k == wire.Uint32:
		return uint32Form
	case sizes[k&31] == 4:
		return int32Form
	}
	return int64Form
}

// prepare returns the prepared table.
func (t *Table) prepare() *prepared {
	if ready := t.ready.Load(); ready != nil {
		return ready
	}
	return t.first()
}

//go:noinline
func (t *Table) first() *prepared {
	ready := &prepared{steps: make([]step, len(t.Fields)), readers: make([]reader, len(t.Fields))}
	for n := range t.Fields {
		ready.readers[n] = t.Fields[n].reader()
	}
	for n := range ready.byNumber {
		ready.byNumber[n] = none
	}
	for n := range min(len(t.Fields), none) {
		if number := t.Fields[n].Tag.Number(); number < mostDense {
			ready.byNumber[number] = uint8(n)
		}
	}
	inWords := isLittle() && unsafe.Sizeof(uintptr(0)) == 8 && slices.ContainsFunc(t.Fields, Entry.isWide)
	for n := range ready.steps {
		f, s := &t.Fields[n], &ready.steps[n]
		s.Entry, s.form = f, f.form()
		if !inWords || f.How&(HasBit|Required) != 0 {
			continue
		}
		at, bits := f.At, 64
		switch size := sizes[f.Kind&31]; {
		case f.How&List != 0, f.How&(Pointer|OrNil) == 0 && size == 0:
			at += unsafe.Offsetof(text{}.len)
		case f.How&(Pointer|OrNil) == 0:
			bits = 8 * int(size)
		}
		s.word = at &^ 7
		s.mask = ^uint64(0) >> (64 - bits) << (8 * (at - s.word))
	}
	t.ready.Store(ready)
	return ready
}

// isWide reports whether a field takes eight bytes or more. A struct that has one begins and ends at multiples of eight
// bytes, so that words can be read all over it.
func (f Entry) isWide() bool {
	size := sizes[f.Kind&31]
	return f.How&(List|Pointer|OrNil) != 0 || size == 0 || size == 8
}

// find returns the index of the field that a record with a tag belongs to, or -1.
func (t *Table) find(ready *prepared, tag wire.Tag) int {
	if number := tag >> 3; number < mostDense {
		if at := ready.byNumber[number]; at == none && len(t.Fields) <= none {
			return -1
		} else if at != none && t.Fields[at].Tag == tag {
			return int(at)
		}
	}
	return t.search(tag)
}

// search is find for every number, and for every type that a list's records may have.
func (t *Table) search(tag wire.Tag) int {
	low, high := 0, len(t.Fields)
	for low < high {
		if middle := int(uint(low+high) >> 1); t.Fields[middle].Tag.Number() < tag.Number() {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low == len(t.Fields) || t.Fields[low].Tag.Number() != tag.Number() {
		return -1
	}
	f := &t.Fields[low]
	if tag != f.Tag && (f.How&List == 0 || tag.Type() != f.Kind.Type() && (tag.Type() != wire.BytesType || isText(f.Kind))) {
		return -1
	}
	return low
}

func isText(k wire.Kind) bool { return k == wire.String || k == wire.Bytes }

// bit returns the word of the presence bits with a field's bit, and the bit in it.
func (t *Table) bit(m unsafe.Pointer, f *Entry) (word *uint32, mask uint32) {
	return (*uint32)(unsafe.Add(m, t.Presence+uintptr(f.Bit/32)*4)), 1 << (f.Bit % 32)
}

// sizes are the numbers of bytes that a number of each kind takes in memory; texts have 0.
var sizes = [32]uint8{
	wire.Bool:  1,
	wire.Int32: 4, wire.Uint32: 4, wire.Sint32: 4, wire.Fixed32: 4, wire.Sfixed32: 4, wire.Float: 4, wire.Enum: 4,
	wire.Int64: 8, wire.Uint64: 8, wire.Sint64: 8, wire.Fixed64: 8, wire.Sfixed64: 8, wire.Double: 8,
}

// store stores a number in its place.
func store(k wire.Kind, p unsafe.Pointer, v uint64) {
	switch sizes[k&31] {
	case 1:
		*(*byte)(p) = byte(v)
	case 4:
		*(*uint32)(p) = uint32(v)
	default:
		*(*uint64)(p) = v
	}
}

// fromVarint returns the number in memory for the varint x.
func fromVarint(k wire.Kind, x uint64) uint64 {
	switch {
	case k < wire.Sint32:
	case k == wire.Bool:
		return Bit(x != 0)
	case k == wire.Sint32:
		x = uint64(uint32(x))
		return x>>1 ^ -(x & 1)
	case k == wire.Sint64:
		return x>>1 ^ -(x & 1)
	}
	return x
}
