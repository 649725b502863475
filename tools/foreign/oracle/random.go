package oracle

import (
	"math"
	"math/rand/v2"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// maker makes random messages. Its budget bounds how many fields a message with all that is inside it gets.
type maker struct {
	*rand.Rand
	schema *Schema
	budget int
}

// message is a random message. Required fields are there, as far as depth allows.
func (r *maker) message(desc protoreflect.MessageDescriptor, depth int) *dynamicpb.Message {
	m := dynamicpb.NewMessage(desc)
	r.budget = 20 + r.IntN(100)
	r.fill(m, depth)
	return m
}

func (r *maker) fill(m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	wanted := 1 + r.IntN(12) // of the fields, on average
	for i := range fields.Len() {
		f := fields.Get(i)
		if f.Cardinality() == protoreflect.Required || r.budget > 0 && r.IntN(max(fields.Len(), 14)) < wanted {
			r.field(m, f, depth)
		}
	}
	if r.IntN(2) == 0 {
		for _, x := range r.schema.Extensions(m.Descriptor()) {
			if extensions := len(r.schema.Extensions(m.Descriptor())); r.budget > 0 && r.IntN(max(extensions, 4)) < 3 {
				r.field(m, x.TypeDescriptor(), depth)
			}
		}
	}
}

func (r *maker) field(m protoreflect.Message, f protoreflect.FieldDescriptor, depth int) {
	r.budget--
	// Messages may hold themselves by required fields: no such message is complete.
	if f.Message() != nil && !f.IsMap() && depth <= 0 && (f.Cardinality() != protoreflect.Required || depth < -4) {
		return
	}
	switch {
	case f.IsMap():
		for range r.IntN(4) {
			key := r.scalar(f.MapKey()).MapKey()
			if f.MapValue().Message() == nil {
				m.Mutable(f).Map().Set(key, r.scalar(f.MapValue()))
			} else if depth > 0 {
				r.fill(m.Mutable(f).Map().Mutable(key).Message(), depth-1)
			}
		}
	case f.IsList():
		list := m.Mutable(f).List()
		count := r.IntN(5)
		if f.Message() == nil && r.IntN(10) == 0 {
			count = r.IntN(70)
		}
		for range count {
			if f.Message() == nil {
				list.Append(r.scalar(f))
			} else {
				r.fill(list.AppendMutable().Message(), depth-1)
			}
		}
	case f.Message() != nil:
		r.fill(m.Mutable(f).Message(), depth-1)
	default:
		m.Set(f, r.scalar(f))
	}
}

// number has any number of bits with the same probability.
func (r *maker) number() uint64 { return r.Uint64() >> r.IntN(64) }

// signed is small or large, and as often below zero.
func (r *maker) signed() int64 {
	n := int64(r.number())
	if r.IntN(2) == 0 {
		return -n
	}
	return n
}

var texts = []string{"", "a", "text", "é", "twenty bytes of text", "語", "\x00", "a text that is longer than the texts that are kept in place, with ü inside"}

func (r *maker) scalar(f protoreflect.FieldDescriptor) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(r.IntN(2) == 0)
	case protoreflect.EnumKind:
		values := f.Enum().Values()
		if r.IntN(10) == 0 {
			return protoreflect.ValueOfEnum(protoreflect.EnumNumber(int32(r.signed())))
		}
		return protoreflect.ValueOfEnum(values.Get(r.IntN(values.Len())).Number())
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(r.signed()))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(r.number()))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(r.signed())
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(r.number())
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(math.Float32frombits(uint32(r.bits(32))))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(math.Float64frombits(r.bits(64)))
	case protoreflect.StringKind:
		if !mustBeUTF8(f) && r.IntN(10) == 0 {
			return protoreflect.ValueOfString("no UTF-8: \xff\xc0\x80")
		}
		return protoreflect.ValueOfString(texts[r.IntN(len(texts))])
	}
	return protoreflect.ValueOfBytes([]byte("\x00bytes\xff")[:r.IntN(8)])
}

// bits are those of a float: zero, minus zero and NaN among them. Conversions make signalling NaNs quiet, so there are none.
func (r *maker) bits(size int) uint64 {
	switch r.IntN(6) {
	case 0:
		return 0
	case 1:
		return 1 << (size - 1)
	case 2:
		if size == 32 {
			return 0x7fc00001
		}
		return 0x7ff8000000000001
	}
	if size == 32 {
		return uint64(math.Float32bits(float32(r.signed())))
	}
	return math.Float64bits(float64(r.signed()))
}

func mustBeUTF8(f protoreflect.FieldDescriptor) bool {
	if unchecked(f) {
		return true
	}
	if checked, ok := f.(interface{ EnforceUTF8() bool }); ok {
		return checked.EnforceUTF8()
	}
	return f.Syntax() == protoreflect.Proto3
}
