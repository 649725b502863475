package codec

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/wire"
)

// mostShort bounds the texts that are copied by words, which may overlap.
const mostShort = 32

// PutTagged writes a string that the schema declares as UTF-8, its length and a tag of one byte. It ensures that
// after bytes are free in front of the text, of which the length and tag use some. Most strings are short and ASCII:
// those are checked and copied in one step.
func (e *Encoder) PutTagged(i int, v string, tag byte, after int) int {
	n := len(v)
	if uint(n-1) >= mostShort || i < n+after || uint(i) > uint(len(e.B)) {
		i = e.PutText(i, v, after) - 1
		e.B[i] = tag
		return i
	}
	i -= n + 2
	to, from := unsafe.Pointer(&e.B[i]), unsafe.Pointer(unsafe.StringData(v))
	*(*byte)(to), *(*byte)(unsafe.Add(to, 1)) = tag, byte(n)
	to = unsafe.Add(to, 2)
	var high uint64
	switch {
	case n > 16:
		a, b := *(*uint64)(from), *(*uint64)(unsafe.Add(from, 8))
		c, d := *(*uint64)(unsafe.Add(from, n-16)), *(*uint64)(unsafe.Add(from, n-8))
		*(*uint64)(to), *(*uint64)(unsafe.Add(to, 8)) = a, b
		*(*uint64)(unsafe.Add(to, n-16)), *(*uint64)(unsafe.Add(to, n-8)) = c, d
		high = a | b | c | d
	case n >= 8:
		a, b := *(*uint64)(from), *(*uint64)(unsafe.Add(from, n-8))
		*(*uint64)(to), *(*uint64)(unsafe.Add(to, n-8)) = a, b
		high = a | b
	case n >= 4:
		a, b := *(*uint32)(from), *(*uint32)(unsafe.Add(from, n-4))
		*(*uint32)(to), *(*uint32)(unsafe.Add(to, n-4)) = a, b
		high = uint64(a | b)
	default: // of up to three bytes, the middle one is the first or the last
		a, b, c := *(*byte)(from), *(*byte)(unsafe.Add(from, n/2)), *(*byte)(unsafe.Add(from, n-1))
		*(*byte)(to), *(*byte)(unsafe.Add(to, n/2)), *(*byte)(unsafe.Add(to, n-1)) = a, b, c
		high = uint64(a | b | c)
	}
	if high&msbs != 0 {
		e.Check(v)
	}
	return i
}

// Check checks a string that was written and that the schema declares as UTF-8.
//
//go:noinline
func (e *Encoder) Check(v string) {
	if !ValidText(v) {
		e.fault = wire.InvalidUtf8
	}
}

// PutText is PutTagged without the tag, which the caller writes; after includes its size.
func (e *Encoder) PutText(i int, v string, after int) int {
	if !ValidText(v) {
		e.fault = wire.InvalidUtf8
	}
	return put(e, i, v, after)
}

// PutBytes is PutText for bytes, and for strings that need not be UTF-8.
func PutBytes[T string | []byte](e *Encoder, i int, v T, after int) int {
	if len(v) >= longFrom {
		return e.holdText(i, *(**byte)(unsafe.Pointer(&v)), len(v), after)
	}
	return put(e, i, v, after)
}

func put[T string | []byte](e *Encoder, i int, v T, after int) int {
	if i < len(v)+after {
		i = e.Grow(i, len(v)+after)
	}
	i -= len(v)
	copy(e.B[i:], v)
	return PutVarint(e.B, i, uint64(len(v)))
}
