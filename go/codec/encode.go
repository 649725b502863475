package codec

import (
	"math"
	"reflect"
	"sync"
	"unsafe"

	"github.com/hotpb/hotpb/go/internal/enc"
	"github.com/hotpb/hotpb/go/wire"
)

// Encodable is what generated code gives the functions of this file: a pointer
// to a message that it reads and writes.
type Encodable interface {
	// EncodeHot writes the message in front of position i of e.B and gives the
	// position of its first byte. A nil message is an empty one.
	EncodeHot(e *Encoder, i int) int
	UnmarshalHotOptions(b []byte, o UnmarshalOptions) error
}

// Encoder writes a message from its last byte to its first: what a length
// counts is written by the time the length is, so nothing is sized beforehand
// and nothing is moved. Generated code hands it down, with the position of the
// first byte that is written.
//
//	B  [ …room…   | 12 | 03 | a b c | 18 05 ]
//	             i ^ next goes in front of it
type Encoder struct {
	B             []byte
	Deterministic bool // maps are written by key
	AllowPartial  bool // required fields may be absent

	own     []byte    // scratch, used again; between two encodings it is B, too
	fault   wire.Code // why what was written must not leave, or 0
	failure error     // of a runtime that wrote a part of the message
}

// MaxScratch is the most bytes of scratch that an encoder keeps for its next
// message. Encoders are in a sync.Pool: there is about one for each processor,
// and one that is not used during two garbage collections is let go.
const MaxScratch = 4 << 20

var encoders = sync.Pool{New: func() any { return new(Encoder) }}

func take(o MarshalOptions) *Encoder {
	e := encoders.Get().(*Encoder)
	debugSoil(e.own)
	e.Deterministic, e.AllowPartial = o.Deterministic, o.AllowPartial
	return e
}

func (e *Encoder) release() {
	if len(e.own) > MaxScratch {
		e.own, e.B = nil, nil
	}
	encoders.Put(e)
}

// Marshal gives the encoding of m in memory of its own, of the exact size.
// It is nil for a nil m.
func Marshal(m Encodable) ([]byte, error) {
	e := take(MarshalOptions{})
	i := m.EncodeHot(e, len(e.B))
	written := e.B[i:]
	if e.fault != 0 || e.failure != nil {
		return nil, refuse(e, m, written)
	}
	var out []byte
	if !isNil(m) {
		out = make([]byte, len(written))
		copy(out, written)
	}
	e.release()
	return out, nil
}

// isNil tells whether m is a nil pointer: the second word of an interface is the pointer.
func isNil(m Encodable) bool { return (*[2]unsafe.Pointer)(unsafe.Pointer(&m))[1] == nil }

// MarshalAppend appends the encoding of m to dst, as append does: of the room
// behind dst nothing is touched but what the result takes. It is encoded in
// scratch, and copied once. On an error it gives dst, and has touched nothing.
func MarshalAppend(dst []byte, m Encodable) ([]byte, error) {
	return finish(take(MarshalOptions{}), dst, m)
}

// MarshalWith is MarshalAppend with options.
func MarshalWith(dst []byte, m Encodable, o MarshalOptions) ([]byte, error) {
	return finish(take(o), dst, m)
}

// MarshalScratch is MarshalAppend with all the room behind dst as scratch: what
// was in it is overwritten even where the result does not reach, and on an
// error too. It is for dst that owns its memory, and saves scratch of the
// encoder's own: messages above MaxScratch are then encoded without allocating.
func MarshalScratch(dst []byte, m Encodable) ([]byte, error) {
	e := take(MarshalOptions{})
	if len(dst) < cap(dst) {
		e.B = dst[len(dst):cap(dst)]
	}
	return finish(e, dst, m)
}

func finish(e *Encoder, dst []byte, m Encodable) ([]byte, error) {
	i := m.EncodeHot(e, len(e.B))
	written := e.B[i:]
	if e.fault != 0 || e.failure != nil {
		return dst, refuse(e, m, written)
	}
	// Both for scratch and for the room itself, in which it moves to the front.
	dst = append(dst, written...)
	e.B = e.own
	e.release()
	return dst, nil
}

// refuse ends an encoding that must not leave. Where the fault is, decoding what
// was written tells, as far as the runtime's rules of decoding see it.
//
//go:noinline
func refuse(e *Encoder, m Encodable, written []byte) error {
	err, code := e.failure, e.fault
	if err == nil {
		o := UnmarshalOptions{AllowPartial: e.AllowPartial, RecursionLimit: math.MaxInt}
		err = reflect.New(reflect.TypeOf(m).Elem()).Interface().(Encodable).UnmarshalHotOptions(written, o)
	}
	e.B, e.fault, e.failure = e.own, 0, nil
	e.release()
	if err == nil {
		err = &wire.Error{Code: code}
	}
	return err
}

// Grow makes room for n bytes in front of position i and gives the position anew.
//
//go:noinline
func (e *Encoder) Grow(i, n int) int {
	written := e.B[i:]
	need := len(written) + n
	if len(e.own) < need {
		b := make([]byte, max(2*len(e.own), need+need/4, 1024))
		e.own = b[:cap(b)]
		debugSoil(e.own)
	}
	e.B = e.own
	i = len(e.B) - len(written)
	copy(e.B[i:], written)
	return i
}

// Missing tells that a required field is absent.
func (e *Encoder) Missing() {
	if !e.AllowPartial {
		e.fault = wire.MissingRequired
	}
}

// Fail ends the encoding with the error of a runtime that was to write a part of
// the message. Of several the one stands that is first in the message.
func (e *Encoder) Fail(err error) { e.failure = err }

// Reserve makes n bytes in front of position i a part of the encoding and gives
// the position of the first; a length fits in front of it.
func (e *Encoder) Reserve(i, n int) int {
	if i < n+wire.MaxVarint {
		i = e.Grow(i, n+wire.MaxVarint)
	}
	return i - n
}

// Raw writes bytes that are encoded already.
func (e *Encoder) Raw(i int, b []byte) int {
	if i < len(b) {
		i = e.Grow(i, len(b))
	}
	i -= len(b)
	copy(e.B[i:], b)
	return i
}

// PutVarint writes a varint in front of position i, where there must be room.
func PutVarint(b []byte, i int, v uint64) int {
	if v < 0x80 {
		i--
		b[i] = byte(v)
		return i
	}
	return enc.LongVarint(b, i, v)
}
