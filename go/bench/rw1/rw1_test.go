package rw1

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/rw1/prompb"
)

// request is one of so many series, laid out as Prometheus does.
func request(t testing.TB, series int) []byte {
	m := new(prompb.WriteRequest)
	for i := range series {
		ts := &prompb.TimeSeries{Samples: []*prompb.Sample{{Value: float64(i) / 8, Timestamp: 1_795_250_863_868 + int64(i)}}}
		for _, name := range []string{"__name__", "instance", "job", "le", "path", "zone"} {
			ts.Labels = append(ts.Labels, &prompb.Label{Name: name, Value: fmt.Sprintf("%s-%d", name, i%37)})
		}
		m.Timeseries = append(m.Timeseries, ts)
	}
	encoded, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

func TestEveryRivalGivesWhatTheStockRuntimeGives(t *testing.T) {
	input := request(t, 100)
	for task, contenders := range Tasks() {
		for name, make := range contenders {
			c, err := make(input)
			if err == nil {
				err = c.Verify()
			}
			if err != nil {
				t.Errorf("%s, %s: %v", task, name, err)
			}
		}
	}
}

// BenchmarkRemoteWrite is for looking at one contender by itself; bench/run compares them, on real shapes.
func BenchmarkRemoteWrite(b *testing.B) {
	input := request(b, 10_000)
	for task, contenders := range Tasks() {
		for name, make := range contenders {
			b.Run(task+"/"+name, func(b *testing.B) {
				c, err := make(input)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := c.Op(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
