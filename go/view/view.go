package view

import (
	rt "github.com/hotpb/hotpb/go/rt/view"
	"github.com/hotpb/hotpb/go/wire"
)

// MinGenerated and MaxGenerated are the versions of generated code that this runtime works with. Generated code of any
// other version does not compile.
const (
	MinGenerated = rt.MinGenerated
	MaxGenerated = rt.MaxGenerated
)

// Options are the limits and rules of one decode.
type Options = wire.Options

// Message is a nested message that has not been opened yet: pass it to OpenMessage of its view type. Several reports
// whether it came in several records; then opening merges them. Item returns the item of a message set.
type Message = rt.Message

// Messages iterates over the elements of a repeated message field without allocating:
//
//	var e EntryView
//	it := v.EntriesIter() // not in the loop, which would copy it in each turn
//	for it.Next() {
//		if err := e.OpenElement(&it); err != nil { … }
//	}
//
// Message returns the current element, All the elements as a sequence, and Nth(n) element n, walking over those before it.
type Messages = rt.Messages

// Entries iterates over the entries of a map field in input order. A later entry replaces an earlier one with the same
// key; the iterator returns both.
//
//	it := v.LabelsIter()
//	for it.Next() {
//		key, value := it.Key().String(), it.Value().Varint()
//	}
//
// Message returns the value of an entry that is a message.
type Entries = rt.Entries

// Value is a key or value of a map entry. Read it with the method for its type: Varint, Fixed32, Fixed64, Float, Double,
// String or ByteSlice. An absent one reads as zero, and Has reports it.
type Value = rt.Value

// The iterators over repeated fields. Next moves to the next element, Value returns it, and Nth(n) returns element n of a
// copy. They are values: a copy keeps the position. Strings and bytes are borrowed.
type (
	Int32Iter          = rt.Int32Iter
	Int64Iter          = rt.Int64Iter
	Uint32Iter         = rt.Uint32Iter
	Uint64Iter         = rt.Uint64Iter
	Sint32Iter         = rt.Sint32Iter
	Sint64Iter         = rt.Sint64Iter
	FloatIter          = rt.FloatIter
	DoubleIter         = rt.DoubleIter
	BoolIter           = rt.BoolIter
	EnumIter[E ~int32] = rt.EnumIter[E]
	StringIter         = rt.StringIter
	BytesIter          = rt.BytesIter
)

// UnknownFields iterates over the unknown fields of a message, in their order: Next moves to the next one, and Field
// returns it. Without(extensions...) leaves out the records of these extensions.
type UnknownFields = rt.UnknownFields

// UnknownField is a record that the schema does not define, a record of an extension, or an undefined value of a closed
// enum. Number and Type are those of its tag; Append appends the record with its tag to a slice.
type UnknownField = rt.UnknownField

// Buffer owns the bytes of one message that is edited. Keep it and reuse it for the next message: its memory grows to the
// size that the largest message needed. The zero Buffer is ready to use. Use it from one goroutine at a time.
//
// Bytes returns the encoded message in its current state; the next edit changes these bytes. Err returns the first error
// since the message was started: a value that the field does not accept (InvalidUtf8, TypeMismatch), a limit (SizeExceeded,
// DepthExceeded), an index out of range or a handle used out of turn (HandleMisuse), or the error of a message that could
// not be opened. An edit that fails changes nothing, so the message is always well-formed.
type Buffer = rt.Buffer

// Release says that b returns to its owner, for instance a pool, and that no view of it is in use any more. In builds
// with the tag hotpbdebug it overwrites the bytes, and every use of such a view panics; in other builds it does
// nothing.
func Release(b []byte) { rt.Release(b) }

// Expire says that the bytes of b are about to change: it is Release without overwriting.
func Expire(b []byte) { rt.Expire(b) }
