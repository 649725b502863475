package schema

import (
	"iter"
	"net/netip"
	"unsafe"

	"github.com/hotpb/hotpb/go/wire"
)

// words are the words of a repeated column.
func (f Fields) words(h Handle) []uint64 {
	r := f.read(h)
	if r == nil {
		return nil
	}
	return f.d.tables[r.list].rows(f.at(r.slot))
}

// Uints returns the elements of a column without a copy. They are valid until the row decodes again; do not change
// them.
func (f Fields) Uints(c UintList) []uint64 { return f.words(c.Handle) }

// Ints returns the elements of a column without a copy, like Uints.
func (f Fields) Ints(c IntList) []int64 {
	words := f.words(c.Handle)
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(words))), len(words)) // the same bits
}

// Floats returns the elements of a column.
func (f Fields) Floats(c FloatList) Values[float64] {
	return values(f, c.Handle, func(_ *decoder, kind wire.Kind, word uint64) float64 { return floatOf(kind, word) })
}

// Bools returns the elements of a column.
func (f Fields) Bools(c BoolList) Values[bool] {
	return values(f, c.Handle, func(_ *decoder, _ wire.Kind, word uint64) bool { return word != 0 })
}

// Enums returns the elements of a column: numbers of an enum.
func (f Fields) Enums(c EnumList) Values[int32] {
	return values(f, c.Handle, func(_ *decoder, _ wire.Kind, word uint64) int32 { return int32(word) })
}

// Strings returns the elements of a column.
func (f Fields) Strings(c StringList) Values[string] {
	return values(f, c.Handle, func(d *decoder, _ wire.Kind, word uint64) string {
		b := d.text(word)
		return unsafe.String(unsafe.SliceData(b), len(b))
	})
}

// BytesList returns the elements of a column.
func (f Fields) BytesList(c BytesList) Values[[]byte] {
	return values(f, c.Handle, func(d *decoder, _ wire.Kind, word uint64) []byte { return d.text(word) })
}

// IPs returns the elements of a column.
func (f Fields) IPs(c IPList) Values[netip.Addr] {
	return values(f, c.Handle, func(d *decoder, _ wire.Kind, word uint64) netip.Addr { return addressOf(d.text(word)) })
}

// Messages returns the messages of a repeated column.
func (f Fields) Messages(c MessageList) Messages { return f.messages(c.Handle) }

func (f Fields) messages(h Handle) Messages {
	r := f.read(h)
	if r == nil {
		return Messages{}
	}
	return f.run(r.child, f.at(r.slot))
}

// run returns the messages of a run.
func (f Fields) run(child uint32, run uint64) Messages {
	t, n := &f.d.plan.types[child], int(run&runLength)
	table := &f.d.tables[child]
	at := int(run>>runShift) * t.width
	if n == 0 || at+n*t.width > len(table.slots) { // none, or from a row that has decoded again
		return Messages{d: f.d, t: t}
	}
	return Messages{f.d, t, &table.slots[at], n}
}

// Values are the elements of a column. They are valid as long as the row's Fields are. An index that is out of range
// panics.
type Values[T any] struct {
	words []uint64
	d     *decoder
	kind  wire.Kind
	value func(d *decoder, kind wire.Kind, word uint64) T
}

func values[T any](f Fields, h Handle, value func(*decoder, wire.Kind, uint64) T) Values[T] {
	r := f.read(h)
	if r == nil {
		return Values[T]{}
	}
	return Values[T]{f.d.tables[r.list].rows(f.at(r.slot)), f.d, r.kind, value}
}

// Len returns the number of elements.
func (v Values[T]) Len() int { return len(v.words) }

// At returns the element at index i.
func (v Values[T]) At(i int) T { return v.value(v.d, v.kind, v.words[i]) }

// All iterates over index and value.
func (v Values[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := range v.words {
			if !yield(i, v.At(i)) {
				return
			}
		}
	}
}

// Messages are messages of one type, or entries of a map. They are valid as long as the row's Fields are. An index that
// is out of range panics.
type Messages struct {
	d     *decoder
	t     *rowType
	first *uint64 // of n rows
	n     int
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
