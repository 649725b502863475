package rw1

import (
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/rw1/prompb"
)

// newProtobufGo is the stock runtime as most users have it: a fresh message for every request.
func newProtobufGo(input []byte) (rival, error) {
	return newStock(input, func(b []byte, m *prompb.WriteRequest) error { return proto.Unmarshal(b, m) })
}

// newCodec is the same structs decoded by hotpb's codec.
func newCodec(input []byte) (rival, error) {
	return newStock(input, func(b []byte, m *prompb.WriteRequest) error { return m.UnmarshalHot(b) })
}

func newStock(input []byte, unmarshal func(b []byte, m *prompb.WriteRequest) error) (rival, error) {
	var m *prompb.WriteRequest
	decode := func() error {
		m = new(prompb.WriteRequest)
		return unmarshal(input, m)
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
		note:  "UTF-8 checked; a fresh message each time",
	}, nil
}
