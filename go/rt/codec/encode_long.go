package codec

import (
	"strings"
	"unsafe"
)

// longFrom is the size from which a payload is not copied into scratch memory: the encoder keeps a reference to it, and
// copies it once, into the result.
const longFrom = 1024

// long is such a payload, with the number of bytes from its first one to the end of the encoding.
type long struct {
	payload []byte
	toEnd   int
}

// hold makes a payload a part of the encoding in front of position i, without writing it. The bytes that B seems to have
// after its real ones make up for it: len(B)-i is always the written size.
func (e *Encoder) hold(i int, payload []byte) {
	e.pretend(len(payload))
	s := e.keeps()
	s.longs = append(s.longs, long{payload, len(e.B) - i})
}

// pretend lets B seem n bytes longer.
func (e *Encoder) pretend(n int) {
	b := (*list)(unsafe.Pointer(&e.B))
	b.len, b.cap = b.len+n, b.cap+n
	e.held += n
}

// holdText is PutBytes for a payload that is held.
//
//go:noinline
func (e *Encoder) holdText(i int, at *byte, n, after int) int {
	if i < after {
		i = e.Grow(i, after)
	}
	if e.tail != nil {
		i = e.Grow(i, after)
	}
	e.hold(i, unsafe.Slice(at, n))
	return PutVarint(e.B, i, uint64(n))
}

// written is the scratch memory from position i on that has a part of the encoding.
func (e *Encoder) written(i int) []byte { return e.B[i : len(e.B)-e.held] }

// place copies the encoding from position i on to out, which has its size. Out may begin in front of the scratch memory,
// and hold payloads: those of a message that was decoded from there.
func (e *Encoder) place(out []byte, i int) {
	if e.held == 0 {
		copy(out, e.B[i:])
		return
	}
	longs := e.kept.longs
	for n := range longs {
		if overlap(out, longs[n].payload) {
			copy(out, e.whole(i))
			return
		}
	}
	written, rest := e.written(i), len(out)
	for n := len(longs) - 1; n >= 0; n-- {
		l := &longs[n]
		at := copy(out, written[:rest-l.toEnd])
		copy(out[at:], l.payload)
		written, out, rest = written[at:], out[at+len(l.payload):], l.toEnd-len(l.payload)
	}
	copy(out, written)
}

// overlap reports whether two slices, which are not empty, share memory.
func overlap(a, b []byte) bool {
	first, second := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return first < second+uintptr(len(b)) && second < first+uintptr(len(a))
}

// whole returns the encoding from position i on, in new memory of its size.
func (e *Encoder) whole(i int) []byte {
	if e.held == 0 {
		written := e.B[i:]
		out := make([]byte, len(written))
		copy(out, written)
		return out
	}
	var b strings.Builder // whose memory is not cleared first
	b.Grow(len(e.B) - i)
	written, rest := e.written(i), len(e.B)-i
	var longs []long
	if e.tail == nil {
		longs = e.kept.longs
	}
	for n := len(longs) - 1; n >= 0; n-- {
		l := &longs[n]
		at := rest - l.toEnd
		b.Write(written[:at])
		b.Write(l.payload)
		written, rest = written[at:], l.toEnd-len(l.payload)
	}
	b.Write(written)
	b.Write(e.tail)
	out := b.String()
	return unsafe.Slice(unsafe.StringData(out), len(out))
}

// mostLongs is the most references for which an encoder keeps memory.
const mostLongs = 1 << 12

// drop forgets the payloads.
func (s *scratch) drop() {
	clear(s.longs)
	s.longs = s.longs[:0]
	if cap(s.longs) > mostLongs {
		s.longs = nil
	}
}
