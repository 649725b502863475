package pool

import "unsafe"

// Slab hands out elements of one type from chunks that are used again: the
// children of all parents in one message, side by side.
//
//	buf  [ l l l l | l l | l l l   …free…   ]
//	       parent 1  2     3 (open)         cap
//
// A chunk that is full stays with those who have parts of it; the next one is
// twice as large, so that after a few messages one chunk holds all.
type Slab[T any] struct {
	buf  []T // len is what is handed out
	high int // how much of the chunk the message before this one used
	want int // what a counting scan has found
}

// minChunk is the size of a first chunk, in bytes.
const minChunk = 256

// Open gives the list of a parent, to be appended to up to its capacity, and
// Close ends that. Usually the list is empty, or the last one of the slab: then
// it takes what is free behind it. A list that others stand behind has a place
// of its own, as Extend gives it: where messages that can contain themselves come
// in parts.
func (s *Slab[T]) Open(list []T) []T {
	from := len(s.buf) - len(list)
	if len(list) > 0 && (from < 0 || &s.buf[from] != &list[0]) {
		return list
	}
	return s.buf[from:]
}

// Close takes note of an open list that has grown, and gives it its final shape.
func (s *Slab[T]) Close(list []T) []T {
	if !s.isOpen(list) {
		return list
	}
	s.buf = s.buf[:cap(s.buf)-cap(list)+len(list)]
	return list[:len(list):len(list)]
}

// isOpen tells whether the list goes on to the end of the chunk. A place of its
// own never does.
func (s *Slab[T]) isOpen(list []T) bool {
	n, end := cap(list), cap(s.buf)
	return n == 0 || n <= end && &list[:n][n-1] == &s.buf[:end][end-1]
}

// Grow gives an open list room for n more elements.
func (s *Slab[T]) Grow(list []T, n int) []T {
	if cap(list)-len(list) >= n {
		return list
	}
	if !s.isOpen(list) {
		return s.Extend(list, n)
	}
	s.chunk(2*len(list) + n)
	return append(s.buf, list...) // within the capacity
}

// Extend gives a list of its own room for n more elements: for the fields of
// messages that can contain themselves, whose lists come interleaved.
func (s *Slab[T]) Extend(list []T, n int) []T {
	if cap(list)-len(list) >= n {
		return list
	}
	room := max(2*len(list), len(list)+n)
	from := len(s.buf)
	if cap(s.buf)-from <= room {
		s.chunk(room + 1) // one more: it does not go to the end
		from = 0
	}
	s.buf = s.buf[:from+room]
	return append(s.buf[from:from:from+room], list...)
}

// One hands out one element that keeps its address. It holds whatever it held.
func (s *Slab[T]) One() *T {
	n := len(s.buf)
	if n == cap(s.buf) {
		s.chunk(1)
		n = 0
	}
	s.buf = s.buf[:n+1]
	return &s.buf[n]
}

// chunk starts a new chunk with room for at least n elements.
func (s *Slab[T]) chunk(n int) {
	s.buf = make([]T, 0, max(n, 2*cap(s.buf), minChunk/s.size()))
	s.high = 0
}

// size is that of one element, in bytes.
func (s *Slab[T]) size() int {
	var element T
	return max(int(unsafe.Sizeof(element)), 1)
}

// Take accounts for the memory of n more elements.
func (s *Slab[T]) Take(d *Decoder, n int) bool {
	var element T
	d.memory -= n * int(unsafe.Sizeof(element))
	return d.memory >= 0
}

// Count notes n elements that a counting scan has come across.
func (s *Slab[T]) Count(n int) { s.want += n }

// visit does to the slab what a walk is about.
func (s *Slab[T]) visit(w *Walk) {
	(*slab)(unsafe.Pointer(s)).visit(elements{(*[]T)(nil), uintptr(s.size())}, w)
}

// Walk goes over all slabs of a message.
type Walk struct {
	what  purpose
	bytes int
}

type purpose uint8

const (
	rewind  purpose = iota // make all elements free
	weigh                  // add up what was counted
	reserve                // take memory for what was counted
	forget                 // what was counted
	measure                // add up what is kept
)
