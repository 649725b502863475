package pool

import (
	"reflect"
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// elements describes the type of a slab's elements to code that does not know it.
type elements struct {
	kind any // a nil pointer to a slice of them
	size uintptr
}

// slice returns the type of a slice of the elements. Reflection does the rare operations: allocating elements, and
// copying and clearing many of them. It needs no code for each type.
func (e elements) slice() reflect.Type { return reflect.TypeOf(e.kind).Elem() }

// array makes a, which is on the heap, an empty list with room for n zero elements.
func (e elements) array(a *list, n int) {
	*a = list{}
	reflect.NewAt(e.slice(), unsafe.Pointer(a)).Elem().Grow(n)
}

// allocate allocates an element.
func (e elements) allocate() unsafe.Pointer { return reflect.New(e.slice().Elem()).UnsafePointer() }

// clear clears the elements of a list that is on the heap.
func (e elements) clear(a *list) { reflect.NewAt(e.slice(), unsafe.Pointer(a)).Elem().Clear() }

// clearOne clears one element.
func (e elements) clearOne(at unsafe.Pointer) { reflect.NewAt(e.slice().Elem(), at).Elem().SetZero() }

// copy copies the elements of a list to the beginning of another.
func (e elements) copy(to, from list) {
	to.len = from.len
	reflect.Copy(reflect.NewAt(e.slice(), unsafe.Pointer(&to)).Elem(), reflect.NewAt(e.slice(), unsafe.Pointer(&from)).Elem())
}

// scalars are the types of elements that are not messages, by kind. Enums are int32.
var scalars = [...]any{
	wire.Int32: (*[]int32)(nil), wire.Sint32: (*[]int32)(nil), wire.Sfixed32: (*[]int32)(nil), wire.Enum: (*[]int32)(nil),
	wire.Uint32: (*[]uint32)(nil), wire.Fixed32: (*[]uint32)(nil), wire.Float: (*[]float32)(nil),
	wire.Int64: (*[]int64)(nil), wire.Sint64: (*[]int64)(nil), wire.Sfixed64: (*[]int64)(nil),
	wire.Uint64: (*[]uint64)(nil), wire.Fixed64: (*[]uint64)(nil), wire.Double: (*[]float64)(nil),
	wire.Bool: (*[]bool)(nil), wire.String: (*[]string)(nil), wire.Bytes: (*[][]byte)(nil),
	isMap: (*[]unsafe.Pointer)(nil), // a map is a pointer
}

// sizes are the sizes of these elements, in bytes of memory.
var sizes = [...]uintptr{
	wire.Int32: 4, wire.Sint32: 4, wire.Sfixed32: 4, wire.Enum: 4, wire.Uint32: 4, wire.Fixed32: 4, wire.Float: 4,
	wire.Int64: 8, wire.Sint64: 8, wire.Sfixed64: 8, wire.Uint64: 8, wire.Fixed64: 8, wire.Double: 8,
	wire.Bool: 1, wire.String: unsafe.Sizeof(""), wire.Bytes: unsafe.Sizeof([]byte{}), isMap: unsafe.Sizeof(uintptr(0)),
}

// list has the layout of a []T.
type list struct {
	at       unsafe.Pointer
	len, cap int
}

// slab has the layout of a Slab[T].
type slab struct {
	buf        list
	high, want int
}

// A Slab has the same layout as a slab: otherwise one of these differences would be negative and would not compile.
const (
	_ = unsafe.Sizeof(slab{}) - unsafe.Sizeof(Slab[int]{})
	_ = unsafe.Sizeof(Slab[int]{}) - unsafe.Sizeof(slab{})
	_ = unsafe.Offsetof(slab{}.high) - unsafe.Offsetof(Slab[int]{}.high)
	_ = unsafe.Offsetof(Slab[int]{}.high) - unsafe.Offsetof(slab{}.high)
)

// slabAt returns the slab at an offset among the slabs of a message.
func slabAt(slabs unsafe.Pointer, at uint32) *slab { return (*slab)(unsafe.Add(slabs, at)) }

// from returns the list without its first n elements.
func (a list) from(n int, size uintptr) list {
	if n == a.cap {
		return list{at: a.at} // no pointer past the end of the list
	}
	return list{unsafe.Add(a.at, n*int(size)), a.len - n, a.cap - n}
}

// open, close and grow do the same as the methods of Slab.
func (s *slab) open(a list, size uintptr) list {
	from := s.buf.len - a.len
	if a.len > 0 && (from < 0 || unsafe.Add(s.buf.at, from*int(size)) != a.at) {
		return a
	}
	return s.buf.from(from, size)
}

func (s *slab) close(a list, size uintptr) list {
	if !s.isOpen(a, size) {
		return a
	}
	s.buf.len = s.buf.cap - a.cap + a.len
	a.cap = a.len
	return a
}

func (s *slab) isOpen(a list, size uintptr) bool {
	return a.cap == 0 || a.cap <= s.buf.cap && uintptr(a.at)+uintptr(a.cap)*size == uintptr(s.buf.at)+uintptr(s.buf.cap)*size
}

func (s *slab) grow(e elements, a list, n int, extend bool) list {
	if a.cap-a.len >= n {
		return a
	}
	if extend || !s.isOpen(a, e.size) {
		return s.extend(e, a, n)
	}
	s.chunk(e, a, 2*a.len+n)
	return list{s.buf.at, a.len, s.buf.cap}
}

func (s *slab) extend(e elements, a list, n int) list {
	room := max(2*a.len, a.len+n)
	from := s.buf.len
	if s.buf.cap-from <= room {
		s.chunk(e, a, room+1)
		s.buf.len = room
		return list{s.buf.at, a.len, room}
	}
	s.buf.len = from + room
	grown := list{unsafe.Add(s.buf.at, from*int(e.size)), a.len, room}
	if a.len > 0 {
		e.copy(grown, a)
	}
	return grown
}

// allocate hands out an element that keeps its address. The element still holds its old contents.
func (s *slab) allocate(e elements) unsafe.Pointer {
	n := s.buf.len
	if n == s.buf.cap {
		s.chunk(e, list{}, 1)
		n = 0
	}
	s.buf.len = n + 1
	return unsafe.Add(s.buf.at, n*int(e.size))
}

// chunk starts a new chunk that begins with the elements of a and has room for at least n elements.
func (s *slab) chunk(e elements, a list, n int) {
	n = max(n, 2*s.buf.cap, minChunk/max(int(e.size), 1))
	e.array(&s.buf, n)
	if a.len > 0 {
		e.copy(s.buf, a)
	}
	s.high = 0
}

// visit performs the walk's operation on a slab.
func (s *slab) visit(e elements, w *Walk) {
	switch w.purpose {
	case rewind:
		used := s.buf.len
		if debugSoils {
			s.soil(e)
		}
		// Clear the elements of the message before the last one that the last one has not overwritten, and so free
		// the memory that they point to.
		if s.high > used {
			all := s.buf
			s.buf = list{unsafe.Add(all.at, used*int(e.size)), s.high - used, s.high - used}
			e.clear(&s.buf)
			s.buf = all
		}
		s.high = used
		s.buf.len = 0
	case weigh:
		w.bytes += s.want * int(e.size)
	case reserve:
		if s.want > s.buf.cap {
			e.array(&s.buf, s.want)
			s.high = 0
		}
		s.want = 0
	case forget:
		s.want = 0
	case measure:
		w.bytes += s.buf.cap * int(e.size)
	}
}

// walk visits every slab of a message and of its nested messages.
func (l *Layout) walk(slabs unsafe.Pointer, w *Walk) {
	for n := range l.sharing() {
		l.member(n).walkOwn(slabs, w)
	}
}

// sharing returns the number of layouts that share the message's slabs; member returns one of them.
func (l *Layout) sharing() int {
	if l.Traits&Recursive == 0 {
		return 1
	}
	return l.Group
}

func (l *Layout) member(n int) *Layout {
	return (*Layout)(unsafe.Add(unsafe.Pointer(l), (n-l.First)*int(unsafe.Sizeof(*l))))
}

func (l *Layout) walkOwn(slabs unsafe.Pointer, w *Walk) {
	for n := range l.Parts {
		p := &l.Parts[n]
		if p.Of&InSlab != 0 {
			l.visit(p, slabs, w)
		}
		if p.Of&Apart != 0 {
			if theirs := *(*unsafe.Pointer)(unsafe.Add(slabs, p.At)); theirs != nil {
				l.child(p).walk(theirs, w)
			}
		}
	}
}

// rewind is the walk that frees all elements; usually it only sets a few numbers.
func (l *Layout) rewind(slabs unsafe.Pointer, w *Walk) {
	if l.Traits&Recursive == 0 {
		l.rewindOwn(slabs, w)
		return
	}
	for n := range l.sharing() {
		l.member(n).rewindOwn(slabs, w)
	}
}

func (l *Layout) rewindOwn(slabs unsafe.Pointer, w *Walk) {
	for n := range l.Parts {
		p := &l.Parts[n]
		if p.Of&InSlab != 0 {
			s := slabAt(slabs, p.Slab)
			if used := s.buf.len; s.high > used || p.Map != nil || debugSoils || l.Traits&Straight == 0 && used > 0 {
				l.visit(p, slabs, w)
			} else {
				s.high, s.buf.len = used, 0
			}
		}
		if p.Of&Apart != 0 {
			if theirs := *(*unsafe.Pointer)(unsafe.Add(slabs, p.At)); theirs != nil {
				l.child(p).rewind(theirs, w)
			}
		}
	}
}

// visit performs the walk's operation on the slabs of a field.
func (l *Layout) visit(p *Part, slabs unsafe.Pointer, w *Walk) {
	at := p.Slab
	switch {
	case p.Map != nil:
		p.Map.walk(p, slabs, w)
		if p.Is&kindBits != uint32(wire.Message) {
			return
		}
		at = p.Value
	case p.Kind < wire.Message:
		slabAt(slabs, at).visit(elements{scalars[p.Kind], sizes[p.Kind]}, w)
		return
	}
	child := l.child(p)
	e, s := elements{child.Of, child.Size}, slabAt(slabs, at)
	if l.Traits&Straight != 0 || w.purpose != rewind {
		s.visit(e, w)
	} else if s.buf.len > 0 { // the loops expect empty messages: clear all at once
		e.clear(&s.buf)
		s.buf.len = 0
	}
}

// slabsOf returns the slabs for the messages of a field.
func (l *Layout) slabsOf(p *Part, slabs unsafe.Pointer) unsafe.Pointer {
	if p.Of&Shared != 0 {
		return slabs
	}
	if p.Of&Apart == 0 {
		return nil
	}
	theirs := (*unsafe.Pointer)(unsafe.Add(slabs, p.At))
	if *theirs == nil {
		*theirs = l.child(p).newSlabs()
	}
	return *theirs
}

// noSlabs stands for the slabs of messages that have none.
var noSlabs byte

// newSlabs allocates the slabs of the message.
func (l *Layout) newSlabs() unsafe.Pointer {
	if l.Memory == nil {
		return unsafe.Pointer(&noSlabs)
	}
	return reflect.New(reflect.TypeOf(l.Memory).Elem()).UnsafePointer()
}
