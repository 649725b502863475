package codec

import (
	"slices"
	"unsafe"

	"github.com/hotpb/hotpb/go/wire"
)

// Children hands out the messages of a repeated field, as pointers that stand side by side: those of all parents from
// one slab, after Count and Reserve. Lists come one after the other, so each takes what is free behind the last one.
type Children[T any] struct {
	count int
	free  []*T
	taken bool // the list that is open began with what was free
}

// Count notes that there will be n more.
func (c *Children[T]) Count(n int) { c.count += n }

// Reserve takes memory for those that were counted.
func (c *Children[T]) Reserve() {
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
	count int
	ones  []T
}

// Count notes that there will be n more.
func (s *Singles[T]) Count(n int) { s.count += n }

// Reserve takes memory for those that were counted in an input of so many bytes. Occurrences of one field merge, so that
// the count may be far too high: it takes 32 times the input at the most.
func (s *Singles[T]) Reserve(size int) {
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

// CountRun counts the length-delimited records that stand side by side: the one whose length is at position i, and
// those behind it that have the same tag. A record that is not whole is counted and ends the run.
func CountRun(b []byte, i int, tag string) int {
	n, _ := PassRun(b, i, tag)
	return n
}

// PassRun is CountRun, and gives the position behind the run; negative when its last record is not whole.
func PassRun(b []byte, i int, tag string) (n, end int) {
	for {
		n++
		if uint(i) < uint(len(b)) && b[i] < 0x80 {
			i += 1 + int(b[i])
		} else {
			_, i = ReadBytes(b, i)
		}
		switch {
		case uint(i) >= uint(len(b)):
			if i > len(b) {
				i = fail(wire.Truncated)
			}
			return n, i
		case b[i] != tag[0]:
			return n, i
		case len(tag) == 1:
			i++
		case len(tag) == 2 && len(b)-i >= 2 && b[i+1] == tag[1]:
			i += 2
		default:
			return n, i
		}
	}
}

// CountVarintRun counts the varint records that stand side by side: the one whose value is at position i, and those
// behind it that have the same tag. A record that is not whole is counted and ends the run.
func CountVarintRun(b []byte, i int, tag string) (n int) {
	for {
		n++
		for i < len(b) && b[i] >= 0x80 {
			i++
		}
		i++
		if len(b)-i < len(tag) || string(b[i:i+len(tag)]) != tag {
			return n
		}
		i += len(tag)
	}
}
