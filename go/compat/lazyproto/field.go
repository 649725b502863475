package lazyproto

import (
	"unsafe"

	rt "github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/wire"
)

// FieldData is a field that the message has: its records, whose values the getters decode. All getters of a nil FieldData,
// and of the zero one, return [ErrTagNotFound].
type FieldData struct {
	pass        *pass
	serial      uint32
	slot        int
	first, last int // its records in the slot's column
}

func (f *FieldData) records() []record { return f.pass.columns[f.slot][f.first:f.last] }

// check returns the error of a field that cannot be read.
func (f *FieldData) check() error {
	if f == nil || f.pass == nil {
		return ErrTagNotFound
	}
	if f.serial != f.pass.serial.Load() {
		return ErrClosed
	}
	if f.first == f.last {
		return ErrTagNotFound
	}
	return nil
}

// mismatch is the error of a field that has no record of a wire type.
func (f *FieldData) mismatch(want wire.Type) error {
	return &WireTypeMismatchError{Got: f.pass.columns[f.slot][f.last-1].kind, Want: want}
}

// value returns the bytes of the last record of a wire type.
func (f *FieldData) value(kind wire.Type) ([]byte, record, error) {
	if err := f.check(); err != nil {
		return nil, record{}, err
	}
	records := f.records()
	for i := len(records) - 1; i >= 0; i-- {
		if r := records[i]; r.kind == kind {
			return f.pass.data[r.start:r.end:r.end], r, nil
		}
	}
	return nil, record{}, f.mismatch(kind)
}

// varint returns the number in the last record that is a varint.
func (f *FieldData) varint() (uint64, error) {
	b, _, err := f.value(wire.VarintType)
	if err != nil {
		return 0, err
	}
	v, _ := rt.ReadVarint(b, 0)
	return v, nil
}

func (f *FieldData) fixed32() (uint32, error) {
	b, _, err := f.value(wire.Fixed32Type)
	if err != nil {
		return 0, err
	}
	v, _ := rt.ReadFixed32(b, 0)
	return v, nil
}

func (f *FieldData) fixed64() (uint64, error) {
	b, _, err := f.value(wire.Fixed64Type)
	if err != nil {
		return 0, err
	}
	v, _ := rt.ReadFixed64(b, 0)
	return v, nil
}

// packed is how the elements of a type are read from packed records, and from others.
type packed[T any] struct {
	kind wire.Type
	read func(dst []T, b []byte)
	room func(*scratch) *[]T
}

// numbers returns the elements of all records.
func numbers[T any](f *FieldData, p *packed[T]) ([]T, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	n, fits := 0, false
	for _, r := range f.records() {
		switch r.kind {
		case p.kind:
			n++
		case wire.BytesType:
			count, err := f.count(r, p.kind)
			if err != nil {
				return nil, err
			}
			n += count
		default:
			continue
		}
		fits = true
	}
	if !fits {
		return nil, f.mismatch(p.kind)
	}
	values := room(f, n, p.room)
	rest := values
	for _, r := range f.records() {
		b, count := f.pass.data[r.start:r.end], 1
		switch r.kind {
		case p.kind:
		case wire.BytesType:
			count, _ = f.count(r, p.kind)
		default:
			continue
		}
		p.read(rest[:count], b)
		rest = rest[count:]
	}
	return values, nil
}

// count returns the number of elements in a packed record.
func (f *FieldData) count(r record, kind wire.Type) (int, error) {
	b := f.pass.data[r.start:r.end]
	width := 8
	switch kind {
	case wire.VarintType:
		count, bad, code := rt.CountVarints(b)
		if code != 0 {
			return 0, &wire.Error{Code: code, Offset: int64(r.start) + int64(bad)}
		}
		return count, nil
	case wire.Fixed32Type:
		width = 4
	}
	if over := len(b) % width; over != 0 {
		return 0, &wire.Error{Code: wire.Truncated, Offset: int64(r.end) - int64(over)}
	}
	return len(b) / width, nil
}

// texts returns the values of all records with a length.
func texts[T any](f *FieldData, in func(*scratch) *[]T, text func(p *pass, r record) (T, error)) ([]T, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	n := 0
	for _, r := range f.records() {
		if r.kind == wire.BytesType {
			n++
		}
	}
	if n == 0 {
		return nil, f.mismatch(wire.BytesType)
	}
	values := room(f, n, in)[:0]
	for _, r := range f.records() {
		if r.kind != wire.BytesType {
			continue
		}
		v, err := text(f.pass, r)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

func textOf(p *pass, r record) (string, error) {
	b := p.data[r.start:r.end]
	if p.d.utf8 && !rt.ValidUTF8(b) {
		return "", invalid(b, r)
	}
	if p.d.mode == wire.Fast {
		return unsafe.String(unsafe.SliceData(b), len(b)), nil
	}
	return string(b), nil
}

// invalid is the error of a string that is not UTF-8. A Decoder knows the place.
func invalid(b []byte, r record) error {
	start := int64(r.start)
	d := wire.NewDecoder(rt.AppendBytes(nil, b))
	_, err := d.DecodeString()
	if e, is := err.(*wire.Error); is {
		return &wire.Error{Code: e.Code, Offset: start + e.Offset - int64(rt.SizeVarint(uint64(len(b))))}
	}
	return &wire.Error{Code: wire.InvalidUtf8, Offset: start}
}

func bytesOf(p *pass, r record) ([]byte, error) {
	b := p.data[r.start:r.end:r.end]
	if p.d.mode == wire.Fast {
		return b, nil
	}
	return append(make([]byte, 0, len(b)), b...), nil
}
