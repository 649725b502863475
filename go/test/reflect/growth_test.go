package reflect_test

import (
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hotpb/hotpb/go/internal/growth"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot"
	p2reflect "github.com/hotpb/hotpb/go/internal/testgen/vectors_proto2/vectors_proto2hot/vectors_proto2hotreflect"
)

// FCE-2: reading by reflection, lists by index and maps by key, takes time in proportion to the input.
func TestWorkIsInProportionToInput(t *testing.T) {
	var works []growth.Work
	for shape, input := range growth.Shapes {
		works = append(works, growth.Work{Name: shape, Prepare: func(n int) func() {
			b := input(n)
			return func() {
				var v p2.AllView
				if v.Decode(b) == nil {
					if m, err := p2reflect.AllView.Reflect(&v); err == nil {
						read(m.ProtoReflect())
						_, _ = protojson.MarshalOptions{AllowPartial: true}.Marshal(m)
						_ = proto.Equal(m, m)
					}
				}
				var all p2.All
				if all.Unmarshal(b) == nil {
					if m, err := p2reflect.All.Reflect(&all); err == nil {
						read(m.ProtoReflect())
					}
				}
			}
		}})
	}
	growth.Test(t, works)
}

func read(m protoreflect.Message) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.IsMap():
			m.Get(fd).Map().Range(func(key protoreflect.MapKey, _ protoreflect.Value) bool {
				value := m.Get(fd).Map().Get(key)
				if fd.MapValue().Message() != nil {
					read(value.Message())
				}
				return true
			})
		case fd.IsList():
			for i := range m.Get(fd).List().Len() {
				value := m.Get(fd).List().Get(i)
				if fd.Message() != nil {
					read(value.Message())
				}
			}
		case fd.Message() != nil:
			read(v.Message())
		}
		return true
	})
	_ = len(m.GetUnknown())
}
