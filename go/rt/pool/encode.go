package pool

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/hotpb/hotpb/go/internal/enc"
	"github.com/hotpb/hotpb/go/rt/wire"
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
//
// The written bytes move when the encoding ends, unless it fills the room. So a long text leaves a gap, and is
// copied once: into the result. Bytes that are in the room when it becomes too small stay there until the end: B
// becomes memory that has a gap in their place.
//
// An encoder may be on the stack, and B may be: neither may be in a variable that a closure changes, such as one in a loop
// over an iterator, because the compiler puts it on the heap if it does not inline the iterator.
type Encoder struct {
	B             []byte
	Deterministic bool
	unchecked     bool
	late          bool      // long texts leave gaps
	longFrom      int       // the length from which anyText writes a text
	end           endings   // of the encoding
	rest          []byte    // the end of the encoding, if it stayed in the room
	front         []byte    // nil, or the room for what should be in front of a room that is nearly full
	kept          *overflow // nil if none is used
}

// An overflow is memory for encodings that need more than their room, which use it in turn.
type overflow struct {
	memory []byte
	gaps   []gap // of an encoding, from the last to the first
}

// endings say why an encoding does not end in the usual way.
type endings uint8

const (
	badText    endings = 1 << iota // there was a string that is not UTF-8
	isStrict                       // all strings must be UTF-8
	overflowed                     // kept is used
	moved                          // B is the memory of kept, or front
)

// A gap is the place of a text: so many bytes before the end of the encoding.
type gap struct {
	distance int
	text     string
}

// Encodable is a message that can be encoded because none of its fields are dropped.
type Encodable interface {
	Message
	MarshalWith(dst []byte, o MarshalOptions) ([]byte, error)
}

// Grow makes room for n bytes in front of position i and returns the new position.
//
//go:noinline
func (e *Encoder) Grow(i, n int) int { return e.hidden().grow(i, n) }

func (e *Encoder) grow(i, n int) int {
	written := len(e.B) - i
	if front := e.front; len(front) >= n {
		e.front, e.rest = nil, e.B[i:]
		e.end |= moved
		e.B = front
		b := (*list)(unsafe.Pointer(&e.B)) // seems to go on after front, where the room's end is not
		b.len, b.cap = b.len+written, b.cap+written
		return len(front)
	}
	e.front = nil
	k := e.overflow()
	if e.end&moved == 0 {
		e.rest = e.B[i:]
	}
	b := k.memory
	if len(b) < written+n {
		b = make([]byte, max(2*len(e.B), written+n+spare))
		b = b[:cap(b)]
		debugSoil(b)
		k.memory = b
	}
	if e.end&moved != 0 { // into larger memory
		from, head, offset := i, len(e.B)-len(e.rest), len(b)-len(e.B)
		for n := len(k.gaps) - 1; n >= 0; n-- {
			g := k.gaps[n]
			at := len(e.B) - g.distance
			if at >= head {
				break
			}
			copy(b[offset+from:], e.B[from:at])
			from = at + len(g.text)
		}
		copy(b[offset+from:], e.B[from:max(from, head)])
	}
	e.B = b
	e.end |= moved
	return len(b) - written
}

// spare is the room of new memory beyond the need.
const spare = 64

// overflow returns the encoding's overflow, and borrows one if there is none.
func (e *Encoder) overflow() *overflow {
	if e.kept == nil {
		k, _ := overflows.Get().(*overflow)
		if k == nil {
			k = new(overflow)
		}
		debugSoil(k.memory)
		e.kept = k
		e.end |= overflowed
	}
	return e.kept
}

var overflows sync.Pool

// giveBack returns the overflow.
func (e *Encoder) giveBack() {
	if k := e.kept; k != nil {
		clear(k.gaps)
		k.gaps = k.gaps[:0]
		overflows.Put(k)
	}
}

// long is the length of a text that leaves a gap.
const long = 1024

// payload writes a text after position i, or leaves a gap for it.
//
//go:noinline
func (e *Encoder) payload(i int, s string) {
	if len(s) < long || !e.late {
		copy(e.B[i:], s)
		return
	}
	k := e.hidden().overflow()
	k.gaps = append(k.gaps, gap{len(e.B) - i, s})
}

// gather copies the encoding into out, which has its size. The end of out may be the room that holds the end of the
// encoding: no byte moves towards the end.
func (e *Encoder) gather(out []byte, i int) {
	if k := e.kept; k != nil {
		for n := len(k.gaps) - 1; n >= 0; n-- {
			g := k.gaps[n]
			at := len(e.B) - g.distance
			out = out[e.copy(out, i, at):]
			out = out[copy(out, g.text):]
			i = at + len(g.text)
		}
	}
	e.copy(out, i, len(e.B))
}

// copy copies bytes that have no gaps into out.
func (e *Encoder) copy(out []byte, from, to int) (n int) {
	head := len(e.B) - len(e.rest)
	if from < head {
		n = copy(out, e.B[from:min(to, head)])
	}
	if to > head {
		n += copy(out[n:], e.rest[max(from-head, 0):to-head])
	}
	return n
}

// isWhole reports whether B has the encoding in one piece.
func (e *Encoder) isWhole() bool { return len(e.rest) == 0 && (e.kept == nil || len(e.kept.gaps) == 0) }

// Check checks a string that the schema declares as UTF-8.
func (e *Encoder) Check(s string) {
	if !e.unchecked && !wire.ValidUTF8(bytesOf(s)) {
		e.end |= badText
	}
}

// IsASCII reports whether the bytes from position i to those written before are ASCII, and in one piece.
func (e *Encoder) IsASCII(i, before int) bool {
	end := len(e.B) - before
	return end <= len(e.B)-len(e.rest) && ASCII(e.B[i:end])
}

// Unknown writes the unknown fields of a message.
func (e *Encoder) Unknown(h *Hidden, i int) int {
	if h.extra == nil || len(h.extra.unknown) == 0 {
		return i
	}
	return e.unknown(h.extra.unknown, i)
}

func (e *Encoder) unknown(runs [][]byte, i int) int {
	for n := len(runs) - 1; n >= 0; n-- {
		run := runs[n]
		if i < len(run) {
			i = e.Grow(i, len(run))
		}
		i -= len(run)
		e.payload(i, String(run))
	}
	return i
}

// Length writes the number of bytes that were written since there were written bytes. There must be room for it.
func (e *Encoder) Length(i, written int) int {
	return PutVarint(e.B, i, uint64(len(e.B)-i-written))
}

// PutVarint writes a varint in front of position i.
func PutVarint(b []byte, i int, v uint64) int { return enc.PutVarint(b, i, v) }

// Into starts an encoding into room, filling it from its end. A step asks for more room than it needs, so what is last in
// a room that is just large enough passes through front.
func Into(room, front []byte) Encoder { return Encoder{B: room, front: front, longFrom: 1 << 14} }

// Over starts an encoding into room whose result may move.
func Over(room []byte) Encoder { return Encoder{B: room, late: true, longFrom: long} }

// hidden returns e, for calls whose callees the compiler does not know. An encoder, and the room that it starts with, are
// on the stack of the function that starts the encoding; no callee keeps either. While the address is a number, nothing may
// move the stack: no call of checkptr, and no growth. Inlined it might stay a number across a call.
//
//go:noinline
//go:nosplit
//go:nocheckptr
func (e *Encoder) hidden() *Encoder {
	at := uintptr(unsafe.Pointer(e))
	return *(**Encoder)(unsafe.Pointer(&at))
}

// Fresh ends an encoding, and returns it in new memory of the exact size.
func (e *Encoder) Fresh(i int, r Ref) ([]byte, error) {
	if e.end == 0 && len(e.B)-i <= wire.MaxSize {
		written := e.B[i:]
		out := make([]byte, len(written)) // together with copy it does not clear
		copy(out, written)
		return out, nil
	}
	return e.hidden().fresh(i, r.l)
}

func (e *Encoder) fresh(i int, l *Layout) (out []byte, err error) {
	if err = e.refuse(i, l); err == nil {
		out = enc.Fresh(len(e.B) - i)
		e.grown(l, len(out))
		e.gather(out, i)
	}
	e.giveBack()
	return out, err
}

// Append returns dst followed by the encoding.
func (e *Encoder) Append(dst []byte, i int, r Ref) ([]byte, error) {
	if n := len(e.B) - i; e.end == 0 && n <= min(cap(dst)-len(dst), wire.MaxSize) {
		if n < 8 || n > 32 {
			copy(dst[len(dst):len(dst)+n], e.B[i:])
			return dst[:len(dst)+n], nil
		}
		// Words that may overlap: no call.
		to, from := unsafe.Add(unsafe.Pointer(unsafe.SliceData(dst)), len(dst)), unsafe.Add(unsafe.Pointer(unsafe.SliceData(e.B)), i)
		first, last := *(*uint64)(from), *(*uint64)(unsafe.Add(from, n-8))
		if n > 16 {
			second, third := *(*uint64)(unsafe.Add(from, 8)), *(*uint64)(unsafe.Add(from, n-16))
			*(*uint64)(unsafe.Add(to, 8)), *(*uint64)(unsafe.Add(to, n-16)) = second, third
		}
		*(*uint64)(to), *(*uint64)(unsafe.Add(to, n-8)) = first, last
		return dst[:len(dst)+n], nil
	}
	return e.hidden().append(dst, i, r.l)
}

// append ends an encoding, and returns dst with the encoding appended. On an error it returns dst and changes
// nothing in it.
func (e *Encoder) append(dst []byte, i int, l *Layout) (out []byte, err error) {
	out = dst
	if e.end&(badText|isStrict) != 0 || len(e.B)-i > wire.MaxSize {
		err = e.refuse(i, l)
	}
	if err == nil {
		e.grown(l, len(e.B)-i)
		if e.isWhole() {
			out = append(out, e.B[i:]...)
		} else {
			n := len(e.B) - i
			if cap(out)-len(out) < n {
				out = append(make([]byte, 0, max(len(out)+n+spare, 2*cap(out))), out...)
			}
			out = out[:len(out)+n]
			e.gather(out[len(dst):], i)
		}
	}
	e.giveBack()
	return out, err
}

// Fill returns the number of bytes of the encoding. The encoding was started with room, and is at the end of it.
func (e *Encoder) Fill(room []byte, i int, r Ref) (n int, err error) {
	if n = len(e.B) - i; e.end&^moved == 0 && n <= min(len(room), wire.MaxSize) {
		if e.end == moved {
			copy(room[len(room)-n:], e.B[i:len(e.B)-len(e.rest)])
		}
		return n, nil
	}
	return e.hidden().fill(room, i, r.l)
}

func (e *Encoder) fill(room []byte, i int, l *Layout) (n int, err error) {
	if err = e.refuse(i, l); err == nil {
		if n = len(e.B) - i; n > len(room) {
			n, err = 0, &wire.Error{Code: wire.BufferExhausted}
		} else if e.end&moved != 0 {
			copy(room[len(room)-n:], e.B[i:len(e.B)-len(e.rest)]) // the rest is in place
		}
	}
	e.giveBack()
	return n, err
}

// refuse returns an error if the encoding must not be returned.
func (e *Encoder) refuse(i int, l *Layout) error {
	n := len(e.B) - i
	if n > wire.MaxSize {
		return &wire.Error{Code: wire.SizeExceeded}
	}
	if e.end&(badText|isStrict) != 0 {
		written := e.B[i:]
		if !e.isWhole() {
			written = make([]byte, n)
			e.gather(written, i)
		}
		check := wire.Options{Strict: e.end&isStrict != 0, MaxDepth: 1000}
		if err := wire.Check(*l.Tables, l.Index, written, check); err != nil {
			return err
		}
	}
	return nil
}

// grown records the size of an encoding, and whether it has long texts.
func (e *Encoder) grown(l *Layout, n int) {
	if class := uint32(1); n > fewBytes {
		if e.kept != nil && len(e.kept.gaps) > 0 {
			class = 2
		}
		if atomic.LoadUint32(&l.large) < class {
			atomic.StoreUint32(&l.large, class)
		}
	}
}

// manyBytes is the size of the room on the stack for a type that IsLarge.
const manyBytes = 1024

// IsLarge reports whether a message of this type did not fit into the room on the stack.
func (r Ref) IsLarge() bool { return atomic.LoadUint32(&r.l.large) > 0 }

// IsHuge reports whether a message of this type had long texts. Then a pass for the size of the encoding costs less than to
// move it.
func (r Ref) IsHuge() bool { return atomic.LoadUint32(&r.l.large) > 1 }

// MarshalLarge is Marshal for a type that IsLarge.
func (r Ref) MarshalLarge(size func() int) ([]byte, error) {
	if !r.IsHuge() {
		var room [manyBytes]byte
		e := Over(room[:])
		return e.Fresh(r.encode(&e), r)
	}
	n := size()
	if n > wire.MaxSize {
		return nil, &wire.Error{Code: wire.SizeExceeded}
	}
	out := enc.Fresh(n)
	filled, err := r.fill(out)
	if err == nil && filled == n {
		return out, nil
	} else if err != nil && !errors.Is(err, wire.BufferExhausted) {
		return nil, err
	}
	return r.Marshal() // it was changed meanwhile
}

// AppendLarge is MarshalAppend for a type that IsLarge. Without size it changes nothing in dst on an error.
func (r Ref) AppendLarge(dst []byte, size func() int) ([]byte, error) {
	if !r.IsHuge() {
		var room [manyBytes]byte
		e := Over(room[:])
		return e.Append(dst, r.encode(&e), r)
	} else if size == nil {
		return r.MarshalWith(dst, MarshalOptions{})
	}
	n := size()
	if n > wire.MaxSize {
		return dst, &wire.Error{Code: wire.SizeExceeded}
	}
	out := dst
	if n > cap(dst)-len(dst) {
		out = append(make([]byte, 0, max(len(dst)+n+fewBytes, 2*cap(dst))), dst...)
	}
	out = out[:len(dst)+n]
	filled, err := r.fill(out[len(dst):])
	if err == nil && filled == n {
		return out, nil
	} else if err != nil && !errors.Is(err, wire.BufferExhausted) {
		return dst, err
	}
	return r.MarshalWith(dst, MarshalOptions{}) // it was changed meanwhile
}

// fill is MarshalToSizedBuffer.
func (r Ref) fill(room []byte) (int, error) {
	var front [frontRoom]byte
	e := Into(room, front[:])
	return e.Fill(room, r.encode(&e), r)
}

// frontRoom is the size of the room in front of one that is nearly full.
const frontRoom = 128

// Missing returns the error for a required field that is absent on encoding.
func Missing(path string) error { return &wire.Error{Code: wire.MissingRequired, Path: path} }

// clone returns a copy of m, which must not be nil. The copy shares nothing with m.
func (l *Layout) clone(m unsafe.Pointer) unsafe.Pointer {
	e := Encoder{unchecked: true, longFrom: 1 << 14, kept: new(overflow)} // not a borrowed one: the clone keeps these bytes
	i := l.encodeAt(m, &e, 0)
	memory := Memory{layout: l, slabs: l.newSlabs()}
	d := &memory.decoder
	d.memory, d.trusted, d.exceeded = math.MaxInt, true, -1
	b := e.B[i:]
	if len(b) >= countFrom {
		memory.count(b)
	}
	to := elements{l.Of, l.Size}.allocate()
	if l.decodeAt(to, d, memory.slabs, b, root, math.MaxInt) < 0 {
		panic("hotpb: internal error: a message cannot decode its own encoding")
	}
	d.settle()
	return to
}
