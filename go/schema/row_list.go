package schema

import (
	"iter"
	"net/netip"
	"unsafe"
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
func (f Fields) Floats(c FloatList) FloatValues {
	if r := f.read(c.Handle); r != nil {
		return FloatValues{f.words(c.Handle), r}
	}
	return FloatValues{}
}

// Bools returns the elements of a column.
func (f Fields) Bools(c BoolList) BoolValues { return BoolValues{f.words(c.Handle)} }

// Enums returns the elements of a column.
func (f Fields) Enums(c EnumList) EnumValues { return EnumValues{f.words(c.Handle)} }

// Strings returns the elements of a column.
func (f Fields) Strings(c StringList) StringValues { return StringValues{f.words(c.Handle), f.d} }

// BytesList returns the elements of a column.
func (f Fields) BytesList(c BytesList) BytesValues { return BytesValues{f.words(c.Handle), f.d} }

// IPs returns the elements of a column.
func (f Fields) IPs(c IPList) IPValues { return IPValues{f.words(c.Handle), f.d} }

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

// The lists of a row are valid as long as its Fields are. An index that is out of range panics.
type (
	// FloatValues are floats or doubles.
	FloatValues struct {
		words []uint64
		r     *read
	}
	// BoolValues are bools.
	BoolValues struct{ words []uint64 }
	// EnumValues are numbers of an enum.
	EnumValues struct{ words []uint64 }
	// StringValues are strings.
	StringValues struct {
		words []uint64
		d     *decoder
	}
	// BytesValues are bytes.
	BytesValues struct {
		words []uint64
		d     *decoder
	}
	// IPValues are addresses.
	IPValues struct {
		words []uint64
		d     *decoder
	}
	// Messages are messages of one type, or entries of a map.
	Messages struct {
		d     *decoder
		t     *rowType
		first *uint64 // of n rows
		n     int
	}
)

// Len returns the number of elements.
func (v FloatValues) Len() int { return len(v.words) }

// At returns the element at index i.
func (v FloatValues) At(i int) float64 { return floatOf(v.r.kind, v.words[i]) }

// All iterates over index and value.
func (v FloatValues) All() iter.Seq2[int, float64] { return all(v.Len(), v.At) }

// Len returns the number of elements.
func (v BoolValues) Len() int { return len(v.words) }

// At returns the element at index i.
func (v BoolValues) At(i int) bool { return v.words[i] != 0 }

// All iterates over index and value.
func (v BoolValues) All() iter.Seq2[int, bool] { return all(v.Len(), v.At) }

// Len returns the number of elements.
func (v EnumValues) Len() int { return len(v.words) }

// At returns the element at index i.
func (v EnumValues) At(i int) int32 { return int32(v.words[i]) }

// All iterates over index and value.
func (v EnumValues) All() iter.Seq2[int, int32] { return all(v.Len(), v.At) }

// Len returns the number of elements.
func (v StringValues) Len() int { return len(v.words) }

// At returns the element at index i.
func (v StringValues) At(i int) string {
	b := v.d.text(v.words[i])
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// All iterates over index and value.
func (v StringValues) All() iter.Seq2[int, string] { return all(v.Len(), v.At) }

// Len returns the number of elements.
func (v BytesValues) Len() int { return len(v.words) }

// At returns the element at index i.
func (v BytesValues) At(i int) []byte { return v.d.text(v.words[i]) }

// All iterates over index and value.
func (v BytesValues) All() iter.Seq2[int, []byte] { return all(v.Len(), v.At) }

// Len returns the number of elements.
func (v IPValues) Len() int { return len(v.words) }

// At returns the element at index i.
func (v IPValues) At(i int) netip.Addr { return addressOf(v.d.text(v.words[i])) }

// All iterates over index and value.
func (v IPValues) All() iter.Seq2[int, netip.Addr] { return all(v.Len(), v.At) }

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
func (m Messages) All() iter.Seq2[int, Fields] {
	return func(yield func(int, Fields) bool) {
		for i := range m.Len() {
			if !yield(i, m.At(i)) {
				return
			}
		}
	}
}
