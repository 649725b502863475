// Package csproto has a port of csproto's mechanism, because its module cannot be fetched: a pass that adds up sizes and keeps
// them in the structs, an encoder with a call for each field, a decoder with a switch over tags, and nested messages through
// interfaces. The structs are those of protoc-gen-go. It is our own code after csproto's README and its generated methods.
package csproto

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"unsafe"
)

type sizer interface{ Size() int }

type marshalerTo interface{ MarshalTo(dest []byte) error }

type unmarshaler interface{ Unmarshal(b []byte) error }

// Wire types.
const (
	varint  = 0
	fixed64 = 1
	bytesOf = 2
	fixed32 = 5
)

var (
	errVarint   = errors.New("the varint is damaged")
	errTag      = errors.New("the tag is damaged")
	errOverflow = errors.New("the value does not fit")
	errPacked   = errors.New("the packed list is damaged")
)

// typeError is the error of a field with another wire type.
func typeError(field string, number, kind int) error {
	return fmt.Errorf("field %s (number %d) has wire type %d", field, number, kind)
}

// in adds the field to an error.
func in(field string, number int, err error) error {
	return fmt.Errorf("field %s (number %d): %w", field, number, err)
}

func sizeVarint(v uint64) int { return (bits.Len64(v|1) + 6) / 7 }
func sizeTag(number int) int  { return sizeVarint(uint64(number) << 3) }

// sizeBytes is the size of a field with a length and n bytes.
func sizeBytes(number, n int) int { return sizeTag(number) + sizeVarint(uint64(n)) + n }

func zigzag32(v int32) uint64 { return uint64(uint32(v)<<1 ^ uint32(v>>31)) }

// encoder writes fields into a buffer that Size has measured. Too small a buffer panics.
type encoder struct {
	b  []byte
	at int
}

func newEncoder(b []byte) *encoder { return &encoder{b: b} }

func putVarint(b []byte, v uint64) int {
	n := 0
	for v >= 1<<7 {
		b[n] = byte(v) | 0x80
		v >>= 7
		n++
	}
	b[n] = byte(v)
	return n + 1
}

func (e *encoder) tag(number, kind int) {
	e.at += putVarint(e.b[e.at:], uint64(number)<<3|uint64(kind))
}

func (e *encoder) encodeVarint(number int, v uint64) {
	e.tag(number, varint)
	e.at += putVarint(e.b[e.at:], v)
}

func (e *encoder) encodeBool(number int, v bool) {
	e.tag(number, varint)
	e.b[e.at] = 0
	if v {
		e.b[e.at] = 1
	}
	e.at++
}

func (e *encoder) encodeInt32(number int, v int32)   { e.encodeVarint(number, uint64(v)) }
func (e *encoder) encodeInt64(number int, v int64)   { e.encodeVarint(number, uint64(v)) }
func (e *encoder) encodeUint64(number int, v uint64) { e.encodeVarint(number, v) }
func (e *encoder) encodeSint32(number int, v int32)  { e.encodeVarint(number, zigzag32(v)) }

func (e *encoder) encodeFloat64(number int, v float64) {
	e.tag(number, fixed64)
	u := math.Float64bits(v)
	for i := range 8 {
		e.b[e.at+i] = byte(u >> (8 * i))
	}
	e.at += 8
}

func (e *encoder) encodeBytes(number int, v []byte) {
	e.tag(number, bytesOf)
	e.at += putVarint(e.b[e.at:], uint64(len(v)))
	e.at += copy(e.b[e.at:], v)
}

func (e *encoder) encodeString(number int, v string) {
	e.encodeBytes(number, unsafe.Slice(unsafe.StringData(v), len(v)))
}

func (e *encoder) encodePackedInt32(number int, values []int32) {
	if len(values) == 0 {
		return
	}
	size := 0
	for _, v := range values {
		size += sizeVarint(uint64(v))
	}
	e.header(number, size)
	for _, v := range values {
		e.at += putVarint(e.b[e.at:], uint64(v))
	}
}

// header begins a field of size bytes, such as a map entry.
func (e *encoder) header(number, size int) {
	e.tag(number, bytesOf)
	e.at += putVarint(e.b[e.at:], uint64(size))
}

func (e *encoder) encodeRaw(b []byte) { e.at += copy(e.b[e.at:], b) }

// encodeNested writes a message, which it knows by its interfaces only.
func (e *encoder) encodeNested(number int, m any) error {
	size := sizeOf(m)
	e.header(number, size)
	to, ok := m.(marshalerTo)
	if !ok {
		return fmt.Errorf("%T has no MarshalTo", m)
	}
	err := to.MarshalTo(e.b[e.at:])
	e.at += size
	return err
}

func sizeOf(m any) int {
	if s, ok := m.(sizer); ok {
		return s.Size()
	}
	return 0
}

// decoder reads fields. Its strings are copies: csproto's safe mode, which its generator uses by default.
type decoder struct {
	b  []byte
	at int
}

func newDecoder(b []byte) *decoder { return &decoder{b: b} }

func (d *decoder) more() bool { return d.at < len(d.b) }

func (d *decoder) varint() (v uint64, err error) {
	if d.at >= len(d.b) {
		return 0, io.ErrUnexpectedEOF
	}
	if c := d.b[d.at]; c < 0x80 {
		d.at++
		return uint64(c), nil
	}
	for shift, i := uint(0), d.at; i < len(d.b); i++ {
		c := d.b[i]
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			d.at = i + 1
			return v, nil
		}
		if shift += 7; shift >= 70 {
			return 0, errVarint
		}
	}
	return 0, io.ErrUnexpectedEOF
}

func (d *decoder) decodeTag() (number, kind int, err error) {
	v, err := d.varint()
	if err != nil {
		return 0, 0, err
	}
	if v>>3 == 0 || v>>3 > 1<<29-1 {
		return 0, 0, errTag
	}
	return int(v >> 3), int(v & 7), nil
}

func (d *decoder) decodeBool() (bool, error) {
	v, err := d.varint()
	return v != 0, err
}

func (d *decoder) decodeUint64() (uint64, error) { return d.varint() }

func (d *decoder) decodeInt64() (int64, error) {
	v, err := d.varint()
	return int64(v), err
}

func (d *decoder) decodeInt32() (int32, error) {
	v, err := d.varint()
	if err == nil && v > math.MaxUint32 && int64(v) != int64(int32(v)) {
		err = errOverflow
	}
	return int32(v), err
}

func (d *decoder) decodeSint32() (int32, error) {
	v, err := d.varint()
	return int32(uint32(v)>>1) ^ -int32(v&1), err
}

func (d *decoder) decodeFloat64() (float64, error) {
	if len(d.b)-d.at < 8 {
		return 0, io.ErrUnexpectedEOF
	}
	var u uint64
	for i := range 8 {
		u |= uint64(d.b[d.at+i]) << (8 * i)
	}
	d.at += 8
	return math.Float64frombits(u), nil
}

func (d *decoder) decodeBytes() ([]byte, error) {
	n, err := d.varint()
	if err != nil {
		return nil, err
	}
	if n > uint64(len(d.b)-d.at) {
		return nil, io.ErrUnexpectedEOF
	}
	b := d.b[d.at : d.at+int(n)]
	d.at += int(n)
	return b, nil
}

func (d *decoder) decodeString() (string, error) {
	b, err := d.decodeBytes()
	return string(b), err
}

// decodePackedInt32 returns a new slice.
func (d *decoder) decodePackedInt32() (values []int32, err error) {
	b, err := d.decodeBytes()
	if err != nil {
		return nil, err
	}
	list := newDecoder(b)
	for list.more() {
		v, err := list.decodeInt32()
		if err != nil {
			return nil, errPacked
		}
		values = append(values, v)
	}
	return values, nil
}

func (d *decoder) decodeNested(m unmarshaler) error {
	b, err := d.decodeBytes()
	if err != nil {
		return err
	}
	return m.Unmarshal(b)
}

// int32s appends a value, or the values of a packed list, to a repeated field.
func (d *decoder) int32s(to []int32, kind int) ([]int32, error) {
	switch kind {
	case varint:
		v, err := d.decodeInt32()
		return append(to, v), err
	case bytesOf:
		values, err := d.decodePackedInt32()
		if to == nil {
			return values, err
		}
		return append(to, values...), err
	}
	return to, fmt.Errorf("wire type %d", kind)
}

// keep adds an unknown field to those of the message.
func (d *decoder) keep(unknown *[]byte, number, kind int) error {
	b, err := d.skip(number, kind)
	if err != nil {
		return err
	}
	*unknown = append(*unknown, b...)
	return nil
}

// skip returns the whole field whose tag has just been read.
func (d *decoder) skip(number, kind int) ([]byte, error) {
	from := d.at - sizeTag(number)
	var err error
	n := 0
	switch kind {
	case varint:
		_, err = d.varint()
	case fixed64:
		n = 8
	case fixed32:
		n = 4
	case bytesOf:
		_, err = d.decodeBytes()
	default:
		err = errTag
	}
	if err == nil && n > len(d.b)-d.at {
		err = io.ErrUnexpectedEOF
	}
	if err != nil || from < 0 {
		return nil, errors.Join(err, errTag)
	}
	d.at += n
	return d.b[from:d.at], nil
}
