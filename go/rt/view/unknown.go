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
	b       []byte
	i, end  uint32
	group   []wire.MessageTable
	message *wire.MessageTable
	asked   []*wire.FieldTable
	current UnknownField

	// The undefined values inside one record of a closed enum.
	values Elems
	closed *wire.EnumTable
}

// Without leaves out the records of the extensions, which are otherwise among the unknown fields.
func (it UnknownFields) Without(extensions ...*wire.FieldTable) UnknownFields {
	it.asked = extensions
	return it
}

// Field returns the current unknown field.
func (it *UnknownFields) Field() UnknownField { return it.current }

// Next moves to the next unknown field and reports whether there is one.
func (it *UnknownFields) Next() bool {
	for {
		if it.closed != nil {
			for it.values.Next() {
				if v := int32(it.values.current()); !it.closed.Has(v) {
					it.current = UnknownField{Number: it.values.number, Type: wire.VarintType, value: uint64(int64(v))}
					return true
				}
			}
			it.closed = nil
		}
		if it.i >= it.end {
			return false
		}
		start := it.i
		if it.i = skipRecord(it.b, start, it.end); it.i == 0 {
			it.end = 0
			return false
		}
		if it.unknown(start, it.i) {
			return true
		}
	}
}

// unknown reports whether the record is an unknown field as a whole.
func (it *UnknownFields) unknown(start, end uint32) bool {
	tag, at := wire.ReadTag(it.b, int(start))
	it.current = UnknownField{Number: tag.Number(), Type: tag.Type(), record: it.b[start:end:end]}
	f := it.field(tag, at, end)
	switch {
	case f == nil:
		return !slices.Contains(it.message.Dropped, tag.Number())
	case f.Flags&wire.Map != 0:
		e := findEntry(it.b[:end], firstOf(wire.ReadBytes(it.b, at)), 0, wire.MakeTag(2, wire.VarintType))
		closed := it.entry(f).Fields[1].Closed
		return closed != nil && e.value.Has() && !closed.Has(int32((Value{it.b, e.value}).Varint()))
	case f.Closed != nil:
		it.values = Elems{b: it.b, i: start, end: end, number: f.Number, t: wire.VarintType}
		it.closed = f.Closed
	}
	return false
}

func firstOf(start, _ int) int { return start }

func (it *UnknownFields) entry(f *wire.FieldTable) *wire.MessageTable {
	group := it.group
	if f.Child != nil {
		group = *f.Child
	}
	return &group[f.Index]
}

// field finds the field, or the extension passed to Without, that the record belongs to.
func (it *UnknownFields) field(tag wire.Tag, at int, end uint32) *wire.FieldTable {
	if k := it.message.Find(tag.Number()); k >= 0 {
		if f := &it.message.Fields[k]; f.Matches(tag.Type()) {
			return f
		}
		return nil
	}
	for _, f := range it.asked {
		if f.Flags&wire.SetItem != 0 {
			if tag == itemTag {
				stop, _ := wire.SkipGroup(it.b[:end], at, 1, 1<<15-1)
				if id, complete := readItem(it.b[:stop], at); complete && id == f.Number {
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
