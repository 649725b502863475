package codec

import (
	"math"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/hotpb/hotpb/go/internal/enc"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// Encodable is a pointer to a message that generated code passes to the functions of this file.
type Encodable interface {
	// EncodeHot writes the message in front of position i of e.B and returns the position of its first byte. A nil
	// message is an empty one.
	EncodeHot(e *Encoder, i int) int
	// SizeHot returns the length of the encoding: 0 for a nil message.
	SizeHot() int
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

	fault   wire.Code // why the encoding must not be returned, or 0
	onStack bool      // B is memory of the stack, which only functions of this module may see
	held    int       // the bytes of tail, or of the payloads that are not in B
	inPlace bool      // B is the room after the result, which may be on the stack, too
	direct  bool      // payloads are copied into B, however long they are
	byTable bool      // a table has been used: sizes cost nearly as much as the encoding
	front   []byte    // the next B, on the stack, or nil
	tail    []byte    // the end of the encoding, there, if B is scratch memory because room was missing in front of it
	kept    *scratch  // nil until B is too small, or a payload is held
	failure error     // of a runtime that wrote a part of the message
}

// scratch is memory that encoders use one after the other. It is in a sync.Pool: there is about one for each processor,
// and one that is not used during two garbage collections is freed.
type scratch struct {
	own   []byte
	longs []long // payloads that are not in own, from the last one to the first
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// smallRoom is the size of the memory on the stack in which an encoding begins. It must be cleared, so it is small.
const smallRoom = 256

// keeps returns the scratch of an encoder, which gets one if it has none.
func (e *Encoder) keeps() *scratch {
	if e.kept == nil {
		e.kept = scratches.Get().(*scratch)
		debugSoil(e.kept.own)
	}
	return e.kept
}

// largeTypes are flags of message types, by their method tables. Types may share theirs.
var largeTypes [1024]typeFlags

type typeFlags struct {
	large atomic.Bool // the room on the stack was too small for a message
	long  atomic.Bool // a message consisted mostly of payloads that are copied once
}

func largeOf(m Encodable) *typeFlags {
	table := uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&m))[0])
	return &largeTypes[table>>4%uintptr(len(largeTypes))]
}

func (e *Encoder) release() {
	s := e.kept
	if s == nil {
		return
	}
	if len(s.own) > MaxScratch {
		s.own = nil
	}
	if len(s.longs) > 0 {
		s.drop()
	}
	scratches.Put(s)
}

// hiddenEncoder hides an encoder from escape analysis, as hidden does for a decoder: so it and its memory stay on the stack.
// Fast code keeps no pointer to them, but the compiler cannot see that through an interface. The caller keeps them
// alive. Without noinline the compiler might keep the result as a number, which does not move with the stack.
//
//go:noinline
//go:nosplit
//go:nocheckptr
func hiddenEncoder(e *Encoder) *Encoder {
	address := uintptr(unsafe.Pointer(e))
	return *(**Encoder)(unsafe.Pointer(&address))
}

// Marshal returns the encoding of m in new memory of the exact size. For a nil m it returns nil.
func Marshal(m Encodable) ([]byte, error) {
	flags := largeOf(m)
	if flags.large.Load() {
		return marshalLarge(m, flags)
	}
	var room [smallRoom]byte
	debugSoil(room[:])
	state := Encoder{B: room[:], onStack: true}
	e := hiddenEncoder(&state)
	i := m.EncodeHot(e, smallRoom)
	var out []byte
	var err error
	if e.fault != 0 || e.failure != nil {
		err = refuse(e, m, i)
	} else if e.kept != nil {
		flags.large.Store(true)
		out = e.whole(i)
		e.release()
	} else if !isNil(m) {
		out = make([]byte, smallRoom-i)
		copy(out, room[i:])
	}
	runtime.KeepAlive(&state)
	runtime.KeepAlive(&room)
	return out, err
}

func marshalLarge(m Encodable, flags *typeFlags) ([]byte, error) {
	if flags.long.Load() && !isNil(m) {
		out, err := marshalExact(nil, m, 0)
		if err == nil && out == nil {
			out = []byte{}
		}
		return out[:len(out):len(out)], err
	}
	var state Encoder
	state.B = state.keeps().own
	e := hiddenEncoder(&state)
	i := m.EncodeHot(e, len(e.B))
	var out []byte
	var err error
	if e.fault != 0 || e.failure != nil {
		err = refuse(e, m, i)
	} else {
		e.note(flags, i)
		if !isNil(m) {
			out = e.whole(i)
		}
		e.release()
	}
	runtime.KeepAlive(&state)
	return out, err
}

// isNil reports whether m is a nil pointer: the second word of an interface is the pointer.
func isNil(m Encodable) bool { return (*[2]unsafe.Pointer)(unsafe.Pointer(&m))[1] == nil }

// MarshalAppend appends the encoding of m to dst, as append does: in the spare capacity of dst it changes only the
// bytes of the result. On an error it returns dst and changes nothing.
func MarshalAppend(dst []byte, m Encodable) ([]byte, error) {
	return MarshalWith(dst, m, MarshalOptions{})
}

// MarshalWith is MarshalAppend with options.
func MarshalWith(dst []byte, m Encodable, o MarshalOptions) ([]byte, error) {
	large := &largeOf(m).large
	if large.Load() {
		state := Encoder{Deterministic: o.Deterministic, AllowPartial: o.AllowPartial}
		state.B = state.keeps().own
		e := hiddenEncoder(&state)
		i := m.EncodeHot(e, len(e.B))
		dst, err := finish(e, dst, m, i)
		runtime.KeepAlive(&state)
		return dst, err
	}
	var room [smallRoom]byte
	debugSoil(room[:])
	state := Encoder{B: room[:], onStack: true, Deterministic: o.Deterministic, AllowPartial: o.AllowPartial}
	e := hiddenEncoder(&state)
	i := m.EncodeHot(e, smallRoom)
	var err error
	if e.kept != nil || e.fault != 0 || e.failure != nil {
		if e.kept != nil {
			large.Store(true)
		}
		dst, err = finish(e, dst, m, i)
	} else {
		dst = append(dst, room[i:]...)
	}
	runtime.KeepAlive(&state)
	runtime.KeepAlive(&room)
	return dst, err
}

// MarshalScratch is MarshalAppend with all the spare capacity of dst as scratch memory: it overwrites bytes after the
// result, too, and also on an error. Use it if dst is the only user of its memory. It saves the encoder's own scratch
// memory: messages above MaxScratch are then encoded without allocating.
func MarshalScratch(dst []byte, m Encodable) ([]byte, error) {
	flags := largeOf(m)
	if flags.long.Load() {
		return marshalExact(dst, m, 2*smallRoom)
	}
	state := Encoder{B: dst[len(dst):cap(dst)], inPlace: true}
	e := hiddenEncoder(&state)
	i := m.EncodeHot(e, len(e.B))
	if n := len(e.B) - i; e.isPlain() && n <= cap(dst)-len(dst) {
		dst = dst[:len(dst)+n]
		move(dst[len(dst)-n:], e.B[i:])
		runtime.KeepAlive(&state)
		return dst, nil
	}
	e.note(flags, i)
	if n := len(e.B) - i; n > cap(dst)-len(dst) && e.fault == 0 && e.failure == nil {
		dst = slices.Grow(dst, n+2*smallRoom) // so that the next message has spare room
	}
	dst, err := finish(e, dst, m, i)
	runtime.KeepAlive(&state)
	return dst, err
}

// marshalExact is MarshalScratch for a message of long payloads, which go straight to their places: its size is known soon.
// Only what is written last may pass through memory on the stack, because steps of an encoder ask for more room than they
// use. If the message changes meanwhile, the result is longer or shorter than dst's part for it, and moves. If marshalExact
// allocates, the result has spare capacity.
func marshalExact(dst []byte, m Encodable, spare int) ([]byte, error) {
	size, into := m.SizeHot(), dst
	if cap(dst)-len(dst) < size {
		into = append(enc.Fresh(len(dst) + size + spare)[:0], dst...)
	}
	into = into[:len(dst)+size]
	var room [smallRoom]byte
	debugSoil(room[:])
	state := Encoder{B: into[len(dst):], inPlace: true, direct: true, front: room[:]}
	e := hiddenEncoder(&state)
	i := m.EncodeHot(e, size)
	var err error
	if front := e.written(i); e.kept == nil && e.fault == 0 && e.failure == nil && len(front)+len(e.tail) == size {
		if e.tail != nil {
			copy(into[len(dst):], front)
		}
		dst = into
	} else {
		if e.fault == 0 && e.failure == nil {
			dst = into[:len(dst)]
		}
		dst, err = finish(e, dst, m, i)
	}
	runtime.KeepAlive(&state)
	runtime.KeepAlive(&room)
	return dst, err
}

// finish appends an encoding to dst.
func finish(e *Encoder, dst []byte, m Encodable, i int) ([]byte, error) {
	if e.fault != 0 || e.failure != nil {
		return dst, refuse(e, m, i)
	}
	// This works for scratch memory, and for dst's own room, in which the encoding moves to the front.
	switch {
	case e.held == 0:
		size := len(e.B) - i
		dst = slices.Grow(dst, size)[:len(dst)+size]
		move(dst[len(dst)-size:], e.B[i:])
	case e.tail != nil:
		front := e.written(i)
		begin, size := len(dst), len(front)+len(e.tail)
		dst = slices.Grow(dst, size)[:begin+size]
		move(dst[begin+len(front):], e.tail) // which may be there already, or further on
		copy(dst[begin:], front)
	default:
		size := len(e.B) - i
		dst = slices.Grow(dst, size)[:len(dst)+size]
		e.place(dst[len(dst)-size:], i)
	}
	e.release()
	return dst, nil
}

// note notes a message that consists mostly of payloads that are held, if its size costs less than to hold them.
func (e *Encoder) note(flags *typeFlags, i int) {
	if e.tail == nil && !e.byTable && 2*e.held > len(e.B)-i {
		flags.long.Store(true)
	}
}

// isPlain reports whether the encoding is in B, and nothing else is to be done.
func (e *Encoder) isPlain() bool {
	return e.kept == nil && e.tail == nil && e.fault == 0 && e.failure == nil
}

// move is copy, unless from is in its place.
func move(to, from []byte) {
	if unsafe.SliceData(to) != unsafe.SliceData(from) {
		copy(to, from)
	}
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
	if e.inPlace && e.held == 0 && (len(written) > 0 || len(e.front) >= n) { // this may be the last room that is missing
		e.inPlace, e.tail = false, written
		if e.onStack = len(e.front) >= n; e.onStack {
			e.B = e.front
		} else {
			e.B = e.enough(n).own
		}
		i = len(e.B)
		e.pretend(len(written))
		return i
	}
	tail := e.tail
	if tail != nil {
		e.held, e.tail = 0, nil
	}
	s := e.enough(len(written) + len(tail) + n)
	e.B, e.onStack, e.inPlace = s.own, false, false
	i = len(e.B) - len(written) - len(tail)
	copy(e.B[i+copy(e.B[i:], written):], tail)
	held := e.held
	e.held = 0
	e.pretend(held)
	return i
}

// enough returns scratch with at least need bytes.
func (e *Encoder) enough(need int) *scratch {
	s := e.keeps()
	if len(s.own) < need {
		b := make([]byte, max(2*len(s.own), need+need/4, 1024))
		s.own = b[:cap(b)]
		debugSoil(s.own)
	}
	return s
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
// length fits in front of it. Code that is not of this module may write them, and even keep them.
func (e *Encoder) Reserve(i, n int) int {
	for e.onStack || e.inPlace { // twice, if the room in front is on the stack
		i = e.Grow(i, n+wire.MaxVarint)
	}
	return e.reserve(i, n)
}

func (e *Encoder) reserve(i, n int) int {
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
