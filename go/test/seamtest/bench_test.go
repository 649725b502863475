package seamtest

import (
	"testing"

	hot "github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	stock "github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/writer"
)

// BenchmarkAppend is what it costs that nothing after the result is touched: each pair appends to the same slice, with
// room, as append does and with the room as scratch.
func BenchmarkAppend(b *testing.B) {
	for _, series := range []int{1, 20, 2000} {
		var m hot.WriteRequest
		s := new(stock.WriteRequest)
		for range series {
			m.Timeseries = append(m.Timeseries, hot.TimeSeries{
				Labels: []hot.Label{{Name: "__name__", Value: "http_requests_total"}, {Name: "job", Value: "api-server"}}, Samples: []hot.Sample{{Value: 1.5, Timestamp: 1700000000000}},
			})
			s.Timeseries = append(s.Timeseries, &stock.TimeSeries{
				Labels: []*stock.Label{{Name: "__name__", Value: "http_requests_total"}, {Name: "job", Value: "api-server"}}, Samples: []*stock.Sample{{Value: 1.5, Timestamp: 1700000000000}},
			})
		}
		name := map[int]string{1: "60B", 20: "1KiB", 2000: "130KiB"}[series]
		pair(b, "pool/"+name, m.Size(), m.MarshalAppend, m.MarshalScratch)
		pair(b, "codec/"+name, s.SizeHot(), s.MarshalAppendHot, s.MarshalScratchHot)
	}
	columns := schema.New("Flow")
	columns.Bytes("src", 1)
	columns.Uint64("size", 2)
	plan, err := columns.Compile()
	if err != nil {
		b.Fatal(err)
	}
	binding, err := schema.Bind[flow](plan)
	if err != nil {
		b.Fatal(err)
	}
	v := &flow{"source", 1 << 40}
	pair(b, "binding", 20, func(dst []byte) ([]byte, error) { return binding.Append(dst, v) }, func(dst []byte) ([]byte, error) { return binding.AppendScratch(dst, v) })
}

func pair(b *testing.B, name string, size int, appending, scratch func([]byte) ([]byte, error)) {
	room := make([]byte, 0, size+100)
	for i, call := range []func([]byte) ([]byte, error){appending, scratch} {
		b.Run(name+"/"+[]string{"append", "scratch"}[i], func(b *testing.B) {
			for range b.N {
				if _, err := call(room); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkWriter is a request of ten series, for comparisons with other versions.
func BenchmarkWriter(b *testing.B) {
	var out writer.Buffer
	for range b.N {
		out.Reset()
		w := hot.NewWriteRequestWriter(&out)
		for range 10 {
			s := w.AddTimeseries()
			l := s.AddLabels()
			l.SetName("__name__")
			l.SetValue("http_requests_total")
			l.End()
			p := s.AddSamples()
			p.SetValue(1.5)
			p.SetTimestamp(1700000000000)
			p.End()
			s.End()
		}
		if w.End() != nil {
			b.Fatal("End")
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	var m hot.WriteRequest
	for range 100 {
		m.Timeseries = append(m.Timeseries, hot.TimeSeries{
			Labels: []hot.Label{{Name: "__name__", Value: "http_requests_total"}, {Name: "job", Value: "api-server"}}, Samples: []hot.Sample{{Value: 1.5, Timestamp: 1700000000000}},
		})
	}
	in, _ := m.Marshal()
	b.Run("pool", func(b *testing.B) {
		var r hot.WriteRequest
		for range b.N {
			if r.Unmarshal(in) != nil {
				b.Fatal()
			}
		}
	})
	b.Run("view", func(b *testing.B) {
		var v hot.WriteRequestView
		var ts hot.TimeSeriesView
		var l hot.LabelView
		n := 0
		for range b.N {
			if v.Decode(in) != nil {
				b.Fatal()
			}
			for series := v.TimeseriesIter(); series.Next(); {
				ts.OpenElement(&series)
				for j := ts.LabelsIter(); j.Next(); {
					l.OpenElement(&j)
					n += len(l.Name()) + len(l.Value())
				}
			}
		}
	})
}
