package googlev1_test

import (
	"reflect"
	"testing"

	"github.com/golang/protobuf/proto"
	_ "github.com/hotpb/hotpb/go/googlev1"
	p2 "github.com/hotpb/hotpb/go/googlev1/internal/codec_proto2"
	p3 "github.com/hotpb/hotpb/go/googlev1/internal/codec_proto3"
	google2 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto2"
	"github.com/hotpb/hotpb/go/test/apitest"
)

// COD-1. Messages of the last generator that the v1 API had of its own. With go.mod they use their own runtime, with
// over_v2.mod google.golang.org/protobuf.
func TestV1Messages(t *testing.T) {
	importPath := "google.golang.org/protobuf/proto"
	if _, own := reflect.TypeFor[proto.ExtensionDesc]().FieldByName("ExtendedType"); own &&
		reflect.TypeFor[proto.ExtensionDesc]().PkgPath() == "github.com/golang/protobuf/proto" {
		importPath = "github.com/golang/protobuf/proto"
	}
	apitest.Run(t, apitest.Runtime{
		ImportPath: importPath, Package: "hotpb.v1.codec.p2",
		Marshal: func(msg any) ([]byte, error) { return proto.Marshal(msg.(proto.Message)) },
		Batch:   new(p3.Batch), Base: new(p2.BaseEvent),
		Process: apitest.Extension{Type: p2.E_ProcessEvent_Process, Value: &p2.ProcessEvent{
			Name: proto.String("p"), Actor: &p2.Actor{Id: proto.Int32(1)}}},
		Note:   apitest.Extension{Type: p2.E_Note, Value: proto.String("a note")},
		Scores: apitest.Extension{Type: p2.E_Scores, Value: []int32{1, -1}},
		Cause:  p2.E_Cause, Foreign: google2.E_Note,
	})
}

// BenchmarkOverhead measures what the API costs on top of the runtime.
func BenchmarkOverhead(b *testing.B) {
	b.Run("v1", func(b *testing.B) {
		var m, into p3.Batch
		apitest.Fill(b, &m)
		apitest.Overhead(b, &m, apitest.Direct{
			Size:      func() { proto.Size(&m) },
			Marshal:   func() { proto.Marshal(&m) },
			Unmarshal: func(b []byte) { proto.Unmarshal(b, &into) },
		})
	})
}
