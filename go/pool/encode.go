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
	// Deterministic writes maps by key: equal messages give equal bytes.
	Deterministic bool
	// Strict refuses strings that are not UTF-8, also where the schema leaves
	// them unchecked.
	Strict bool
	// AllowPartial writes messages whose required fields are not all there.
	AllowPartial bool
}

// Encoder writes a message from its last byte to its first: what a length
// counts is written by the time the length is. Generated code hands it down,
// with the position of the first byte that is written.
//
//	B  [ …room…   | 12 | 03 | a b c | 18 05 ]
//	             i ^ next goes in front of it
type Encoder struct {
	B             []byte
	Deterministic bool
	unchecked     bool
	strict        bool
	bad           bool     // there was a string that must not leave
	grown         bool     // there is something to give back
	kept          *Encoder // whose memory B is, when that is used again
	pooled        *Encoder // itself, when overRoom has started it
}

// Encodable is a message that can be encoded: none of its fields are dropped.
type Encodable interface {
	Message
	MarshalWith(dst []byte, o MarshalOptions) ([]byte, error)
}

// Grow makes room for n bytes in front of position i and gives the position anew.
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

// spare is how much more room than it takes makes an encoding that has no need to grow.
const spare = 64

// Check looks at a string that the schema has checked.
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

// Length writes the length of what was written since written bytes were there.
// There must be room for it.
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

// Into starts an encoding into room, which is filled from its end.
func Into(room []byte) Encoder { return Encoder{B: room} }

// scratch are encoders with memory, for encodings whose size is known only when all is written.
var scratch sync.Pool

// borrow returns an encoder that is used again, with its memory.
func borrow() *Encoder {
	e, _ := scratch.Get().(*Encoder)
	if e == nil {
		e = new(Encoder)
	}
	debugSoil(e.B)
	return e
}

// giveBack ends the use of borrowed memory, and of the encoder if it is not the caller's.
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

// scratchFor starts an encoding into memory that is used again.
func scratchFor(o MarshalOptions) *Encoder {
	e := borrow()
	e.kept, e.Deterministic, e.strict = e, o.Deterministic, o.Strict
	return e
}

// overRoom starts an encoding into room, which is filled from its end, with an encoder that is on the heap.
func overRoom(room []byte) *Encoder {
	e, _ := idle.Get().(*Encoder)
	if e == nil {
		e = new(Encoder)
	}
	e.B, e.pooled, e.grown = room, e, true // it ends as one that has grown
	return e
}

// idle are encoders without memory.
var idle sync.Pool

// exact ends an encoding that scratchFor has started, and returns it in memory of its own, of the exact size.
func (e *Encoder) exact(i int, l *Layout) (out []byte, err error) {
	if err = e.refuse(i, l); err == nil {
		out = append(make([]byte, 0, len(e.B)-i), e.B[i:]...)
	}
	e.giveBack()
	return out, err
}

// copy ends an encoding that scratchFor has started, and returns dst with it, as append does. On an error it returns dst,
// and has touched nothing.
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

// Append gives dst with what was written behind it. The encoding was started
// with the room behind dst, all of it: when it was enough, nothing is allocated.
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

// Fill gives how many bytes the encoding has. It was started with room, and is at the end of it.
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
			n = copy(room[len(room)-len(written):], written) // in place where it has not grown
		}
	}
	e.giveBack()
	return n, err
}

// refuse finds what must not leave.
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

// Missing is the error of a required field that is absent on encoding.
func Missing(path string) error { return &wire.Error{Code: wire.MissingRequired, Path: path} }

// clone returns a copy of m, which is not nil: it shares nothing with m.
func (l *Layout) clone(m unsafe.Pointer) unsafe.Pointer {
	e := Encoder{unchecked: true}
	e.kept = &e // nothing borrowed: what is written stays
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
		panic("hotpb: internal error: a message cannot read what it has written")
	}
	d.settle()
	return to
}
