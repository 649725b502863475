package view_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	"github.com/hotpb/hotpb/go/wire"
)

// writeRequest returns a remote-write request: a captured one if HOTPB_DATA names its folder, else one of the same shape.
func writeRequest(t testing.TB) []byte {
	t.Helper()
	if data := os.Getenv("HOTPB_DATA"); data != "" {
		b, err := os.ReadFile(filepath.Join(data, "remote-write/write_request_10k_series.bin"))
		if err != nil {
			t.Fatal(err)
		}
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
	series, err := request.TimeseriesNth(n)
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
		for iterator := v.TimeseriesIter(); iterator.Next(); {
			if err := series.OpenElement(&iterator); err != nil {
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

// LEN-1, LEN-3
func TestRecordsOfAllLengthsAreReachedByIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var b []byte
		var names []string
		for range 1 + r.IntN(20) {
			name := strings.Repeat(string(rune('a'+r.IntN(26))), []int{0, 1, 120, 123, 124, 130, 16370, 16378, 16379, 20000}[r.IntN(10)])
			series := wire.AppendBytes([]byte{0x0a}, wire.AppendString([]byte{0x0a}, name))
			b = append(b, 0x0a)
			switch n := len(series); r.IntN(4) {
			case 0: // padded to four bytes
				b = append(b, byte(n)|0x80, byte(n>>7)|0x80, byte(n>>14)|0x80, byte(n>>21))
			case 1: // to ten
				b = wire.AppendVarint(b, uint64(n)|1<<63)
				b[len(b)-1] = 0
			default:
				b = wire.AppendVarint(b, uint64(n))
			}
			b, names = append(b, series...), append(names, name)
			if r.IntN(5) == 0 {
				b = append(b, 0x2a, 1, 'u') // an unknown field
			}
		}
		var request prometheushot.WriteRequestView
		if err := request.Decode(b); err != nil || request.TimeseriesLen() != len(names) {
			t.Fatalf("%d series, %v, want %d", request.TimeseriesLen(), err, len(names))
		}
		for n, name := range names {
			series, err := request.TimeseriesNth(n)
			if err != nil {
				t.Fatal(err)
			}
			if label, err := series.LabelsNth(0); err != nil || label.Name() != name {
				t.Fatalf("series %d: %d bytes, %v; want %d", n, len(label.Name()), err, len(name))
			}
		}
		if _, err := request.TimeseriesNth(len(names)); err == nil {
			t.Error("there is one more")
		}
		// The last byte of b is that of a record, so that b without it is cut off.
		if err := request.Decode(b[: len(b)-1 : len(b)-1]); !errors.Is(err, wire.Truncated) {
			t.Errorf("cut: %v", err)
		}
	}
}
