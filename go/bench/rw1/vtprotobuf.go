package rw1

import "github.com/hotpb/hotpb/go/bench/rw1/prompb"

// newVTProtobuf is vtprotobuf at its fastest: pooled messages and strings that alias the input. It checks no UTF-8.
func newVTProtobuf(input []byte) (rival, error) {
	m := prompb.WriteRequestFromVTPool()
	decode := func() error {
		m.ReturnToVTPool()
		m = prompb.WriteRequestFromVTPool()
		return m.UnmarshalVTUnsafe(input)
	}
	return rival{
		decode: decode,
		read:   func() (uint64, error) { return sumRequest(m), nil },
		find: func() (uint64, error) {
			if err := decode(); err != nil {
				return 0, err
			}
			return sumLabels(m.Timeseries[len(m.Timeseries)/2].Labels), nil
		},
		last: func() (uint64, error) {
			if err := decode(); err != nil {
				return 0, err
			}
			return sumString(m.Timeseries[len(m.Timeseries)-1].Labels[0].Value), nil
		},
		stock: func() (*prompb.WriteRequest, error) { return m, nil },
		note:  "UTF-8 not checked; strings alias the input",
	}, nil
}
