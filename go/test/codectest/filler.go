package codectest

import (
	"math"
	"math/rand/v2"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Filler fills messages with random values. Values that are rare in practice are not rare here.
type Filler struct {
	*rand.Rand
	Fill    float64 // how likely a field is set
	BadText bool    // strings that are not UTF-8
	Nils    bool    // nil messages in lists, maps and oneofs: only open structs can have them
}

// isMessageSet reports the messages that the runtime writes only when it is built with its legacy tag.
func isMessageSet(m protoreflect.MessageDescriptor) bool {
	options, _ := m.Options().(*descriptorpb.MessageOptions)
	return options.GetMessageSetWireFormat()
}

// Message sets fields of m, with messages nested to a depth.
func (r *Filler) Message(m protoreflect.Message, depth int) {
	fill := r.Fill
	defer func() { r.Fill = fill }()
	r.Fill *= 0.6 // of nested values
	fields := m.Descriptor().Fields()
	for n := range fields.Len() {
		if r.Float64() < fill {
			r.field(m, fields.Get(n), depth)
		}
	}
	protoregistry.GlobalTypes.RangeExtensionsByMessage(m.Descriptor().FullName(), func(x protoreflect.ExtensionType) bool {
		if r.Float64() < fill {
			r.field(m, x.TypeDescriptor(), depth)
		}
		return true
	})
	if r.IntN(4) == 0 {
		unknown := protowire.AppendTag(nil, 536870000, protowire.BytesType)
		m.SetUnknown(protowire.AppendString(unknown, r.text()))
	}
}

func (r *Filler) field(m protoreflect.Message, field protoreflect.FieldDescriptor, depth int) {
	switch {
	case field.Message() != nil && isMessageSet(field.Message()) && !legacy:
	case field.IsMap():
		if field.MapValue().Message() != nil && depth <= 0 {
			return
		}
		entries := m.Mutable(field).Map()
		for range r.IntN(4) {
			key := r.value(field.MapKey()).MapKey()
			if field.MapValue().Message() == nil {
				entries.Set(key, r.value(field.MapValue()))
			} else {
				entries.Set(key, r.child(entries.NewValue(), depth))
			}
		}
	case field.IsList():
		if field.Message() != nil && depth <= 0 {
			return
		}
		list := m.Mutable(field).List()
		if field.Message() == nil {
			for range r.length() {
				list.Append(r.value(field))
			}
			return
		}
		for range r.IntN(4) {
			list.Append(r.child(list.NewElement(), depth))
		}
	case field.Message() != nil:
		switch {
		case r.Nils && field.ContainingOneof() != nil && !field.ContainingOneof().IsSynthetic() && r.IntN(8) == 0:
			m.Set(field, r.child(m.NewField(field), 0))
		case depth > 0:
			r.Message(m.Mutable(field).Message(), depth-1)
		}
	default:
		m.Set(field, r.value(field))
	}
}

// child fills an element, or returns a nil one.
func (r *Filler) child(element protoreflect.Value, depth int) protoreflect.Value {
	if r.Nils && r.IntN(8) == 0 {
		return protoreflect.ValueOfMessage(element.Message().Type().Zero())
	}
	r.Message(element.Message(), depth-1)
	return element
}

func (r *Filler) length() int {
	if r.IntN(16) == 0 {
		return r.IntN(300)
	}
	return r.IntN(4)
}

func (r *Filler) text() string {
	if r.BadText && r.IntN(8) == 0 {
		return "a\xffb"
	}
	out := make([]rune, r.length())
	for n := range out {
		out[n] = 'a' + rune(r.IntN(26))
		if r.IntN(64) == 0 {
			out[n] = 'é'
		}
	}
	return string(out)
}

// number is small, big, negative or special.
func (r *Filler) number() uint64 {
	return uint64(int64(r.Uint64())>>r.IntN(64)) + uint64(r.IntN(2))
}

func (r *Filler) value(field protoreflect.FieldDescriptor) protoreflect.Value {
	v := r.number()
	switch field.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(v&1 != 0)
	case protoreflect.EnumKind:
		if values := field.Enum().Values(); field.Enum().IsClosed() || v&1 != 0 {
			return protoreflect.ValueOfEnum(values.Get(r.IntN(values.Len())).Number())
		}
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(v))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(v))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(v))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(int64(v))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(v)
	case protoreflect.FloatKind:
		if v&3 == 0 {
			return protoreflect.ValueOfFloat32(float32(math.Copysign(0, -1)))
		}
		return protoreflect.ValueOfFloat32(math.Float32frombits(uint32(v)))
	case protoreflect.DoubleKind:
		if v&3 == 0 {
			return protoreflect.ValueOfFloat64(math.Copysign(0, -1))
		}
		return protoreflect.ValueOfFloat64(math.Float64frombits(v))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(r.text())
	}
	return protoreflect.ValueOfBytes([]byte(r.text()))
}

// Writable reports whether the runtime, as it is built, writes a message and all that is in it.
func Writable(m protoreflect.Message) bool {
	if legacy {
		return true
	}
	writable := !isMessageSet(m.Descriptor())
	m.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case !writable:
		case field.IsMap():
			if field.MapValue().Message() != nil {
				v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
					writable = writable && Writable(v.Message())
					return writable
				})
			}
		case field.Message() == nil:
		case field.IsList():
			for i := range v.List().Len() {
				writable = writable && Writable(v.List().Get(i).Message())
			}
		default:
			writable = Writable(v.Message())
		}
		return writable
	})
	return writable
}
