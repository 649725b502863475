// Package checksum has the values that strings and bools count in the checksums of bench/peers, and the sum of any message through
// reflection.
package checksum

import (
	"math"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// String is 0 for an empty string, else its length, and its first and last byte above.
func String(s string) uint64 {
	if len(s) == 0 {
		return 0
	}
	return uint64(len(s)) + uint64(s[0])<<8 + uint64(s[len(s)-1])<<16
}

// Bytes is as String.
func Bytes(b []byte) uint64 {
	if len(b) == 0 {
		return 0
	}
	return uint64(len(b)) + uint64(b[0])<<8 + uint64(b[len(b)-1])<<16
}

// Bool is 0 or 1.
func Bool(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Message is the sum over all fields that are set, without extensions and unknown fields.
func Message(m protoreflect.Message) (sum uint64) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if f.IsExtension() {
			return true
		}
		k := 2*uint64(f.Number()) + 1
		switch {
		case f.IsMap():
			v.Map().Range(func(key protoreflect.MapKey, x protoreflect.Value) bool {
				sum += k * (1 + 3*value(f.MapKey(), key.Value()) + 5*value(f.MapValue(), x))
				return true
			})
		case f.IsList():
			for i, list := 0, v.List(); i < list.Len(); i++ {
				sum += k * value(f, list.Get(i))
			}
		default:
			sum += k * value(f, v)
		}
		return true
	})
	return sum
}

func value(f protoreflect.FieldDescriptor, v protoreflect.Value) uint64 {
	switch f.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return 1 + Message(v.Message())
	case protoreflect.StringKind:
		return String(v.String())
	case protoreflect.BytesKind:
		return Bytes(v.Bytes())
	case protoreflect.BoolKind:
		return Bool(v.Bool())
	case protoreflect.EnumKind:
		return uint64(v.Enum())
	case protoreflect.FloatKind:
		return uint64(math.Float32bits(float32(v.Float())))
	case protoreflect.DoubleKind:
		return math.Float64bits(v.Float())
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind, protoreflect.Fixed32Kind, protoreflect.Fixed64Kind:
		return v.Uint()
	}
	return uint64(v.Int())
}
