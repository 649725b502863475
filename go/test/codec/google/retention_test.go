package google_test

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
)

// COD-12, COD-47: the memory that a part of a decoded message keeps alive when the rest is freed. With -v the test prints the
// figures in go/README.md.
func TestWhatAPartOfADecodedMessageKeepsAlive(t *testing.T) {
	if strconv.IntSize < 64 {
		t.Skip("the bounds are those of pointers of eight bytes")
	}
	large, small := remoteWrite(t, 1000), remoteWrite(t, 3)
	if len(small) >= codec.CountFrom {
		t.Fatal("the small input is counted, too")
	}
	label := func(m *prometheus.WriteRequest) *prometheus.Label { return m.Timeseries[len(m.Timeseries)/2].Labels[5] }
	all := func(m *prometheus.WriteRequest) any { return m }
	size := len(large)
	for _, c := range []struct {
		name        string
		input       []byte
		part        func(m *prometheus.WriteRequest) any
		least, most int // bytes, after the fast decode
	}{
		{"all", large, all, 4 * size, 7 * size},
		{"a string", large, func(m *prometheus.WriteRequest) any { return label(m).Name }, size, size + size/4},
		{"its strings.Clone", large, func(m *prometheus.WriteRequest) any { return strings.Clone(label(m).Name) }, 0, 1000},
		{"a Sample, which has no text", large, func(m *prometheus.WriteRequest) any { return m.Timeseries[500].Samples[0] }, 40_000, 100_000},
		{"a Label", large, func(m *prometheus.WriteRequest) any { return label(m) }, 3 * size, 5 * size},
		{"its proto.Clone", large, func(m *prometheus.WriteRequest) any { return proto.Clone(label(m)) }, size, size + size/4},
		{"the same decoded again", large, func(m *prometheus.WriteRequest) any { return fresh(t, label(m)) }, 0, 1000},
		{"a TimeSeries", large, func(m *prometheus.WriteRequest) any { return m.Timeseries[500] }, 4 * size, 7 * size},
		{"all, of a small one", small, all, 0, 6000},
		{"a string, of a small one", small, func(m *prometheus.WriteRequest) any { return label(m).Name }, len(small), 2000},
		{"a Label, of a small one", small, func(m *prometheus.WriteRequest) any { return label(m) }, len(small), 4000},
	} {
		kept := map[string]int{}
		for name, decode := range map[string]func(b []byte, m *prometheus.WriteRequest) error{
			"protobuf-go": func(b []byte, m *prometheus.WriteRequest) error { return proto.Unmarshal(b, m) },
			"fast":        func(b []byte, m *prometheus.WriteRequest) error { return m.UnmarshalHot(b) },
			"alias": func(b []byte, m *prometheus.WriteRequest) error {
				return m.UnmarshalHotOptions(b, codec.UnmarshalOptions{Alias: true})
			},
		} {
			kept[name] = retained(func() any {
				b := append([]byte(nil), c.input...) // as from a connection; with Alias the strings point into it
				m := new(prometheus.WriteRequest)
				if err := decode(b, m); err != nil {
					t.Fatal(err)
				}
				return c.part(m)
			})
		}
		t.Logf("%-28s of %6d bytes: protobuf-go keeps %7d, UnmarshalHot %7d, with Alias %7d",
			c.name, len(c.input), kept["protobuf-go"], kept["fast"], kept["alias"])
		if kept["fast"] < c.least || kept["fast"] > c.most {
			t.Errorf("%s: %d bytes, want %d to %d", c.name, kept["fast"], c.least, c.most)
		}
	}
}

// remoteWrite returns an encoded message with the given number of series, each with ten labels and a sample.
func remoteWrite(t *testing.T, series int) []byte {
	t.Helper()
	m := new(prometheus.WriteRequest)
	for i := range series {
		s := &prometheus.TimeSeries{Samples: []*prometheus.Sample{{Value: 1, Timestamp: int64(i)}}}
		for k := range 10 {
			s.Labels = append(s.Labels, &prometheus.Label{Name: fmt.Sprintf("name_%d", k), Value: fmt.Sprintf("value_%d_%d", i, k)})
		}
		m.Timeseries = append(m.Timeseries, s)
	}
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// fresh returns a copy of a message that shares no memory with it. (proto.Clone shares strings.)
func fresh(t *testing.T, m *prometheus.Label) *prometheus.Label {
	b, err := m.MarshalHot()
	fresh := new(prometheus.Label)
	if err == nil {
		err = fresh.UnmarshalHot(b)
	}
	if err != nil {
		t.Fatal(err)
	}
	return fresh
}

// retained returns the number of bytes that the result of one keeps alive, the mean of several.
func retained(make func() any) int {
	var kept [16]any
	var before, after runtime.MemStats
	make()
	runtime.GC()
	runtime.GC() // the second collection frees the contents of a sync.Pool
	runtime.ReadMemStats(&before)
	for i := range kept {
		kept[i] = make()
	}
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(&kept)
	return max(0, int(after.HeapAlloc)-int(before.HeapAlloc)) / len(kept)
}
