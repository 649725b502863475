package wire

import (
	"encoding/binary"
	rt "github.com/hotpb/hotpb/go/rt/wire"
	"math"
	"unsafe"
)

// Encoder writes a message field by field into a slice of the caller's that is large enough, for handwritten code.
//
//	b := make([]byte, m.Size())
//	e := wire.NewEncoder(b)
//	e.EncodeString(1, m.Name)
//	e.EncodeInt32(2, m.Value)
//	encoded, err := e.Bytes()
//
// An Encoder writes nothing that does not fit. It keeps the first error, all later calls write nothing, and Bytes and
// Err return that error. It is an *Error: BufferExhausted if there is no room, InvalidTag for a field number that
// does not exist, InvalidUtf8, SizeExceeded, HandleMisuse. Its offset is where the field would have started. Nothing
// panics, and nothing but the error is allocated.
type Encoder struct {
	b    []byte
	at   int // of the next byte
	open int // where the contents of the innermost open level start, 0 if there is none
	err  error
}

// NewEncoder returns an encoder that fills b from its start up to its length.
func NewEncoder(b []byte) *Encoder { return &Encoder{b: b} }

// Bytes returns the bytes written, a part of the slice that NewEncoder received, or the first error. A level that has
// not been ended is HandleMisuse.
func (e *Encoder) Bytes() ([]byte, error) {
	if e.err == nil && e.open != 0 {
		e.fail(HandleMisuse)
	}
	if e.err != nil {
		return nil, e.err
	}
	return e.b[:e.at], nil
}

// Err returns the first error so far, or nil.
func (e *Encoder) Err() error { return e.err }

// Offset returns the number of bytes written.
func (e *Encoder) Offset() int { return e.at }

// EncodeUint64 writes a varint.
func (e *Encoder) EncodeUint64(number uint32, v uint64) {
	if e.begin(number, VarintType, rt.SizeVarint(v)) {
		e.varint(v)
	}
}

// EncodeUint32 writes a varint.
func (e *Encoder) EncodeUint32(number uint32, v uint32) { e.EncodeUint64(number, uint64(v)) }

// EncodeInt32 writes an int32 or an enum.
func (e *Encoder) EncodeInt32(number uint32, v int32) { e.EncodeUint64(number, uint64(int64(v))) }

// EncodeInt64 writes a varint.
func (e *Encoder) EncodeInt64(number uint32, v int64) { e.EncodeUint64(number, uint64(v)) }

// EncodeSint32 writes a zigzag varint.
func (e *Encoder) EncodeSint32(number uint32, v int32) {
	e.EncodeUint64(number, rt.EncodeZigzag(int64(v)))
}

// EncodeSint64 writes a zigzag varint.
func (e *Encoder) EncodeSint64(number uint32, v int64) { e.EncodeUint64(number, rt.EncodeZigzag(v)) }

// EncodeBool writes 0 or 1.
func (e *Encoder) EncodeBool(number uint32, v bool) {
	bit := uint64(0)
	if v {
		bit = 1
	}
	e.EncodeUint64(number, bit)
}

// EncodeFixed32 writes four bytes.
func (e *Encoder) EncodeFixed32(number uint32, v uint32) {
	if e.begin(number, Fixed32Type, 4) {
		binary.LittleEndian.PutUint32(e.b[e.at:], v)
		e.at += 4
	}
}

// EncodeFixed64 writes eight bytes.
func (e *Encoder) EncodeFixed64(number uint32, v uint64) {
	if e.begin(number, Fixed64Type, 8) {
		binary.LittleEndian.PutUint64(e.b[e.at:], v)
		e.at += 8
	}
}

// EncodeSfixed32 writes four bytes.
func (e *Encoder) EncodeSfixed32(number uint32, v int32) { e.EncodeFixed32(number, uint32(v)) }

// EncodeSfixed64 writes eight bytes.
func (e *Encoder) EncodeSfixed64(number uint32, v int64) { e.EncodeFixed64(number, uint64(v)) }

// EncodeFloat writes four bytes.
func (e *Encoder) EncodeFloat(number uint32, v float32) { e.EncodeFixed32(number, math.Float32bits(v)) }

// EncodeDouble writes eight bytes.
func (e *Encoder) EncodeDouble(number uint32, v float64) {
	e.EncodeFixed64(number, math.Float64bits(v))
}

// EncodeString writes a string. A string that is not UTF-8 is InvalidUtf8.
func (e *Encoder) EncodeString(number uint32, v string) {
	if e.err == nil && !rt.ValidUTF8(unsafe.Slice(unsafe.StringData(v), len(v))) {
		e.fail(InvalidUtf8)
		return
	}
	e.EncodeStringUnchecked(number, v)
}

// EncodeStringUnchecked writes a string as it is, for schemas that do not require UTF-8, such as those of proto2.
func (e *Encoder) EncodeStringUnchecked(number uint32, v string) {
	if e.lengthDelimited(number, len(v)) {
		e.at += copy(e.b[e.at:], v)
	}
}

// EncodeBytes writes bytes, or a nested message that is already encoded.
func (e *Encoder) EncodeBytes(number uint32, v []byte) {
	if e.lengthDelimited(number, len(v)) {
		e.at += copy(e.b[e.at:], v)
	}
}

// EncodeRaw writes fields that are already encoded, with their tags, unchanged: unknown fields.
func (e *Encoder) EncodeRaw(fields []byte) {
	switch {
	case e.err != nil:
	case len(fields) > len(e.b)-e.at:
		e.fail(BufferExhausted)
	default:
		e.at += copy(e.b[e.at:], fields)
	}
}

// EncodeNested writes a nested message with the message's own methods. MarshalTo must fill exactly the bytes that it
// receives.
func (e *Encoder) EncodeNested(number uint32, m interface {
	Size() int
	MarshalTo(dst []byte) error
}) {
	size := 0
	if m != nil { // nil is an empty message
		size = m.Size()
	}
	if e.lengthDelimited(number, size) && m != nil {
		if err := m.MarshalTo(e.b[e.at : e.at+size : e.at+size]); err != nil {
			e.err = moved(err, e.at)
			return
		}
		e.at += size
	}
}

// Level is an open nested message or group.
type Level struct {
	start, parent int // of its contents, and of the contents of the enclosing level
	group         uint32
}

// BeginNested starts a nested message whose size need not be known. The fields that follow belong to it until End.
//
//	level := e.BeginNested(3)
//	e.EncodeString(1, "name")
//	e.End(level)
//
// End levels in the opposite order of their beginning.
func (e *Encoder) BeginNested(number uint32) Level {
	if !e.begin(number, BytesType, 1) {
		return Level{}
	}
	e.at++ // the length takes one byte until it is known
	return e.down(0)
}

// BeginMapEntry starts a map entry: its key is field 1, its value field 2.
func (e *Encoder) BeginMapEntry(number uint32) Level { return e.BeginNested(number) }

// BeginGroup is BeginNested for a group or a DELIMITED field.
func (e *Encoder) BeginGroup(number uint32) Level {
	if !e.begin(number, StartGroup, 0) {
		return Level{}
	}
	return e.down(number)
}

func (e *Encoder) down(group uint32) Level {
	level := Level{start: e.at, parent: e.open, group: group}
	e.open = e.at
	return level
}

// End ends the level. For a message it writes the length, and moves the contents if the length needs more than one
// byte; for a group it writes the end tag. A level that is not the innermost open one is HandleMisuse.
func (e *Encoder) End(level Level) {
	switch {
	case e.err != nil:
		return
	case level.start == 0 || level.start != e.open:
		e.fail(HandleMisuse)
		return
	case level.group != 0:
		if !e.begin(level.group, EndGroup, 0) {
			return
		}
	default:
		size := e.at - level.start
		width := rt.SizeVarint(uint64(size))
		if size > MaxSize {
			e.fail(SizeExceeded)
			return
		}
		if width-1 > len(e.b)-e.at {
			e.fail(BufferExhausted)
			return
		}
		if width > 1 {
			copy(e.b[level.start+width-1:], e.b[level.start:e.at])
		}
		e.at = level.start - 1
		e.varint(uint64(size))
		e.at += size
	}
	e.open = level.parent
}

// lengthDelimited writes the tag and length of a field whose payload has n bytes, and reports whether there is room
// for all of it.
func (e *Encoder) lengthDelimited(number uint32, n int) bool {
	if e.err == nil && uint(n) > MaxSize {
		e.fail(SizeExceeded)
	} else if e.err == nil && n > len(e.b)-e.at { // the sum below cannot overflow
		e.fail(BufferExhausted)
	}
	if !e.begin(number, BytesType, rt.SizeVarint(uint64(n))+n) {
		return false
	}
	e.varint(uint64(n))
	return true
}

// begin writes a tag, and reports whether there is room for n bytes after it.
func (e *Encoder) begin(number uint32, t Type, n int) bool {
	if e.err != nil {
		return false
	}
	if number-1 >= MaxNumber {
		e.fail(InvalidTag)
		return false
	}
	tag := uint64(rt.MakeTag(number, t))
	if rt.SizeVarint(tag)+n > len(e.b)-e.at {
		e.fail(BufferExhausted)
		return false
	}
	e.varint(tag)
	return true
}

// varint writes without checking: the caller has found room.
func (e *Encoder) varint(v uint64) { e.at += putVarint(e.b[e.at:], v) }

func putVarint(b []byte, v uint64) (n int) {
	for ; v >= 0x80; n++ {
		b[n] = byte(v) | 0x80
		v >>= 7
	}
	b[n] = byte(v)
	return n + 1
}

func (e *Encoder) fail(code Code) { e.err = &Error{Code: code, Offset: int64(e.at)} }
