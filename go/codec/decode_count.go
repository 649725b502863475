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
	next   *counted
	of     slab
	within within
	inner  *Slabs // of within, once there is a message
	tag    wire.Tag
	count  int
	turn   int  // the message in which a single one was counted last
	single bool // however often it occurs
}

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
	s.last.single = true
}

// Each names a field of which each occurrence is a message: a repeated one, or a map.
func (s *Slabs) Each(tag wire.Tag, of slab, inside within) {
	c := of.chain()
	c.tag, c.of, c.within = tag, of, inside
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
	var tag wire.Tag
next:
	for i := 0; i < len(b); {
		start := i
		if x := b[i]; x-8 < 0x78 && x&7 < 6 {
			tag = wire.Tag(x)
			i++
		} else if tag, i = ReadTag(b, i); i < 0 {
			return
		}
		for c := s.first; c != nil; c = c.next {
			if c.tag != tag {
				continue
			}
			if i = c.pass(b, start, i, s.turn); i < 0 {
				return
			}
			continue next
		}
		if i = Skip(b, i, tag); i < 0 {
			return
		}
	}
}

// pass counts the messages from the one whose tag is b[start:i] on, and returns the position after them; negative when
// one is not whole.
func (c *counted) pass(b []byte, start, i, turn int) int {
	n, end := 1, 0
	switch {
	case c.within != nil:
		if i, end = ReadBytes(b, i); end < 0 {
			return end
		}
		if c.inner == nil {
			c.inner = c.within.open()
		}
		c.inner.count(b[i:end])
	case c.single:
		end = Skip(b, i, c.tag)
	default:
		n, end = passRun(b, i, String(b[start:i]))
	}
	if c.single {
		if c.turn == turn {
			n = 0
		}
		c.turn = turn
	}
	c.count += n
	return end
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
