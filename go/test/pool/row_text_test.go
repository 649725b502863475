package pool_test

import (
	"errors"
	"fmt"
	"strings"
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

// A message that changes between the pass for its size and its encoding is written again.
func TestASizeThatIsNoLongerRight(t *testing.T) {
	m := &prometheushot.TimeSeries{}
	for n := range 200 {
		m.Labels = append(m.Labels, prometheushot.Label{Name: fmt.Sprint("name", n), Value: "value"})
	}
	m.Labels[3].Value = strings.Repeat("v", 5000)
	want, err := m.Marshal()
	if err != nil || !m.RefHot().IsHuge() {
		t.Fatal(err)
	}
	for _, size := range []int{0, 1, len(want) - 200, len(want) - 1, len(want), len(want) + 1, len(want) + 5000} {
		for _, room := range []int{0, len(want), len(want) + 6000} {
			out, err := m.RefHot().AppendLarge(append(make([]byte, 0, 4+room), "head"...), func() int { return size })
			if err != nil || string(out) != "head"+string(want) {
				t.Errorf("size %d, room %d: %d bytes of %d, %v", size, room, len(out), len(want), err)
			}
		}
		if out, err := m.RefHot().MarshalLarge(func() int { return size }); err != nil || string(out) != string(want) {
			t.Errorf("size %d: %d bytes of %d, %v", size, len(out), len(want), err)
		}
	}
}
