package codec

import (
	"reflect"
	"slices"
	"unsafe"
)

// slab hands out the messages of a field: the messages of all parents are in one allocation. It knows the type of the
// messages as data, so that no code depends on it.
type slab struct {
	counted
	messages array            // of messages; its length is the number of those that are in use
	width    int              // the size of a message
	free     []unsafe.Pointer // pointers to those that are not in use, for a repeated field
	last     []unsafe.Pointer // the list that was opened last, and all free elements after it
	shared   bool             // the open list ends where the free elements begin
}

// array has the layout of a slice of any type.
type array struct {
	at       unsafe.Pointer
	len, cap int
}

// reserve allocates memory for the messages that were counted in an input of size bytes. Occurrences of a singular field
// merge, so the count may be far too high: except for lists, reserve allocates at most 32 times the input.
func (s *slab) reserve(size int) {
	list := reflect.TypeOf(s.field.List).Elem()
	n, width := s.count, int(list.Elem().Size())
	if s.field.Kind != SlabOfList {
		n = min(n, 32*size/max(width, 1))
	}
	if n == 0 {
		return
	}
	reflect.NewAt(list, unsafe.Pointer(&s.messages)).Elem().Grow(n)
	s.messages.cap, s.width = n, width
	if s.field.Kind == SlabOfList {
		s.free = make([]unsafe.Pointer, n)
		point(s.free, s.messages.at, width)
	}
}

// point makes a list point to adjacent messages.
func point(list []unsafe.Pointer, messages unsafe.Pointer, width int) {
	for n := range list {
		list[n] = unsafe.Add(messages, n*width)
	}
}

// Message hands out a message of a singular field, or of a map: of the field with this index. It returns nil if there is none
// left.
func (s *Slabs) Message(field int) unsafe.Pointer {
	own := &s.fields[field]
	if own.messages.len == own.messages.cap {
		return nil
	}
	own.messages.len++
	return unsafe.Add(own.messages.at, (own.messages.len-1)*own.width)
}

// Open returns the list of a parent, followed by fresh messages to be used one after the other. So it does for the list
// that was closed last: records of other fields may lie between any two of its elements. Any other list that already has
// elements keeps its place, and has no fresh messages. P is a pointer to a message.
func Open[P any](s *Slabs, field int, list []P) []P {
	return *(*[]P)(unsafe.Pointer(s.fields[field].open((*[]unsafe.Pointer)(unsafe.Pointer(&list)))))
}

func (s *slab) open(list *[]unsafe.Pointer) *[]unsafe.Pointer {
	switch own := *list; {
	case cap(own) == 0:
		s.shared = true
		return &s.free
	case len(own) > 0 && len(own)+len(s.free) == len(s.last) && &own[0] == &s.last[0]:
		s.shared = true
		return &s.last
	}
	s.shared = false
	return list
}

// Close ends that: the first n elements belong to the parent. The list may have moved if there were more elements
// than were counted. A list that existed before keeps its spare capacity, and must not move for each of its elements.
func Close[P any](s *Slabs, field int, list []P, n int) []P {
	own := &s.fields[field]
	if !own.shared {
		return list[:n]
	}
	own.last = *(*[]unsafe.Pointer)(unsafe.Pointer(&list))
	own.free = own.last[n:]
	return list[:n:n]
}

// More appends pointers to n adjacent messages of this size to a list. An empty list gets a capacity of exactly n. P is a
// pointer to a message.
func More[P any](list []P, messages unsafe.Pointer, n int, size uintptr) []P {
	list = Grow(list, n)
	at := len(list)
	list = list[:at+n]
	fresh := list[at:]
	point(*(*[]unsafe.Pointer)(unsafe.Pointer(&fresh)), messages, int(size))
	return list
}

// moreNew is More with new messages.
func moreNew[T any](list []*T, n int) []*T {
	messages := make([]T, n)
	return More(list, unsafe.Pointer(unsafe.SliceData(messages)), n, unsafe.Sizeof(messages[0]))
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
