package codectest

import (
	"math"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/hotpb/hotpb/go/codec"
)

// Random decodes random messages of that name: as the runtime writes them, damaged, and on top of each other.
func Random(t *testing.T, name string, rounds int) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	var before []byte
	for range rounds {
		m := New(name)
		if m == nil {
			t.Fatalf("%s has no fast methods", name)
		}
		Fill(r, m.ProtoReflect(), 4)
		input, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		Decode(t, name, input, codec.UnmarshalOptions{})
		Decode(t, name, input, codec.UnmarshalOptions{AllowPartial: true, Alias: true})
		Decode(t, name, damage(r, input), codec.UnmarshalOptions{AllowPartial: true})
		Merge(t, name, before, input)
		before = input
	}
}

// Fill sets random fields and extensions of a message to random values.
func Fill(r *rand.Rand, m protoreflect.Message, levels int) {
	md := m.Descriptor()
	if set, ok := md.(interface{ IsMessageSet() bool }); ok && set.IsMessageSet() {
		return // the runtime cannot write them without its build tag protolegacy
	}
	// Few of many, so that large messages do not grow without end.
	most := max(1, 12/max(md.Fields().Len(), 1))
	for i := range md.Fields().Len() {
		if fd := md.Fields().Get(i); r.IntN(md.Fields().Len()) < 12 {
			fillField(r, m, fd, levels, most)
		}
	}
	if md.ExtensionRanges().Len() == 0 || r.IntN(2) == 0 {
		return
	}
	protoregistry.GlobalTypes.RangeExtensionsByMessage(md.FullName(), func(xt protoreflect.ExtensionType) bool {
		if r.IntN(16) == 0 {
			fillField(r, m, xt.TypeDescriptor(), levels, most)
		}
		return true
	})
	if r.IntN(4) == 0 {
		m.SetUnknown(append(m.GetUnknown(), 0xf8, 0xff, 0xff, 0xff, 0x0f, byte(r.IntN(128)))) // a high number
	}
}

func fillField(r *rand.Rand, m protoreflect.Message, fd protoreflect.FieldDescriptor, levels, most int) {
	if fd.Message() != nil && !fd.IsMap() && levels == 0 {
		return
	}
	switch {
	case fd.IsMap():
		value := fd.MapValue()
		if value.Message() != nil && levels == 0 {
			return
		}
		entries := m.Mutable(fd).Map()
		for range r.IntN(3 + most) {
			v := entries.NewValue()
			if value.Message() != nil {
				Fill(r, v.Message(), levels-1)
			} else {
				v = scalar(r, value)
			}
			entries.Set(scalar(r, fd.MapKey()).MapKey(), v)
		}
	case fd.IsList():
		list := m.Mutable(fd).List()
		for range r.IntN(3 + most) {
			if fd.Message() != nil {
				Fill(r, list.AppendMutable().Message(), levels-1)
			} else {
				list.Append(scalar(r, fd))
			}
		}
	case fd.Message() != nil:
		Fill(r, m.Mutable(fd).Message(), levels-1)
	default:
		m.Set(fd, scalar(r, fd))
	}
}

func scalar(r *rand.Rand, fd protoreflect.FieldDescriptor) protoreflect.Value {
	n := r.Uint64() >> r.IntN(64)
	if r.IntN(4) == 0 {
		n = -n
	}
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(n&1 != 0)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(n % 5))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(n))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(n))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(int64(n))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(n)
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(math.Float32frombits(uint32(n)))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(math.Float64frombits(n))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte(text(r)))
	}
	return protoreflect.ValueOfString(text(r))
}

func text(r *rand.Rand) string {
	runes := make([]rune, r.IntN(5)*r.IntN(5)*r.IntN(12))
	for i := range runes {
		runes[i] = rune('a' + r.IntN(26))
	}
	if len(runes) > 3 && r.IntN(3) == 0 {
		runes[1] = []rune("é€𝄞")[r.IntN(3)]
	}
	return string(runes)
}
