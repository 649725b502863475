package view_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	"github.com/hotpb/hotpb/go/wire"
)

// writeRequest returns a remote-write request: a captured one if it is available, else one of the same shape.
func writeRequest(t testing.TB) []byte {
	t.Helper()
	if b, err := os.ReadFile("../../../shared/data/remote-write/write_request_10k_series.bin"); err == nil {
		return b
	}
	return madeRequest(10_000)
}

// madeRequest returns a request with six labels and a sample in each series.
func madeRequest(series int) (out []byte) {
	for n := range series {
		var ts []byte
		for k, name := range []string{"__name__", "instance", "job", "le", "handler", "series"} {
			value := fmt.Sprintf("value_%d_of_label_%d", n%(k*100+1), k)
			if name == "series" {
				value = fmt.Sprint(n)
			}
			label := wire.AppendString([]byte{0x0a}, name)
			label = wire.AppendString(append(label, 0x12), value)
			ts = wire.AppendBytes(append(ts, 0x0a), label)
		}
		sample := wire.AppendDouble([]byte{0x09}, float64(n))
		sample = wire.AppendVarint(append(sample, 0x10), 1_700_000_000_000+uint64(n))
		ts = wire.AppendBytes(append(ts, 0x12), sample)
		out = wire.AppendBytes(append(out, 0x0a), ts)
	}
	return out
}

// findSeries opens the request and reads the labels of one series, nothing else.
func findSeries(b []byte, n int) (bytesOfLabels int, err error) {
	var request prometheushot.WriteRequestView
	if err := request.Decode(b); err != nil {
		return 0, err
	}
	series, err := request.TimeseriesAt(n)
	if err != nil {
		return 0, err
	}
	for label, err := range series.Labels() {
		if err != nil {
			return 0, err
		}
		bytesOfLabels += len(label.Name()) + len(label.Value())
	}
	return bytesOfLabels, nil
}

func TestFindingOneSeriesAllocatesNothing(t *testing.T) {
	b := madeRequest(100)
	if n := testing.AllocsPerRun(100, func() {
		if size, err := findSeries(b, 70); err != nil || size == 0 {
			t.Fatal(size, err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkFindSeries(b *testing.B) {
	request := writeRequest(b)
	b.SetBytes(int64(len(request)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := findSeries(request, 5000); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	request := writeRequest(b)
	var v prometheushot.WriteRequestView
	b.SetBytes(int64(len(request)))
	b.ReportAllocs()
	for b.Loop() {
		if err := v.Decode(request); err != nil {
			b.Fatal(err)
		}
		if err := v.Validate(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadAll(b *testing.B) {
	request := writeRequest(b)
	var v prometheushot.WriteRequestView
	b.SetBytes(int64(len(request)))
	b.ReportAllocs()
	for b.Loop() {
		if err := v.Decode(request); err != nil {
			b.Fatal(err)
		}
		sum := 0.0
		var series prometheushot.TimeSeriesView
		var label prometheushot.LabelView
		var sample prometheushot.SampleView
		for it := v.TimeseriesIter(); it.Next(); {
			if err := series.OpenElement(&it); err != nil {
				b.Fatal(err)
			}
			for labels := series.LabelsIter(); labels.Next(); {
				if err := label.OpenElement(&labels); err != nil {
					b.Fatal(err)
				}
				sum += float64(len(label.Name()) + len(label.Value()))
			}
			for samples := series.SamplesIter(); samples.Next(); {
				if err := sample.OpenElement(&samples); err != nil {
					b.Fatal(err)
				}
				sum += sample.Value() + float64(sample.Timestamp())
			}
		}
		if sum == 0 {
			b.Fatal("nothing read")
		}
	}
}

func TestAMadeRequestIsWellFormed(t *testing.T) {
	var v prometheushot.WriteRequestView
	if err := v.Decode(madeRequest(20)); err != nil || v.TimeseriesLen() != 20 || v.Validate() != nil {
		t.Fatal(err, v.TimeseriesLen(), v.Validate())
	}
}
