package seamtest

import (
	"errors"
	"fmt"
	"testing"

	hot "github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	"github.com/hotpb/hotpb/go/pool"
	"github.com/hotpb/hotpb/go/wire"
)

// The error of a message that needs more memory than it may take names the record for which there was none left.
func TestTheErrorOfTooLittleMemoryNamesTheRecord(t *testing.T) {
	var whole hot.WriteRequest
	for range 3 {
		whole.Timeseries = append(whole.Timeseries, hot.TimeSeries{Samples: make([]hot.Sample, 5), Labels: make([]hot.Label, 3)})
	}
	b, err := whole.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for memory := 1; ; memory++ {
		var m hot.WriteRequest
		err := m.UnmarshalWith(b, pool.Options{MaxMemory: memory})
		if err == nil {
			break
		}
		var at *wire.Error
		if !errors.As(err, &at) || at.Code != wire.CountExceeded {
			t.Fatal(err)
		}
		seen[fmt.Sprint(at.Offset, " ", at.Path)] = true
	}
	// Each series has 16 bytes: 0a 10, three labels of two bytes, and five samples of two.
	for i := range 3 {
		start := i * 18
		for _, want := range []string{
			fmt.Sprint(start, " timeseries[", i, "]"),
			fmt.Sprint(start+2, " timeseries[", i, "].labels[0]"), fmt.Sprint(start+6, " timeseries[", i, "].labels[2]"),
			fmt.Sprint(start+8, " timeseries[", i, "].samples[0]"), fmt.Sprint(start+16, " timeseries[", i, "].samples[4]"),
		} {
			if !seen[want] {
				t.Errorf("no limit ends at %s", want)
			}
		}
	}
	if t.Failed() {
		t.Log(seen)
	}
}
