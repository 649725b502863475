package pool

import "unsafe"

// Slab hands out elements of one type from chunks that are reused: the children of all parents in one message, side
// by side.
//
//	buf  [ l l l l | l l | l l l   …free…   ]
//	       parent 1  2     3 (open)         cap
//
// A full chunk stays with the parents that use parts of it. The next one is twice as large, so that after a few
// messages one chunk holds all elements.
type Slab[T any] struct {
	buf  []T // its length is the number of elements handed out
	high int // the number of elements of the chunk that the previous message used
	want int // the number of elements that a counting scan has found
}

// minChunk is the size of a first chunk, in bytes.
const minChunk = 256

// Open returns the list of a parent for appending up to its capacity, and Close ends that. Usually the list is empty,
// or the last one of the slab: then its capacity includes the free elements after it. A list with others after it
// gets a place of its own from Extend. Such lists occur where messages that can contain themselves come in parts.
func (s *Slab[T]) Open(list []T) []T {
	from := len(s.buf) - len(list)
	if len(list) > 0 && (from < 0 || &s.buf[from] != &list[0]) {
		return list
	}
	return s.buf[from:]
}

// Close records the growth of an open list, and returns the list in its final shape.
func (s *Slab[T]) Close(list []T) []T {
	if !s.isOpen(list) {
		return list
	}
	s.buf = s.buf[:cap(s.buf)-cap(list)+len(list)]
	return list[:len(list):len(list)]
}

// isOpen reports whether the list reaches to the end of the chunk. A list with a place of its own never does.
func (s *Slab[T]) isOpen(list []T) bool {
	n, end := cap(list), cap(s.buf)
	return n == 0 || n <= end && &list[:n][n-1] == &s.buf[:end][end-1]
}

// Grow returns an open list with room for n more elements.
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

// Extend returns a list in a place of its own with room for n more elements. It is for the fields of messages that
// can contain themselves, whose lists grow in turns.
func (s *Slab[T]) Extend(list []T, n int) []T {
	if cap(list)-len(list) >= n {
		return list
	}
	room := max(2*len(list), len(list)+n)
	from := len(s.buf)
	if cap(s.buf)-from <= room {
		s.chunk(room + 1) // one more, so that it does not reach the end
		from = 0
	}
	s.buf = s.buf[:from+room]
	return append(s.buf[from:from:from+room], list...)
}

// One hands out one element that keeps its address. The element still holds its old contents.
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

// size returns the size of one element, in bytes.
func (s *Slab[T]) size() int {
	var element T
	return max(int(unsafe.Sizeof(element)), 1)
}

// Take charges the memory of n more elements, and reports whether it is within the limit.
func (s *Slab[T]) Take(d *Decoder, n int) bool {
	var element T
	d.memory -= n * int(unsafe.Sizeof(element))
	return d.memory >= 0
}

// Count notes n elements that a counting scan has found.
func (s *Slab[T]) Count(n int) { s.want += n }

// visit performs the walk's operation on the slab.
func (s *Slab[T]) visit(w *Walk) {
	(*slab)(unsafe.Pointer(s)).visit(elements{(*[]T)(nil), uintptr(s.size())}, w)
}

// Children is a slab of messages whose type it knows as data only, so that no code depends on it. size is the size of a message,
// and kind is a nil pointer to a slice of them. A list is its first element, the number of its elements, and room for so many.
type Children struct{ slab }

// Open returns the list of a field for appending, as the method of Slab does, and Close ends that.
func (s *Children) Open(field unsafe.Pointer, size uintptr) (first unsafe.Pointer, n, room int) {
	a := s.open(*(*list)(field), size)
	return a.at, a.len, a.cap
}

// Close records the growth of an open list in its field.
func (s *Children) Close(field, first unsafe.Pointer, n, room int, size uintptr) {
	*(*list)(field) = s.close(list{first, n, room}, size)
}

// Opened is Open for a list that More has placed as its own, and Closed is Close for it.
func Opened(field unsafe.Pointer) (first unsafe.Pointer, n, room int) {
	a := (*list)(field)
	return a.at, a.len, a.cap
}

// Closed records the growth of such a list.
func Closed(field, first unsafe.Pointer, n, room int) { *(*list)(field) = list{first, n, room} }

// Fits charges one more message of an open list, and reports whether there is room for it. If not, More makes room; the result
// of More is nil if there is no memory left for the record at start. own says that the list has a place of its own.
func (d *Decoder) Fits(n, room int, size uintptr) bool {
	d.memory -= int(size)
	return d.memory >= 0 && n < room
}

// More makes room for one more message.
func (s *Children) More(d *Decoder, first unsafe.Pointer, n, room, start int, kind any, size uintptr, own bool) (unsafe.Pointer, int) {
	if d.memory < 0 {
		d.exceeded = start
		return nil, 0
	}
	a := s.grow(elements{kind, size}, list{first, n, room}, 1, own)
	return a.at, a.cap
}

// New hands out one message that keeps its address and still holds its old contents, or nil if there is no memory left for the
// record at start.
func (s *Children) New(d *Decoder, start int, kind any, size uintptr) unsafe.Pointer {
	if d.memory -= int(size); d.memory < 0 {
		d.exceeded = start
		return nil
	}
	return s.allocate(elements{kind, size})
}

// Walk visits all slabs of a message.
type Walk struct {
	purpose purpose
	bytes   int
}

type purpose uint8

const (
	rewind  purpose = iota // free all elements
	weigh                  // add up the elements that were counted
	reserve                // allocate memory for them
	forget                 // drop the counts
	measure                // add up the memory that is kept
)
