package pool

import (
	"encoding/binary"
	"unsafe"

	"github.com/hotpb/hotpb/go/internal/enc"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// most is the maximal number of bytes of a tag and a number or length.
const most = 16

// room ensures that there is room for a tag and a number or length in front of i.
func (e *Encoder) room(i int) int {
	if i < most {
		return e.Grow(i, most)
	}
	return i
}

// tag writes a tag. There must be room for it.
func (e *Encoder) tag(i int, tag uint32) int {
	if tag < 0x80 {
		i--
		e.B[i] = byte(tag)
		return i
	}
	return enc.LongVarint(e.B, i, uint64(tag))
}

// text writes a string or bytes with their length, and leaves room for a tag.
func (e *Encoder) text(i int, s string) int {
	if i < len(s)+most {
		i = e.Grow(i, len(s)+most)
	}
	i -= len(s)
	if len(s) < long {
		copy(e.B[i:], s)
	} else {
		e.payload(i, s)
	}
	return PutVarint(e.B, i, uint64(len(s)))
}

// value writes a value that is not a message, and leaves room for its tag.
func (e *Encoder) value(i int, at unsafe.Pointer, kind wire.Kind, verify bool) int {
	switch {
	case kind == wire.String:
		s := *(*string)(at)
		if verify {
			e.Check(s)
		}
		return e.text(i, s)
	case kind == wire.Bytes:
		return e.text(i, String(*(*[]byte)(at)))
	case kind.Type() == wire.VarintType:
		i = e.room(i)
		return PutVarint(e.B, i, enc.Varint(at, kind))
	}
	i = e.room(i)
	if kind.Type() == wire.Fixed64Type {
		i -= 8
		binary.LittleEndian.PutUint64(e.B[i:], *(*uint64)(at))
		return i
	}
	i -= 4
	binary.LittleEndian.PutUint32(e.B[i:], *(*uint32)(at))
	return i
}

// narrow returns the number on the wire for one in the eight bytes of a oneof.
func narrow(x uint64, kind wire.Kind) uint64 {
	switch kind {
	case wire.Sint32:
		return Zigzag32(int32(x))
	case wire.Sint64:
		return wire.EncodeZigzag(int64(x))
	}
	return x
}

// encodeAt encodes a message, with the message's own code if it has some.
func (l *Layout) encodeAt(m unsafe.Pointer, e *Encoder, i int) int {
	if l.Traits&Encodes != 0 {
		return l.code(m).EncodeHot(e.hidden(), i)
	}
	return l.EncodeHot(m, e, i)
}

// EncodeHot writes m in front of position i, and returns the position of its first byte.
func (l *Layout) EncodeHot(m unsafe.Pointer, e *Encoder, i int) int {
	if m == nil {
		return i
	}
	i = e.Unknown(l.hidden(m), i)
	fields := l.Fields
	for k := len(fields) - 1; k >= 0; k-- {
		f := &fields[k]
		at := unsafe.Add(m, f[1])
		// Few fields of a wide message are present: this loop is short.
		switch shows := f[3] >> 8 & showBits; {
		case shows < showsInOneof:
			if *l.bits(f, m)>>shows&1 == 0 {
				continue
			}
		case shows == showsIn4:
			if *(*uint32)(at) == 0 {
				continue
			}
		case shows == showsInLength:
			if *(*int)(unsafe.Add(at, unsafe.Sizeof(uintptr(0)))) == 0 {
				continue
			}
		case shows == showsIn1:
			if *(*uint8)(at) == 0 {
				continue
			}
		case !l.shown(f, m):
			continue
		}
		i = l.encodeField(m, e, f, i)
	}
	return i
}

// encodeField writes a field that is present.
func (l *Layout) encodeField(m unsafe.Pointer, e *Encoder, f *Field, i int) int {
	at := unsafe.Add(m, f[1])
	flags, tag := f[3], f[0]
	b := e.B
	var x uint64
	// One jump per field: this code serves many types in turn, so the CPU would mispredict every branch of a chain.
	switch wire.Kind(flags & (isList | kindBits)) {
	case wire.String, wire.Bytes:
		s := *(*string)(at) // the first words of bytes are the same
		if flags&verifies != 0 {
			e.Check(s)
		}
		if i < len(s)+most {
			i = e.roomFor(i, len(s), len(s), tag)
			b = e.B
		}
		i -= len(s)
		if len(s) < long {
			copy(b[i:], s)
		} else {
			e.payload(i, s)
		}
		x = uint64(len(s))
		goto varint
	case wire.Int32, wire.Enum:
		x = uint64(*(*int32)(at))
	case wire.Uint32, wire.Fixed32, wire.Sfixed32, wire.Float:
		x = uint64(*(*uint32)(at))
	case wire.Int64, wire.Uint64, wire.Fixed64, wire.Sfixed64, wire.Double:
		x = *(*uint64)(at)
	case wire.Bool:
		x = uint64(*(*uint8)(at))
	case wire.Sint32:
		x = Zigzag32(*(*int32)(at))
	case wire.Sint64:
		x = wire.EncodeZigzag(*(*int64)(at))
	default:
		return l.encodeNested(m, e, f, i)
	}
	// The number, backwards: first its value, then its tag.
	if f.shows() == showsInOneof {
		x = narrow(*(*uint64)(at), f.kind())
	}
	if i < most {
		i = e.roomForNumber(i, x, tag)
		b = e.B
	}
	if tag&7 == 1 {
		i -= 8
		binary.LittleEndian.PutUint64(b[i:], x)
		goto tag
	} else if tag&7 == 5 {
		i -= 4
		binary.LittleEndian.PutUint32(b[i:], uint32(x))
		goto tag
	}
varint:
	i = PutVarint(b, i, x)
tag:
	if tag < 0x80 {
		i--
		b[i] = byte(tag)
		return i
	} else if tag < 0x4000 {
		i -= 2
		binary.LittleEndian.PutUint16(b[i:], uint16(tag&0x7f|0x80|tag>>7<<8))
		return i
	}
	return enc.LongVarint(b, i, uint64(tag))
}

// roomForNumber makes room for a number and its tag in front of i, if there is not just enough.
//
//go:noinline
func (e *Encoder) roomForNumber(i int, x uint64, tag uint32) int {
	switch tag & 7 {
	case 1:
		return e.roomFor(i, 7, 0, tag) // and one byte as for a length
	case 5:
		return e.roomFor(i, 3, 0, tag)
	}
	return e.roomFor(i, wire.SizeVarint(x)-1, 0, tag)
}

// encodeNested writes a field that is more than one value in place.
func (l *Layout) encodeNested(m unsafe.Pointer, e *Encoder, f *Field, i int) int {
	at := unsafe.Add(m, f[1])
	kind := f.kind()
	switch {
	case kind == isMap:
		p := l.part(f)
		return p.Map.encode(l, f, p, m, e.hidden(), i)
	case f[3]&isList == 0:
		p := l.part(f)
		if p.Of&Pointer != 0 {
			at = *(*unsafe.Pointer)(at)
		}
		return l.encodeMessage(l.child(p), at, e, f, i)
	case kind >= wire.Message:
		child := l.child(l.part(f))
		a := *(*list)(at)
		for n := a.len - 1; n >= 0; n-- {
			i = l.encodeMessage(child, unsafe.Add(a.at, n*int(child.Size)), e, f, i)
		}
		return i
	}
	a := *(*list)(at)
	if f.packed() {
		n := wire.SizePacked(kind, a.at, a.len)
		if i < n+most {
			i = e.roomFor(i, n, n, f[0])
		}
		i -= n
		wire.PutPacked(e.B[i:i+n], kind, a.at, a.len)
		return putHead(e.B, i, n, f[0])
	}
	size := int(sizes[kind])
	for n := a.len - 1; n >= 0; n-- {
		i = e.value(i, unsafe.Add(a.at, n*size), kind, f[3]&verifies != 0)
		i = e.tag(i, f[0])
	}
	return i
}

func (l *Layout) encodeMessage(child *Layout, m unsafe.Pointer, e *Encoder, f *Field, i int) int {
	i = e.room(i)
	if f.kind() == wire.Group {
		i = e.tag(i, f[0]+1) // the end tag
		i = e.room(child.encodeAt(m, e, i))
	} else {
		written := len(e.B) - i
		i = e.room(child.encodeAt(m, e, i))
		i = e.Length(i, written)
	}
	return e.tag(i, f[0])
}
