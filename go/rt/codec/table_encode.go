package codec

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"github.com/hotpb/hotpb/go/internal/enc"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// recordRoom is the maximal size of a record without the bytes of a text.
const recordRoom = 5 + wire.MaxVarint

// Encode writes the fields from first to before last of the message at m in front of position i, in descending order,
// and returns the position of their first byte.
func (t *Table) Encode(e *Encoder, m unsafe.Pointer, i, first, last int) int {
	e.byTable = true
	steps := t.prepare().steps[first:last]
	for n := len(steps) - 1; n >= 0; n-- {
		s := &steps[n]
		if s.mask != 0 {
			if *(*uint64)(unsafe.Add(m, s.word))&s.mask == 0 {
				continue
			}
		} else if t.place(e, m, s.Entry) == nil {
			continue
		}
		f := s.Entry
		p := unsafe.Add(m, f.At)
		switch {
		case f.How&List != 0:
			i = encodeList(e, f, p, i)
			continue
		case f.How&Pointer != 0:
			p = *(*unsafe.Pointer)(p)
		}
		if s.form < int32Form {
			i = encodeOne(e, f, p, i)
			continue
		}
		if i < recordRoom {
			i = e.Grow(i, recordRoom)
		}
		b := e.B
		i = PutVarint(b, i, varintOf(s.form, p))
		switch tag := f.Tag; {
		case tag < 0x80:
			i--
			b[i] = byte(tag)
		case tag < 1<<14:
			i -= 2
			b[i], b[i+1] = byte(tag)|0x80, byte(tag>>7)
		default:
			i = PutVarint(b, i, uint64(tag))
		}
	}
	return i
}

// varintOf returns the varint of a number in memory.
func varintOf(k form, p unsafe.Pointer) uint64 {
	switch k {
	case int32Form:
		return uint64(*(*int32)(p))
	case uint32Form:
		return uint64(*(*uint32)(p))
	case boolForm:
		return uint64(*(*byte)(p))
	case zigzag32Form:
		return Zigzag32(*(*int32)(p))
	case zigzag64Form:
		return wire.EncodeZigzag(*(*int64)(p))
	}
	return *(*uint64)(p)
}

// isZero reports whether a value is the one that stands for an absent field.
func isZero(k wire.Kind, p unsafe.Pointer) bool {
	switch sizes[k&31] {
	case 4:
		return *(*uint32)(p) == 0
	case 8:
		return *(*uint64)(p) == 0
	case 1:
		return *(*byte)(p) == 0
	}
	return (*text)(p).len == 0
}

// place returns where the value of a field is, or nil if the field is absent. It reports a required field to e, if any.
//
//go:noinline
func (t *Table) place(e *Encoder, m unsafe.Pointer, f *Entry) unsafe.Pointer {
	p := unsafe.Add(m, f.At)
	absent := false
	if f.How&HasBit != 0 {
		word, mask := t.bit(m, f)
		absent = atomic.LoadUint32(word)&mask == 0
	}
	switch {
	case absent:
	case f.How&List != 0:
		absent = (*list)(p).len == 0
	case f.How&Pointer != 0:
		p = *(*unsafe.Pointer)(p)
		absent = p == nil
	case f.How&HasBit != 0:
	case f.How&OrNil != 0:
		absent = (*text)(p).at == nil
	default:
		absent = isZero(f.Kind, p)
	}
	if absent {
		if f.How&Required != 0 && e != nil {
			e.Missing()
		}
		return nil
	}
	return p
}

// encodeOne writes the record of a value. The tag is the field's: a packed list is written as a whole.
func encodeOne(e *Encoder, f *Entry, p unsafe.Pointer, i int) int {
	if f.Tag&7 == wire.Tag(wire.BytesType) {
		switch {
		case f.Kind == wire.Bytes:
			i = PutBytes(e, i, *(*[]byte)(p), recordRoom)
		case f.How&Verify == 0:
			i = PutBytes(e, i, *(*string)(p), recordRoom)
		case f.Tag < 0x80:
			return e.PutTagged(i, *(*string)(p), byte(f.Tag), recordRoom)
		default:
			i = e.PutText(i, *(*string)(p), recordRoom)
		}
		return putTag(e.B, i, f.Tag)
	}
	if i < recordRoom {
		i = e.Grow(i, recordRoom)
	}
	b := e.B
	switch f.Tag & 7 {
	case wire.Tag(wire.VarintType):
		i = PutVarint(b, i, enc.Varint(p, f.Kind))
	case wire.Tag(wire.Fixed32Type):
		i -= 4
		binary.LittleEndian.PutUint32(b[i:], *(*uint32)(p))
	default:
		i -= 8
		binary.LittleEndian.PutUint64(b[i:], *(*uint64)(p))
	}
	return putTag(b, i, f.Tag)
}

// putTag is PutVarint for tags.
func putTag(b []byte, i int, tag wire.Tag) int {
	if tag < 0x80 {
		i--
		b[i] = byte(tag)
		return i
	}
	return putLongTag(b, i, tag)
}

func putLongTag(b []byte, i int, tag wire.Tag) int {
	if tag < 1<<14 {
		i -= 2
		b[i], b[i+1] = byte(tag)|0x80, byte(tag>>7)
		return i
	}
	return PutVarint(b, i, uint64(tag))
}

// encodeList writes the records of a repeated field that is not empty.
func encodeList(e *Encoder, f *Entry, p unsafe.Pointer, i int) int {
	n := (*list)(p).len
	if f.Tag.Type() == wire.BytesType && !isText(f.Kind) {
		i = pack(e, f.Kind, p, i)
		if i < wire.MaxVarint {
			i = e.Grow(i, wire.MaxVarint)
		}
		return putTag(e.B, i, f.Tag)
	}
	width := width(f.Kind)
	for n--; n >= 0; n-- {
		i = encodeOne(e, f, unsafe.Add((*list)(p).at, n*width), i)
	}
	return i
}

// list has the layout of a slice of any type.
type list struct {
	at       unsafe.Pointer
	len, cap int
}

// text has the first words of a string, and of a slice of bytes.
type text struct {
	at  unsafe.Pointer
	len int
}

// width returns the number of bytes that an element takes in memory.
func width(k wire.Kind) int {
	switch k {
	case wire.String:
		return int(unsafe.Sizeof(""))
	case wire.Bytes:
		return int(unsafe.Sizeof([]byte(nil)))
	}
	return int(sizes[k&31])
}

// pack writes the elements of a packed field, and their length.
func pack(e *Encoder, k wire.Kind, p unsafe.Pointer, i int) int {
	switch k {
	case wire.Bool:
		return PackBools(e, i, *(*[]bool)(p))
	case wire.Sint32:
		return PackSint32s(e, i, *(*[]int32)(p))
	case wire.Sint64:
		return PackSint64s(e, i, *(*[]int64)(p))
	case wire.Int32, wire.Enum:
		return PackVarints(e, i, *(*[]int32)(p))
	case wire.Uint32:
		return PackVarints(e, i, *(*[]uint32)(p))
	case wire.Int64:
		return PackVarints(e, i, *(*[]int64)(p))
	case wire.Uint64:
		return PackVarints(e, i, *(*[]uint64)(p))
	case wire.Fixed32, wire.Sfixed32, wire.Float:
		return PackFixed32s(e, i, *(*[]uint32)(p))
	}
	return PackFixed64s(e, i, *(*[]uint64)(p))
}

// Size returns the size of the records of all fields of the message at m.
func (t *Table) Size(m unsafe.Pointer) (total int) {
	steps := t.prepare().steps
	for n := range steps {
		s := &steps[n]
		if s.mask != 0 {
			if *(*uint64)(unsafe.Add(m, s.word))&s.mask == 0 {
				continue
			}
		} else if t.place(nil, m, s.Entry) == nil {
			continue
		}
		f := s.Entry
		p := unsafe.Add(m, f.At)
		switch {
		case f.How&List != 0:
			total += sizeList(f, p)
			continue
		case f.How&Pointer != 0:
			p = *(*unsafe.Pointer)(p)
		}
		total += wire.SizeVarint(uint64(f.Tag))
		if s.form >= int32Form {
			total += wire.SizeVarint(varintOf(s.form, p))
		} else {
			total += enc.Size(p, f.Kind)
		}
	}
	return total
}

func sizeList(f *Entry, p unsafe.Pointer) (total int) {
	n, tag := (*list)(p).len, wire.SizeVarint(uint64(f.Tag))
	total = enc.SizeList((*list)(p).at, n, f.Kind)
	if f.Tag.Type() == wire.BytesType && !isText(f.Kind) {
		return tag + SizeLen(total)
	}
	return total + n*tag
}
