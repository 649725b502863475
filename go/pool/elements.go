package pool

import (
	"unsafe"

	"github.com/hotpb/hotpb/go/wire"
)

// Elements is a type of elements to code that does not know it. Of makes one.
type Elements interface {
	array(n int) unsafe.Pointer
	clear(at unsafe.Pointer, n int)
	copy(to, from unsafe.Pointer, n int)
	soil(at unsafe.Pointer, n int)
}

// Of is the type T: (*Of[T])(nil) is static data.
type Of[T any] struct{}

func (*Of[T]) array(n int) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(make([]T, n))) }

func (*Of[T]) clear(at unsafe.Pointer, n int) { clear(unsafe.Slice((*T)(at), n)) }

func (*Of[T]) copy(to, from unsafe.Pointer, n int) {
	copy(unsafe.Slice((*T)(to), n), unsafe.Slice((*T)(from), n))
}

func (*Of[T]) soil(at unsafe.Pointer, n int) { debugSoilAll(unsafe.Slice((*T)(at), n)) }

// scalars are the types of elements that are no messages, by kind. Enums are int32.
var scalars = [...]Elements{
	wire.Int32: (*Of[int32])(nil), wire.Sint32: (*Of[int32])(nil), wire.Sfixed32: (*Of[int32])(nil), wire.Enum: (*Of[int32])(nil),
	wire.Uint32: (*Of[uint32])(nil), wire.Fixed32: (*Of[uint32])(nil), wire.Float: (*Of[float32])(nil),
	wire.Int64: (*Of[int64])(nil), wire.Sint64: (*Of[int64])(nil), wire.Sfixed64: (*Of[int64])(nil),
	wire.Uint64: (*Of[uint64])(nil), wire.Fixed64: (*Of[uint64])(nil), wire.Double: (*Of[float64])(nil),
	wire.Bool: (*Of[bool])(nil), wire.String: (*Of[string])(nil), wire.Bytes: (*Of[[]byte])(nil),
	isMap: (*Of[unsafe.Pointer])(nil), // a map is a pointer
}

// sizes are those of these elements, in bytes of memory.
var sizes = [...]uintptr{
	wire.Int32: 4, wire.Sint32: 4, wire.Sfixed32: 4, wire.Enum: 4, wire.Uint32: 4, wire.Fixed32: 4, wire.Float: 4,
	wire.Int64: 8, wire.Sint64: 8, wire.Sfixed64: 8, wire.Uint64: 8, wire.Fixed64: 8, wire.Double: 8,
	wire.Bool: 1, wire.String: unsafe.Sizeof(""), wire.Bytes: unsafe.Sizeof([]byte{}), isMap: unsafe.Sizeof(uintptr(0)),
}

// elements is a type of elements, with their size.
type elements struct {
	of   Elements
	size uintptr
}

// elements is the type of what is in a field's slab.
func (l *Layout) elements(p *Part) elements {
	if p.Kind == wire.Message || p.Kind == wire.Group {
		child := l.child(p)
		return elements{child.Of, child.Size}
	}
	return elements{scalars[p.Kind], sizes[p.Kind]}
}

// list is a []T.
type list struct {
	at       unsafe.Pointer
	len, cap int
}

// slab is a Slab[T].
type slab struct {
	buf        list
	high, want int
}

// A Slab has the layout of a slab: a difference is negative one way, and does not compile.
const (
	_ = unsafe.Sizeof(slab{}) - unsafe.Sizeof(Slab[int]{})
	_ = unsafe.Sizeof(Slab[int]{}) - unsafe.Sizeof(slab{})
	_ = unsafe.Offsetof(slab{}.high) - unsafe.Offsetof(Slab[int]{}.high)
	_ = unsafe.Offsetof(Slab[int]{}.high) - unsafe.Offsetof(slab{}.high)
)

// slabAt is a slab among those of a message.
func slabAt(slabs unsafe.Pointer, at uint32) *slab { return (*slab)(unsafe.Add(slabs, at)) }

// from is the list without its first n elements.
func (a list) from(n int, size uintptr) list {
	if n == a.cap {
		return list{at: a.at} // nothing points behind what it has
	}
	return list{unsafe.Add(a.at, n*int(size)), a.len - n, a.cap - n}
}

// open, close and grow do what those of Slab do.
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
	s.chunk(e, 2*a.len+n)
	e.of.copy(s.buf.at, a.at, a.len)
	return list{s.buf.at, a.len, s.buf.cap}
}

func (s *slab) extend(e elements, a list, n int) list {
	room := max(2*a.len, a.len+n)
	from := s.buf.len
	if s.buf.cap-from <= room {
		s.chunk(e, room+1)
		from = 0
	}
	s.buf.len = from + room
	grown := list{unsafe.Add(s.buf.at, from*int(e.size)), a.len, room}
	e.of.copy(grown.at, a.at, a.len)
	return grown
}

// one hands out one element that keeps its address. It holds whatever it held.
func (s *slab) one(e elements) unsafe.Pointer {
	n := s.buf.len
	if n == s.buf.cap {
		s.chunk(e, 1)
		n = 0
	}
	s.buf.len = n + 1
	return unsafe.Add(s.buf.at, n*int(e.size))
}

func (s *slab) chunk(e elements, n int) {
	n = max(n, 2*s.buf.cap, minChunk/max(int(e.size), 1))
	s.buf = list{e.of.array(n), 0, n}
	s.high = 0
}

// visit does to a slab what a walk is about.
func (s *slab) visit(e elements, w *Walk) {
	switch w.what {
	case rewind:
		used := s.buf.len
		if used|s.high == 0 {
			return
		}
		e.of.soil(s.buf.at, max(s.high, used))
		// What the message before the last one left behind the last one's elements goes, and with it the memory it
		// points to.
		if s.high > used {
			e.of.clear(unsafe.Add(s.buf.at, used*int(e.size)), s.high-used)
		}
		s.high = used
		s.buf.len = 0
	case weigh:
		w.bytes += s.want * int(e.size)
	case reserve:
		if s.want > s.buf.cap {
			s.buf = list{e.of.array(s.want), 0, s.want}
			s.high = 0
		}
		s.want = 0
	case forget:
		s.want = 0
	case measure:
		w.bytes += s.buf.cap * int(e.size)
	}
}

// walk shows every slab of a message, and of what it holds, to the walk.
func (l *Layout) walk(slabs unsafe.Pointer, w *Walk) {
	if l.Traits&Recursive == 0 {
		l.walkOwn(slabs, w)
		return
	}
	first := unsafe.Add(unsafe.Pointer(l), -l.First*int(unsafe.Sizeof(*l)))
	for n := range l.Group {
		(*Layout)(unsafe.Add(first, n*int(unsafe.Sizeof(*l)))).walkOwn(slabs, w)
	}
}

func (l *Layout) walkOwn(slabs unsafe.Pointer, w *Walk) {
	for n := range l.Parts {
		p := &l.Parts[n]
		if p.Of&InSlab != 0 {
			if p.Map != nil {
				p.Map.walk(l, p, slabs, w)
				if p.Is&kindBits == uint32(wire.Message) {
					child := l.child(p)
					slabAt(slabs, p.Value).visit(elements{child.Of, child.Size}, w)
				}
			} else {
				slabAt(slabs, p.Slab).visit(l.elements(p), w)
			}
		}
		if p.Of&Apart != 0 {
			if theirs := *(*unsafe.Pointer)(unsafe.Add(slabs, p.At)); theirs != nil {
				l.child(p).walk(theirs, w)
			}
		}
	}
}

// slabsOf are the slabs for the messages of a field.
func (l *Layout) slabsOf(p *Part, slabs unsafe.Pointer) unsafe.Pointer {
	if p.Of&Shared != 0 {
		return slabs
	}
	if p.Of&Apart == 0 {
		return nil
	}
	theirs := (*unsafe.Pointer)(unsafe.Add(slabs, p.At))
	if *theirs == nil {
		*theirs = l.child(p).Memory.array(1)
	}
	return *theirs
}
