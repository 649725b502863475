package view

import (
	"math"
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Base is any generated view: they all begin with a Raw. Its methods are those that accessors call. at is the place of the
// slot in bytes, as in Field. A nil view reads as an empty one.
type Base Raw

// slot returns the place of a slot. The view must not be nil.
func (v *Base) slot(at uintptr) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(v), rawSize+at) }

// RawBytes returns the bytes of the message.
//
//go:noinline
func (v *Base) RawBytes() []byte {
	if v == nil {
		return nil
	}
	b := (*Raw)(v).Bytes()
	return b[:len(b):len(b)]
}

// AsMessage returns the message itself, which can be opened as another type. It is empty if the view is nil.
//
//go:noinline
func (v *Base) AsMessage() Message {
	if v == nil {
		return Message{}
	}
	if debug {
		v.check(v.b)
	}
	return Message{b: v.b, end: uint32(len(v.b)), rules: v.rules}
}

// Len returns the number of elements of a repeated field.
func (v *Base) Len(at uintptr) int {
	if v == nil {
		return 0
	}
	return (*Run)(v.slot(at)).Len()
}

// Messages iterates over the records of a field with this tag.
func (v *Base) Messages(at uintptr, tag wire.Tag) Messages {
	if v == nil {
		return Messages{}
	}
	return (*Raw)(v).Messages(*(*Run)(v.slot(at)), tag)
}

// NthMessage returns element n of a field with this tag. If there is none, the result cannot be opened.
func (v *Base) NthMessage(at uintptr, tag wire.Tag, n int) Message {
	if v == nil {
		return Message{rules: rules{levels: missing}}
	}
	return (*Raw)(v).NthMessage(*(*Run)(v.slot(at)), tag, n)
}

// Strings iterates over the strings of a field.
func (v *Base) Strings(at uintptr, number uint32) StringIter {
	if v == nil {
		return StringIter{}
	}
	return (*Raw)(v).Strings(*(*Run)(v.slot(at)), number)
}

// ByteSlices iterates over the byte slices of a field.
func (v *Base) ByteSlices(at uintptr, number uint32) BytesIter {
	return BytesIter{v.Strings(at, number).payloads}
}

// Elems iterates over a field whose elements have wire type t.
func (v *Base) Elems(at uintptr, number uint32, t wire.Type) Elems {
	if v == nil {
		return Elems{}
	}
	return (*Raw)(v).Elems(*(*Run)(v.slot(at)), number, t)
}

// Entries iterates over the entries of a map.
func (v *Base) Entries(at uintptr, spec *MapSpec) Entries {
	if v == nil {
		return Entries{}
	}
	return (*Raw)(v).Entries(*(*Run)(v.slot(at)), spec)
}

// Sub returns the message of a singular field with this tag.
func (v *Base) Sub(at uintptr, tag wire.Tag) Message { return message((*Raw)(v), at, 0, tag) }

// Member returns the message of a oneof's member.
func (v *Base) Member(at uintptr, number uint32, tag wire.Tag) Message {
	return message((*Raw)(v), at, number, tag)
}

// message is Sub if number is 0, and Member otherwise.
func message(r *Raw, at uintptr, number uint32, tag wire.Tag) Message {
	if r == nil {
		return Message{}
	}
	place := unsafe.Add(unsafe.Pointer(r), rawSize+at)
	if number == 0 {
		return r.Sub(*(*Sub)(place), tag)
	}
	return r.Sub((*Choice)(place).Sub(number), tag)
}

// Which returns the number of the set member of a oneof, or 0.
func (v *Base) Which(at uintptr) uint32 {
	if v == nil {
		return 0
	}
	return (*Choice)(v.slot(at)).Which()
}

// String returns a string, borrowed.
func (v *Base) String(at uintptr) string {
	if v == nil {
		return ""
	}
	if debug {
		v.check(v.b)
	}
	s := (*Span)(v.slot(at))
	return borrow(v.b, s.at, s.n)
}

// ByteSlice returns a byte slice, borrowed.
func (v *Base) ByteSlice(at uintptr) []byte {
	if v == nil {
		return nil
	}
	if debug {
		v.check(v.b)
	}
	s := (*Span)(v.slot(at))
	return v.b[s.at : s.at+s.n : s.at+s.n]
}

// MemberString returns the string of a oneof's member.
func (v *Base) MemberString(at uintptr, number uint32) string {
	if v == nil {
		return ""
	}
	return (*Raw)(v).String((*Choice)(v.slot(at)).Span(number))
}

// MemberByteSlice returns the byte slice of a oneof's member.
func (v *Base) MemberByteSlice(at uintptr, number uint32) []byte {
	if v == nil {
		return nil
	}
	return (*Raw)(v).ByteSlice((*Choice)(v.slot(at)).Span(number))
}

// Varint returns a varint, or 0 if the field is absent. This method and those below are the one call of an accessor, so that the
// accessor is inlined.
func (v *Base) Varint(at uintptr) uint64 {
	if v == nil {
		return 0
	}
	i := *(*uint32)(v.slot(at))
	if i == 0 {
		return 0
	}
	if debug {
		v.check(v.b)
	}
	if b := v.b; uint(i) < uint(len(b)) && b[i] < 0x80 {
		return uint64(b[i])
	}
	x, _ := wire.ReadVarint(v.b, int(i))
	return x
}

// Fixed32 returns four bytes, or 0 if the field is absent.
//
//go:noinline
func (v *Base) Fixed32(at uintptr) uint32 {
	if v == nil {
		return 0
	}
	i := *(*uint32)(v.slot(at))
	if i == 0 {
		return 0
	}
	if debug {
		v.check(v.b)
	}
	x, _ := wire.ReadFixed32(v.b, int(i))
	return x
}

// Fixed64 returns eight bytes, or 0 if the field is absent.
//
//go:noinline
func (v *Base) Fixed64(at uintptr) uint64 {
	if v == nil {
		return 0
	}
	i := *(*uint32)(v.slot(at))
	if i == 0 {
		return 0
	}
	if debug {
		v.check(v.b)
	}
	x, _ := wire.ReadFixed64(v.b, int(i))
	return x
}

// Float returns a float, or 0 if the field is absent.
func (v *Base) Float(at uintptr) float32 { return math.Float32frombits(v.Fixed32(at)) }

// Double returns a double, or 0 if the field is absent.
func (v *Base) Double(at uintptr) float64 { return math.Float64frombits(v.Fixed64(at)) }
