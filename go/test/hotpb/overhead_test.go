package hotpb_test

import (
	"testing"

	open2 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto2"
	open3 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3"
	opaque3 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3_opaque"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
	"github.com/hotpb/hotpb/go/test/apitest"
	"google.golang.org/protobuf/proto"
)

// BenchmarkOverhead measures what the API costs on top of the runtime and of a generated method: a few nanoseconds.
func BenchmarkOverhead(b *testing.B) {
	b.Run("open", func(b *testing.B) {
		var m, into open3.Batch
		apitest.Fill(b, &m)
		apitest.Overhead(b, &m, apitest.Direct{
			Size:      func() { proto.Size(&m) },
			Marshal:   func() { proto.Marshal(&m) },
			Unmarshal: func(b []byte) { proto.Unmarshal(b, &into) },
		})
	})
	b.Run("opaque", func(b *testing.B) {
		var m, into opaque3.Batch
		apitest.Fill(b, &m)
		apitest.Overhead(b, &m, apitest.Direct{
			Size:      func() { proto.Size(&m) },
			Marshal:   func() { proto.Marshal(&m) },
			Unmarshal: func(b []byte) { proto.Unmarshal(b, &into) },
		})
	})
	b.Run("proto2 with an extension", func(b *testing.B) {
		var into open2.BaseEvent
		m := &open2.BaseEvent{
			EventId: proto.String("8a2f"), SourceId: proto.String("host-1"), TimestampNs: proto.Uint64(1700000000000000000),
			Kind: open2.EventKind_EVENT_KIND_PROCESS.Enum(),
		}
		proto.SetExtension(m, open2.E_ProcessEvent_Process, &open2.ProcessEvent{
			Name: proto.String("sh"), Command: proto.String("sh -c true"), Labels: []string{"a", "b", "c"},
			Actor: &open2.Actor{Id: proto.Int32(7), User: proto.String("root"), Groups: []int32{0, 4, 1000}},
		})
		apitest.Overhead(b, m, apitest.Direct{
			Size:      func() { proto.Size(m) },
			Marshal:   func() { proto.Marshal(m) },
			Unmarshal: func(b []byte) { proto.Unmarshal(b, &into) },
		})
	})
	b.Run("fast", func(b *testing.B) {
		m := &prometheus.Sample{Value: 1, Timestamp: 2}
		into := new(prometheus.Sample)
		apitest.Overhead(b, m, apitest.Direct{
			Size:      func() { m.SizeHot() },
			Marshal:   func() { m.MarshalHot() },
			Unmarshal: func(b []byte) { into.UnmarshalHot(b) },
		})
	})
}
