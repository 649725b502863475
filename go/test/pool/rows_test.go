package pool_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	prompb "github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
	"github.com/hotpb/hotpb/go/wire"
)

// labels returns the records of random labels: strings missing, double, in both orders, long, not valid; unknown fields;
// padded tags and lengths.
func labels(r *rand.Rand, usual int) (b []byte) {
	texts := []string{"", "a", "__name__", "größe", strings.Repeat("x", 60), strings.Repeat("€", 50), strings.Repeat("y", 130), "\xff"}
	text := func() string { return texts[r.IntN(len(texts)-r.IntN(2))] }
	for range r.IntN(9) {
		var label []byte
		name, value := text(), text()
		shape := 0
		if r.IntN(10) >= usual {
			shape = 1 + r.IntN(6)
		}
		add := func(number uint32, s string) {
			label = wire.AppendString(wire.AppendTag(label, number, wire.BytesType), s)
		}
		switch shape {
		case 0:
			add(1, name)
			add(2, value)
		case 1, 2, 3:
			add(2, value)
			add(1, name)
		case 4:
			add(uint32(1+r.IntN(2)), name)
		case 5:
			add(1, text())
			add(2, text())
			add(uint32(1+r.IntN(2)), name)
		default:
			add(1, name)
			add(77, "\xfe")
			add(2, value)
		}
		if r.IntN(10) == 0 && len(label) > 0 {
			label[r.IntN(len(label))] ^= byte(1 << r.IntN(8))
		}
		switch r.IntN(12) {
		case 0: // the tag in more bytes than it needs
			b = wire.AppendBytes(append(b, 0x8a, 0x80, 0), label)
		case 1: // the length
			b = append(append(b, 0x0a, byte(len(label))|0x80, byte(len(label)>>7)|0x80, 0), label...)
		default:
			b = wire.AppendBytes(append(b, 0x0a), label)
		}
		if r.IntN(8) == 0 {
			b = append(b, 0x12, 11, 0x10, 5, 0x09, 1, 2, 3, 4, 5, 6, 7, 8) // a sample, its time first
		}
	}
	return b
}

// MRG-1, UTF-1
func TestRowsInAnyLayoutAreReadAsTheStockRuntimeReadsThem(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	good, bad := 0, 0
	var got prometheushot.WriteRequest
	for round := range 30_000 {
		b := wire.AppendBytes([]byte{0x0a}, labels(r, round%11))
		var want prompb.WriteRequest
		wantErr, err := proto.Unmarshal(b, &want), got.UnmarshalAlias(b)
		if (err != nil) != (wantErr != nil) {
			t.Fatalf("%v, stock %v: %x", err, wantErr, b)
		}
		if err != nil {
			bad++
			continue
		}
		good++
		series, wanted := got.Timeseries[0], want.Timeseries[0]
		if len(series.Labels) != len(wanted.Labels) || len(series.Samples) != len(wanted.Samples) {
			t.Fatalf("%d labels, %d samples, want %d, %d: %x", len(series.Labels), len(series.Samples), len(wanted.Labels), len(wanted.Samples), b)
		}
		for n, want := range wanted.Labels {
			label := &series.Labels[n]
			unknown := label.UnknownFields()
			if label.Name != want.Name || label.Value != want.Value || unknown.Next() != (len(want.ProtoReflect().GetUnknown()) > 0) {
				t.Fatalf("label %d is %q=%q, want %v: %x", n, label.Name, label.Value, want, b)
			}
		}
		for n, want := range wanted.Samples {
			if sample := &series.Samples[n]; sample.Value != want.Value || sample.Timestamp != want.Timestamp {
				t.Fatalf("sample %d is %v, want %v", n, sample, want)
			}
		}
	}
	if good < 5000 || bad < 5000 {
		t.Errorf("%d valid inputs, %d others", good, bad)
	}
}
