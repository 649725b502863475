package codec

import (
	"slices"
	"unsafe"
)

// Children hands out the messages of a repeated field as pointers to adjacent messages: the messages of all parents
// come from one slab. Lists are opened one after the other, so each uses the free elements after the last one.
type Children[T any] struct {
	free  []*T
	last  []*T // the list that was opened last, and all free elements after it
	taken bool // the open list ends where the free elements begin
	counted
}

func (c *Children[T]) reserve(int) {
	if c.count > 0 {
		c.free = More([]*T(nil), c.count)
	}
}

// Open returns the list of a parent, followed by fresh messages to be used one after the other. So it does for the list
// that was closed last: records of other fields may lie between any two of its elements. Any other list that already has
// elements keeps its place, and has no fresh messages.
func (c *Children[T]) Open(list []*T) []*T {
	switch {
	case cap(list) == 0:
		c.taken = true
		return c.free
	case len(list) > 0 && len(list)+len(c.free) == len(c.last) && &list[0] == &c.last[0]:
		c.taken = true
		return c.last
	}
	c.taken = false
	return list
}

// Close ends that: the first n elements belong to the parent. The list may have moved if there were more elements
// than were counted. A list that existed before keeps its spare capacity, and must not move for each of its elements.
func (c *Children[T]) Close(list []*T, n int) []*T {
	if !c.taken {
		return list[:n]
	}
	c.free, c.last = list[n:], list
	return list[:n:n]
}

// More appends n fresh messages to a list. An empty list gets a capacity of exactly n.
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

// Singles hands out the messages of a singular field, or of a map.
type Singles[T any] struct {
	ones []T
	counted
}

// reserve allocates memory for the messages that were counted in an input of size bytes. Occurrences of one field
// merge, so the count may be far too high: reserve allocates at most 32 times the input.
func (s *Singles[T]) reserve(size int) {
	var one T
	if n := min(s.count, 32*size/max(int(unsafe.Sizeof(one)), 1)); n > 0 {
		s.ones = make([]T, n)
	}
}

// One hands out one message.
func (s *Singles[T]) One() *T {
	if len(s.ones) == 0 {
		return new(T)
	}
	one := &s.ones[0]
	s.ones = s.ones[1:]
	return one
}

// Grow makes room for n more elements in a list. An empty list gets a capacity of exactly n.
func Grow[T any](list []T, n int) []T {
	switch {
	case cap(list)-len(list) >= n:
		return list
	case len(list) == 0:
		return make([]T, 0, n)
	}
	return slices.Grow(list, n)
}
