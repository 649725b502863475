package row

import (
	"iter"
	"net/netip"
	"time"
	"unsafe"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/plan"
	"github.com/hotpb/hotpb/go/wire"
)

// Fields are the values of one decoded message. An absent column reads as its default, and so does a handle of another
// message or of a column that is off.
type Fields struct {
	d   *Decoder
	t   *Type
	row *uint64 // the first of t.width words
}

// cell returns how a handle is read, or nil.
func (f Fields) cell(h plan.Handle) *Cell {
	if t := f.t; t != nil && h.Scope == t.scope && int(h.Index) < len(t.reads) {
		if o := &t.reads[h.Index]; o.scope == h.Scope {
			return o
		}
	}
	return nil
}

// at returns a word of the row. Slots come from the row's own type, and are below its width.
func (f Fields) at(slot uint32) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(f.row), uintptr(slot)*8))
}

// Word returns the word of a column.
func (f Fields) Word(h plan.Handle) uint64 {
	o := f.cell(h)
	switch {
	case o == nil:
		return 0
	case o.preset:
		return f.Value(o)
	}
	return f.at(o.slot)
}

// Value returns the word of a column of the message; of one that is absent, its default.
func (f Fields) Value(o *Cell) uint64 {
	if f.Present(o) {
		return f.at(o.slot)
	}
	return o.Column.Absent
}

// Text returns the bytes of a column.
func (f Fields) Text(h plan.Handle) []byte {
	o := f.cell(h)
	switch {
	case o == nil:
		return nil
	case o.preset && !f.Present(o):
		return o.Column.Text
	}
	return f.d.Text(f.at(o.slot))
}

// Has reports whether a column has a value.
func (f Fields) Has(h plan.Handle) bool {
	o := f.cell(h)
	return o != nil && f.Present(o)
}

// Present reports whether a column of the message has a value.
func (f Fields) Present(o *Cell) bool {
	switch {
	case o.member != 0:
		return f.at(o.choice) == o.member
	case o.bit != 0:
		return f.at(o.word)&o.bit != 0
	case o.Column.Repeated:
		return f.at(o.slot)&runLength != 0
	case o.Kind == wire.String || o.Kind == wire.Bytes:
		return uint32(f.at(o.slot)) != 0
	}
	return f.at(o.slot) != 0
}

// Float returns the value of a column of floats or doubles.
func (f Fields) Float(h plan.Handle) float64 {
	if o := f.cell(h); o != nil {
		if o.preset {
			return encode.FloatOf(o.Kind, f.Value(o))
		}
		return encode.FloatOf(o.Kind, f.at(o.slot))
	}
	return 0
}

// Text returns the bytes that a word represents.
func (d *Decoder) Text(word uint64) []byte {
	if word == 0 {
		return nil
	}
	from, n := word>>32&runLength, uint64(uint32(word))
	if from+n > uint64(len(d.data)) {
		return nil // from a row that has decoded again
	}
	return d.data[from : from+n : from+n]
}

// Address returns the address of 4 or 16 bytes.
func Address(b []byte) netip.Addr {
	a, _ := netip.AddrFromSlice(b)
	return a.Unmap()
}

// Time returns the value of a timestamp.
func (f Fields) Time(h plan.Handle) time.Time {
	o := f.cell(h)
	if o == nil {
		return time.Unix(0, 0).UTC()
	}
	v, nanos := f.secondsNanos(o)
	return encode.TimeOf(o.Column.Unit, v, nanos)
}

// Duration returns the value of a duration.
func (f Fields) Duration(h plan.Handle) time.Duration {
	o := f.cell(h)
	if o == nil {
		return 0
	}
	v, nanos := f.secondsNanos(o)
	return encode.DurationOf(o.Column.Unit, v, nanos)
}

// secondsNanos returns the number of a timestamp or duration, and the nanoseconds of one that is a message.
func (f Fields) secondsNanos(o *Cell) (v int64, nanos int32) {
	if o.Kind != wire.Message {
		return int64(f.Value(o)), 0
	}
	m := f.Nested(o)
	for _, c := range m.t.Columns {
		switch c.Column.Number {
		case 1:
			v = int64(m.at(c.slot))
		case 2:
			nanos = int32(m.at(c.slot))
		}
	}
	return v, nanos
}

// Message returns the message of a column. If it is absent, so are all its columns.
func (f Fields) Message(h plan.Handle) Fields {
	o := f.cell(h)
	if o == nil {
		return Fields{}
	}
	return f.Nested(o)
}

// Nested returns the message of a column of the message.
func (f Fields) Nested(o *Cell) Fields {
	word := f.at(o.slot)
	t := &f.d.plan.Types[o.Child]
	table := &f.d.tables[o.Child]
	at := (int(word) - 1) * t.width
	if word == 0 || at+t.width > len(table.slots) { // absent, or from a row that has decoded again
		return Fields{f.d, t, &f.d.plan.zeros[0]}
	}
	return Fields{f.d, t, &table.slots[at]}
}

// Decoder returns the decoder that has the texts of the message.
func (f Fields) Decoder() *Decoder { return f.d }

// Unknown returns the encoded records that belong to no column, in their order.
func (f Fields) Unknown() func(yield func(records []byte) bool) {
	return func(yield func([]byte) bool) {
		for _, word := range f.unknownRecords() {
			if !yield(f.d.record(word)) {
				return
			}
		}
	}
}

func (f Fields) unknownRecords() []uint64 {
	if f.t == nil || f.t.unknown < 0 {
		return nil
	}
	return f.d.tables[f.t.kept].rows(f.at(uint32(f.t.unknown)))
}

func (d *Decoder) record(word uint64) []byte {
	if word&recordMade == 0 {
		return d.Text(word)
	}
	from, n := word>>32&runLength, uint64(uint32(word))
	if from+n > uint64(len(d.made)) {
		return nil // from a row that has decoded again
	}
	return d.made[from : from+n : from+n]
}

// Words returns the words of a repeated column.
func (f Fields) Words(h plan.Handle) []uint64 {
	o := f.cell(h)
	if o == nil {
		return nil
	}
	return f.Elements(o)
}

// Elements returns the words of a repeated column of the message.
func (f Fields) Elements(o *Cell) []uint64 { return f.d.tables[o.list].rows(f.at(o.slot)) }

// Kind returns the kind of a column of the message; 0 for a handle of another.
func (f Fields) Kind(h plan.Handle) wire.Kind {
	if o := f.cell(h); o != nil {
		return o.Kind
	}
	return 0
}

// Messages are messages of one type, or entries of a map.
type Messages struct {
	d     *Decoder
	t     *Type
	first *uint64 // of n rows
	n     int
}

// Messages returns the messages of a repeated column.
func (f Fields) Messages(h plan.Handle) Messages {
	o := f.cell(h)
	if o == nil {
		return Messages{}
	}
	return f.Children(o)
}

// Children returns the messages of a repeated column of the message.
func (f Fields) Children(o *Cell) Messages {
	run := f.at(o.slot)
	t, n := &f.d.plan.Types[o.Child], int(run&runLength)
	table := &f.d.tables[o.Child]
	at := int(run>>runShift) * t.width
	if n == 0 || at+n*t.width > len(table.slots) { // none, or from a row that has decoded again
		return Messages{d: f.d, t: t}
	}
	return Messages{f.d, t, &table.slots[at], n}
}

// Len returns the number of messages.
func (m Messages) Len() int { return m.n }

// At returns the message at index i.
func (m Messages) At(i int) Fields {
	if uint(i) >= uint(m.n) {
		panic("hotpb: index out of range")
	}
	return Fields{m.d, m.t, (*uint64)(unsafe.Add(unsafe.Pointer(m.first), uintptr(i*m.t.width)*8))}
}

// All iterates over index and message.
func (m Messages) All() iter.Seq2[int, Fields] {
	return func(yield func(int, Fields) bool) {
		for i := range m.Len() {
			if !yield(i, m.At(i)) {
				return
			}
		}
	}
}
