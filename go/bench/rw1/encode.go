package rw1

import (
	"bytes"
	"errors"

	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/bench/harness"
	"github.com/hotpb/hotpb/go/bench/rw1/prompb"
	"github.com/hotpb/hotpb/go/bench/rw1/prompb/gogo"
	hot "github.com/hotpb/hotpb/go/internal/testgen/prometheus/prometheushot"
)

// encoders make a function that encodes the request of an input, into a buffer
// that is used again where the rival can do that.
var encoders = map[string]func(input []byte) (encode func() ([]byte, error), note string, err error){
	"hotpb-pool": func(input []byte) (func() ([]byte, error), string, error) {
		m := new(hot.WriteRequest)
		var buf []byte
		return func() (_ []byte, err error) {
			buf, err = m.MarshalAppend(buf[:0])
			return buf, err
		}, "into a buffer that is used again; UTF-8 checked", m.UnmarshalOwned(input)
	},
	"hotpb-pool:scratch": func(input []byte) (func() ([]byte, error), string, error) {
		m := new(hot.WriteRequest)
		var buf []byte
		return func() (_ []byte, err error) {
			buf, err = m.MarshalScratch(buf[:0])
			if free := len(buf) + 64; cap(buf) < free {
				buf = append(make([]byte, 0, free), buf...)
			}
			return buf, err
		}, "into a buffer that is used again, whose room is overwritten; UTF-8 checked", m.UnmarshalOwned(input)
	},
	"hotpb-pool:unsized": func(input []byte) (func() ([]byte, error), string, error) {
		m := new(hot.WriteRequest)
		buf := make([]byte, 2*len(input))
		return func() ([]byte, error) {
			n, err := m.MarshalToSizedBuffer(buf)
			return buf[len(buf)-n:], err
		}, "backwards into a buffer that is known to be large enough; UTF-8 checked", m.UnmarshalOwned(input)
	},
	"hotpb-codec": func(input []byte) (func() ([]byte, error), string, error) {
		m := new(prompb.WriteRequest)
		var buf []byte
		return func() (_ []byte, err error) {
			buf, err = m.MarshalAppendHot(buf[:0])
			return buf, err
		}, "the stock structs; into a buffer that is used again; UTF-8 checked", proto.Unmarshal(input, m)
	},
	"hotpb-codec:scratch": func(input []byte) (func() ([]byte, error), string, error) {
		m := new(prompb.WriteRequest)
		var buf []byte
		return func() (_ []byte, err error) {
			buf, err = m.MarshalScratchHot(buf[:0])
			if free := len(buf) + 64; cap(buf) < free {
				buf = append(make([]byte, 0, free), buf...)
			}
			return buf, err
		}, "the stock structs; into a buffer that is used again, whose room is overwritten; UTF-8 checked", proto.Unmarshal(input, m)
	},
	"protobuf-go": func(input []byte) (func() ([]byte, error), string, error) {
		m := new(prompb.WriteRequest)
		var buf []byte
		return func() (_ []byte, err error) {
			buf, err = proto.MarshalOptions{}.MarshalAppend(buf[:0], m)
			return buf, err
		}, "into a buffer that is used again; UTF-8 checked", proto.Unmarshal(input, m)
	},
	"gogo": func(input []byte) (func() ([]byte, error), string, error) {
		m := new(gogo.WriteRequest)
		var buf []byte
		return func() ([]byte, error) {
			if size := m.Size(); cap(buf) < size {
				buf = make([]byte, size)
			} else {
				buf = buf[:size]
			}
			n, err := m.MarshalToSizedBuffer(buf)
			return buf[len(buf)-n:], err
		}, "value structs; sized, into a buffer that is used again; UTF-8 not checked", m.Unmarshal(input)
	},
	"gogo:unsized": func(input []byte) (func() ([]byte, error), string, error) {
		m := new(gogo.WriteRequest)
		buf := make([]byte, 2*len(input))
		return func() ([]byte, error) {
			n, err := m.MarshalToSizedBuffer(buf)
			return buf[len(buf)-n:], err
		}, "value structs; backwards into a buffer that is known to be large enough; UTF-8 not checked", m.Unmarshal(input)
	},
	"vtprotobuf": func(input []byte) (func() ([]byte, error), string, error) {
		m := new(prompb.WriteRequest)
		var buf []byte
		return func() ([]byte, error) {
			if size := m.SizeVT(); cap(buf) < size {
				buf = make([]byte, size)
			} else {
				buf = buf[:size]
			}
			n, err := m.MarshalToSizedBufferVT(buf)
			return buf[len(buf)-n:], err
		}, "sized, into a buffer that is used again; UTF-8 not checked", proto.Unmarshal(input, m)
	},
}

func encoder(name string) harness.Factory {
	return func(input []byte) (harness.Contender, error) {
		encode, note, err := encoders[name](input)
		if err != nil {
			return harness.Contender{}, err
		}
		return harness.Contender{
			Op: func() (uint64, error) {
				b, err := encode()
				return uint64(len(b)), err
			},
			Verify: func() error { return sameRequest(encode, input) },
			Note:   note,
		}, nil
	}
}

// sameRequest compares what was encoded with the input, both as the stock runtime writes them.
func sameRequest(encode func() ([]byte, error), input []byte) error {
	got, err := encode()
	if err != nil {
		return err
	}
	var canonical [2][]byte
	for i, b := range [][]byte{got, input} {
		m := new(prompb.WriteRequest)
		if err := proto.Unmarshal(b, m); err != nil {
			return err
		}
		if canonical[i], err = (proto.MarshalOptions{Deterministic: true}).Marshal(m); err != nil {
			return err
		}
	}
	if !bytes.Equal(canonical[0], canonical[1]) {
		return errors.New("what was encoded is not the request")
	}
	return nil
}
