package rw1

import (
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/rw1/prompb"
	"github.com/hotpb/hotpb/go/bench/rw1/prompb/gogo"
)

// newGogo is gogo with messages that are values, as Prometheus has them. Reset drops the memory of the last request.
func newGogo(input []byte) (rival, error) {
	m := new(gogo.WriteRequest)
	decode := func() error {
		m.Reset()
		return m.Unmarshal(input)
	}
	return rival{
		decode: decode,
		read: func() (sum uint64, err error) {
			for i := range m.Timeseries {
				ts := &m.Timeseries[i]
				sum += sumGogoLabels(ts.Labels)
				for j := range ts.Samples {
					sum += sumSample(ts.Samples[j].Value, ts.Samples[j].Timestamp)
				}
			}
			return sum, nil
		},
		find: func() (uint64, error) {
			if err := decode(); err != nil {
				return 0, err
			}
			return sumGogoLabels(m.Timeseries[len(m.Timeseries)/2].Labels), nil
		},
		last: func() (uint64, error) {
			if err := decode(); err != nil {
				return 0, err
			}
			return sumString(m.Timeseries[len(m.Timeseries)-1].Labels[0].Value), nil
		},
		stock: func() (*prompb.WriteRequest, error) {
			encoded, err := m.Marshal()
			if err != nil {
				return nil, err
			}
			out := new(prompb.WriteRequest)
			return out, proto.Unmarshal(encoded, out)
		},
		note: "UTF-8 not checked; value structs, reset and decoded again",
	}, nil
}

func sumGogoLabels(labels []gogo.Label) (sum uint64) {
	for i := range labels {
		sum += sumString(labels[i].Name) + sumString(labels[i].Value)
	}
	return sum
}
