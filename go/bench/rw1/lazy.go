package rw1

import (
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/rw1/prompb"
	"github.com/hotpb/hotpb/go/bench/rw1/prompb/lazy"
)

// newLazy is the stock runtime's opaque API with message fields that are decoded when they are read.
func newLazy(input []byte) (rival, error) {
	var m *lazy.WriteRequest
	decode := func() error {
		m = new(lazy.WriteRequest)
		return proto.Unmarshal(input, m)
	}
	return rival{
		decode: decode,
		read: func() (sum uint64, err error) {
			for _, ts := range m.GetTimeseries() {
				sum += sumLazyLabels(ts.GetLabels())
				for _, s := range ts.GetSamples() {
					sum += sumSample(s.GetValue(), s.GetTimestamp())
				}
			}
			return sum, nil
		},
		find: func() (uint64, error) {
			if err := decode(); err != nil {
				return 0, err
			}
			return sumLazyLabels(m.GetTimeseries()[len(m.GetTimeseries())/2].GetLabels()), nil
		},
		last: func() (uint64, error) {
			if err := decode(); err != nil {
				return 0, err
			}
			series := m.GetTimeseries()
			return sumString(series[len(series)-1].GetLabels()[0].GetValue()), nil
		},
		stock: func() (*prompb.WriteRequest, error) {
			encoded, err := proto.Marshal(m)
			if err != nil {
				return nil, err
			}
			out := new(prompb.WriteRequest)
			return out, proto.Unmarshal(encoded, out)
		},
		note: "the opaque API, message fields decoded when they are read; UTF-8 checked then; a fresh message each time",
	}, nil
}

func sumLazyLabels(labels []*lazy.Label) (sum uint64) {
	for _, l := range labels {
		sum += sumString(l.GetName()) + sumString(l.GetValue())
	}
	return sum
}
