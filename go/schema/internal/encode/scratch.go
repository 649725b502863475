package encode

import "sync"

// Scratch is memory in which messages are encoded that are going to be appended to others: stores overhang, and what
// stands after the result in the caller's memory is not ours.
type Scratch []byte

var scratches = sync.Pool{New: func() any { return new(Scratch) }}

// mostScratch is the largest scratch that is kept, in bytes.
const mostScratch = 1 << 20

// TakeScratch takes a scratch, which AppendTo puts back.
func TakeScratch() *Scratch {
	s := scratches.Get().(*Scratch)
	debugSoil((*s)[:cap(*s)])
	return s
}

// AppendTo appends what was encoded in the scratch, and gives the scratch back.
func (s *Scratch) AppendTo(dst, encoded []byte) []byte {
	dst = append(dst, encoded...)
	if cap(encoded) <= mostScratch {
		*s = encoded[:0]
	}
	scratches.Put(s)
	return dst
}
