package codec

import "github.com/hotpb/hotpb/go/wire"

// MarshalTo writes the encoding of m to the beginning of dest, and nothing after it. If dest is too small, MarshalTo
// does not change it, and returns wire.BufferExhausted with an offset of len(dest).
func MarshalTo(dest []byte, m Encodable) error {
	e := take(MarshalOptions{})
	e.B = e.own
	i := m.EncodeHot(e, len(e.B))
	written := e.B[i:]
	if e.fault != 0 || e.failure != nil {
		return refuse(e, m, written)
	}
	var err error
	if len(written) > len(dest) {
		err = &wire.Error{Code: wire.BufferExhausted, Offset: int64(len(dest))}
	} else {
		copy(dest, written)
	}
	e.release()
	return err
}
