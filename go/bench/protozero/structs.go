package protozero

import "google.golang.org/protobuf/proto"

const (
	freshNote  = "a message for each operation; encoded into memory that is used again"
	reusedNote = "the message is filled in again, not made; encoded into memory that is used again"
)

func newProtobufGo() rival {
	var out []byte
	return rival{func(depth int) (_ []byte, err error) {
		out, err = proto.MarshalOptions{}.MarshalAppend(out[:0], stock(depth))
		return out, err
	}, freshNote}
}

func newProtobufGoReused() rival {
	var out []byte
	m := stock(levels)
	simple := stock(1)
	return rival{func(depth int) (_ []byte, err error) {
		if depth == 1 {
			m = simple
		}
		refill(m)
		out, err = proto.MarshalOptions{}.MarshalAppend(out[:0], m)
		return out, err
	}, reusedNote}
}

func newVTProtobuf() rival {
	out := make([]byte, 512)
	return rival{func(depth int) ([]byte, error) {
		n, err := stock(depth).MarshalToSizedBufferVT(out)
		return out[len(out)-n:], err
	}, freshNote + ", backwards, without a size pass"}
}

func newVTProtobufReused() rival {
	out := make([]byte, 512)
	m := stock(levels)
	simple := stock(1)
	return rival{func(depth int) ([]byte, error) {
		if depth == 1 {
			m = simple
		}
		refill(m)
		n, err := m.MarshalToSizedBufferVT(out)
		return out[len(out)-n:], err
	}, reusedNote + ", backwards, without a size pass"}
}
