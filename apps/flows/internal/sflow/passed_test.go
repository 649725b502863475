package sflow

import (
	"fmt"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
)

// Samples that are not flows are counted by kind.
func TestPassedSamplesAreCountedByKind(t *testing.T) {
	var counts count.Counters
	d := decoder(t, New, "../../flows.yaml", nil, &counts)
	for _, format := range []uint32{2, 2, 4, 0, 9, 4095, 4413<<12 | 1, 1<<32 - 1} {
		dg := datagram(block(format, words(1, 2, 3)))
		if _, n := d.Append(nil, dg); n != 0 {
			t.Errorf("format %d: %d flows", format, n)
		}
	}
	got := ""
	counts.Passed.Each(func(kind string, n uint64) { got += fmt.Sprint(kind, " ", n, "\n") })
	want := "format_0 1\ncounters_sample 2\ncounters_sample_expanded 1\nunknown_sample 2\nvendor_sample 2\n"
	if got != want || counts.Passed.Load() != 8 {
		t.Errorf("%s%d", got, counts.Passed.Load())
	}
}
