package codec

import (
	"encoding/binary"
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Steps that generated decoders share. The compiler inlines the short ones.

// Short reports whether a number of one byte, or a length, is at position i.
func Short(b []byte, i int) bool { return uint(i) < uint(len(b)) && b[i] < 0x80 }

// Comes reports whether a tag of one byte is at position i.
func Comes(b []byte, i int, tag byte) bool { return uint(i) < uint(len(b)) && b[i] == tag }

// ComesLong is Comes for a tag of two bytes.
func ComesLong(b []byte, i int, tag, last byte) bool {
	return len(b)-i >= 2 && b[i] == tag && b[i+1] == last
}

// Fixed32 reads a number of four bytes. It returns the position after it, or a negative number if it is truncated.
func Fixed32[T uint32 | int32 | float32](to *T, b []byte, i int) int {
	if len(b)-i < 4 {
		return truncated
	}
	*(*uint32)(unsafe.Pointer(to)) = binary.LittleEndian.Uint32(b[i:])
	return i + 4
}

// Fixed64 is Fixed32 for eight bytes.
func Fixed64[T uint64 | int64 | float64](to *T, b []byte, i int) int {
	if len(b)-i < 8 {
		return truncated
	}
	*(*uint64)(unsafe.Pointer(to)) = binary.LittleEndian.Uint64(b[i:])
	return i + 8
}

const truncated = -int(wire.Truncated)

// Text reads a string that must be UTF-8. It returns the position after it, or a negative number on an error.
func Text(to *string, b []byte, i int) int {
	from := i + 1
	if Short(b, i) {
		i = from + int(b[i])
	} else {
		from, i = ReadBytes(b, i)
	}
	if uint(i) > uint(len(b)) {
		return cut(i)
	}
	text := b[from:i]
	var seen uint64 // for short texts, two words or three bytes, which may overlap, are all
	switch n := len(text); {
	case n >= 8 && n <= 16:
		seen = binary.LittleEndian.Uint64(text) | binary.LittleEndian.Uint64(text[n-8:])
	case n >= 8:
		seen = msbs
	case n >= 4:
		seen = uint64(binary.LittleEndian.Uint32(text) | binary.LittleEndian.Uint32(text[n-4:]))
	case n > 0:
		seen = uint64(text[0] | text[n/2] | text[n-1])
	}
	if seen&msbs != 0 && !wire.ValidUTF8(text) {
		return BadUtf8
	}
	*to = String(text)
	return i
}

// AnyText is Text for strings that need not be UTF-8.
func AnyText(to *string, b []byte, i int) int {
	from, end := payload(b, i)
	if end >= 0 {
		*to = String(b[from:end])
	}
	return end
}

// Blob is Text for bytes.
func Blob(to *[]byte, b []byte, i int) int {
	from, end := payload(b, i)
	if end >= 0 {
		*to = Bytes(b[from:end])
	}
	return end
}

// cut returns i if it is an error code; otherwise the record is truncated.
func cut(i int) int {
	if i < 0 {
		return i
	}
	return truncated
}

// Packed reads a packed record of numbers of this kind and appends them to list.
func Packed[T any](list *[]T, k wire.Kind, b []byte, i int) int {
	return decodePacked(k, unsafe.Pointer(list), b, i)
}

// Repeated reads the adjacent records of a repeated field, starting with the value at i. The tag is b[start:i].
// Repeated also returns the start of the last record.
func Repeated[T any](list *[]T, k wire.Kind, b []byte, start, i int) (last, next int) {
	return decodeRun(k, false, unsafe.Pointer(list), b, start, i)
}

// Texts reads the adjacent strings of a repeated field, which must be UTF-8. Its arguments and results are those of
// Repeated.
func Texts(list *[]string, b []byte, start, i int) (last, next int) {
	tag, texts := b[start:i], *list
	if len(texts) == cap(texts) {
		texts = Grow(texts, CountRun(b, i, String(tag)))
	}
	for {
		n := len(texts)
		texts = append(texts, "")
		if i = Text(&texts[n], b, i); i < 0 {
			*list = texts[:n]
			return start, i
		}
		if !follows(b, i, tag) {
			*list = texts
			return start, i
		}
		start, i = i, i+len(tag)
	}
}

// Blobs is Texts for bytes.
func Blobs(list *[][]byte, b []byte, start, i int) (last, next int) {
	tag, blobs := b[start:i], *list
	if len(blobs) == cap(blobs) {
		blobs = Grow(blobs, CountRun(b, i, String(tag)))
	}
	for {
		n := len(blobs)
		blobs = append(blobs, nil)
		if i = Blob(&blobs[n], b, i); i < 0 {
			*list = blobs[:n]
			return start, i
		}
		if !follows(b, i, tag) {
			*list = blobs
			return start, i
		}
		start, i = i, i+len(tag)
	}
}

// follows reports whether the tag is at position i again.
func follows(b []byte, i int, tag []byte) bool {
	return len(b)-i >= len(tag) && b[i] == tag[0] && (len(tag) == 1 || String(b[i:i+len(tag)]) == String(tag))
}
