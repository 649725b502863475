package codec

import (
	"math"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/hotpb/hotpb/go/internal/enc"
	"github.com/hotpb/hotpb/go/wire"
)

// Encodable is a pointer to a message that generated code passes to the functions of this file.
type Encodable interface {
	// EncodeHot writes the message in front of position i of e.B and returns the position of its first byte. A nil
	// message is an empty one.
	EncodeHot(e *Encoder, i int) int
	UnmarshalHotOptions(b []byte, o UnmarshalOptions) error
}

// Encoder writes a message from its last byte to its first, so that the contents of a message are written before
// their length: nothing is sized in advance and nothing is moved. Generated code passes the encoder on, with the
// position of the first byte written.
//
//	B  [ …room…   | 12 | 03 | a b c | 18 05 ]
//	             i ^ next goes in front of it
type Encoder struct {
	B             []byte
	Deterministic bool // maps are written by key
	AllowPartial  bool // required fields may be absent

	own     []byte    // reused scratch memory; between two encodings B is the same
	longs   []long    // payloads that are not in B, from the last one to the first
	held    int       // their bytes
	fault   wire.Code // why the encoding must not be returned, or 0
	failure error     // of a runtime that wrote a part of the message
}

// MaxScratch is the largest scratch memory that an encoder keeps for its next message. Encoders are in a sync.Pool:
// there is about one for each processor, and one that is not used during two garbage collections is freed.
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
		e.own = nil
	}
	if e.held > 0 {
		e.drop()
	}
	e.B = e.own
	encoders.Put(e)
}

// Marshal returns the encoding of m in new memory of the exact size. For a nil m it returns nil.
func Marshal(m Encodable) ([]byte, error) {
	e := take(MarshalOptions{})
	i := m.EncodeHot(e, len(e.B))
	if e.fault != 0 || e.failure != nil {
		return nil, refuse(e, m, i)
	}
	var out []byte
	if !isNil(m) {
		out = e.whole(i)
	}
	e.release()
	return out, nil
}

// isNil reports whether m is a nil pointer: the second word of an interface is the pointer.
func isNil(m Encodable) bool { return (*[2]unsafe.Pointer)(unsafe.Pointer(&m))[1] == nil }

// MarshalAppend appends the encoding of m to dst, as append does: in the spare capacity of dst it changes only the
// bytes of the result. On an error it returns dst and changes
// nothing.
func MarshalAppend(dst []byte, m Encodable) ([]byte, error) {
	return finish(take(MarshalOptions{}), dst, m)
}

// MarshalWith is MarshalAppend with options.
func MarshalWith(dst []byte, m Encodable, o MarshalOptions) ([]byte, error) {
	return finish(take(o), dst, m)
}

// MarshalScratch is MarshalAppend with all the spare capacity of dst as scratch memory: it overwrites bytes after the
// result, too, and also on an error. Use it if dst is the only user of its memory. It saves the encoder's own scratch
// memory: messages above MaxScratch are then encoded without allocating.
func MarshalScratch(dst []byte, m Encodable) ([]byte, error) {
	e := take(MarshalOptions{})
	if len(dst) < cap(dst) {
		e.B = dst[len(dst):cap(dst)]
	}
	return finish(e, dst, m)
}

func finish(e *Encoder, dst []byte, m Encodable) ([]byte, error) {
	i := m.EncodeHot(e, len(e.B))
	if e.fault != 0 || e.failure != nil {
		return dst, refuse(e, m, i)
	}
	// This works for scratch memory, and for dst's own room, in which the encoding moves to the front.
	if e.held == 0 {
		dst = append(dst, e.B[i:]...)
	} else {
		size := len(e.B) - i
		dst = slices.Grow(dst, size)[:len(dst)+size]
		e.place(dst[len(dst)-size:], i)
	}
	e.release()
	return dst, nil
}

// refuse ends an encoding that must not be returned. To find the place of the error it decodes the encoding, as far
// as the runtime's rules for decoding cover the error.
//
//go:noinline
func refuse(e *Encoder, m Encodable, i int) error {
	err, code := e.failure, e.fault
	if err == nil {
		written := e.whole(i)
		o := UnmarshalOptions{AllowPartial: e.AllowPartial, RecursionLimit: math.MaxInt}
		err = reflect.New(reflect.TypeOf(m).Elem()).Interface().(Encodable).UnmarshalHotOptions(written, o)
	}
	e.fault, e.failure = 0, nil
	e.release()
	if err == nil {
		err = &wire.Error{Code: code}
	}
	return err
}

// Grow makes room for n bytes in front of position i and returns the new position.
//
//go:noinline
func (e *Encoder) Grow(i, n int) int {
	written := e.written(i)
	need := len(written) + n
	if len(e.own) < need {
		b := make([]byte, max(2*len(e.own), need+need/4, 1024))
		e.own = b[:cap(b)]
		debugSoil(e.own)
	}
	e.B = e.own
	i = len(e.B) - len(written)
	copy(e.B[i:], written)
	b := (*list)(unsafe.Pointer(&e.B))
	b.len, b.cap = b.len+e.held, b.cap+e.held
	return i
}

// Missing reports to the encoder that a required field is absent.
func (e *Encoder) Missing() {
	if !e.AllowPartial {
		e.fault = wire.MissingRequired
	}
}

// Fail ends the encoding with the error of a runtime that should have written a part of the message. Of several
// errors the one that is first in the message counts.
func (e *Encoder) Fail(err error) { e.failure = err }

// Reserve makes n bytes in front of position i a part of the encoding and returns the position of the first one; a
// length fits in front of it.
func (e *Encoder) Reserve(i, n int) int {
	if i < n+wire.MaxVarint {
		i = e.Grow(i, n+wire.MaxVarint)
	}
	return i - n
}

// Raw writes bytes that are already encoded.
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
