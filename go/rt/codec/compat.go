package codec

import (
	"runtime"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// MarshalTo writes the encoding of m to the beginning of dest, and nothing after it. If dest is too small, MarshalTo
// does not change it, and returns wire.BufferExhausted with an offset of len(dest).
func MarshalTo(dest []byte, m Encodable) error {
	_, err := marshalInto(dest, m)
	return err
}

// MarshalToStart is MarshalTo with the length of the encoding: gogo's method MarshalTo.
func MarshalToStart(dest []byte, m Encodable) (int, error) { return marshalInto(dest, m) }

// MarshalToEnd writes the encoding of m to the end of dest, as gogo's method MarshalToSizedBuffer does: straight to its
// place, so that nothing is copied twice. It does not change the bytes before that; on an error, any byte may have changed.
// Dest shares no memory with m.
func MarshalToEnd(dest []byte, m Encodable) (n int, err error) {
	var room [smallRoom]byte
	debugSoil(room[:])
	state := Encoder{B: dest, inPlace: true, direct: true, front: room[:]}
	e := hiddenEncoder(&state)
	i := m.EncodeHot(e, len(dest))
	if e.inPlace && e.kept == nil && e.fault == 0 && e.failure == nil {
		n = len(dest) - i
	} else {
		n, err = e.end(dest, m, i)
	}
	runtime.KeepAlive(&state)
	runtime.KeepAlive(&room)
	return n, err
}

// end finishes an encoding, of which not all is in its place, at the end of dest.
func (e *Encoder) end(dest []byte, m Encodable, i int) (int, error) {
	if e.fault != 0 || e.failure != nil {
		return 0, refuse(e, m, i)
	}
	n := len(e.B) - i
	if n > len(dest) {
		e.release()
		return 0, &wire.Error{Code: wire.BufferExhausted, Offset: int64(len(dest))}
	}
	if to := dest[len(dest)-n:]; e.tail != nil {
		copy(to, e.written(i))
	} else {
		e.place(to, i)
	}
	e.release()
	return n, nil
}

// marshalInto writes the encoding of m to the beginning of dest, and returns its length.
func marshalInto(dest []byte, m Encodable) (n int, err error) {
	var room [smallRoom]byte
	debugSoil(room[:])
	state := Encoder{B: room[:], onStack: true}
	e := hiddenEncoder(&state)
	i := m.EncodeHot(e, smallRoom)
	if e.fault != 0 || e.failure != nil {
		err = refuse(e, m, i)
	} else if n = len(e.B) - i; n > len(dest) {
		n, err = 0, &wire.Error{Code: wire.BufferExhausted, Offset: int64(len(dest))}
		e.release()
	} else {
		e.place(dest[:n], i)
		e.release()
	}
	runtime.KeepAlive(&state)
	runtime.KeepAlive(&room)
	return n, err
}
