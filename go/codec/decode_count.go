package codec

import "github.com/hotpb/hotpb/go/wire"

// Slabs counts the messages that are in an encoded message, by field. Generated code has a struct for each message with
// messages in it: Slabs, Singles and Children for the fields, and Inside for the structs of the messages in them.
type Slabs struct {
	first *counted
	last  *counted
	turn  int // which message of this type is counted
}

// counted is a field whose messages come from a slab. Those of a message are chained in the order of Slabs' calls.
type counted struct {
	tag    wire.Tag
	kind   kind
	turn   int // the message in which one of a singular field was counted last
	count  int
	next   *counted
	inner  *Slabs // of within, once there is a message
	within within
	of     slab
}

type kind uint8

const (
	repeated kind = 0
	singular kind = 1 << 0 // however often it occurs
	nested   kind = 1 << 1 // its messages have slabs, too
)

// slab is Children or Singles, of any message.
type slab interface {
	reserve(size int)
	chain() *counted
}

func (c *counted) chain() *counted { return c }

// within makes the slabs of the messages in a field.
type within interface{ open() *Slabs }

// counting is a generated struct that embeds Slabs.
type counting interface {
	// Fields calls Slabs.One or Slabs.Each for each field.
	Fields()
	self() *Slabs
}

func (s *Slabs) self() *Slabs { return s }

// Inside holds the slabs for the messages of a field. It is nil as long as none are counted.
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

// One names a field of which a message has one at the most. inside is nil, or Inside for the messages in its messages.
func (s *Slabs) One(tag wire.Tag, of slab, inside within) {
	s.Each(tag, of, inside)
	s.last.kind |= singular
}

// Each names a field of which each occurrence is a message: a repeated one, or a map.
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

// Count returns the slabs for an input when that is large, and else nil.
func Count[S any, P interface {
	*S
	counting
}](b []byte) *S {
	if len(b) < CountFrom {
		return nil
	}
	s := new(S)
	P(s).Fields()
	slabs := P(s).self()
	slabs.count(b)
	slabs.reserve(len(b))
	return s
}

// count counts the messages in an encoded message, up to what is wrong with it.
func (s *Slabs) count(b []byte) {
	s.turn++
	next := s.first // fields come in order, mostly
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

// reserve takes memory for what was counted in an input of so many bytes.
func (s *Slabs) reserve(size int) {
	for c := s.first; c != nil; c = c.next {
		c.of.reserve(size)
		if c.inner != nil {
			c.inner.reserve(size)
		}
	}
}
