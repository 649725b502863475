package gogo_test

import (
	"testing"

	"github.com/gogo/protobuf/proto"
	_ "github.com/hotpb/hotpb/go/gogo"
	p2 "github.com/hotpb/hotpb/go/gogo/internal/codec_proto2"
	fast2 "github.com/hotpb/hotpb/go/gogo/internal/codec_proto2_fast"
	p3 "github.com/hotpb/hotpb/go/gogo/internal/codec_proto3"
	fast3 "github.com/hotpb/hotpb/go/gogo/internal/codec_proto3_fast"
	google2 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto2"
	"github.com/hotpb/hotpb/go/test/apitest"
)

const importPath = "github.com/gogo/protobuf/proto"

func marshal(msg any) ([]byte, error) { return proto.Marshal(msg.(proto.Message)) }

// COD-1. Messages of gogo, which are encoded by its tables.
func TestPlainMessages(t *testing.T) {
	apitest.Run(t, apitest.Runtime{
		ImportPath: importPath, Marshal: marshal, Package: "hotpb.codec.p2",
		Batch: new(p3.Batch), Base: new(p2.BaseEvent),
		Process: apitest.Extension{Type: p2.E_ProcessEvent_Process, Value: &p2.ProcessEvent{
			Name: proto.String("p"), Actor: &p2.Actor{Id: proto.Int32(1)}}},
		Note:   apitest.Extension{Type: p2.E_Note, Value: proto.String("a note")},
		Scores: apitest.Extension{Type: p2.E_Scores, Value: []int32{1, -1}},
		Cause:  p2.E_Cause, Foreign: google2.E_Note,
	})
}

// COD-2. Messages of gogofast, which have methods for their encoding: MarshalTo returns a number of bytes, and
// Unmarshal does not reset.
func TestMessagesWithMethods(t *testing.T) {
	apitest.Run(t, apitest.Runtime{
		ImportPath: importPath, Marshal: marshal, Package: "hotpb.fast.codec.p2",
		Batch: new(fast3.Batch), Base: new(fast2.BaseEvent),
		Process: apitest.Extension{Type: fast2.E_ProcessEvent_Process, Value: &fast2.ProcessEvent{
			Name: proto.String("p"), Actor: &fast2.Actor{Id: proto.Int32(1)}}},
		Note:   apitest.Extension{Type: fast2.E_Note, Value: proto.String("a note")},
		Scores: apitest.Extension{Type: fast2.E_Scores, Value: []int32{1, -1}},
		Cause:  fast2.E_Cause, Foreign: p2.E_Note,
	})
}

// BenchmarkOverhead measures what the API costs on top of the runtime.
func BenchmarkOverhead(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		var m, into p3.Batch
		apitest.Fill(b, &m)
		apitest.Overhead(b, &m, apitest.Direct{
			Size:      func() { proto.Size(&m) },
			Marshal:   func() { proto.Marshal(&m) },
			Unmarshal: func(b []byte) { proto.Unmarshal(b, &into) },
		})
	})
	b.Run("with methods", func(b *testing.B) {
		var m, into fast3.Batch
		apitest.Fill(b, &m)
		apitest.Overhead(b, &m, apitest.Direct{
			Size:      func() { proto.Size(&m) },
			Marshal:   func() { proto.Marshal(&m) },
			Unmarshal: func(b []byte) { proto.Unmarshal(b, &into) },
		})
	})
}
