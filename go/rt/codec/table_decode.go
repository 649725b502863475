package codec

import (
	"encoding/binary"
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Values holds the values of fields that are pointers. Several values share an allocation, as in straight code.
type Values struct {
	numbers []uint64
	texts   []string
}

// together is the number of values that share an allocation.
const together = 8

// Decode reads records from position i on into the message at m, as long as they belong to the table's fields. It
// returns the first record that does not: its start, its tag and the position after the tag. At the end of b the tag
// is 0; next is negative on an error.
func (t *Table) Decode(v *Values, m unsafe.Pointer, b []byte, i int) (start int, tag wire.Tag, next int) {
	ready, at := t.prepare(), -1
	readers := ready.readers
	for i < len(b) {
		start = i
		// The tag, and the field: the next one of the table, or one that is looked for.
		if x := b[i]; x-8 < 0x78 && x&7 < 6 {
			tag = wire.Tag(x)
			i++
		} else if len(b)-i >= 2 && x >= 0x80 && b[i+1]-1 < 0x7f && x&7 < 6 {
			tag = wire.Tag(b[i+1])<<7 | wire.Tag(x&0x7f)
			i += 2
		} else if tag, i = ReadTag(b, i); i < 0 {
			return start, tag, i
		}
		if at++; at >= len(readers) || readers[at].tag != tag { // not the next one
			if at = t.find(ready, tag); at < 0 {
				return start, tag, i
			}
		}
		r := &readers[at]
		p := unsafe.Add(m, r.at)
		// A varint.
		if r.form >= int32Form {
			var x uint64
			if Short(b, i) {
				x = uint64(b[i])
				i++
			} else if x, i = ReadVarint(b, i); i < 0 {
				return start, tag, i
			}
			if r.boxed {
				p = v.place(p)
			}
			switch r.form {
			case int32Form, uint32Form:
				*(*uint32)(p) = uint32(x)
			case int64Form:
				*(*uint64)(p) = x
			case boolForm:
				*(*bool)(p) = x != 0
			case zigzag32Form:
				*(*uint32)(p) = uint32(x)>>1 ^ -(uint32(x) & 1)
			default:
				*(*uint64)(p) = x>>1 ^ -(x & 1)
			}
			continue
		}
		// Text, bytes and numbers of a fixed width; all else is a function.
		switch r.form {
		case textForm:
			i = Text((*string)(p), b, i)
		case anyTextForm:
			i = AnyText((*string)(p), b, i)
		case blobForm:
			i = Blob((*[]byte)(p), b, i)
		case fixed32Form:
			if len(b)-i < 4 {
				return start, tag, truncated
			}
			if r.boxed {
				p = v.place(p)
			}
			*(*uint32)(p) = binary.LittleEndian.Uint32(b[i:])
			i += 4
		case fixed64Form:
			if len(b)-i < 8 {
				return start, tag, truncated
			}
			if r.boxed {
				p = v.place(p)
			}
			*(*uint64)(p) = binary.LittleEndian.Uint64(b[i:])
			i += 8
		default:
			start, i = t.decodeEntry(v, m, &t.Fields[at], tag, b, start, i)
		}
		if i < 0 {
			return start, tag, i
		}
	}
	return i, 0, i
}

// decodeEntry reads the records of any field. It also returns the start of the last one.
func (t *Table) decodeEntry(v *Values, m unsafe.Pointer, f *Entry, tag wire.Tag, b []byte, start, i int) (last, next int) {
	p := unsafe.Add(m, f.At)
	switch {
	case f.How&List == 0:
		i = decodeOne(v, f, p, b, i)
	case tag.Type() == wire.BytesType && !isText(f.Kind):
		i = decodePacked(f.Kind, p, b, i)
	default:
		start, i = decodeRun(f.Kind, f.How&Verify != 0, p, b, start, i)
	}
	if i >= 0 && f.How&HasBit != 0 {
		word, mask := t.bit(m, f)
		*word |= mask
	}
	return start, i
}

// decodeOne reads a value into a singular field.
func decodeOne(v *Values, f *Entry, p unsafe.Pointer, b []byte, i int) int {
	if f.Tag.Type() == wire.BytesType {
		return decodeText(v, f, p, b, i)
	}
	x, i := readNumber(f.Kind, b, i)
	if i < 0 {
		return i
	}
	if f.How&Pointer != 0 {
		p = v.place(p)
	}
	store(f.Kind, p, x)
	return i
}

// decodeText reads a string or bytes into a singular field.
func decodeText(v *Values, f *Entry, p unsafe.Pointer, b []byte, i int) int {
	if f.Kind == wire.Bytes {
		return Blob((*[]byte)(p), b, i)
	}
	var text string
	to := &text
	if f.How&Pointer == 0 {
		to = (*string)(p)
	}
	if f.How&Verify != 0 {
		i = Text(to, b, i)
	} else {
		i = AnyText(to, b, i)
	}
	if i < 0 || f.How&Pointer == 0 {
		return i
	}
	boxed := (**string)(p)
	if *boxed == nil {
		*boxed = v.text()
	}
	**boxed = text
	return i
}

func (v *Values) text() *string {
	if len(v.texts) == 0 {
		v.texts = make([]string, together)
	}
	text := &v.texts[0]
	v.texts = v.texts[1:]
	return text
}

// place returns the number that a field points to, a new one if it is absent.
func (v *Values) place(field unsafe.Pointer) unsafe.Pointer {
	to := (*unsafe.Pointer)(field)
	if *to == nil {
		*to = unsafe.Pointer(v.number())
	}
	return *to
}

func (v *Values) number() *uint64 {
	if len(v.numbers) == 0 {
		v.numbers = make([]uint64, together)
	}
	number := &v.numbers[0]
	v.numbers = v.numbers[1:]
	return number
}

// payload returns the range that follows the length at position i; end is negative if it is truncated.
func payload(b []byte, i int) (from, end int) {
	if from, end = i+1, 0; uint(i) < uint(len(b)) && b[i] < 0x80 {
		end = from + int(b[i])
	} else {
		from, end = ReadBytes(b, i)
	}
	if end > len(b) {
		end = fail(wire.Truncated)
	}
	return from, end
}

// readNumber reads a number in the form it has in memory.
func readNumber(k wire.Kind, b []byte, i int) (v uint64, next int) {
	switch k.Type() {
	case wire.VarintType:
		if uint(i) < uint(len(b)) && b[i] < 0x80 {
			return fromVarint(k, uint64(b[i])), i + 1
		}
		v, next = ReadVarint(b, i)
		return fromVarint(k, v), next
	case wire.Fixed32Type:
		x, next := wire.ReadFixed32(b, i)
		return uint64(x), next
	}
	return wire.ReadFixed64(b, i)
}

// decodeRun reads the adjacent records of a repeated field. It also returns the start of the last one.
func decodeRun(k wire.Kind, verify bool, p unsafe.Pointer, b []byte, start, i int) (last, next int) {
	switch {
	case k == wire.String && verify:
		return Texts((*[]string)(p), b, start, i)
	case k == wire.String:
		return run(k, (*[]string)(p), b, start, i, AnyText)
	case k == wire.Bytes:
		return Blobs((*[][]byte)(p), b, start, i)
	}
	switch sizes[k&31] {
	case 1:
		return run(k, (*[]bool)(p), b, start, i, number[bool](k))
	case 4:
		return run(k, (*[]uint32)(p), b, start, i, number[uint32](k))
	}
	return run(k, (*[]uint64)(p), b, start, i, number[uint64](k))
}

func run[T any](k wire.Kind, list *[]T, b []byte, start, i int, element func(to *T, b []byte, i int) int) (last, next int) {
	tag := String(b[start:i])
	if len(*list) == cap(*list) {
		switch k.Type() {
		case wire.BytesType:
			*list = Grow(*list, CountRun(b, i, tag))
		case wire.VarintType:
			*list = Grow(*list, CountVarintRun(b, i, tag))
		}
	}
	for {
		var none T
		n := len(*list)
		*list = append(*list, none)
		next := element(&(*list)[n], b, i)
		if next < 0 {
			*list = (*list)[:n]
			return start, next
		}
		if len(b)-next < len(tag) || String(b[next:next+len(tag)]) != tag {
			return start, next
		}
		start, i = next, next+len(tag)
	}
}

func number[T bool | uint32 | uint64](k wire.Kind) func(to *T, b []byte, i int) int {
	return func(to *T, b []byte, i int) int {
		v, next := readNumber(k, b, i)
		store(k, unsafe.Pointer(to), v)
		return next
	}
}

// decodePacked reads a packed record.
func decodePacked(k wire.Kind, p unsafe.Pointer, b []byte, i int) int {
	from, end := i+1, 0
	if Short(b, i) {
		end = from + int(b[i])
	} else {
		from, end = ReadBytes(b, i)
	}
	if uint(end) > uint(len(b)) {
		return cut(end)
	}
	content := b[from:end]
	n := 0
	switch k.Type() {
	case wire.VarintType:
		if n, _ = CountVarints(content); n < 0 {
			return BadPacked
		}
	case wire.Fixed32Type:
		if n = len(content) / 4; n*4 != len(content) {
			return BadFixed
		}
	default:
		if n = len(content) / 8; n*8 != len(content) {
			return BadFixed64
		}
	}
	if n == 0 {
		return end
	}
	switch k {
	case wire.Bool:
		wire.ReadBools(more((*[]bool)(p), n), content)
	case wire.Sint32:
		wire.ReadZigzags(more((*[]int32)(p), n), content)
	case wire.Sint64:
		wire.ReadZigzags(more((*[]int64)(p), n), content)
	case wire.Int32, wire.Uint32, wire.Enum:
		wire.ReadVarints(more((*[]uint32)(p), n), content)
	case wire.Int64, wire.Uint64:
		wire.ReadVarints(more((*[]uint64)(p), n), content)
	case wire.Fixed32, wire.Sfixed32, wire.Float:
		wire.ReadFixed(more((*[]uint32)(p), n), content)
	default:
		wire.ReadFixed(more((*[]uint64)(p), n), content)
	}
	return end
}

// more appends n elements to a list and returns them.
func more[T any](list *[]T, n int) []T {
	at := len(*list)
	*list = Grow(*list, n)[:at+n]
	return (*list)[at:]
}
