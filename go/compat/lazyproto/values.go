package lazyproto

import (
	"math"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// BoolValue returns the last value of the field as a bool: any number but 0 is true.
func (f *FieldData) BoolValue() (bool, error) {
	v, err := f.varint()
	return v != 0, err
}

// BoolValues returns all values of the field, each as a bool: any number but 0 is true.
func (f *FieldData) BoolValues() ([]bool, error) { return numbers(f, &allBools) }

var allBools = packed[bool]{wire.VarintType, wire.ReadBools, func(s *scratch) *[]bool { return &s.bools }}

// Int32Value returns the last value of the field as an int32, or an enum.
func (f *FieldData) Int32Value() (int32, error) {
	v, err := f.varint()
	return int32(v), err
}

// Int32Values returns all values of the field, each as an int32, or an enum.
func (f *FieldData) Int32Values() ([]int32, error) { return numbers(f, &allInt32s) }

var allInt32s = packed[int32]{wire.VarintType, wire.ReadVarints[int32], func(s *scratch) *[]int32 { return &s.i32 }}

// Int64Value returns the last value of the field as an int64.
func (f *FieldData) Int64Value() (int64, error) {
	v, err := f.varint()
	return int64(v), err
}

// Int64Values returns all values of the field, each as an int64.
func (f *FieldData) Int64Values() ([]int64, error) { return numbers(f, &allInt64s) }

var allInt64s = packed[int64]{wire.VarintType, wire.ReadVarints[int64], func(s *scratch) *[]int64 { return &s.i64 }}

// UInt32Value returns the last value of the field as a uint32.
func (f *FieldData) UInt32Value() (uint32, error) {
	v, err := f.varint()
	return uint32(v), err
}

// UInt32Values returns all values of the field, each as a uint32.
func (f *FieldData) UInt32Values() ([]uint32, error) { return numbers(f, &allUInt32s) }

var allUInt32s = packed[uint32]{wire.VarintType, wire.ReadVarints[uint32], func(s *scratch) *[]uint32 { return &s.u32 }}

// UInt64Value returns the last value of the field as a uint64.
func (f *FieldData) UInt64Value() (uint64, error) {
	v, err := f.varint()
	return v, err
}

// UInt64Values returns all values of the field, each as a uint64.
func (f *FieldData) UInt64Values() ([]uint64, error) { return numbers(f, &allUInt64s) }

var allUInt64s = packed[uint64]{wire.VarintType, wire.ReadVarints[uint64], func(s *scratch) *[]uint64 { return &s.u64 }}

// SInt32Value returns the last value of the field as an sint32.
func (f *FieldData) SInt32Value() (int32, error) {
	v, err := f.varint()
	return wire.DecodeZigzag32(v), err
}

// SInt32Values returns all values of the field, each as an sint32.
func (f *FieldData) SInt32Values() ([]int32, error) { return numbers(f, &allSInt32s) }

var allSInt32s = packed[int32]{wire.VarintType, wire.ReadZigzags[int32], func(s *scratch) *[]int32 { return &s.i32 }}

// SInt64Value returns the last value of the field as an sint64.
func (f *FieldData) SInt64Value() (int64, error) {
	v, err := f.varint()
	return wire.DecodeZigzag(v), err
}

// SInt64Values returns all values of the field, each as an sint64.
func (f *FieldData) SInt64Values() ([]int64, error) { return numbers(f, &allSInt64s) }

var allSInt64s = packed[int64]{wire.VarintType, wire.ReadZigzags[int64], func(s *scratch) *[]int64 { return &s.i64 }}

// Fixed32Value returns the last value of the field as a fixed32.
func (f *FieldData) Fixed32Value() (uint32, error) {
	v, err := f.fixed32()
	return v, err
}

// Fixed32Values returns all values of the field, each as a fixed32.
func (f *FieldData) Fixed32Values() ([]uint32, error) { return numbers(f, &allFixed32s) }

var allFixed32s = packed[uint32]{wire.Fixed32Type, wire.ReadFixed[uint32], func(s *scratch) *[]uint32 { return &s.u32 }}

// Fixed64Value returns the last value of the field as a fixed64.
func (f *FieldData) Fixed64Value() (uint64, error) {
	v, err := f.fixed64()
	return v, err
}

// Fixed64Values returns all values of the field, each as a fixed64.
func (f *FieldData) Fixed64Values() ([]uint64, error) { return numbers(f, &allFixed64s) }

var allFixed64s = packed[uint64]{wire.Fixed64Type, wire.ReadFixed[uint64], func(s *scratch) *[]uint64 { return &s.u64 }}

// SFixed32Value returns the last value of the field as an sfixed32.
func (f *FieldData) SFixed32Value() (int32, error) {
	v, err := f.fixed32()
	return int32(v), err
}

// SFixed32Values returns all values of the field, each as an sfixed32.
func (f *FieldData) SFixed32Values() ([]int32, error) { return numbers(f, &allSFixed32s) }

var allSFixed32s = packed[int32]{wire.Fixed32Type, wire.ReadFixed[int32], func(s *scratch) *[]int32 { return &s.i32 }}

// SFixed64Value returns the last value of the field as an sfixed64.
func (f *FieldData) SFixed64Value() (int64, error) {
	v, err := f.fixed64()
	return int64(v), err
}

// SFixed64Values returns all values of the field, each as an sfixed64.
func (f *FieldData) SFixed64Values() ([]int64, error) { return numbers(f, &allSFixed64s) }

var allSFixed64s = packed[int64]{wire.Fixed64Type, wire.ReadFixed[int64], func(s *scratch) *[]int64 { return &s.i64 }}

// Float32Value returns the last value of the field as a float.
func (f *FieldData) Float32Value() (float32, error) {
	v, err := f.fixed32()
	return math.Float32frombits(v), err
}

// Float32Values returns all values of the field, each as a float.
func (f *FieldData) Float32Values() ([]float32, error) { return numbers(f, &allFloat32s) }

var allFloat32s = packed[float32]{wire.Fixed32Type, wire.ReadFixed[float32], func(s *scratch) *[]float32 { return &s.f32 }}

// Float64Value returns the last value of the field as a double.
func (f *FieldData) Float64Value() (float64, error) {
	v, err := f.fixed64()
	return math.Float64frombits(v), err
}

// Float64Values returns all values of the field, each as a double.
func (f *FieldData) Float64Values() ([]float64, error) { return numbers(f, &allFloat64s) }

var allFloat64s = packed[float64]{wire.Fixed64Type, wire.ReadFixed[float64], func(s *scratch) *[]float64 { return &s.f64 }}

// StringValue returns the last value of the field as a string.
func (f *FieldData) StringValue() (string, error) {
	_, r, err := f.value(wire.BytesType)
	if err != nil {
		return "", err
	}
	return textOf(f.pass, r)
}

// StringValues returns all values of the field, each as a string.
func (f *FieldData) StringValues() ([]string, error) {
	return texts(f, func(s *scratch) *[]string { return &s.texts }, textOf)
}

// BytesValue returns the last value of the field as bytes, which are not nil. Those of a message are its encoding.
func (f *FieldData) BytesValue() ([]byte, error) {
	_, r, err := f.value(wire.BytesType)
	if err != nil {
		return nil, err
	}
	return bytesOf(f.pass, r)
}

// BytesValues returns all values of the field, each as bytes.
func (f *FieldData) BytesValues() ([][]byte, error) {
	return texts(f, func(s *scratch) *[][]byte { return &s.pieces }, bytesOf)
}
