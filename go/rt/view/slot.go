package view

import "github.com/hotpb/hotpb/go/rt/wire"

// The slots of a generated view say where a field is. A slot is zero if the field is absent: no value can be at
// position 0, where the first tag is. A singular number, bool or enum needs only the position of its last value, a
// uint32.

// Span is the slot of a string or bytes field: the last payload.
type Span struct{ at, n uint32 }

// MakeSpan returns the span of b[start:end].
func MakeSpan(start, end int) Span { return Span{uint32(start), uint32(end - start)} }

// Has reports whether the field is present.
func (s Span) Has() bool { return s.at != 0 }

// Sub is the slot of a singular message or group field: from the first record's tag to the end of the last record.
// Several records merge.
type Sub struct{ first, end uint32 }

const split = 1 << 31 // in Sub.first: there is more than one record

// Add notes one more record.
func (s *Sub) Add(start, end int) {
	if s.end == 0 {
		s.first = uint32(start)
	} else {
		s.first |= split
	}
	s.end = uint32(end)
}

// Has reports whether the field is present.
func (s Sub) Has() bool { return s.end != 0 }

// Run is the slot of a repeated or map field: from the first record's tag to the end of the last record, and the
// number of elements. Records of other fields may lie between. last is the last record's tag, if each element has a
// record of its own.
type Run struct{ first, end, count, last uint32 }

// Add notes one more record with n elements.
func (r *Run) Add(start, end, n int) {
	if r.count == 0 {
		r.first = uint32(start)
	}
	r.end = uint32(end)
	r.last = uint32(start)
	r.count += uint32(n)
}

// AddRecords notes the record whose tag is at i, and all those that follow it with this tag in its shortest form, one byte.
// It returns the position after them, or a negative number on an error.
func (r *Run) AddRecords(b []byte, i int, tag byte) int {
	if r.count == 0 {
		r.first = uint32(i)
	}
	n, last := 0, i
	for n == 0 || uint(i) < uint(len(b)) && b[i] == tag {
		var passed int
		if passed, last, i = passRecords(b, i, tag, len(b)); passed == 0 { // a longer length, a longer tag, or an error
			_, at := wire.ReadTag(b, last)
			if _, i = wire.ReadBytes(b, at); i < 0 {
				return i
			}
			passed = 1
		}
		n += passed
	}
	r.count += uint32(n)
	r.last, r.end = uint32(last), uint32(i)
	return i
}

// passRecords passes up to most records that follow each other, from the one at i, whose tag is of one byte and whose lengths
// of one or two. It returns how many it has passed, and where the last one begins and ends. If there are none, last is i.
//
// The place of a record is known only when the length before it has been read. So the loop touches bytes further on, which
// brings them from memory in time.
func passRecords(b []byte, i int, tag byte, most int) (n, last, end int) {
	touched := byte(0)
	for last = i; n < most && i < len(b)-2 && b[i] == tag; n++ {
		if ahead := i + 1024; ahead < len(b) {
			touched ^= b[ahead]
		}
		next := i + 2 + int(b[i+1])
		if b[i+1] >= 0x80 {
			if b[i+2] >= 0x80 {
				break
			}
			next += int(b[i+2])<<7 - 0x7f
		}
		if next > len(b) {
			break
		}
		last, i = i, next
	}
	keep(touched)
	return n, last, i
}

// keep makes the compiler compute an argument that nothing needs.
//
//go:noinline
func keep(byte) {}

// AddVarints notes the packed record whose length is at i, and counts its varints. It returns the position after the
// record, or a negative number on an error.
func (r *Run) AddVarints(b []byte, start, i int) int {
	from, end := wire.ReadBytes(b, i)
	if end < 0 {
		return end
	}
	n, _, bad := wire.CountVarints(b[from:end])
	if bad != 0 {
		return -1
	}
	if n > 0 {
		r.Add(start, end, n)
	}
	return end
}

// AddFixed is AddVarints for elements of the given width.
func (r *Run) AddFixed(b []byte, start, i, width int) int {
	from, end := wire.ReadBytes(b, i)
	if end < 0 || (end-from)&(width-1) != 0 {
		return -1
	}
	if from < end {
		r.Add(start, end, (end-from)/width)
	}
	return end
}

// Len returns the number of elements.
func (r Run) Len() int { return int(r.count) }

// Choice is the slot of a oneof: the number of the set member and that member's own slot.
type Choice struct{ number, a, b uint32 }

// Which returns the field number of the set member, or 0.
func (c Choice) Which() uint32 { return c.number }

// SetScalar notes a number, bool or enum member.
func (c *Choice) SetScalar(number uint32, at int) { *c = Choice{number: number, a: uint32(at)} }

// SetSpan notes a string or bytes member.
func (c *Choice) SetSpan(number uint32, start, end int) {
	*c = Choice{number, uint32(start), uint32(end - start)}
}

// AddSub notes one more record of a message member; it merges with those directly before it.
func (c *Choice) AddSub(number uint32, start, end int) {
	s := c.Sub(number)
	s.Add(start, end)
	*c = Choice{number, s.first, s.end}
}

// At returns the scalar slot of a member, or zero if another one is set.
func (c Choice) At(number uint32) uint32 {
	if c.number != number {
		return 0
	}
	return c.a
}

// Span returns the slot of a string or bytes member.
func (c Choice) Span(number uint32) Span {
	if c.number != number {
		return Span{}
	}
	return Span{c.a, c.b}
}

// Sub returns the slot of a message member.
func (c Choice) Sub(number uint32) Sub {
	if c.number != number {
		return Sub{}
	}
	return Sub{c.a, c.b}
}
