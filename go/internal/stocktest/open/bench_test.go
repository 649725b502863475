package open

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
)

// remoteWrite is a request of the shape that Prometheus sends.
func remoteWrite(series int) *prometheus.WriteRequest {
	m := new(prometheus.WriteRequest)
	for n := range series {
		ts := new(prometheus.TimeSeries)
		for l := range 8 {
			ts.Labels = append(ts.Labels, &prometheus.Label{Name: fmt.Sprintf("label_%d", l), Value: fmt.Sprintf("value-%d-%d", l, n)})
		}
		ts.Samples = append(ts.Samples, &prometheus.Sample{Value: float64(n) * 1.25, Timestamp: 1700000000000 + int64(n)})
		m.Timeseries = append(m.Timeseries, ts)
	}
	return m
}

// Compare the two in one run: go test -bench Marshal -cpu 1.
func BenchmarkMarshal(b *testing.B) {
	for _, series := range []int{1, 10000} {
		m := remoteWrite(series)
		b.Run(fmt.Sprintf("series=%d/runtime", series), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := proto.Marshal(m); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("series=%d/hot", series), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := codec.Marshal(m, codec.MarshalOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		dst := make([]byte, 0, proto.Size(m)+100)
		b.Run(fmt.Sprintf("series=%d/hot-append", series), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.MarshalAppendHot(dst); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
