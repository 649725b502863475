package codec

import "github.com/hotpb/hotpb/go/rt/wire"

// SlabField is a field whose messages come from a slab. Generated code has a list of them for each message that contains
// messages, by ascending number.
type SlabField struct {
	Tag    wire.Tag
	Kind   SlabKind
	List   any         // a nil pointer to a slice of the messages
	Inside []SlabField // the fields of the messages themselves
}

// SlabKind is how messages are in their parent.
type SlabKind uint8

// The values of SlabKind.
const (
	SlabOfList SlabKind = iota
	SlabOfMap
	SlabOfOne // one, however often it occurs
)

// Slabs are the slabs of a message: it counts the messages in an input, by field, and hands them out.
type Slabs struct {
	fields []slab
	turn   int // the number of the message of this type that is being counted
}

// counted is the count of a field. The fields of a message are chained.
type counted struct {
	field *SlabField
	tag   wire.Tag
	turn  int // the message in which a singular field was last counted
	count int
	next  *slab
	inner *Slabs // for the messages in its messages, once there is one
}

// newSlabs returns empty slabs, in one allocation if they are few.
func newSlabs(fields []SlabField) (s *Slabs) {
	switch n := len(fields); {
	case n == 1:
		own := new(struct {
			slabs Slabs
			few   [1]slab
		})
		s, own.slabs.fields = &own.slabs, own.few[:]
	case n <= 3:
		own := new(struct {
			slabs Slabs
			few   [3]slab
		})
		s, own.slabs.fields = &own.slabs, own.few[:n]
	default:
		s = &Slabs{fields: make([]slab, n)}
	}
	for n := range s.fields {
		c := &s.fields[n].counted
		c.field, c.tag = &fields[n], fields[n].Tag
		if n+1 < len(fields) {
			c.next = &s.fields[n+1]
		}
	}
	return s
}

// Count returns the slabs for a large input with long lists, or nil for another one.
func Count(fields []SlabField, b []byte) *Slabs {
	if len(b) < CountFrom || !startsList(fields, b) {
		return nil
	}
	s := newSlabs(fields)
	s.count(b)
	s.reserve(len(b))
	return s
}

// Inside returns the slabs for the messages in a field's messages, or nil if there are none.
func (s *Slabs) Inside(field int) *Slabs { return s.fields[field].inner }

// A message seems to have long lists if some of its first mostLooked records are adjacent messages of a field, longRun of them,
// and so small that manyRuns times as many fill the message. If it does not, and one of the messages is more than half of
// it, the question goes to that one. Texts are not messages, whatever their bytes look like.
const mostLooked, longRun, manyRuns, deepestLook = 16, 4, 8, 8

// startsList reports whether a message with these fields seems to have long lists. Counting the messages of one with many
// short lists would cost more than their allocations do.
func startsList(fields []SlabField, b []byte) bool {
	for range deepestLook {
		var inner []byte
		var inside []SlabField
		at, last, run, begin := 0, -1, 0, 0
		for i, n := 0, 0; i < len(b) && n < mostLooked; n++ {
			start := i
			var tag wire.Tag
			if x := b[i]; x-8 < 0x78 && x&7 < 6 {
				tag = wire.Tag(x)
				i++
			} else if tag, i = ReadTag(b, i); i < 0 {
				return false
			}
			if at == len(fields) || tag < fields[at].Tag { // fields are mostly in order
				at = 0
			}
			for at < len(fields) && fields[at].Tag < tag {
				at++
			}
			if at == len(fields) || fields[at].Tag != tag {
				last = -1
				from := i
				if tag.Type() == wire.VarintType && Short(b, i) {
					i++
				} else if i = Skip(b, i, tag); i < 0 || i-from > len(b)/2 {
					return false
				}
				continue
			}
			from, end := ReadBytes(b, i)
			if end < 0 {
				return false
			}
			if at != last {
				last, run, begin = at, 0, start
			}
			if run++; run >= longRun && fields[at].Kind != SlabOfOne && manyRuns*longRun*(end-begin) <= run*len(b) {
				return true
			}
			if fields[at].Inside != nil && end-from > len(b)/2 {
				inner, inside = b[from:end], fields[at].Inside
			}
			i = end
		}
		if inner == nil {
			return false
		}
		b, fields = inner, inside
	}
	return false
}

// count counts the messages in an encoded message, up to the first error in it.
func (s *Slabs) count(b []byte) {
	s.turn++
	first := &s.fields[0]
	next := first // fields are mostly in order
	for i := 0; i < len(b); {
		start := i
		var tag wire.Tag
		if x := b[i]; x-8 < 0x78 && x&7 < 6 {
			tag = wire.Tag(x)
			i++
		} else if tag, i = ReadTag(b, i); i < 0 {
			return
		}
		// The field: the next one of the chain, or one that is looked for from the beginning.
		c := next
		for c != nil && c.tag != tag {
			c = c.next
		}
		if c == nil {
			for c = first; c != next && c.tag != tag; {
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
		// A run of records without messages inside is passed; a message is counted, and what it has.
		n := 1
		switch {
		case c.field.Inside == nil && c.field.Kind != SlabOfOne && i-start == 1:
			n, i = passShort(b, i, byte(tag))
		case c.field.Inside == nil && c.field.Kind != SlabOfOne:
			n, i = passRun(b, i, String(b[start:i]))
		case c.field.Inside != nil:
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
				c.inner = newSlabs(c.field.Inside)
			}
			c.inner.count(b[start:i])
		default:
			i = Skip(b, i, tag)
		}
		// A field that is no list needs one place, however often it occurs.
		if c.field.Kind != SlabOfOne {
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
	for n := range s.fields {
		own := &s.fields[n]
		own.reserve(size)
		if own.inner != nil {
			own.inner.reserve(size)
		}
	}
}
