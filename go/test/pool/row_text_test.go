package pool_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
	"github.com/hotpb/hotpb/go/wire"
)

// POL-47. Rows of strings are checked in one pass, but also those that were written before the room became too small.
func TestABadTextInManyRowsIsRefused(t *testing.T) {
	for count := 1; count < 200; count += 7 {
		m := &prometheushot.TimeSeries{}
		for n := range count {
			m.Labels = append(m.Labels, prometheushot.Label{Name: fmt.Sprint("name", n), Value: "value"})
		}
		m.Samples = []prometheushot.Sample{{Value: 1, Timestamp: 2}}
		if _, err := m.Marshal(); err != nil {
			t.Fatal(err)
		}
		want := m.Size()
		for _, bad := range []int{0, count / 2, count - 1} {
			m.Labels[bad].Value = "valu\xff"
			for _, room := range []int{0, 1, want / 2, want - 1, want, want + 20, 2 * want} {
				calls := map[string]func() (int, error){
					"Marshal":        func() (int, error) { out, err := m.Marshal(); return len(out), err },
					"MarshalAppend":  func() (int, error) { out, err := m.MarshalAppend(make([]byte, 0, room)); return len(out), err },
					"MarshalScratch": func() (int, error) { out, err := m.MarshalScratch(make([]byte, 0, room)); return len(out), err },
					"sized":          func() (int, error) { return m.MarshalToSizedBuffer(make([]byte, room)) },
				}
				for name, call := range calls {
					if n, err := call(); n != 0 || !errors.Is(err, wire.InvalidUtf8) {
						t.Fatalf("%s: label %d of %d, room %d of %d: %d bytes, %v", name, bad, count, room, want, n, err)
					}
				}
			}
			m.Labels[bad].Value = "value"
		}
	}
}
