package codec

import "github.com/hotpb/hotpb/go/wire"

// Slabs counts the messages in an encoded message, by field. Generated code has a struct for each message that
// contains messages: Slabs, then Singles and Children for the fields, and Inside for the structs of nested messages.
type Slabs struct {
	first *counted
	last  *counted
	turn  int // the number of the message of this type that is being counted
}

// counted is a field whose messages come from a slab. The fields of a message are chained in the order of the calls
// on Slabs.
type counted struct {
	tag    wire.Tag
	kind   kind
	turn   int // the message in which a singular field was last counted
	count  int
	next   *counted
	inner  *Slabs // the Slabs of within, once there is a message
	within within
	of     slab
}

type kind uint8

const (
	repeated kind = 0
	singular kind = 1 << 0 // however often it occurs
	nested   kind = 1 << 1 // its messages have slabs, too
)

// slab is a Children or Singles of any message.
type slab interface {
	reserve(size int)
	chain() *counted
}

func (c *counted) chain() *counted { return c }

// within creates the slabs for the messages in a field.
type within interface{ open() *Slabs }

// counting is a generated struct that embeds Slabs.
type counting interface {
	// Fields calls Slabs.One or Slabs.Each for each field.
	Fields()
	self() *Slabs
}

func (s *Slabs) self() *Slabs { return s }

// Inside holds the slabs for the messages of a field. It is nil until one is counted.
type Inside[S any, P interface {
	*S
	counting
}] struct {
	Slabs *S
}

func (w *Inside[S, P]) open() *Slabs {
	w.Slabs = new(S)
	P(w.Slabs).Fields()
	return P(w.Slabs).self()
}

// One declares a field that has at most one message. inside is nil, or the Inside for the messages in its messages.
func (s *Slabs) One(tag wire.Tag, of slab, inside within) {
	s.Each(tag, of, inside)
	s.last.kind |= singular
}

// Each declares a field in which each occurrence is a message: a repeated field, or a map.
func (s *Slabs) Each(tag wire.Tag, of slab, inside within) {
	c := of.chain()
	c.tag, c.of, c.within = tag, of, inside
	if inside != nil {
		c.kind = nested
	}
	if s.last == nil {
		s.first = c
	} else {
		s.last.next = c
	}
	s.last = c
}

// Count returns the slabs for a large input with long lists, or nil for another one.
func Count[S any, P interface {
	*S
	counting
}](b []byte) *S {
	if len(b) < CountFrom || !startsList(b) {
		return nil
	}
	s := new(S)
	P(s).Fields()
	slabs := P(s).self()
	slabs.count(b)
	slabs.reserve(len(b))
	return s
}

// A message seems to have long lists if some of its first mostLooked records are adjacent ones of a field, longRun of them,
// and so small that manyRuns times as many fill the message. If it does not, and one of the records is more than half of
// the message, the question goes to that one.
const mostLooked, longRun, manyRuns, deepestLook = 16, 4, 8, 8

// startsList reports whether a message seems to have long lists. Counting the messages of one with many short lists would
// cost more than their allocations do.
func startsList(b []byte) bool {
	for range deepestLook {
		var inner []byte
		last, run, begin := wire.Tag(0), 0, 0
		for i, n := 0, 0; i < len(b) && n < mostLooked; n++ {
			tag, next := ReadTag(b, i)
			if next < 0 {
				return false
			}
			if tag.Type() != wire.BytesType {
				last = 0
				if i = Skip(b, next, tag); i < 0 {
					return false
				}
				continue
			}
			from, end := ReadBytes(b, next)
			if end < 0 {
				return false
			}
			if tag != last {
				last, run, begin = tag, 0, i
			}
			if run++; run >= longRun && manyRuns*longRun*(end-begin) <= run*len(b) {
				return true
			}
			if end-from > len(b)/2 {
				inner = b[from:end]
			}
			i = end
		}
		if inner == nil {
			return false
		}
		b = inner
	}
	return false
}

// count counts the messages in an encoded message, up to the first error in it.
func (s *Slabs) count(b []byte) {
	s.turn++
	next := s.first // fields are mostly in order
	for i := 0; i < len(b); {
		start := i
		var tag wire.Tag
		if x := b[i]; x-8 < 0x78 && x&7 < 6 {
			tag = wire.Tag(x)
			i++
		} else if tag, i = ReadTag(b, i); i < 0 {
			return
		}
		c := next
		for c != nil && c.tag != tag {
			c = c.next
		}
		if c == nil {
			for c = s.first; c != next && c.tag != tag; {
				c = c.next
			}
			if c == next {
				if i = Skip(b, i, tag); i < 0 {
					return
				}
				continue
			}
		}
		next = c.next
		n := 1
		switch {
		case c.kind == repeated && i-start == 1:
			n, i = passShort(b, i, byte(tag))
		case c.kind == repeated:
			n, i = passRun(b, i, String(b[start:i]))
		case c.kind&nested != 0:
			next = c
			if uint(i) < uint(len(b)) && b[i] < 0x80 {
				start, i = i+1, i+1+int(b[i])
			} else {
				start, i = ReadBytes(b, i)
			}
			if uint(i) > uint(len(b)) {
				return
			}
			if c.inner == nil {
				c.inner = c.within.open()
			}
			c.inner.count(b[start:i])
		default:
			i = Skip(b, i, tag)
		}
		if c.kind&singular == 0 {
			c.count += n
		} else if c.turn != s.turn {
			c.turn = s.turn
			c.count++
		}
		if i < 0 {
			return
		}
	}
}

// reserve allocates memory for the messages that were counted in an input of size bytes.
func (s *Slabs) reserve(size int) {
	for c := s.first; c != nil; c = c.next {
		c.of.reserve(size)
		if c.inner != nil {
			c.inner.reserve(size)
		}
	}
}
