package wire

import (
	"unsafe"

	rt "github.com/hotpb/hotpb/go/rt/wire"
)

// The EncodePacked functions write the elements in one record; for no elements they write nothing. As in decoding,
// generic functions accept only slices.

// EncodePackedInt32 writes elements of int32.
func (e *Encoder) EncodePackedInt32(number uint32, v []int32) {
	if len(v) > 0 && e.lengthDelimited(number, SizePackedVarints(v)) {
		e.at += rt.PutVarints(e.b[e.at:], v)
	}
}

// EncodePackedInt64 writes elements of int64.
func (e *Encoder) EncodePackedInt64(number uint32, v []int64) {
	if len(v) > 0 && e.lengthDelimited(number, SizePackedVarints(v)) {
		e.at += rt.PutVarints(e.b[e.at:], v)
	}
}

// EncodePackedUint32 writes elements of uint32.
func (e *Encoder) EncodePackedUint32(number uint32, v []uint32) {
	if len(v) > 0 && e.lengthDelimited(number, SizePackedVarints(v)) {
		e.at += rt.PutVarints(e.b[e.at:], v)
	}
}

// EncodePackedUint64 writes elements of uint64.
func (e *Encoder) EncodePackedUint64(number uint32, v []uint64) {
	if len(v) > 0 && e.lengthDelimited(number, SizePackedVarints(v)) {
		e.at += rt.PutVarints(e.b[e.at:], v)
	}
}

// EncodePackedSint32 writes elements of sint32.
func (e *Encoder) EncodePackedSint32(number uint32, v []int32) {
	if len(v) > 0 && e.lengthDelimited(number, SizePackedZigzags(v)) {
		e.at += rt.PutZigzags(e.b[e.at:], v)
	}
}

// EncodePackedSint64 writes elements of sint64.
func (e *Encoder) EncodePackedSint64(number uint32, v []int64) {
	if len(v) > 0 && e.lengthDelimited(number, SizePackedZigzags(v)) {
		e.at += rt.PutZigzags(e.b[e.at:], v)
	}
}

// EncodePackedBool writes elements of bool.
func (e *Encoder) EncodePackedBool(number uint32, v []bool) {
	if len(v) > 0 && e.lengthDelimited(number, len(v)) {
		e.at += rt.PutBools(e.b[e.at:], v)
	}
}

// EncodePackedFixed32 writes elements of fixed32.
func (e *Encoder) EncodePackedFixed32(number uint32, v []uint32) {
	if len(v) > 0 && e.lengthDelimited(number, 4*len(v)) {
		e.at += rt.PutFixed(e.b[e.at:], v)
	}
}

// EncodePackedFixed64 writes elements of fixed64.
func (e *Encoder) EncodePackedFixed64(number uint32, v []uint64) {
	if len(v) > 0 && e.lengthDelimited(number, 8*len(v)) {
		e.at += rt.PutFixed(e.b[e.at:], v)
	}
}

// EncodePackedSfixed32 writes elements of sfixed32.
func (e *Encoder) EncodePackedSfixed32(number uint32, v []int32) {
	if len(v) > 0 && e.lengthDelimited(number, 4*len(v)) {
		e.at += rt.PutFixed(e.b[e.at:], v)
	}
}

// EncodePackedSfixed64 writes elements of sfixed64.
func (e *Encoder) EncodePackedSfixed64(number uint32, v []int64) {
	if len(v) > 0 && e.lengthDelimited(number, 8*len(v)) {
		e.at += rt.PutFixed(e.b[e.at:], v)
	}
}

// EncodePackedFloat writes elements of float.
func (e *Encoder) EncodePackedFloat(number uint32, v []float32) {
	if len(v) > 0 && e.lengthDelimited(number, 4*len(v)) {
		e.at += rt.PutFixed(e.b[e.at:], v)
	}
}

// EncodePackedDouble writes elements of double.
func (e *Encoder) EncodePackedDouble(number uint32, v []float64) {
	if len(v) > 0 && e.lengthDelimited(number, 8*len(v)) {
		e.at += rt.PutFixed(e.b[e.at:], v)
	}
}

// EncodePackedEnum writes elements of an enum.
func EncodePackedEnum[E ~int32](e *Encoder, number uint32, v []E) {
	e.EncodePackedInt32(number, *(*[]int32)(unsafe.Pointer(&v))) // the same memory layout
}

// SizeTag returns the number of bytes of a field's tag.
func SizeTag(number uint32) int { return rt.SizeVarint(uint64(number) << 3) }

// SizeBytes returns the number of bytes of a string, bytes or nested message of n bytes with its length, without the
// tag.
func SizeBytes(n int) int { return rt.SizeVarint(uint64(n)) + n }

// SizePackedVarints returns the size of a packed record's payload, for a type that is not zigzag. Pass the result to
// SizeBytes.
func SizePackedVarints[T ~int32 | ~int64 | ~uint32 | ~uint64](values []T) int {
	return int(rt.SizeVarints(values))
}

// SizePackedZigzags is SizePackedVarints for sint32 and sint64.
func SizePackedZigzags[T int32 | int64](values []T) int { return int(rt.SizeZigzags(values)) }
