package encode

import "sync"

// Scratch is memory in which messages are encoded before they are appended to others. Stores write beyond the
// result, and the bytes after the result in the caller's memory must not change.
type Scratch []byte

var scratches = sync.Pool{New: func() any { return new(Scratch) }}

// mostScratch is the largest scratch that is kept, in bytes.
const mostScratch = 1 << 20

// TakeScratch returns a scratch. AppendTo puts it back.
func TakeScratch() *Scratch {
	s := scratches.Get().(*Scratch)
	debugSoil((*s)[:cap(*s)])
	return s
}

// AppendTo appends the contents of the scratch to dst, and puts the scratch back.
func (s *Scratch) AppendTo(dst, encoded []byte) []byte {
	dst = append(dst, encoded...)
	if cap(encoded) <= mostScratch {
		*s = encoded[:0]
	}
	scratches.Put(s)
	return dst
}
