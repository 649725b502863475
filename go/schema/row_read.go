package schema

import (
	"net/netip"
	"time"
	"unsafe"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/wire"
)

// Fields are the values of one decoded message, the root of a row or one inside it. It is a small value, valid
// until the row decodes again. An absent column reads as its default, a closed enum without one as its first
// value, all others as zero or empty. The same holds for a handle of another message or of a column that is off.
type Fields struct {
	d   *decoder
	t   *rowType
	row *uint64 // the first of t.width words
}

// read returns how a handle is read, or nil.
func (f Fields) read(h Handle) *read {
	if t := f.t; t != nil && h.scope == t.scope && int(h.index) < len(t.reads) {
		if r := &t.reads[h.index]; r.scope == h.scope {
			return r
		}
	}
	return nil
}

// at returns a word of the row. Slots come from the row's own type, and are below its width.
func (f Fields) at(slot uint32) uint64 {
	return *(*uint64)(unsafe.Add(unsafe.Pointer(f.row), uintptr(slot)*8))
}

// word returns the word of a column.
func (f Fields) word(h Handle) uint64 {
	r := f.read(h)
	switch {
	case r == nil:
		return 0
	case r.preset:
		return f.orAbsent(r)
	}
	return f.at(r.slot)
}

// orAbsent returns the word of a column whose absent value is not zero.
func (f Fields) orAbsent(r *read) uint64 {
	if f.has(r) {
		return f.at(r.slot)
	}
	return r.absent
}

// text returns the bytes of a column.
func (f Fields) text(h Handle) []byte {
	r := f.read(h)
	switch {
	case r == nil:
		return nil
	case r.preset && !f.has(r):
		return r.text
	}
	return f.d.text(f.at(r.slot))
}

// Has reports whether a column has a value: with explicit presence, whether it was in the message; else whether it
// is not zero, or not empty.
func (f Fields) Has(h Handle) bool {
	r := f.read(h)
	return r != nil && f.has(r)
}

func (f Fields) has(r *read) bool {
	switch {
	case r.member != 0:
		return f.at(r.choice) == r.member
	case r.bit != 0:
		return f.at(r.word)&r.bit != 0
	case r.column.Repeated:
		return f.at(r.slot)&runLength != 0
	case r.kind == wire.String || r.kind == wire.Bytes:
		return uint32(f.at(r.slot)) != 0
	}
	return f.at(r.slot) != 0
}

// Uint returns the value of a column of unsigned numbers.
func (f Fields) Uint(c UintColumn) uint64 { return f.word(c.Handle) }

// Int returns the value of a column of signed numbers.
func (f Fields) Int(c IntColumn) int64 { return int64(f.word(c.Handle)) }

// Bool returns the value of a bool column.
func (f Fields) Bool(c BoolColumn) bool { return f.word(c.Handle) != 0 }

// Float returns the value of a column of floats or doubles.
func (f Fields) Float(c FloatColumn) float64 {
	if r := f.read(c.Handle); r != nil {
		if r.preset {
			return floatOf(r.kind, f.orAbsent(r))
		}
		return floatOf(r.kind, f.at(r.slot))
	}
	return 0
}

// Enum returns the number of an enum column.
func (f Fields) Enum(c EnumColumn) int32 { return int32(f.word(c.Handle)) }

// String returns the value of a string column, in the memory of the row, or of the input with Alias.
func (f Fields) String(c StringColumn) string {
	b := f.text(c.Handle)
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// Bytes returns the value of a bytes column, in the memory of the row, or of the input with Alias. Do not change
// it.
func (f Fields) Bytes(c BytesColumn) []byte { return f.text(c.Handle) }

// text returns the bytes that a word represents.
func (d *decoder) text(word uint64) []byte {
	if word == 0 {
		return nil
	}
	from, n := word>>32&runLength, uint64(uint32(word))
	if from+n > uint64(len(d.data)) {
		return nil // from a row that has decoded again
	}
	return d.data[from : from+n : from+n]
}

// IP returns the value of a column of addresses, IPv4 as such; the zero Addr if the bytes are neither 16 nor 4.
func (f Fields) IP(c IPColumn) netip.Addr { return addressOf(f.text(c.Handle)) }

func addressOf(b []byte) netip.Addr {
	a, _ := netip.AddrFromSlice(b)
	return a.Unmap()
}

// MAC returns the value of a column of hardware addresses.
func (f Fields) MAC(c MACColumn) uint64 { return f.word(c.Handle) }

// Time returns the value of a timestamp, in UTC. Absent, it is 1970.
func (f Fields) Time(c TimeColumn) time.Time {
	r := f.read(c.Handle)
	if r == nil {
		return time.Unix(0, 0).UTC()
	}
	v, nanos := f.secondsNanos(r)
	return encode.TimeOf(uint8(r.column.Unit), v, nanos)
}

// Duration returns the value of a duration.
func (f Fields) Duration(c DurationColumn) time.Duration {
	r := f.read(c.Handle)
	if r == nil {
		return 0
	}
	v, nanos := f.secondsNanos(r)
	return durationOf(r.column, v, nanos)
}

// secondsNanos returns the number of a timestamp or duration, and the nanoseconds of one that is a message.
func (f Fields) secondsNanos(r *read) (v int64, nanos int32) {
	if r.kind != wire.Message {
		return int64(f.orAbsent(r)), 0
	}
	m := f.nested(r, f.at(r.slot))
	for _, o := range m.t.columns {
		switch o.column.Number {
		case 1:
			v = int64(m.at(o.slot))
		case 2:
			nanos = int32(m.at(o.slot))
		}
	}
	return v, nanos
}

// Message returns the message of a column. If it is absent, so are all its columns; Has reports that.
func (f Fields) Message(c MessageColumn) Fields {
	r := f.read(c.Handle)
	if r == nil {
		return Fields{}
	}
	return f.nested(r, f.at(r.slot))
}

func (f Fields) nested(r *read, word uint64) Fields {
	t := &f.d.plan.types[r.child]
	table := &f.d.tables[r.child]
	at := (int(word) - 1) * t.width
	if word == 0 || at+t.width > len(table.slots) { // absent, or from a row that has decoded again
		return Fields{f.d, t, &f.d.plan.zeros[0]}
	}
	return Fields{f.d, t, &table.slots[at]}
}

// Unknown returns the encoded records that belong to no column, in their order. Only messages with KeepUnknown
// have some.
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

func (d *decoder) record(word uint64) []byte {
	if word&recordMade == 0 {
		return d.text(word)
	}
	from, n := word>>32&runLength, uint64(uint32(word))
	if from+n > uint64(len(d.made)) {
		return nil // from a row that has decoded again
	}
	return d.made[from : from+n : from+n]
}
