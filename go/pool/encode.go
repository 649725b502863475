package pool

import (
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/hotpb/hotpb/go/internal/enc"
	"github.com/hotpb/hotpb/go/wire"
)

// MarshalOptions are the rules of one encoding.
type MarshalOptions struct {
	// Deterministic writes maps by key: equal messages encode to equal bytes.
	Deterministic bool
	// Strict rejects strings that are not UTF-8, including those that the schema leaves unchecked.
	Strict bool
	// AllowPartial writes messages with missing required fields.
	AllowPartial bool
}

// Encoder writes a message from its last byte to its first, so that the contents of a message are written before
// their length. Generated code passes the encoder on, with the position of the first byte written.
//
//	B  [ …room…   | 12 | 03 | a b c | 18 05 ]
//	             i ^ next goes in front of it
type Encoder struct {
	B             []byte
	Deterministic bool
	unchecked     bool
	strict        bool
	bad           bool     // there was a string that is not UTF-8
	grown         bool     // there is borrowed memory to return
	kept          *Encoder // the encoder that owns B's memory, if that is reused
	pooled        *Encoder // the encoder itself, if overRoom started it
}

// Encodable is a message that can be encoded because none of its fields are dropped.
type Encodable interface {
	Message
	MarshalWith(dst []byte, o MarshalOptions) ([]byte, error)
}

// Grow makes room for n bytes in front of position i and returns the new position.
//
//go:noinline
func (e *Encoder) Grow(i, n int) int {
	written := len(e.B) - i
	var b []byte
	if e.kept == nil {
		e.kept = borrow()
		b = e.kept.B
	}
	if len(b) < written+n {
		b = make([]byte, max(2*len(e.B), written+n+spare))
		b = b[:cap(b)]
		debugSoil(b)
	}
	copy(b[len(b)-written:], e.B[i:])
	e.B, e.grown = b, true
	return len(b) - written
}

// spare is the room in addition to the message's size with which an encoding never needs to grow.
const spare = 64

// Check checks a string that the schema declares as UTF-8.
func (e *Encoder) Check(s string) {
	if !e.unchecked && !wire.ValidUTF8(bytesOf(s)) {
		e.bad = true
	}
}

// Unknown writes the unknown fields of a message.
func (e *Encoder) Unknown(h *Hidden, i int) int {
	if h.extra == nil {
		return i
	}
	return e.unknown(h.extra.unknown, i)
}

func (e *Encoder) unknown(runs [][]byte, i int) int {
	for _, run := range slices.Backward(runs) {
		if i < len(run) {
			i = e.Grow(i, len(run))
		}
		i -= len(run)
		copy(e.B[i:], run)
	}
	return i
}

// Length writes the number of bytes that were written since there were written bytes. There must be room for it.
func (e *Encoder) Length(i, written int) int {
	return PutVarint(e.B, i, uint64(len(e.B)-i-written))
}

// PutVarint writes a varint in front of position i.
func PutVarint(b []byte, i int, v uint64) int {
	if v < 0x80 {
		i--
		b[i] = byte(v)
		return i
	}
	return enc.LongVarint(b, i, v)
}

// Into starts an encoding into room, filling it from its end.
func Into(room []byte) Encoder { return Encoder{B: room} }

// scratch holds encoders with memory, for encodings whose size is known only at the end.
var scratch sync.Pool

// borrow returns a reused encoder with its memory.
func borrow() *Encoder {
	e, _ := scratch.Get().(*Encoder)
	if e == nil {
		e = new(Encoder)
	}
	debugSoil(e.B)
	return e
}

// giveBack returns borrowed memory, and the encoder if it is not the caller's.
func (e *Encoder) giveBack() {
	pooled := e.pooled
	if kept := e.kept; kept != nil {
		*kept = Encoder{B: e.B}
		scratch.Put(kept)
	}
	if pooled != nil {
		*pooled = Encoder{}
		idle.Put(pooled)
	}
}

// scratchFor starts an encoding into reused memory.
func scratchFor(o MarshalOptions) *Encoder {
	e := borrow()
	e.kept, e.Deterministic, e.strict = e, o.Deterministic, o.Strict
	return e
}

// overRoom starts an encoding into room, filling it from its end, with an encoder on the heap.
func overRoom(room []byte) *Encoder {
	e, _ := idle.Get().(*Encoder)
	if e == nil {
		e = new(Encoder)
	}
	e.B, e.pooled, e.grown = room, e, true // it ends like one that has grown
	return e
}

// idle holds encoders without memory.
var idle sync.Pool

// exact ends an encoding that scratchFor has started, and returns it in new memory of the exact size.
func (e *Encoder) exact(i int, l *Layout) (out []byte, err error) {
	if err = e.refuse(i, l); err == nil {
		out = append(make([]byte, 0, len(e.B)-i), e.B[i:]...)
	}
	e.giveBack()
	return out, err
}

// copy ends an encoding that scratchFor has started, and returns dst with the encoding appended. On an error it
// returns dst and changes nothing.
func (e *Encoder) copy(dst []byte, i int, l *Layout) (out []byte, err error) {
	if out = dst; e.bad || e.strict || len(e.B)-i > wire.MaxSize {
		err = e.refuse(i, l)
	}
	if err == nil {
		out = append(out, e.B[i:]...)
	}
	e.giveBack()
	return out, err
}

// Append returns dst followed by the encoding. The encoding was started with all the room after dst: if that was
// enough, nothing is allocated.
func (e *Encoder) Append(dst []byte, i int, r Ref) ([]byte, error) {
	if n := len(e.B) - i; !e.grown && !e.bad && !e.strict && n <= wire.MaxSize {
		return dst[:len(dst)+copy(dst[len(dst):cap(dst)], e.B[i:])], nil
	}
	return e.append(dst, i, r.l)
}

func (e *Encoder) append(dst []byte, i int, l *Layout) (out []byte, err error) {
	if err = e.refuse(i, l); err == nil {
		written := e.B[i:]
		if out = dst; cap(out)-len(out) < len(written) {
			out = append(make([]byte, 0, len(dst)+len(written)+spare), dst...)
		}
		dst = append(out, written...)
	}
	e.giveBack()
	return dst, err
}

// Fill returns the number of bytes of the encoding. The encoding was started with room, and is at the end of it.
func (e *Encoder) Fill(room []byte, i int, r Ref) (n int, err error) {
	if n = len(e.B) - i; !e.grown && !e.bad && !e.strict && n <= wire.MaxSize {
		return n, nil
	}
	return e.fill(room, i, r.l)
}

func (e *Encoder) fill(room []byte, i int, l *Layout) (n int, err error) {
	written := e.B[i:]
	if err = e.refuse(i, l); err == nil {
		if len(written) > len(room) {
			err = &wire.Error{Code: wire.BufferExhausted}
		} else {
			n = copy(room[len(room)-len(written):], written) // in place if it has not grown
		}
	}
	e.giveBack()
	return n, err
}

// refuse returns an error if the encoding must not be returned.
func (e *Encoder) refuse(i int, l *Layout) error {
	written := e.B[i:]
	if len(written) > wire.MaxSize {
		return &wire.Error{Code: wire.SizeExceeded}
	}
	if e.bad || e.strict {
		check := wire.Options{Strict: e.strict, MaxDepth: 1000}
		if err := wire.Check(*l.Tables, l.Index, written, check); err != nil {
			return err
		}
	}
	return nil
}

// Missing returns the error for a required field that is absent on encoding.
func Missing(path string) error { return &wire.Error{Code: wire.MissingRequired, Path: path} }

// clone returns a copy of m, which must not be nil. The copy shares nothing with m.
func (l *Layout) clone(m unsafe.Pointer) unsafe.Pointer {
	e := Encoder{unchecked: true}
	e.kept = &e // borrow no memory: the clone keeps these bytes
	i := l.encodeAt(m, &e, 0)
	memory := Memory{layout: l, slabs: l.newSlabs()}
	d := &memory.decoder
	d.memory, d.trusted, d.exceeded = math.MaxInt, true, -1
	b := e.B[i:]
	if len(b) >= countFrom {
		memory.count(b)
	}
	to := elements{l.Of, l.Size}.one()
	if l.decodeAt(to, d, memory.slabs, b, root, math.MaxInt) < 0 {
		panic("hotpb: internal error: a message cannot decode its own encoding")
	}
	d.settle()
	return to
}
