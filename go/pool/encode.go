package pool

import (
	"math"
	"slices"
	"sync"

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
	bad           bool    // there was a string that must not leave
	grown         bool    // B is not what the encoding was started with
	kept          *[]byte // where B, or what it was before it grew, comes from
}

// Encodable is a message that can be encoded.
type Encodable interface {
	Message
	EncodeHot(e *Encoder, i int) int
}

// Grow makes room for n bytes in front of position i and gives the position anew.
//
//go:noinline
func (e *Encoder) Grow(i, n int) int {
	written := len(e.B) - i
	var b []byte
	if e.kept == nil {
		b = e.borrow()
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
	return putLongVarint(b, i, v)
}

//go:noinline
func putLongVarint(b []byte, i int, v uint64) int {
	i -= wire.SizeVarint(v)
	out := b[i:]
	n := 0
	for ; v >= 0x80; n++ {
		out[n] = byte(v) | 0x80
		v >>= 7
	}
	out[n] = byte(v)
	return i
}

// Start starts an encoding into room, which is filled from its end.
func (e *Encoder) Start(room []byte, o MarshalOptions) {
	e.B, e.Deterministic, e.strict = room, o.Deterministic, o.Strict
}

// scratch are buffers for encodings whose size is known only when all is written.
var scratch sync.Pool

// borrow gives memory that is used again.
func (e *Encoder) borrow() []byte {
	if e.kept, _ = scratch.Get().(*[]byte); e.kept == nil {
		e.kept = new([]byte)
	}
	debugSoil(*e.kept)
	return *e.kept
}

// giveBack ends the use of that memory.
func (e *Encoder) giveBack() {
	if e.kept != nil {
		*e.kept = e.B
		scratch.Put(e.kept)
	}
}

// StartScratch starts an encoding into memory that is used again.
func (e *Encoder) StartScratch(o MarshalOptions) { e.Start(e.borrow(), o) }

// Exact gives what StartScratch and all behind it have written, in memory of its
// own, of the exact size. table describes the message.
func (e *Encoder) Exact(i int, table []wire.MessageTable, index int) (out []byte, err error) {
	if err = e.refuse(i, table, index); err == nil {
		out = append(make([]byte, 0, len(e.B)-i), e.B[i:]...)
	}
	e.giveBack()
	return out, err
}

// Copy gives dst with what StartScratch and all behind it have written, as append does. On an error it gives dst, and
// has touched nothing.
func (e *Encoder) Copy(dst []byte, i int, table []wire.MessageTable, index int) (out []byte, err error) {
	if out = dst; e.bad || e.strict || len(e.B)-i > wire.MaxSize {
		err = e.refuse(i, table, index)
	}
	if err == nil {
		out = append(out, e.B[i:]...)
	}
	e.giveBack()
	return out, err
}

// Append gives dst with what was written behind it. The encoding was started
// with the room behind dst, all of it: when it was enough, nothing is allocated.
func (e *Encoder) Append(dst []byte, i int, table []wire.MessageTable, index int) ([]byte, error) {
	if n := len(e.B) - i; !e.grown && !e.bad && !e.strict && n <= wire.MaxSize {
		return dst[:len(dst)+copy(dst[len(dst):cap(dst)], e.B[i:])], nil
	}
	return e.append(dst, i, table, index)
}

func (e *Encoder) append(dst []byte, i int, table []wire.MessageTable, index int) (out []byte, err error) {
	if err = e.refuse(i, table, index); err == nil {
		written := e.B[i:]
		if out = dst; cap(out)-len(out) < len(written) {
			out = append(make([]byte, 0, len(dst)+len(written)+spare), dst...)
		}
		dst = append(out, written...)
	}
	if e.grown {
		e.giveBack()
	}
	return dst, err
}

// Fill gives how many bytes the encoding has. It was started with room, and is at the end of it.
func (e *Encoder) Fill(room []byte, i int, table []wire.MessageTable, index int) (n int, err error) {
	if n = len(e.B) - i; !e.grown && !e.bad && !e.strict && n <= wire.MaxSize {
		return n, nil
	}
	return e.fill(room, i, table, index)
}

func (e *Encoder) fill(room []byte, i int, table []wire.MessageTable, index int) (n int, err error) {
	written := e.B[i:]
	if err = e.refuse(i, table, index); err == nil {
		if len(written) > len(room) {
			err = &wire.Error{Code: wire.BufferExhausted}
		} else {
			n = copy(room[len(room)-len(written):], written) // in place where it has not grown
		}
	}
	if e.grown {
		e.giveBack()
	}
	return n, err
}

// refuse finds what must not leave.
func (e *Encoder) refuse(i int, table []wire.MessageTable, index int) error {
	written := e.B[i:]
	if len(written) > wire.MaxSize {
		return &wire.Error{Code: wire.SizeExceeded}
	}
	if e.bad || e.strict {
		check := wire.Options{Strict: e.strict, MaxDepth: 1000}
		if err := wire.Check(table, index, written, check); err != nil {
			return err
		}
	}
	return nil
}

// Missing is the error of a required field that is absent on encoding.
func Missing(path string) error { return &wire.Error{Code: wire.MissingRequired, Path: path} }

// Clone puts a copy of from into to, which is fresh: it shares nothing with from.
func Clone(to Message, from Encodable) {
	e := Encoder{unchecked: true, kept: new([]byte)} // nothing borrowed: what is written stays
	i := from.EncodeHot(&e, 0)
	to.Reset()
	m := Memory{slabs: to.SlabsHot()}
	d := &m.decoder
	d.memory, d.trusted, d.exceeded = math.MaxInt, true, -1
	b := e.B[i:]
	if len(b) >= countFrom {
		m.count(b)
	}
	if to.RootHot(d, m.slabs, b, math.MaxInt) != 0 {
		panic("hotpb: internal error: a message cannot read what it has written")
	}
	d.settle()
}
