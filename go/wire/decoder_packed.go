package wire

import (
	rt "github.com/hotpb/hotpb/go/rt/wire"
	"slices"
	"unsafe"
)

// The DecodePacked functions append the elements of one record to dst and return the extended slice. Pass dst[:0] of
// a slice that you keep to use its memory again. If the tag says that the record is not packed, they append its one
// element: readers accept both forms. After an error dst is unchanged.
//
// Generic functions accept only slices: the compiler would move a Decoder that they receive to the heap.

// DecodePackedInt32 reads elements of int32.
func (d *Decoder) DecodePackedInt32(dst []int32) ([]int32, error) {
	b, count, err := d.packed(Int32)
	dst, added := grown(dst, count)
	rt.ReadVarints(added, b)
	return dst, err
}

// DecodePackedInt64 reads elements of int64.
func (d *Decoder) DecodePackedInt64(dst []int64) ([]int64, error) {
	b, count, err := d.packed(Int64)
	dst, added := grown(dst, count)
	rt.ReadVarints(added, b)
	return dst, err
}

// DecodePackedUint32 reads elements of uint32.
func (d *Decoder) DecodePackedUint32(dst []uint32) ([]uint32, error) {
	b, count, err := d.packed(Uint32)
	dst, added := grown(dst, count)
	rt.ReadVarints(added, b)
	return dst, err
}

// DecodePackedUint64 reads elements of uint64.
func (d *Decoder) DecodePackedUint64(dst []uint64) ([]uint64, error) {
	b, count, err := d.packed(Uint64)
	dst, added := grown(dst, count)
	rt.ReadVarints(added, b)
	return dst, err
}

// DecodePackedSint32 reads elements of sint32.
func (d *Decoder) DecodePackedSint32(dst []int32) ([]int32, error) {
	b, count, err := d.packed(Sint32)
	dst, added := grown(dst, count)
	rt.ReadZigzags(added, b)
	return dst, err
}

// DecodePackedSint64 reads elements of sint64.
func (d *Decoder) DecodePackedSint64(dst []int64) ([]int64, error) {
	b, count, err := d.packed(Sint64)
	dst, added := grown(dst, count)
	rt.ReadZigzags(added, b)
	return dst, err
}

// DecodePackedBool reads elements of bool.
func (d *Decoder) DecodePackedBool(dst []bool) ([]bool, error) {
	b, count, err := d.packed(Bool)
	dst, added := grown(dst, count)
	rt.ReadBools(added, b)
	return dst, err
}

// DecodePackedFixed32 reads elements of fixed32.
func (d *Decoder) DecodePackedFixed32(dst []uint32) ([]uint32, error) {
	b, count, err := d.packed(Fixed32)
	dst, added := grown(dst, count)
	rt.ReadFixed(added, b)
	return dst, err
}

// DecodePackedFixed64 reads elements of fixed64.
func (d *Decoder) DecodePackedFixed64(dst []uint64) ([]uint64, error) {
	b, count, err := d.packed(Fixed64)
	dst, added := grown(dst, count)
	rt.ReadFixed(added, b)
	return dst, err
}

// DecodePackedSfixed32 reads elements of sfixed32.
func (d *Decoder) DecodePackedSfixed32(dst []int32) ([]int32, error) {
	b, count, err := d.packed(Sfixed32)
	dst, added := grown(dst, count)
	rt.ReadFixed(added, b)
	return dst, err
}

// DecodePackedSfixed64 reads elements of sfixed64.
func (d *Decoder) DecodePackedSfixed64(dst []int64) ([]int64, error) {
	b, count, err := d.packed(Sfixed64)
	dst, added := grown(dst, count)
	rt.ReadFixed(added, b)
	return dst, err
}

// DecodePackedFloat reads elements of float.
func (d *Decoder) DecodePackedFloat(dst []float32) ([]float32, error) {
	b, count, err := d.packed(Float)
	dst, added := grown(dst, count)
	rt.ReadFixed(added, b)
	return dst, err
}

// DecodePackedDouble reads elements of double.
func (d *Decoder) DecodePackedDouble(dst []float64) ([]float64, error) {
	b, count, err := d.packed(Double)
	dst, added := grown(dst, count)
	rt.ReadFixed(added, b)
	return dst, err
}

// DecodePackedEnum reads elements of an enum.
func DecodePackedEnum[E ~int32](d *Decoder, dst []E) ([]E, error) {
	// Slices of a type and of its underlying type have the same memory layout.
	elements, err := d.DecodePackedInt32(*(*[]int32)(unsafe.Pointer(&dst)))
	return *(*[]E)(unsafe.Pointer(&elements)), err
}

// grown returns dst extended by n elements, and the added elements.
func grown[T any](dst []T, n int) (all, added []T) {
	all = slices.Grow(dst, n)[:len(dst)+n]
	return all, all[len(dst):]
}

// packed skips a record of elements and returns their bytes and number. For a record that is not packed these are the
// one element's. After an error there are none.
func (d *Decoder) packed(k Kind) (b []byte, count int, err error) {
	if d.tag != 0 && d.tag.Type() == k.Type() {
		next := rt.Skip(d.b, d.i, d.tag, 0)
		if next < 0 {
			return nil, 0, d.fail(rt.Failed(next), d.i)
		}
		b, d.i = d.b[d.i:next], next
		return b, 1, nil
	}
	start, end, err := d.payload()
	if err != nil {
		return nil, 0, err
	}
	count, bad, code := rt.PackedElements(k, d.b[start:end])
	if code != 0 {
		return nil, 0, d.fail(code, start+bad)
	}
	d.i = end
	return d.b[start:end], count, nil
}
