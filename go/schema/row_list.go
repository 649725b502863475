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
	if r := f.read(c.Handle); r != nil {
		return Values[float64]{f.words(c.Handle), f.d, r.kind}
	}
	return Values[float64]{}
}

// Bools returns the elements of a column.
func (f Fields) Bools(c BoolList) Values[bool] { return Values[bool]{words: f.words(c.Handle), d: f.d} }

// Enums returns the elements of a column.
func (f Fields) Enums(c EnumList) Values[int32] {
	return Values[int32]{words: f.words(c.Handle), d: f.d}
}

// Strings returns the elements of a column.
func (f Fields) Strings(c StringList) Values[string] {
	return Values[string]{words: f.words(c.Handle), d: f.d}
}

// BytesList returns the elements of a column.
func (f Fields) BytesList(c BytesList) Values[[]byte] {
	return Values[[]byte]{words: f.words(c.Handle), d: f.d}
}

// IPs returns the elements of a column.
func (f Fields) IPs(c IPList) Values[netip.Addr] {
	return Values[netip.Addr]{words: f.words(c.Handle), d: f.d}
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

// Values are the elements of a repeated column. They are valid as long as the row's Fields are. An index that is out
// of range panics.
type Values[T bool | int32 | float64 | string | []byte | netip.Addr] struct {
	words []uint64
	d     *decoder
	kind  wire.Kind // of floats
}

// Len returns the number of elements.
func (v Values[T]) Len() int { return len(v.words) }

// At returns the element at index i.
func (v Values[T]) At(i int) (element T) {
	word := v.words[i]
	switch to := any(&element).(type) {
	case *bool:
		*to = word != 0
	case *int32:
		*to = int32(word)
	case *float64:
		*to = floatOf(v.kind, word)
	case *string:
		b := v.d.text(word)
		*to = unsafe.String(unsafe.SliceData(b), len(b))
	case *[]byte:
		*to = v.d.text(word)
	case *netip.Addr:
		*to = addressOf(v.d.text(word))
	}
	return element
}

// All iterates over index and value.
func (v Values[T]) All() iter.Seq2[int, T] { return all(v.Len(), v.At) }

// Messages are messages of one type, or entries of a map. They are valid as long as the row's Fields are. An index
// that is out of range panics.
type Messages struct {
	d     *decoder
	t     *rowType
	first *uint64 // of n rows
	n     int
}

func all[T any](n int, at func(int) T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := range n {
			if !yield(i, at(i)) {
				return
			}
		}
	}
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
func (m Messages) All() iter.Seq2[int, Fields] { return all(m.Len(), m.At) }
