package pool

import (
	"encoding/binary"
	"math/bits"
	"reflect"
	"unsafe"

	"github.com/hotpb/hotpb/go/internal/enc"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// The functions that straight code calls. A negative position says that something is wrong. No byte matches at a
// negative position, so straight code runs through to its end with it.

// Is reports whether the byte at i is c.
func Is(b []byte, i int, c byte) bool { return uint(i) < uint(len(b)) && b[i] == c }

// Are reports whether the two bytes at i are c and c2, for tags of two bytes.
func Are(b []byte, i int, c, c2 byte) bool {
	return uint(i) < uint(len(b)) && b[i] == c && i+1 < len(b) && b[i+1] == c2
}

// End returns the end of a payload whose length is the byte at i. The end may be beyond b; it is negative if there is
// no such byte.
func End(b []byte, i int) int {
	if uint(i) < uint(len(b)) && b[i] < 0x80 {
		return i + 1 + int(b[i])
	}
	return failed
}

// Byte returns the byte at i, or a value that ends no varint if there is none.
func Byte(b []byte, i int) uint64 {
	if uint(i) < uint(len(b)) {
		return uint64(b[i])
	}
	return 0xff
}

// Enter begins a message that does not follow a length of one byte. If i is -1, the message is all of b; if i is
// -2-j, it is a group whose contents begin at j. Enter returns the bytes up to the end of the message, and where its
// fields begin.
func (d *Decoder) Enter(b []byte, i, levels int) ([]byte, int) {
	switch {
	case levels <= 0:
		return b, failed
	case i == root:
		return b, 0
	case i < 0:
		return b, groupEnd(i)
	}
	from, end := wire.ReadBytes(b, i)
	if end < 0 {
		return b, failed
	}
	return b[:end], from
}

// root is the position of a message that consists of all the bytes.
const root = -1

// Text reads a checked string; its length is at i.
func (d *Decoder) Text(b []byte, i int) (string, int) {
	from, end := i+1, End(b, i)
	if uint(end) > uint(len(b)) {
		if from, end = wire.ReadBytes(b, i); end < 0 {
			return "", failed
		}
	}
	text := b[from:end]
	if n := len(text); n >= 8 && n <= 32 { // the usual case: no call
		bits := binary.LittleEndian.Uint64(text) | binary.LittleEndian.Uint64(text[n-8:])
		if n > 16 {
			bits |= binary.LittleEndian.Uint64(text[8:]) | binary.LittleEndian.Uint64(text[n-16:])
		}
		if bits&msbs == 0 {
			return String(text), end
		}
	}
	if !d.Valid(text) {
		return "", failed
	}
	return String(text), end
}

// TextStrict reads a string that only Strict checks.
func (d *Decoder) TextStrict(b []byte, i int) (string, int) {
	from, end := wire.ReadBytes(b, i)
	if end < 0 || !d.ValidStrict(b[from:end]) {
		return "", failed
	}
	return String(b[from:end]), end
}

// Bytes reads bytes.
func Bytes(b []byte, i int) ([]byte, int) {
	from, end := i+1, End(b, i)
	if uint(end) > uint(len(b)) {
		if from, end = wire.ReadBytes(b, i); end < 0 {
			return nil, failed
		}
	}
	return b[from:end:end], end
}

// ListOfBytes reads elements and appends them to list while their tag, of one byte, follows. The tag of the first one,
// at start, has been read.
//
// A long element is followed by one of the same length, it guesses: then the place of the one after that does not depend
// on bytes that must come from memory first.
func ListOfBytes(d *Decoder, s *Slab[[]byte], list [][]byte, b []byte, i, start int, tag byte) ([][]byte, int) {
	list = s.Open(list)
	for {
		from, end := wire.ReadBytes(b, i)
		if end < 0 {
			return s.Close(list), failed
		}
		for {
			if !s.Fits(d, list) {
				if list = s.More(d, list, 1, start); list == nil {
					return nil, failed
				}
			}
			list = append(list, b[from:end:end])
			head, size := from-start, end-from
			if size < 0x80 || head > 8 || size > len(b)-end-head-8 {
				break
			}
			differ := binary.LittleEndian.Uint64(b[start:]) ^ binary.LittleEndian.Uint64(b[end:])
			if differ<<(64-8*uint(head)) != 0 { // of the tag and the length
				break
			}
			start, from, end = end, end+head, end+head+size
		}
		if !Is(b, end, tag) {
			return s.Close(list), end
		}
		start, i = end, end+1
	}
}

// ListOfTexts is ListOfBytes for checked strings.
func ListOfTexts(d *Decoder, s *Slab[string], list []string, b []byte, i, start int, tag byte) ([]string, int) {
	list = s.Open(list)
	for {
		text, end := d.Text(b, i)
		if end < 0 {
			return s.Close(list), failed
		}
		if !s.Fits(d, list) {
			if list = s.More(d, list, 1, start); list == nil {
				return nil, failed
			}
		}
		list = append(list, text)
		if !Is(b, end, tag) {
			return s.Close(list), end
		}
		start, i = end, end+1
	}
}

// Return undoes the last Fits: the open list, with the element that was added for it, becomes shorter.
func (s *Slab[T]) Return(d *Decoder, list []T) []T {
	var element T
	d.memory += int(unsafe.Sizeof(element))
	return list[:len(list)-1]
}

// Pairs reads rows of two checked strings, which have the tags first and last and are at the offset at, from the record at
// start on while they have the tag. Each row is shorter than 128 bytes and has both strings, in either order. It returns the list
// and the position of the first record that is something else.
//
// There is no branch on the order: where the strings change places, swap has all bits set.
func Pairs[T any](d *Decoder, s *Slab[T], list []T, b []byte, start int, tag, first, last byte, at uintptr) ([]T, int) {
	bit := bits.TrailingZeros8(first ^ last)
	i, count := start, len(list)
	for len(b)-i >= 6 && b[i] == tag && b[i+1] < 0x80 {
		end := i + 2 + int(b[i+1])
		if end > len(b) {
			break
		}
		row := b[i+2 : end]
		if len(row) < 4 {
			break
		}
		middle := 2 + int(row[1])
		if middle > len(row)-2 || middle+2+int(row[middle+1]) != len(row) {
			break
		}
		// The product is 0 if the first tag is first or last.
		if differ := row[0] ^ first; row[0]^row[middle] != first^last || int(differ)*int(differ^first^last) != 0 {
			break
		}
		if !s.Fits(d, list) {
			if list = s.More(d, list, 1, i); list == nil {
				return nil, failed
			}
		}
		swap := -(int(row[0]^first) >> bit & 1)
		from, to := (2^(middle+2))&swap, (middle^len(row))&swap
		n := len(list)
		list = list[:n+1]
		var none T
		list[n] = none
		strings := (*[2]string)(unsafe.Add(unsafe.Pointer(&list[n]), at))
		strings[0] = String(row[2^from : middle^to])
		strings[1] = String(row[(middle+2)^from : len(row)^to])
		i = end
	}
	if !ValidRows(d, b[start:i], list[count:], at, 2) {
		return list, failed
	}
	return list, i
}

// ValidRows checks messages that hold nothing but strings, from the offset first on. Their records are the bytes of run. These
// are ASCII as the text is, nearly always.
func ValidRows[T any](d *Decoder, run []byte, rows []T, first uintptr, strings int) bool {
	if d.trusted || ASCII(run) {
		return true
	}
	for n := range rows {
		for _, s := range unsafe.Slice((*string)(unsafe.Add(unsafe.Pointer(&rows[n]), first)), strings) {
			if !d.ValidText(s) {
				return false
			}
		}
	}
	return true
}

// Slabs returns the slabs of a child, to which there is a pointer at an address. It allocates them if there are none yet; kind is a
// nil pointer to them.
func Slabs(at unsafe.Pointer, kind any) unsafe.Pointer {
	if own := *(*unsafe.Pointer)(at); own != nil {
		return own
	}
	return firstSlabs((*unsafe.Pointer)(at), kind)
}

//go:noinline
func firstSlabs(at *unsafe.Pointer, kind any) unsafe.Pointer {
	*at = reflect.New(reflect.TypeOf(kind).Elem()).UnsafePointer()
	return *at
}

// Fits charges one more element of an open list, and reports whether there is room for it. If not, More makes room;
// the result of More is nil if there is no memory left for the record at start.
func (s *Slab[T]) Fits(d *Decoder, list []T) bool {
	var element T
	d.memory -= int(unsafe.Sizeof(element))
	return d.memory >= 0 && len(list) < cap(list)
}

// More makes room for n elements, which the caller has charged.
func (s *Slab[T]) More(d *Decoder, list []T, n, start int) []T {
	if d.memory < 0 {
		d.exceeded = start
		return nil
	}
	return s.Grow(list, n)
}

// MoreOwn is More for a list that Extend has placed.
func (s *Slab[T]) MoreOwn(d *Decoder, list []T, n, start int) []T {
	if d.memory < 0 {
		d.exceeded = start
		return nil
	}
	return s.Extend(list, n)
}

// Packed reads a packed list with one of package wire's readers and appends it to list. width is the size of an
// element in the input, or 0 for varints. own says that Extend has placed the list.
func Packed[T any](d *Decoder, s *Slab[T], list []T, b []byte, i, start, width int, own bool, read func(dst []T, b []byte)) ([]T, int) {
	from, end := wire.ReadBytes(b, i)
	if end < 0 {
		return list, failed
	}
	payload := b[from:end]
	n, bad := 0, wire.Code(0)
	if width == 0 {
		if n, _, bad = wire.CountVarints(payload); bad != 0 {
			return list, failed
		}
	} else if n = len(payload) / width; n*width != len(payload) {
		return list, failed
	}
	if n == 0 {
		return list, end
	}
	if !s.Take(d, n) {
		return list, d.Exceeded(start)
	}
	if used := len(s.buf); !own && len(list) == 0 && n <= cap(s.buf)-used { // the usual case of the next step
		s.buf = s.buf[:used+n]
		list = s.buf[used : used+n : used+n]
		read(list, payload)
		return list, end
	}
	if own {
		list = s.Extend(list, n)
	} else {
		list = s.Grow(s.Open(list), n)
	}
	at := len(list)
	list = list[:at+n]
	read(list[at:], payload)
	if !own {
		list = s.Close(list)
	}
	return list, end
}

// Room ensures that there are n bytes in front of i.
func (e *Encoder) Room(i, n int) int {
	if i < n {
		i = e.Grow(i, n)
	}
	return i
}

// SizeText returns the size of a length and n bytes of text or of a message.
func SizeText(n int) int { return wire.SizeVarint(uint64(n)) + n }

// Close writes the number of bytes that were written since there were written bytes, and the tag.
func (e *Encoder) Close(i, written int, tag uint32) int {
	n := len(e.B) - i - written
	at := i - headSize(n, tag)
	if n >= 1<<14 || at < 0 || i > len(e.B) || tag >= 1<<14 {
		i = e.roomFor(i, 0, n, tag)
		return putHead(e.B, i, n, tag)
	}
	putShortHead(unsafe.Add(unsafe.Pointer(unsafe.SliceData(e.B)), at), n, tag)
	return at
}

// headSize is the size of a tag and a length of less than 1<<14.
func headSize(n int, tag uint32) int { return 2 + (n+0x3f80)>>14 + int(tag+0x3f80)>>14 }

// putShortHead writes a tag and a length of less than 1<<14 to a place that has headSize bytes, and returns the place after them.
func putShortHead(to unsafe.Pointer, n int, tag uint32) unsafe.Pointer {
	if tag >= 0x80 {
		*(*byte)(to) = byte(tag) | 0x80
		to, tag = unsafe.Add(to, 1), tag>>7
	}
	*(*byte)(to) = byte(tag)
	if to = unsafe.Add(to, 1); n >= 0x80 {
		*(*byte)(to) = byte(n) | 0x80
		to, n = unsafe.Add(to, 1), n>>7
	}
	*(*byte)(to) = byte(n)
	return to
}

// putHead writes a length and a tag, of which one has more than one byte. There must be room for them.
func putHead(b []byte, i, n int, tag uint32) int {
	if n < 0x80 {
		i--
		b[i] = byte(n)
	} else if n < 1<<14 {
		i -= 2
		binary.LittleEndian.PutUint16(b[i:], uint16(n&0x7f|0x80|n>>7<<8))
	} else {
		i = enc.LongVarint(b, i, uint64(n))
	}
	if tag < 0x80 {
		i--
		b[i] = byte(tag)
		return i
	} else if tag < 1<<14 {
		i -= 2
		binary.LittleEndian.PutUint16(b[i:], uint16(tag&0x7f|0x80|tag>>7<<8))
		return i
	}
	return enc.LongVarint(b, i, uint64(tag))
}

// roomFor makes room for n bytes with length and tag in front of i, if there is not just enough: the last field that
// is written may end where the room does.
//
//go:noinline
func (e *Encoder) roomFor(i, n, length int, tag uint32) int {
	if n += wire.SizeVarint(uint64(length)) + wire.SizeVarint(uint64(tag)); i >= n {
		return i
	}
	return e.Grow(i, n+most)
}

// Text writes a string or bytes with length and tag; checked says whether the string must be UTF-8. Most texts are short:
// they are copied, and checked, by words that may overlap.
func (e *Encoder) Text(i int, s string, tag uint32, checked bool) int {
	n := len(s)
	at := i - headSize(n, tag) - n
	if n >= e.longFrom || at < 0 || i > len(e.B) || tag >= 1<<14 {
		return e.anyText(i, s, tag, checked)
	}
	before := putShortHead(unsafe.Add(unsafe.Pointer(unsafe.SliceData(e.B)), at), n, tag) // not a place after e.B
	from := unsafe.Pointer(unsafe.StringData(s))
	var high uint64
	switch {
	case n > 32:
		if checked {
			e.Check(s)
		}
		copy(unsafe.Slice((*byte)(unsafe.Add(before, 1)), n), s)
		return at
	case n > 16:
		first, second := *(*uint64)(from), *(*uint64)(unsafe.Add(from, 8))
		third, last := *(*uint64)(unsafe.Add(from, n-16)), *(*uint64)(unsafe.Add(from, n-8))
		*(*uint64)(unsafe.Add(before, 1)), *(*uint64)(unsafe.Add(before, 9)) = first, second
		*(*uint64)(unsafe.Add(before, n-15)), *(*uint64)(unsafe.Add(before, n-7)) = third, last
		high = first | second | third | last
	case n >= 8:
		first, last := *(*uint64)(from), *(*uint64)(unsafe.Add(from, n-8))
		*(*uint64)(unsafe.Add(before, 1)), *(*uint64)(unsafe.Add(before, n-7)) = first, last
		high = first | last
	case n >= 4:
		first, last := *(*uint32)(from), *(*uint32)(unsafe.Add(from, n-4))
		*(*uint32)(unsafe.Add(before, 1)), *(*uint32)(unsafe.Add(before, n-3)) = first, last
		high = uint64(first | last)
	case n > 0: // the middle byte is the first or the last of two or one
		first, middle, last := *(*byte)(from), *(*byte)(unsafe.Add(from, n/2)), *(*byte)(unsafe.Add(from, n-1))
		*(*byte)(unsafe.Add(before, 1)), *(*byte)(unsafe.Add(before, 1+n/2)), *(*byte)(unsafe.Add(before, n)) = first, middle, last
		high = uint64(first | middle | last)
	}
	if high&msbs != 0 && checked {
		e.Check(s)
	}
	return at
}

// anyText is Text for every text.
//
//go:noinline
func (e *Encoder) anyText(i int, s string, tag uint32, checked bool) int {
	n := len(s)
	if i < n+most {
		i = e.roomFor(i, n, n, tag)
	}
	i -= n
	e.payload(i, s)
	if checked {
		e.Check(s)
	}
	return putHead(e.B, i, n, tag)
}

// Bytes is Text for bytes.
func (e *Encoder) Bytes(i int, v []byte, tag uint32) int {
	return e.Text(i, String(v), tag, false)
}

// PutFixed32 and PutFixed64 write a number in front of position i.
func PutFixed32(b []byte, i int, v uint32) int { return enc.PutFixed32(b, i, v) }

func PutFixed64(b []byte, i int, v uint64) int { return enc.PutFixed64(b, i, v) }

// PutTag writes a tag of more than one byte. There must be room for it.
func PutTag(b []byte, i int, tag uint32) int { return enc.LongVarint(b, i, uint64(tag)) }
