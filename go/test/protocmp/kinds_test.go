package protocmp

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/hotpb/hotpb/go/internal/testgen/values/kinds"
	"github.com/hotpb/hotpb/go/test/kindstest"
)

// COD-104: protocmp shows every kind of field of structs=value as that of a dynamic message.
func TestProtocmpSeesEveryKindOfField(t *testing.T) {
	for _, message := range kindstest.Types {
		samples := kindstest.Samples(t, message)
		for i, s := range samples {
			for name, stranger := range map[string]proto.Message{"a dynamic message": s.Dynamic, "its clone": proto.Clone(s.Message)} {
				if diff := cmp.Diff(stranger, proto.Message(s.Message), protocmp.Transform()); diff != "" {
					t.Errorf("%s and %s:\n%s", s.Name, name, diff)
				}
			}
			for _, sample := range samples[i+1:] {
				same, equal := cmp.Equal(proto.Message(sample.Message), proto.Message(s.Message), protocmp.Transform()), proto.Equal(sample.Message, s.Message)
				if same != equal {
					t.Errorf("%s and %s: cmp.Equal is %v, proto.Equal %v", s.Name, sample.Name, same, equal)
				}
			}
		}
	}
	// Structs that hold such messages, as tests compare them.
	type held struct{ M *kinds.OfStored }
	a, b := held{&kinds.OfStored{Value: kinds.Stored{Encoding: "\x08\x05"}}}, held{&kinds.OfStored{Value: kinds.Stored{Encoding: "\x08\x06"}}}
	if cmp.Equal(a, b, protocmp.Transform()) || !cmp.Equal(a, a, protocmp.Transform()) {
		t.Error("a field of a struct is not compared")
	}
	ignored := protocmp.IgnoreFields(new(kinds.OfStored), "value")
	if !cmp.Equal(a, b, protocmp.Transform(), ignored) {
		t.Error("a field is not ignored")
	}
}
