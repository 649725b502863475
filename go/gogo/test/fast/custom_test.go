package fast_test

import (
	"fmt"
	"testing"

	"github.com/hotpb/hotpb/go/gogo/internal/customtest"
	"github.com/hotpb/hotpb/go/gogo/internal/stock/custom2"
	fast2 "github.com/hotpb/hotpb/go/gogo/internal/stock/custom2_fast"
	faster2 "github.com/hotpb/hotpb/go/gogo/internal/stock/custom2_faster"
	plain2 "github.com/hotpb/hotpb/go/gogo/internal/stock/custom2_plain"
	"github.com/hotpb/hotpb/go/gogo/internal/stock/custom3"
	fast3 "github.com/hotpb/hotpb/go/gogo/internal/stock/custom3_fast"
	faster3 "github.com/hotpb/hotpb/go/gogo/internal/stock/custom3_faster"
	plain3 "github.com/hotpb/hotpb/go/gogo/internal/stock/custom3_plain"
)

// customised are the messages with options that change structs, from several of gogo's generators.
var customised = []customtest.Message{
	new(custom3.WriteRequest), new(custom3.Nullable), new(custom3.Embedded), new(custom3.Cast), new(custom3.Custom), new(custom3.Sized), new(custom3.Std), new(custom3.Valued), new(custom3.Bare), new(custom3.Declared), new(custom3.Leaf),
	new(faster3.WriteRequest), new(faster3.Nullable), new(faster3.Embedded), new(faster3.Cast), new(faster3.Custom), new(faster3.Sized), new(faster3.Std), new(faster3.Valued), new(faster3.Bare), new(faster3.Declared), new(faster3.Leaf),
	new(fast3.WriteRequest), new(fast3.Nullable), new(fast3.Embedded), new(fast3.Cast), new(fast3.Custom), new(fast3.Sized), new(fast3.Std), new(fast3.Valued), new(fast3.Bare), new(fast3.Declared), new(fast3.Leaf),
	new(plain3.WriteRequest), new(plain3.Nullable), new(plain3.Embedded), new(plain3.Cast), new(plain3.Custom), new(plain3.Sized), new(plain3.Std), new(plain3.Valued), new(plain3.Bare), new(plain3.Leaf),
	new(custom2.Entry), new(custom2.Message), new(custom2.Record), new(custom2.Meta), new(custom2.Object), new(custom2.Extended),
	new(faster2.Entry), new(faster2.Message), new(faster2.Record), new(faster2.Meta), new(faster2.Object), new(faster2.Extended),
	new(fast2.Entry), new(fast2.Message), new(fast2.Record), new(fast2.Meta), new(fast2.Object), new(fast2.Extended),
	new(plain2.Entry), new(plain2.Message), new(plain2.Record), new(plain2.Meta), new(plain2.Extended),
}

// COD-98
func TestCustomisedMessagesAreEncodedAndDecodedAsByGogosMethods(t *testing.T) {
	customtest.Same(t, 300, customised...)
}

// COD-99
func TestDamagedBytesOfCustomisedMessagesAreDecodedAsByGogosMethods(t *testing.T) {
	customtest.Damaged(t, 1000, customised...)
}

// FuzzCustomised compares what any bytes are decoded to.
func FuzzCustomised(f *testing.F) {
	for _, b := range []string{
		"\x0a\x02\x08\x01\x1a\x03\x12\x01a\x2a\x06\x0a\x01n\x12\x01v\x42\x07\x0a\x01k\x12\x02\x08\x01", "\x0a\x04abcd\x1a\x00", "\x0a\x02\x08\x01\x12\x02\x10\x05",
		"\x08\x01\x10\x02\x22\x01a\x2a\x05\x08\x01\x22\x01a", "\x72\x02\x01\x02\x78\x01\xba\x01\x05\x0a\x01k\x10\x01",
	} {
		f.Add([]byte(b))
	}
	f.Fuzz(func(t *testing.T, b []byte) { customtest.Bytes(t, b, customised...) })
}

// A request of 100 series of 10 labels, as remote write sends it, with gogo's methods and with fast ones.
func BenchmarkCustomised(b *testing.B) {
	m := new(faster3.WriteRequest)
	for i := range 100 {
		series := faster3.TimeSeries{Samples: []faster3.Sample{{Value: 1.5, Timestamp: 1700000000000}}}
		for k := range 10 {
			series.Labels = append(series.Labels, faster3.Label{Name: fmt.Sprint("label_", k), Value: fmt.Sprint("a_value_", i*k)})
		}
		m.Timeseries = append(m.Timeseries, series)
	}
	encoded, err := m.Marshal()
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		run  func() error
	}{
		{"marshal/gogo", func() error { _, err := m.Marshal(); return err }},
		{"marshal/hot", func() error { _, err := m.MarshalHot(); return err }},
		{"unmarshal/gogo", func() error { return new(faster3.WriteRequest).Unmarshal(encoded) }},
		{"unmarshal/hot", func() error { return new(faster3.WriteRequest).UnmarshalHot(encoded) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(encoded)))
			for b.Loop() {
				if err := c.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
