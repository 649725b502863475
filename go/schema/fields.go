package schema

import (
	"iter"
	"net/netip"
	"time"
	"unsafe"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/row"
	"github.com/hotpb/hotpb/go/wire"
)

// Fields are the values of one decoded message, the root of a row or one inside it. It is a small value, valid
// until the row decodes again. An absent column reads as its default, a closed enum without one as its first
// value, all others as zero or empty. The same holds for a handle of another message or of a column that is off.
type Fields struct{ f row.Fields }

// Has reports whether a column has a value: with explicit presence, whether it was in the message; else whether it
// is not zero, or not empty.
func (f Fields) Has(h Handle) bool { return f.f.Has(h.h) }

// Uint returns the value of a column of unsigned numbers.
func (f Fields) Uint(c UintColumn) uint64 { return f.f.Word(c.h) }

// Int returns the value of a column of signed numbers.
func (f Fields) Int(c IntColumn) int64 { return int64(f.f.Word(c.h)) }

// Bool returns the value of a bool column.
func (f Fields) Bool(c BoolColumn) bool { return f.f.Word(c.h) != 0 }

// Float returns the value of a column of floats or doubles.
func (f Fields) Float(c FloatColumn) float64 { return f.f.Float(c.h) }

// Enum returns the number of an enum column.
func (f Fields) Enum(c EnumColumn) int32 { return int32(f.f.Word(c.h)) }

// String returns the value of a string column, in the memory of the row, or of the input with Alias.
func (f Fields) String(c StringColumn) string {
	b := f.f.Text(c.h)
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// Bytes returns the value of a bytes column, in the memory of the row, or of the input with Alias. Do not change
// it.
func (f Fields) Bytes(c BytesColumn) []byte { return f.f.Text(c.h) }

// IP returns the value of a column of addresses, IPv4 as such; the zero Addr if the bytes are neither 16 nor 4.
func (f Fields) IP(c IPColumn) netip.Addr { return row.Address(f.f.Text(c.h)) }

// MAC returns the value of a column of hardware addresses.
func (f Fields) MAC(c MACColumn) uint64 { return f.f.Word(c.h) }

// Time returns the value of a timestamp, in UTC. Absent, it is 1970.
func (f Fields) Time(c TimeColumn) time.Time { return f.f.Time(c.h) }

// Duration returns the value of a duration.
func (f Fields) Duration(c DurationColumn) time.Duration { return f.f.Duration(c.h) }

// Message returns the message of a column. If it is absent, so are all its columns; Has reports that.
func (f Fields) Message(c MessageColumn) Fields { return Fields{f.f.Message(c.h)} }

// Entries returns the entries of a map, sorted by key: numbers by value, false before true, strings by their
// bytes. Keys are unique: of the entries with one key, the last one counts. The handles of the entry's columns
// read key and value.
func (f Fields) Entries(c MapColumn) Messages { return Messages{f.f.Messages(c.h)} }

// Entry finds the entry of a map by its key: a string, a signed number, or an unsigned number, which stands for a bool,
// too, as 0 or 1. A key of another type than the map's is not found.
func Entry[K string | int64 | uint64](f Fields, c MapColumn, key K) (entry Fields, found bool) {
	e, found := row.Entry(f.f, c.h, key)
	return Fields{e}, found
}

// Unknown returns the encoded records that belong to no column, in their order. Only messages with KeepUnknown
// have some.
func (f Fields) Unknown() func(yield func(records []byte) bool) { return f.f.Unknown() }

// Append appends the encoded message: columns by ascending number, maps by key, unknown fields last, everything in
// its shortest form. A message that was decoded with AllowPartial is written as it is.
func (f Fields) Append(dst []byte) []byte { return f.f.Append(dst) }

// Debug prints the values for people and for comparisons in tests: like protobuf's text format on one line,
// columns by ascending number, maps by key, enums by name, addresses and times in their usual form, unknown fields
// as hex. Equal rows print equally.
func (f Fields) Debug() string { return f.f.Debug() }

// Uints returns the elements of a column without a copy. They are valid until the row decodes again; do not change
// them.
func (f Fields) Uints(c UintList) []uint64 { return f.f.Words(c.h) }

// Ints returns the elements of a column without a copy, like Uints.
func (f Fields) Ints(c IntList) []int64 {
	words := f.f.Words(c.h)
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(words))), len(words)) // the same bits
}

// Floats returns the elements of a column.
func (f Fields) Floats(c FloatList) FloatValues {
	return FloatValues{elements{f.f.Words(c.h)}, f.f.Kind(c.h)}
}

// Bools returns the elements of a column.
func (f Fields) Bools(c BoolList) BoolValues { return BoolValues{elements{f.f.Words(c.h)}} }

// Enums returns the elements of a column.
func (f Fields) Enums(c EnumList) EnumValues { return EnumValues{elements{f.f.Words(c.h)}} }

// Strings returns the elements of a column.
func (f Fields) Strings(c StringList) StringValues {
	return StringValues{elements{f.f.Words(c.h)}, f.f.Decoder()}
}

// BytesList returns the elements of a column.
func (f Fields) BytesList(c BytesList) BytesValues {
	return BytesValues{elements{f.f.Words(c.h)}, f.f.Decoder()}
}

// IPs returns the elements of a column.
func (f Fields) IPs(c IPList) IPValues { return IPValues{elements{f.f.Words(c.h)}, f.f.Decoder()} }

// Messages returns the messages of a repeated column.
func (f Fields) Messages(c MessageList) Messages { return Messages{f.f.Messages(c.h)} }

// The lists of a row are valid as long as its Fields are. An index that is out of range panics.
type (
	// FloatValues are floats or doubles.
	FloatValues struct {
		elements
		kind wire.Kind
	}
	// BoolValues are bools.
	BoolValues struct{ elements }
	// EnumValues are numbers of an enum.
	EnumValues struct{ elements }
	// StringValues are strings.
	StringValues struct {
		elements
		d *row.Decoder
	}
	// BytesValues are bytes.
	BytesValues struct {
		elements
		d *row.Decoder
	}
	// IPValues are addresses.
	IPValues struct {
		elements
		d *row.Decoder
	}
	// Messages are messages of one type, or entries of a map.
	Messages struct{ m row.Messages }
)

// elements are the words of a list.
type elements struct{ words []uint64 }

// Len returns the number of elements.
func (e elements) Len() int { return len(e.words) }

// At returns the element at index i.
func (v FloatValues) At(i int) float64 { return encode.FloatOf(v.kind, v.words[i]) }

// All iterates over index and value.
func (v FloatValues) All() iter.Seq2[int, float64] { return all(v.Len(), v.At) }

// At returns the element at index i.
func (v BoolValues) At(i int) bool { return v.words[i] != 0 }

// All iterates over index and value.
func (v BoolValues) All() iter.Seq2[int, bool] { return all(v.Len(), v.At) }

// At returns the element at index i.
func (v EnumValues) At(i int) int32 { return int32(v.words[i]) }

// All iterates over index and value.
func (v EnumValues) All() iter.Seq2[int, int32] { return all(v.Len(), v.At) }

// At returns the element at index i.
func (v StringValues) At(i int) string {
	b := v.d.Text(v.words[i])
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// All iterates over index and value.
func (v StringValues) All() iter.Seq2[int, string] { return all(v.Len(), v.At) }

// At returns the element at index i.
func (v BytesValues) At(i int) []byte { return v.d.Text(v.words[i]) }

// All iterates over index and value.
func (v BytesValues) All() iter.Seq2[int, []byte] { return all(v.Len(), v.At) }

// At returns the element at index i.
func (v IPValues) At(i int) netip.Addr { return row.Address(v.d.Text(v.words[i])) }

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
func (m Messages) Len() int { return m.m.Len() }

// At returns the message at index i.
func (m Messages) At(i int) Fields { return Fields{m.m.At(i)} }

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
