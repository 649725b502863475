package reflect_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	"github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot/prometheushotreflect"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
)

func writeRequest(series int) *prometheus.WriteRequest {
	m := &prometheus.WriteRequest{}
	for i := range series {
		ts := &prometheus.TimeSeries{}
		for k := range 10 {
			ts.Labels = append(ts.Labels, &prometheus.Label{Name: fmt.Sprintf("label_%d", k), Value: fmt.Sprintf("a value %d of %d", i, k)})
		}
		ts.Samples = append(ts.Samples, &prometheus.Sample{Timestamp: int64(i) + 1700000000000, Value: float64(i)})
		m.Timeseries = append(m.Timeseries, ts)
	}
	return m
}

// BenchmarkConvert compares ToProto and FromProto with straight code: through bytes, with and without the fast
// methods of faces=codec.
func BenchmarkConvert(b *testing.B) {
	stock := writeRequest(1000)
	bytes, _ := proto.Marshal(stock)
	var m prometheushot.WriteRequest
	if err := prometheushotreflect.WriteRequest.FromProto(&m, stock); err != nil {
		b.Fatal(err)
	}
	var dst prometheus.WriteRequest
	run := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(bytes)))
			b.ReportAllocs()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("ToProto/fast", func() error { return prometheushotreflect.WriteRequest.ToProto(&dst, &m) })
	run("ToProto/stock", func() error {
		out, err := m.Marshal()
		if err != nil {
			return err
		}
		return proto.Unmarshal(out, &dst)
	})
	run("ToProto/straight", func() error { toProto(&dst, &m); return nil })
	var into, straight prometheushot.WriteRequest
	run("FromProto/fast", func() error { return prometheushotreflect.WriteRequest.FromProto(&into, stock) })
	run("FromProto/stock", func() error {
		out, err := proto.Marshal(stock)
		if err != nil {
			return err
		}
		return into.UnmarshalAlias(out)
	})
	run("FromProto/straight", func() error { fromProto(&straight, stock); return nil })
	if !proto.Equal(&dst, stock) || !straight.Equal(&m) {
		b.Error("not equal")
	}
}

func toProto(dst *prometheus.WriteRequest, m *prometheushot.WriteRequest) {
	dst.Reset()
	dst.Timeseries = make([]*prometheus.TimeSeries, len(m.Timeseries))
	list := make([]prometheus.TimeSeries, len(m.Timeseries))
	for i := range m.Timeseries {
		from, to := &m.Timeseries[i], &list[i]
		dst.Timeseries[i] = to
		to.Labels = make([]*prometheus.Label, len(from.Labels))
		labels := make([]prometheus.Label, len(from.Labels))
		for k := range from.Labels {
			to.Labels[k] = &labels[k]
			labels[k].Name, labels[k].Value = strings.Clone(from.Labels[k].Name), strings.Clone(from.Labels[k].Value)
		}
		to.Samples = make([]*prometheus.Sample, len(from.Samples))
		samples := make([]prometheus.Sample, len(from.Samples))
		for k := range from.Samples {
			to.Samples[k] = &samples[k]
			samples[k].Timestamp, samples[k].Value = from.Samples[k].Timestamp, from.Samples[k].Value
		}
	}
}

func fromProto(m *prometheushot.WriteRequest, src *prometheus.WriteRequest) {
	m.Reset()
	m.Timeseries = make([]prometheushot.TimeSeries, len(src.Timeseries))
	for i, from := range src.Timeseries {
		to := &m.Timeseries[i]
		to.Labels = make([]prometheushot.Label, len(from.Labels))
		for k, l := range from.Labels {
			to.Labels[k].Name, to.Labels[k].Value = l.Name, l.Value
		}
		to.Samples = make([]prometheushot.Sample, len(from.Samples))
		for k, s := range from.Samples {
			to.Samples[k].Timestamp, to.Samples[k].Value = s.Timestamp, s.Value
		}
	}
}
