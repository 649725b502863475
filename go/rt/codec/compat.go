package codec

import (
	"runtime"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// MarshalTo writes the encoding of m to the beginning of dest, and nothing after it. If dest is too small, MarshalTo
// does not change it, and returns wire.BufferExhausted with an offset of len(dest).
func MarshalTo(dest []byte, m Encodable) error {
	_, err := marshalInto(dest, m, false)
	return err
}

// MarshalToStart is MarshalTo with the length of the encoding, and MarshalToEnd writes to the end of dest instead: gogo's
// methods MarshalTo and MarshalToSizedBuffer.
func MarshalToStart(dest []byte, m Encodable) (int, error) { return marshalInto(dest, m, false) }

// MarshalToEnd writes the encoding of m to the end of dest.
func MarshalToEnd(dest []byte, m Encodable) (int, error) { return marshalInto(dest, m, true) }

// marshalInto writes the encoding of m to the beginning or the end of dest, and returns its length.
func marshalInto(dest []byte, m Encodable, atEnd bool) (n int, err error) {
	var room [smallRoom]byte
	debugSoil(room[:])
	state := Encoder{B: room[:], onStack: true}
	e := hiddenEncoder(&state)
	i := m.EncodeHot(e, smallRoom)
	if e.fault != 0 || e.failure != nil {
		err = refuse(e, m, i)
	} else if n = len(e.B) - i; n > len(dest) {
		n, err = 0, &wire.Error{Code: wire.BufferExhausted, Offset: int64(len(dest))}
	} else {
		if atEnd {
			dest = dest[len(dest)-n:]
		}
		e.place(dest[:n], i)
	}
	e.release()
	runtime.KeepAlive(&state)
	runtime.KeepAlive(&room)
	return n, err
}
