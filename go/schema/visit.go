package schema

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/row"
)

// Visitor is called for the contents of a message, in the order in which they come. Nothing is stored, merged or
// sorted: if a column comes twice, it is called for both values.
type Visitor interface {
	// Value is called for a number or text; of a repeated column for each element.
	Value(h Handle, v Value)
	// Begin is called at the start of a message, a group or an entry of a map, and End at its end. If Begin returns
	// false, Visit skips the contents, checks only their end, and does not call End.
	Begin(h Handle) bool
	End(h Handle)
	// Unknown is called for each record that belongs to no column, and for a value that a closed enum does not have.
	// It must not keep the slice.
	Unknown(record []byte)
}

// Value is a value of a column. Read it with the method for the column's kind.
type Value struct {
	word uint64
	text []byte
	kind wire.Kind
}

// Uint returns the value of a column of unsigned numbers.
func (v Value) Uint() uint64 { return v.word }

// Int returns the value of a column of signed numbers.
func (v Value) Int() int64 { return int64(v.word) }

// Float returns the value of a column of floats or doubles.
func (v Value) Float() float64 { return encode.FloatOf(v.kind, v.word) }

// Bool returns the value of a bool column.
func (v Value) Bool() bool { return v.word != 0 }

// Enum returns the number of an enum column.
func (v Value) Enum() int32 { return int32(v.word) }

// Bytes returns the value of a string or bytes column, within the input.
func (v Value) Bytes() []byte { return v.text }

// String returns the value of a string or bytes column, within the input, which must not change while the string
// is in use.
func (v Value) String() string { return unsafe.String(unsafe.SliceData(v.text), len(v.text)) }

// Visit reads a message and calls a visitor for its contents. It reports a fault when it reaches it, so the
// visitor has seen everything before. It does not check required columns.
func (p *Plan) Visit(b []byte, v Visitor) error { return p.VisitWith(b, v, UnmarshalOptions{}) }

// VisitWith is Visit with limits and rules, as far as they are about what is read and not about what is kept.
func (p *Plan) VisitWith(b []byte, v Visitor, o UnmarshalOptions) error {
	if p.isEmpty() {
		return errNoPlan()
	}
	rows, limits := p.rowPlan(), o.wire()
	if len(b) > limits.Size() {
		return &wire.Error{Code: wire.SizeExceeded}
	}
	visiting := visit{Visitor: v, types: rows.Types, reader: row.NewReader(o.Strict)}
	if visiting.message(&rows.Types[0], b, 0, 0, limits.Depth()) >= 0 {
		return nil
	}
	return rows.Explain(b, &limits, -1)
}

// failed is the result of the functions below on an error, whose cause is found afterwards.
const failed = -1

type visit struct {
	Visitor
	types  []row.Type
	reader row.Reader
	made   []byte // a record of a number that a closed enum does not have
}

// message reads b from i on, to its end or to the end tag of the group open.
func (v *visit) message(t *row.Type, b []byte, i int, open uint32, levels int) int {
	for i < len(b) {
		// Read the tag.
		start := i
		tag, i2 := wire.ReadTag(b, i)
		if i = i2; i < 0 {
			return failed
		}
		if tag.Type() == wire.EndGroup {
			if tag.Number() != open {
				return failed
			}
			return i
		}
		// Find the column.
		o := t.Cell(uint32(tag))
		h := Handle{}
		if o.Column != nil {
			h = Handle{o.Column.Handle}
		}
		// Call the visitor.
		switch o.Action {
		case row.DoUnknown:
			if i = wire.Skip(b, i, tag, levels); i < 0 {
				return failed
			}
			v.Unknown(b[start:i:i])
		case row.DoMessage, row.DoMessages, row.DoLeaves, row.DoMap:
			from, end := wire.ReadBytes(b, i)
			if end < 0 || levels <= 0 {
				return failed
			}
			if v.Begin(h) {
				if v.message(&v.types[o.Child], b[:end], from, 0, levels-1) < 0 {
					return failed
				}
				v.End(h)
			}
			i = end
		case row.DoGroup, row.DoGroups:
			if levels <= 0 {
				return failed
			}
			if !v.Begin(h) {
				if i = wire.Skip(b, i, tag, levels); i < 0 {
					return failed
				}
				continue
			}
			if i = v.message(&v.types[o.Child], b, i, o.Column.Number, levels-1); i < 0 {
				return failed
			}
			v.End(h)
		case row.DoElements:
			from, end := wire.ReadBytes(b, i)
			if end < 0 {
				return failed
			}
			for i = from; i < end; {
				if i = v.value(h, o, b[:end], i); i < 0 {
					return failed
				}
			}
		default:
			if i = v.value(h, o, b, i); i < 0 {
				return failed
			}
		}
	}
	if open != 0 {
		return failed
	}
	return i
}

// value reads one value.
func (v *visit) value(h Handle, o *row.Cell, b []byte, i int) int {
	word, i := v.reader.Word(o, b, i)
	if i < 0 {
		return failed
	}
	if o.Closed != nil && !o.Closed.Has(int32(word)) {
		v.made = wire.AppendTag(v.made[:0], o.Column.Number, wire.VarintType)
		v.made = wire.AppendInt32(v.made, int32(word))
		v.Unknown(v.made)
		return i
	}
	value := Value{word: word, kind: o.Kind}
	if o.Kind == wire.String || o.Kind == wire.Bytes {
		from, n := word>>32, uint64(uint32(word))
		value = Value{text: b[from : from+n : from+n], kind: o.Kind}
	}
	v.Value(h, value)
	return i
}
