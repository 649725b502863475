package view

import (
	"math"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// MapSpec describes a map field to this package; generated code holds one per map.
type MapSpec struct {
	Number      uint32
	Key, Value  wire.Kind
	VerifyKey   bool // strings that are checked by default
	VerifyValue bool
	Closed      *wire.EnumTable // the values of a closed enum
}

// Entries iterates over the entries of a map field in input order. A later entry replaces an earlier one with the
// same key; the iterator returns both.
type Entries struct {
	b          []byte
	i, end     uint32
	tag        wire.Tag
	current    entry
	keyTag     wire.Tag
	valueTag   wire.Tag
	closedEnum *wire.EnumTable
	rules
}

// entry holds the places of the parts of one map entry: the position of a number, the payload of a string or bytes,
// the records of a message.
type entry struct {
	key, value Span
	message    Sub
}

// Entries iterates over the entries of a map.
func (r *Raw) Entries(run Run, spec *MapSpec) Entries {
	if debug {
		r.check(r.b)
	}
	return Entries{
		b: r.b, i: run.first, end: run.end,
		tag:        wire.MakeTag(spec.Number, wire.BytesType),
		keyTag:     wire.MakeTag(1, spec.Key.Type()),
		valueTag:   wire.MakeTag(2, spec.Value.Type()),
		rules:      r.rules.below(),
		closedEnum: spec.Closed,
	}
}

// Next moves to the next entry and reports whether there is one.
func (e *Entries) Next() bool {
	for e.i < e.end {
		start, stop, next := record(e.b, e.i, e.end, e.tag, 0)
		if next == 0 {
			if e.i = skipRecord(e.b, e.i, e.end); e.i == 0 {
				e.end = 0
			}
			continue
		}
		e.i = next
		e.current = findEntry(e.b[:stop], int(start), e.keyTag, e.valueTag)
		if e.closedEnum == nil || e.current.value.at == 0 || e.closedEnum.Has(int32(e.Value().Varint())) {
			return true
		}
	}
	e.current = entry{}
	return false
}

// findEntry finds the parts of the entry between i and the end of b.
func findEntry(b []byte, i int, keyTag, valueTag wire.Tag) (e entry) {
	for i < len(b) {
		tag, at := wire.ReadTag(b, i)
		if at < 0 {
			break
		}
		next := wire.Skip(b, at, tag, 1<<15-1)
		if next < 0 {
			break
		}
		switch tag {
		case keyTag:
			e.key = spanOf(b, at, tag)
		case valueTag:
			e.value = spanOf(b, at, tag)
			e.message.Add(i, next)
		}
		i = next
	}
	return e
}

func spanOf(b []byte, at int, tag wire.Tag) Span {
	if tag.Type() != wire.BytesType {
		return Span{at: uint32(at)}
	}
	return MakeSpan(wire.ReadBytes(b, at))
}

// Key returns the current entry's key.
func (e *Entries) Key() Value { return Value{e.b, e.current.key} }

// Value returns the current entry's value.
func (e *Entries) Value() Value { return Value{e.b, e.current.value} }

// Message returns the current entry's value if it is a message.
func (e *Entries) Message() Message {
	r := Raw{b: e.b, rules: e.rules}
	return r.Sub(e.current.message, e.valueTag)
}

// Value is a key or value of a map entry. Read it with the method for its type. An absent one reads as zero.
type Value struct {
	b    []byte
	span Span
}

// Has reports whether the entry has the key or value; if not, it reads as its type's default.
func (v Value) Has() bool { return v.span.at != 0 }

func (v Value) raw() *Raw { return &Raw{b: v.b} }

// Varint reads a varint.
func (v Value) Varint() uint64 {
	if !v.Has() {
		return 0
	}
	return v.raw().Varint(v.span.at)
}

// Fixed32 reads four bytes.
func (v Value) Fixed32() uint32 {
	if !v.Has() {
		return 0
	}
	return v.raw().Fixed32(v.span.at)
}

// Fixed64 reads eight bytes.
func (v Value) Fixed64() uint64 {
	if !v.Has() {
		return 0
	}
	return v.raw().Fixed64(v.span.at)
}

// Float reads a float.
func (v Value) Float() float32 { return math.Float32frombits(v.Fixed32()) }

// Double reads a double.
func (v Value) Double() float64 { return math.Float64frombits(v.Fixed64()) }

// String borrows a string.
func (v Value) String() string { return borrow(v.b, v.span.at, v.span.n) }

// ByteSlice borrows a byte slice.
func (v Value) ByteSlice() []byte { return v.raw().ByteSlice(v.span) }

// EnumValue reads an enum whose default is not zero.
func EnumValue[E ~int32](v Value, fallback E) E {
	if !v.Has() {
		return fallback
	}
	return E(int32(v.Varint()))
}

// ScanEntry checks the map entry between start and stop. known is false if the entry is an unknown field because of
// an undefined value of a closed enum.
func (r *Raw) ScanEntry(start, stop int, spec *MapSpec) (known, ok bool) {
	if r.levels <= 0 {
		return false, false
	}
	b := r.b[:stop]
	keyTag, valueTag := wire.MakeTag(1, spec.Key.Type()), wire.MakeTag(2, spec.Value.Type())
	known = true
	for i := start; i < stop; {
		tag, at := wire.ReadTag(b, i)
		if at < 0 {
			return false, false
		}
		if i = wire.Skip(b, at, tag, int(r.levels)-1); i < 0 {
			return false, false
		}
		switch tag {
		case keyTag:
			if spec.Key == wire.String && (spec.VerifyKey || r.strict) && !validString(b, at) {
				return false, false
			}
		case valueTag:
			if spec.Value == wire.String && (spec.VerifyValue || r.strict) && !validString(b, at) {
				return false, false
			}
			if spec.Closed != nil {
				known = spec.Closed.Has(int32(r.Varint(uint32(at))))
			}
		}
	}
	return known, true
}

func validString(b []byte, at int) bool {
	start, stop := wire.ReadBytes(b, at)
	return stop >= 0 && wire.ValidUTF8(b[start:stop])
}
