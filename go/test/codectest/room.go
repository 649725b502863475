package codectest

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/internal/growth"
)

// Room tests that appending to the bytes of a decoded message changes neither its other values nor the bytes beside its
// input.
func Room(t *testing.T) {
	for shape, input := range growth.Shapes {
		const around = 100
		b := append(append(make([]byte, around), input(5)...), make([]byte, around)...)
		before := bytes.Clone(b)
		for _, o := range []codec.UnmarshalOptions{{AllowPartial: true}, {AllowPartial: true, Alias: true}} {
			m := New("hotpb.vectors.p2.All")
			if err := m.UnmarshalHotOptions(b[around:len(b)-around], o); err != nil {
				t.Errorf("%s: %v", shape, err)
				continue
			}
			want := proto.Clone(m)
			appendTo(m.ProtoReflect())
			if !proto.Equal(m, want) || !bytes.Equal(b, before) {
				t.Errorf("%s, %v: the message or its input has changed", shape, o)
			}
		}
	}
}

// appendTo appends to all bytes of a message, and drops the result.
func appendTo(m protoreflect.Message) {
	value := func(fd protoreflect.FieldDescriptor, v protoreflect.Value) {
		switch {
		case fd.Message() != nil:
			appendTo(v.Message())
		case fd.Kind() == protoreflect.BytesKind:
			_ = append(v.Bytes(), "more than there was"...)
		}
	}
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.IsMap():
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool { value(fd.MapValue(), v); return true })
		case fd.IsList():
			for i := range v.List().Len() {
				value(fd, v.List().Get(i))
			}
		default:
			value(fd, v)
		}
		return true
	})
	_ = append(m.GetUnknown(), "more than there was"...)
}
