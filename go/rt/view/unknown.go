package view

import (
	"slices"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// UnknownField is a record that the schema does not define, a record of an extension, or an undefined value of a
// closed enum.
type UnknownField struct {
	Number uint32
	Type   wire.Type

	record []byte // unchanged; nil for a value of a closed enum
	value  uint64
}

// Append appends the record with its tag: unchanged, or as one varint record for a value of a closed enum.
func (u UnknownField) Append(dst []byte) []byte {
	if u.record != nil {
		return append(dst, u.record...)
	}
	return wire.AppendVarint(wire.AppendTag(dst, u.Number, wire.VarintType), u.value)
}

// UnknownFields iterates over the unknown fields of a message, in their order.
type UnknownFields struct {
	b          []byte
	i, end     uint32
	group      []wire.MessageTable
	message    *wire.MessageTable
	extensions []*wire.FieldTable
	current    UnknownField

	// The undefined values inside one record of a closed enum.
	values Elems
	closed *wire.EnumTable
}

// Without leaves out the records of the extensions, which are otherwise among the unknown fields.
func (u UnknownFields) Without(extensions ...*wire.FieldTable) UnknownFields {
	u.extensions = extensions
	return u
}

// Field returns the current unknown field.
func (u *UnknownFields) Field() UnknownField { return u.current }

// Next moves to the next unknown field and reports whether there is one.
func (u *UnknownFields) Next() bool {
	for {
		if u.closed != nil {
			for u.values.Next() {
				if v := int32(u.values.current()); !u.closed.Has(v) {
					u.current = UnknownField{Number: u.values.number, Type: wire.VarintType, value: uint64(int64(v))}
					return true
				}
			}
			u.closed = nil
		}
		if u.i >= u.end {
			return false
		}
		start := u.i
		if u.i = skipRecord(u.b, start, u.end); u.i == 0 {
			u.end = 0
			return false
		}
		if u.unknown(start, u.i) {
			return true
		}
	}
}

// unknown reports whether the record is an unknown field as a whole.
func (u *UnknownFields) unknown(start, end uint32) bool {
	tag, at := wire.ReadTag(u.b, int(start))
	u.current = UnknownField{Number: tag.Number(), Type: tag.Type(), record: u.b[start:end:end]}
	f := u.field(tag, at, end)
	switch {
	case f == nil:
		return !slices.Contains(u.message.Dropped, tag.Number())
	case f.Flags&wire.Map != 0:
		e := findEntry(u.b[:end], firstOf(wire.ReadBytes(u.b, at)), 0, wire.MakeTag(2, wire.VarintType))
		closed := u.entry(f).Fields[1].Closed
		return closed != nil && e.value.Has() && !closed.Has(int32((Value{u.b, e.value}).Varint()))
	case f.Closed != nil:
		u.values = Elems{b: u.b, i: start, end: end, number: f.Number, t: wire.VarintType}
		u.closed = f.Closed
	}
	return false
}

func firstOf(start, _ int) int { return start }

func (u *UnknownFields) entry(f *wire.FieldTable) *wire.MessageTable {
	group := u.group
	if f.Child != nil {
		group = *f.Child
	}
	return &group[f.Index]
}

// field finds the field, or the extension passed to Without, that the record belongs to.
func (u *UnknownFields) field(tag wire.Tag, at int, end uint32) *wire.FieldTable {
	if k := u.message.Find(tag.Number()); k >= 0 {
		if f := &u.message.Fields[k]; f.Matches(tag.Type()) {
			return f
		}
		return nil
	}
	for _, f := range u.extensions {
		if f.Flags&wire.SetItem != 0 {
			if tag == itemTag {
				stop, _ := wire.SkipGroup(u.b[:end], at, 1, 1<<15-1)
				if id, complete := readItem(u.b[:stop], at); complete && id == f.Number {
					return f
				}
			}
		}
		if f.Number == tag.Number() && f.Matches(tag.Type()) {
			return f
		}
	}
	return nil
}
