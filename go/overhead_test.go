package hotpb_test

import (
	"testing"

	"github.com/hotpb/hotpb/go/internal/apitest"
	open3 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3"
	opaque3 "github.com/hotpb/hotpb/go/internal/testgen/stock/codec_proto3_opaque"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
	"google.golang.org/protobuf/proto"
)

// What the API costs over the runtime, and over a generated method: a few nanoseconds.
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
