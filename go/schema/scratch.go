package schema

import "sync"

// scratch is memory in which messages are encoded that are going to be appended to others: stores overhang, and what
// stands after the result in the caller's memory is not ours.
type scratch []byte

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// mostScratch is the largest scratch that is kept, in bytes.
const mostScratch = 1 << 20

func takeScratch() *scratch {
	s := scratches.Get().(*scratch)
	debugSoil((*s)[:cap(*s)])
	return s
}

// appendTo appends what was encoded in the scratch, and gives the scratch back.
func (s *scratch) appendTo(dst, encoded []byte) []byte {
	dst = append(dst, encoded...)
	if cap(encoded) <= mostScratch {
		*s = encoded[:0]
	}
	scratches.Put(s)
	return dst
}
