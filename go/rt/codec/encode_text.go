package codec

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// mostFused bounds the texts that are checked while they are copied: their length takes a byte.
const mostFused = 127

// PutTagged writes a string that the schema declares as UTF-8, its length and a tag of one byte. It ensures that
// after bytes are free in front of the text, of which the length and tag use some. Most strings are short and ASCII:
// those are checked and copied in one step, by words that may overlap.
func (e *Encoder) PutTagged(i int, v string, tag byte, after int) int {
	n := len(v)
	if uint(n-1) >= mostFused || i < n+after || uint(i) > uint(len(e.B)) {
		return e.putText(i, v, tag, after)
	}
	i -= n + 2
	to, from := unsafe.Pointer(&e.B[i]), unsafe.Pointer(unsafe.StringData(v))
	*(*byte)(to), *(*byte)(unsafe.Add(to, 1)) = tag, byte(n)
	to = unsafe.Add(to, 2)
	var high uint64
	switch {
	case n > 32:
		for at := 0; at < n-16; at += 16 {
			a, b := *(*uint64)(unsafe.Add(from, at)), *(*uint64)(unsafe.Add(from, at+8))
			*(*uint64)(unsafe.Add(to, at)), *(*uint64)(unsafe.Add(to, at+8)) = a, b
			high |= a | b
		}
		a, b := *(*uint64)(unsafe.Add(from, n-16)), *(*uint64)(unsafe.Add(from, n-8))
		*(*uint64)(unsafe.Add(to, n-16)), *(*uint64)(unsafe.Add(to, n-8)) = a, b
		high |= a | b
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

// PutText is PutTagged without the tag, which the caller writes; after includes its size, of at least a byte.
func (e *Encoder) PutText(i int, v string, after int) int { return e.PutTagged(i, v, 0, after) + 1 }

// putText is PutTagged for every string.
//
//go:noinline
func (e *Encoder) putText(i int, v string, tag byte, after int) int {
	e.Check(v)
	i = e.put(i, unsafe.StringData(v), len(v), after) - 1
	e.B[i] = tag
	return i
}

// PutBytes is PutText for bytes, and for strings that need not be UTF-8.
func PutBytes[T string | []byte](e *Encoder, i int, v T, after int) int {
	return e.put(i, *(**byte)(unsafe.Pointer(&v)), len(v), after)
}

// put writes n bytes and their length. A few are copied by words that may overlap.
func (e *Encoder) put(i int, from *byte, n, after int) int {
	if i < n+after || i > len(e.B) || n >= longFrom {
		return e.putTight(i, from, n, after)
	}
	i -= n + 1
	before, at := unsafe.Add(unsafe.Pointer(unsafe.SliceData(e.B)), i), unsafe.Pointer(from) // n may be 0, and the room end there
	*(*byte)(before) = byte(n)
	if n >= 0x80 {
		*(*byte)(before) = byte(n >> 7)
		i--
		*(*byte)(unsafe.Add(before, -1)) = byte(n) | 0x80
	}
	switch {
	case n > 32:
		copy(unsafe.Slice((*byte)(unsafe.Add(before, 1)), n), unsafe.Slice(from, n))
	case n > 16:
		first, second := *(*uint64)(at), *(*uint64)(unsafe.Add(at, 8))
		third, last := *(*uint64)(unsafe.Add(at, n-16)), *(*uint64)(unsafe.Add(at, n-8))
		*(*uint64)(unsafe.Add(before, 1)), *(*uint64)(unsafe.Add(before, 9)) = first, second
		*(*uint64)(unsafe.Add(before, n-15)), *(*uint64)(unsafe.Add(before, n-7)) = third, last
	case n >= 8:
		first, last := *(*uint64)(at), *(*uint64)(unsafe.Add(at, n-8))
		*(*uint64)(unsafe.Add(before, 1)), *(*uint64)(unsafe.Add(before, n-7)) = first, last
	case n >= 4:
		first, last := *(*uint32)(at), *(*uint32)(unsafe.Add(at, n-4))
		*(*uint32)(unsafe.Add(before, 1)), *(*uint32)(unsafe.Add(before, n-3)) = first, last
	case n > 0: // the middle byte is the first or the last of two or one
		first, middle, last := *(*byte)(at), *(*byte)(unsafe.Add(at, n/2)), *(*byte)(unsafe.Add(at, n-1))
		*(*byte)(unsafe.Add(before, 1)), *(*byte)(unsafe.Add(before, 1+n/2)), *(*byte)(unsafe.Add(before, n)) = first, middle, last
	}
	return i
}

// putTight is put where room may be missing in front of the bytes only.
//
//go:noinline
func (e *Encoder) putTight(i int, from *byte, n, after int) int {
	if n >= longFrom && !e.direct {
		return e.holdText(i, from, n, after)
	}
	if i < n {
		i = e.Grow(i, n+after)
	}
	i -= n
	copy(e.B[i:], unsafe.Slice(from, n))
	if i < after {
		i = e.Grow(i, after)
	}
	return PutVarint(e.B, i, uint64(n))
}
