package google

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// EqualVT and CloneVT know open structs themselves, and leave other types to the runtime.
func TestTheShapeOfOpenStructsIsKnown(t *testing.T) {
	for _, m := range []proto.Message{new(descriptorpb.FieldOptions), new(descriptorpb.FileDescriptorProto), new(structpb.Value), new(timestamppb.Timestamp)} {
		if shapeOf(m).slow {
			t.Errorf("%T is left to the runtime", m)
		}
	}
	if !shapeOf(sealed{}).slow {
		t.Error("a message without a struct of the runtime is not left to the runtime")
	}
}

// sealed is a message whose struct says nothing of its fields.
type sealed struct{ proto.Message }
