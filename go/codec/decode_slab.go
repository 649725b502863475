package codec

import (
	"slices"
	"unsafe"
)

// Children hands out the messages of a repeated field, as pointers that stand side by side: those of all parents from
// one slab. Lists come one after the other, so each takes what is free after the last one.
type Children[T any] struct {
	free  []*T
	taken bool // the list that is open began with what was free
	counted
}

func (c *Children[T]) reserve(int) {
	if c.count > 0 {
		c.free = More([]*T(nil), c.count)
	}
}

// Open gives the list of a parent with fresh messages behind its own, to be taken one after the other. A list that has
// elements stays where it is, and has none.
func (c *Children[T]) Open(list []*T) []*T {
	if c.taken = cap(list) == 0; c.taken {
		return c.free
	}
	return list
}

// Close ends that: the first n are the parent's. The list may have moved when there were more than were counted. One
// that was there before keeps its room: records of other fields may stand between any two of it, and it must not move
// for each.
func (c *Children[T]) Close(list []*T, n int) []*T {
	if !c.taken {
		return list[:n]
	}
	c.free = list[n:]
	return list[:n:n]
}

// More puts n fresh messages behind a list: exactly so many when it is empty.
func More[T any](list []*T, n int) []*T {
	ones := make([]T, n)
	list = Grow(list, n)
	at := len(list)
	list = list[:at+n]
	for i := range ones {
		list[at+i] = &ones[i]
	}
	return list
}

// Singles hands out the messages of a field that is not repeated, or of a map.
type Singles[T any] struct {
	ones []T
	counted
}

// reserve takes memory for those that were counted in an input of so many bytes. Occurrences of one field merge, so that
// the count may be far too high: it takes 32 times the input at the most.
func (s *Singles[T]) reserve(size int) {
	var one T
	if n := min(s.count, 32*size/max(int(unsafe.Sizeof(one)), 1)); n > 0 {
		s.ones = make([]T, n)
	}
}

// One hands out one of them.
func (s *Singles[T]) One() *T {
	if len(s.ones) == 0 {
		return new(T)
	}
	one := &s.ones[0]
	s.ones = s.ones[1:]
	return one
}

// Grow gives a list room for n more elements: exactly so many when it is empty.
func Grow[T any](list []T, n int) []T {
	switch {
	case cap(list)-len(list) >= n:
		return list
	case len(list) == 0:
		return make([]T, 0, n)
	}
	return slices.Grow(list, n)
}
