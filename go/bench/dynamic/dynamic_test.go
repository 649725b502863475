package dynamic

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/rw1/prompb"
)

func TestRivalsReadWhatTheStockRuntimeReads(t *testing.T) {
	request, err := proto.Marshal(&prompb.WriteRequest{Timeseries: []*prompb.TimeSeries{{
		Labels:  []*prompb.Label{{Name: "job", Value: "a"}, {Name: "host", Value: "é"}},
		Samples: []*prompb.Sample{{Value: 1.5, Timestamp: 1700000000000}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for task, contenders := range Tasks() {
		for name, factory := range contenders {
			c, err := factory(request)
			if err == nil {
				err = c.Verify()
			}
			if err != nil {
				t.Errorf("%s %s: %v", task, name, err)
			}
			if sum, err := c.Op(); err != nil || sum == 0 {
				t.Errorf("%s %s: %x, %v", task, name, sum, err)
			}
		}
	}
}
