package std

import (
	"math"

	"github.com/hotpb/hotpb/go/rt/codec"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// The values of Google's wrappers, for the option wktpointer: field 1 of a message that has nothing else.

// number writes a wrapper's number of a wire type.
func number(e *codec.Encoder, i int, isNil bool, kind wire.Type, v uint64) int {
	switch {
	case isNil:
		Nil(e)
	case v != 0:
		if i < 16 {
			i = e.Grow(i, 16)
		}
		switch kind {
		case wire.VarintType:
			i = codec.PutVarint(e.B, i, v)
		case wire.Fixed64Type:
			for range 8 { // from the last byte
				i--
				e.B[i] = byte(v >> 56)
				v <<= 8
			}
		default:
			for range 4 {
				i--
				e.B[i] = byte(v >> 24)
				v <<= 8
			}
		}
		i--
		e.B[i] = 1<<3 | byte(kind)
	}
	return i
}

func sizeNumber(kind wire.Type, v uint64) int {
	switch {
	case v == 0:
		return 0
	case kind == wire.VarintType:
		return 1 + wire.SizeVarint(v)
	case kind == wire.Fixed64Type:
		return 9
	}
	return 5
}

// read returns the last value of a wrapper's field: a number, or the range of a text in b.
func read(d *codec.Decoder, b []byte, i int, kind wire.Type, verify bool) (v uint64, from, end, result int) {
	for i < len(b) {
		start := i
		tag, next := codec.ReadTag(b, i)
		if i = next; i >= 0 {
			switch {
			case tag != wire.MakeTag(1, kind):
				i = d.Drop(b, start, i, tag)
			case kind == wire.VarintType:
				v, i = codec.ReadVarint(b, i)
			case kind == wire.Fixed64Type:
				v, i = wire.ReadFixed64(b, i)
			case kind == wire.Fixed32Type:
				var narrow uint32
				narrow, i = wire.ReadFixed32(b, i)
				v = uint64(narrow)
			default:
				from, end = codec.ReadBytes(b, i)
				if i = end; end >= 0 && verify && !wire.ValidUTF8(b[from:end]) {
					i = codec.BadUtf8
				}
			}
		}
		if i < 0 {
			return 0, 0, 0, d.Fail(b, start, i, " 8 value 9 value 10 value 13 value ")
		}
	}
	return v, from, end, 0
}

func numberOf[T any](d *codec.Decoder, to *T, b []byte, i int, kind wire.Type, convert func(uint64) T) int {
	v, _, _, result := read(d, b, i, kind, false)
	if result == 0 {
		*to = convert(v)
	}
	return result
}

// text writes the text of a wrapper.
func text[T string | []byte](e *codec.Encoder, i int, v T) int {
	if len(v) == 0 {
		return i
	}
	i = codec.PutBytes(e, i, v, 16) - 1
	e.B[i] = 0x0a
	return i
}

func sizeText(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + codec.SizeLen(n)
}

// EncodeStdString writes a string as a StringValue.
func EncodeStdString(e *codec.Encoder, i int, v *string) int {
	if v == nil {
		Nil(e)
		return i
	}
	e.Check(*v)
	return text(e, i, *v)
}

// SizeStdString returns the size of a string as a StringValue.
func SizeStdString(v *string) int {
	if v == nil {
		return 0
	}
	return sizeText(len(*v))
}

// DecodeStdString decodes b[i:] as a StringValue. Result and b are those of codec.Nested, here and below.
func DecodeStdString(d *codec.Decoder, v *string, b []byte, i int) int {
	_, from, end, result := read(d, b, i, wire.BytesType, true)
	if result == 0 {
		*v = codec.String(b[from:end])
	}
	return result
}

// EncodeStdBytes writes bytes as a BytesValue.
func EncodeStdBytes(e *codec.Encoder, i int, v *[]byte) int {
	if v == nil {
		Nil(e)
		return i
	}
	return text(e, i, *v)
}

// SizeStdBytes returns the size of bytes as a BytesValue.
func SizeStdBytes(v *[]byte) int {
	if v == nil {
		return 0
	}
	return sizeText(len(*v))
}

// DecodeStdBytes decodes b[i:] as a BytesValue. Without the field the bytes are nil.
func DecodeStdBytes(d *codec.Decoder, v *[]byte, b []byte, i int) int {
	_, from, end, result := read(d, b, i, wire.BytesType, false)
	if result == 0 {
		*v = nil
		if from > 0 {
			*v = codec.Bytes(b[from:end])
		}
	}
	return result
}

// EncodeStdDouble writes a double as a wrapper, DoubleValue.
func EncodeStdDouble(e *codec.Encoder, i int, v *float64) int {
	if v == nil {
		return number(e, i, true, 0, 0)
	}
	return number(e, i, false, wire.Fixed64Type, math.Float64bits(*v))
}

// SizeStdDouble returns the size of a double as a wrapper.
func SizeStdDouble(v *float64) int {
	if v == nil {
		return 0
	}
	return sizeNumber(wire.Fixed64Type, math.Float64bits(*v))
}

// DecodeStdDouble decodes b[i:] as a wrapper.
func DecodeStdDouble(d *codec.Decoder, v *float64, b []byte, i int) int {
	return numberOf(d, v, b, i, wire.Fixed64Type, math.Float64frombits)
}

// EncodeStdFloat writes a float as a wrapper, FloatValue.
func EncodeStdFloat(e *codec.Encoder, i int, v *float32) int {
	if v == nil {
		return number(e, i, true, 0, 0)
	}
	return number(e, i, false, wire.Fixed32Type, uint64(math.Float32bits(*v)))
}

// SizeStdFloat returns the size of a float as a wrapper.
func SizeStdFloat(v *float32) int {
	if v == nil {
		return 0
	}
	return sizeNumber(wire.Fixed32Type, uint64(math.Float32bits(*v)))
}

// DecodeStdFloat decodes b[i:] as a wrapper.
func DecodeStdFloat(d *codec.Decoder, v *float32, b []byte, i int) int {
	return numberOf(d, v, b, i, wire.Fixed32Type, func(x uint64) float32 { return math.Float32frombits(uint32(x)) })
}

// EncodeStdInt64 writes an int64 as a wrapper, Int64Value.
func EncodeStdInt64(e *codec.Encoder, i int, v *int64) int {
	if v == nil {
		return number(e, i, true, 0, 0)
	}
	return number(e, i, false, wire.VarintType, uint64(*v))
}

// SizeStdInt64 returns the size of an int64 as a wrapper.
func SizeStdInt64(v *int64) int {
	if v == nil {
		return 0
	}
	return sizeNumber(wire.VarintType, uint64(*v))
}

// DecodeStdInt64 decodes b[i:] as a wrapper.
func DecodeStdInt64(d *codec.Decoder, v *int64, b []byte, i int) int {
	return numberOf(d, v, b, i, wire.VarintType, func(x uint64) int64 { return int64(x) })
}

// EncodeStdUInt64 writes a uint64 as a wrapper, UInt64Value.
func EncodeStdUInt64(e *codec.Encoder, i int, v *uint64) int {
	if v == nil {
		return number(e, i, true, 0, 0)
	}
	return number(e, i, false, wire.VarintType, *v)
}

// SizeStdUInt64 returns the size of a uint64 as a wrapper.
func SizeStdUInt64(v *uint64) int {
	if v == nil {
		return 0
	}
	return sizeNumber(wire.VarintType, *v)
}

// DecodeStdUInt64 decodes b[i:] as a wrapper.
func DecodeStdUInt64(d *codec.Decoder, v *uint64, b []byte, i int) int {
	return numberOf(d, v, b, i, wire.VarintType, func(x uint64) uint64 { return x })
}

// EncodeStdInt32 writes an int32 as a wrapper, Int32Value.
func EncodeStdInt32(e *codec.Encoder, i int, v *int32) int {
	if v == nil {
		return number(e, i, true, 0, 0)
	}
	return number(e, i, false, wire.VarintType, uint64(*v))
}

// SizeStdInt32 returns the size of an int32 as a wrapper.
func SizeStdInt32(v *int32) int {
	if v == nil {
		return 0
	}
	return sizeNumber(wire.VarintType, uint64(*v))
}

// DecodeStdInt32 decodes b[i:] as a wrapper.
func DecodeStdInt32(d *codec.Decoder, v *int32, b []byte, i int) int {
	return numberOf(d, v, b, i, wire.VarintType, func(x uint64) int32 { return int32(x) })
}

// EncodeStdUInt32 writes a uint32 as a wrapper, UInt32Value.
func EncodeStdUInt32(e *codec.Encoder, i int, v *uint32) int {
	if v == nil {
		return number(e, i, true, 0, 0)
	}
	return number(e, i, false, wire.VarintType, uint64(*v))
}

// SizeStdUInt32 returns the size of a uint32 as a wrapper.
func SizeStdUInt32(v *uint32) int {
	if v == nil {
		return 0
	}
	return sizeNumber(wire.VarintType, uint64(*v))
}

// DecodeStdUInt32 decodes b[i:] as a wrapper.
func DecodeStdUInt32(d *codec.Decoder, v *uint32, b []byte, i int) int {
	return numberOf(d, v, b, i, wire.VarintType, func(x uint64) uint32 { return uint32(x) })
}

// EncodeStdBool writes a bool as a wrapper, BoolValue.
func EncodeStdBool(e *codec.Encoder, i int, v *bool) int {
	if v == nil {
		return number(e, i, true, 0, 0)
	}
	return number(e, i, false, wire.VarintType, codec.Bit(*v))
}

// SizeStdBool returns the size of a bool as a wrapper.
func SizeStdBool(v *bool) int {
	if v == nil {
		return 0
	}
	return sizeNumber(wire.VarintType, codec.Bit(*v))
}

// DecodeStdBool decodes b[i:] as a wrapper.
func DecodeStdBool(d *codec.Decoder, v *bool, b []byte, i int) int {
	return numberOf(d, v, b, i, wire.VarintType, func(x uint64) bool { return x != 0 })
}
