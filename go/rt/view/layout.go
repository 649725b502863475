package view

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Layout describes a message to this package. Generated code has one for each message, as static data.
//
// A generated view begins with its Raw, and the slots of its fields follow without gaps, so a pointer to the Raw is a
// pointer to the view:
//
//	Raw | slots of the fields that are in no oneof | a Choice for each oneof
type Layout struct {
	Tables *[]wire.MessageTable // the names of the fields, for errors, and the values of closed enums
	Index  int                  // of the message's own table
	Scan   Scan                 // clears the slots, checks the message and notes where its fields are
	Size   uintptr              // of the view
	Fields []Field              // as in the message's table; a straight message has them only if it has an editor
	Maps   []*MapSpec           // of the map fields
}

// Field describes a field in three words: its tag as it is written; the place of its slot, in bytes after the Raw;
// and what the field is (bits 0–15) with, for a map, the index in Layout.Maps (16–31). The generator writes the last
// word as a number.
type Field [3]uint32

// The kind of a field: a wire.Kind, or isMap, and flags.
const (
	kindBits  = 1<<5 - 1
	isMap     = 19 // instead of a kind
	verifies  = 1 << 5
	isList    = 1 << 6  // the slot is a Run
	isClosed  = 1 << 7  // a closed enum
	isMember  = 1 << 8  // of a oneof: the slot is a Choice
	isNested  = 1 << 9  // the slot is neither a position nor a Span
	isPresent = 1 << 10 // it has presence: its default can be set
)

func (f *Field) tag() wire.Tag           { return wire.Tag(f[0]) }
func (f *Field) number() uint32          { return f[0] >> 3 }
func (f *Field) kind() wire.Kind         { return wire.Kind(f[2] & kindBits) }
func (f *Field) is(flags uint32) bool    { return f[2]&flags != 0 }
func (l *Layout) spec(f *Field) *MapSpec { return l.Maps[f[2]>>16] }

// rawSize is the offset of the slots.
const rawSize = unsafe.Sizeof(Raw{})

// slot returns the place of a field's slot in the view of r.
func (f *Field) slot(r *Raw) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(r), rawSize+uintptr(f[1]))
}

// table returns the description of the message for the table-driven readers.
func (l *Layout) table() *wire.MessageTable { return &(*l.Tables)[l.Index] }

// clear resets all slots to those of absent fields.
func (l *Layout) clear(r *Raw) {
	const word = unsafe.Sizeof(uintptr(0)) // the size of a view is a multiple of it
	for at := rawSize; at < l.Size; at += word {
		*(*uintptr)(unsafe.Add(unsafe.Pointer(r), at)) = 0
	}
}

// Slots returns the place where the slots begin; a straight scan clears them.
func (r *Raw) Slots() unsafe.Pointer { return unsafe.Add(unsafe.Pointer(r), rawSize) }

// Comes reports whether a tag of one byte is at position i.
func Comes(b []byte, i int, tag byte) bool { return uint(i) < uint(len(b)) && b[i] == tag }

// ComesLong is Comes for a tag of two bytes.
func ComesLong(b []byte, i int, tag, last byte) bool {
	return len(b)-i >= 2 && i >= 0 && b[i] == tag && b[i+1] == last
}

// A Scan is the code of a straight message, or ByTable. Messages of one file whose slots and fields are alike share it.
type Scan func(l *Layout, r *Raw) bool

func (l *Layout) scan(r *Raw) bool { return l.Scan(hiddenLayout(l), hiddenRaw(r)) }

// hiddenRaw hides r from escape analysis. A scan keeps no pointer to the view, but the compiler cannot see that
// through a function value: without hiddenRaw it would put every view on the heap. While the address is a number,
// nothing may move the stack: no call of checkptr, and no growth.
//
//go:nosplit
//go:nocheckptr
func hiddenRaw(r *Raw) *Raw {
	hidden := uintptr(unsafe.Pointer(r))
	return *(**Raw)(unsafe.Pointer(&hidden))
}

// hiddenLayout does the same for the layout, which is often in one struct with the view.
//
//go:nosplit
//go:nocheckptr
func hiddenLayout(l *Layout) *Layout {
	hidden := uintptr(unsafe.Pointer(l))
	return *(**Layout)(unsafe.Pointer(&hidden))
}

// find returns the index of the field with this number, or -1.
func (l *Layout) find(number uint32) int {
	fields := l.Fields
	if i := int(number) - 1; uint(i) < uint(len(fields)) && fields[i].number() == number {
		return i // numbers from 1 without gaps
	}
	low, high := 0, len(fields)
	if high == 0 || number > fields[high-1].number() { // as unknown fields often are
		return -1
	}
	for low < high {
		middle := int(uint(low+high) >> 1)
		if fields[middle].number() < number {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if fields[low].number() == number {
		return low
	}
	return -1
}

// takes reports whether a record with this tag belongs to the field, which has the same number.
func (f *Field) takes(tag wire.Tag) bool {
	kind := f.kind()
	if kind == isMap {
		return tag.Type() == wire.BytesType
	}
	return tag.Type() == kind.Type() || tag.Type() == wire.BytesType && f.is(isList) && kind != wire.Group
}
