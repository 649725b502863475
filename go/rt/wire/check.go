package wire

import (
	"math"
	"strconv"
)

// Check reads input as the message group[index], with its nested messages, as a plain left-to-right, depth-first
// decoder would. It returns the first error with its offset and path, or nil (spec/errors.md).
//
// Check is the cold half of every reader: fast paths only detect that something is wrong, and Check finds out what.
// It keeps no state about repeated fields: it counts the indices of a path only when it has an error to report.
func Check(group []MessageTable, index int, input []byte, o Options) *Error {
	return CheckStored(group, index, input, o, Storing{Elements: math.MaxInt, Exceeded: -1})
}

// Storing holds the limits that only faces that store what they read have, in addition to the options.
type Storing struct {
	// Elements bounds the number of repeated elements, nested messages, groups and map entries, all together; one
	// more is CountExceeded.
	Elements int
	// Exceeded is the position of the record that needed more memory than the decode was allowed, as the decoder
	// noted it: also CountExceeded. Negative means none.
	Exceeded int
	// Trusted accepts strings without checking them.
	Trusted bool
}

// CheckStored is Check for faces that store the message.
func CheckStored(group []MessageTable, index int, input []byte, o Options, s Storing) *Error {
	if len(input) > o.Size() {
		return &Error{Code: SizeExceeded}
	}
	c := checker{b: input, sizeLimit: uint64(o.Size()), strict: o.Strict, trusted: s.Trusted, elements: s.Elements, exceeded: s.Exceeded}
	root := frame{group: group, message: &group[index], levels: o.Depth()}
	c.message(&root, 0, len(input), 0)
	return c.err
}

type checker struct {
	b         []byte
	sizeLimit uint64
	strict    bool
	trusted   bool
	elements  int // that may still come
	exceeded  int
	err       *Error
}

// frame is one open message, group or map entry.
type frame struct {
	parent  *frame
	below   *frame // reused for the next child, so that memory grows with the depth only
	group   []MessageTable
	message *MessageTable // nil inside unknown groups
	levels  int           // that may open below this one
	start   int           // of the contents

	// The record being read: the first byte of its tag, its field (nil for an unknown field), and the element inside
	// a packed record.
	record  int
	number  uint32
	field   *FieldTable
	element int
}

// fail reports an error in the value of the record that f reads; failAtTag reports one that belongs to the message
// itself.
func (c *checker) fail(f *frame, code Code, offset int) int {
	c.err = &Error{Code: code, Offset: int64(offset), Path: c.path(f)}
	return -1
}

func (c *checker) failAtTag(f *frame, code Code, offset int) int {
	return c.fail(f.parent, code, offset)
}

// message reads from i to end, or to the end tag of the group open. It returns the position after the message, or -1.
func (c *checker) message(f *frame, i, end int, open uint32) int {
	f.start = i
	for i < end {
		tag, next := ReadTag(c.b[:end], i)
		if next < 0 {
			return c.failAtTag(f, Failed(next), i)
		}
		if tag.Type() == EndGroup {
			if tag.Number() != open {
				return c.failAtTag(f, GroupMismatch, i)
			}
			return next
		}
		f.record, f.number, f.field, f.element = i, tag.Number(), nil, 0
		if f.message != nil {
			if k := f.message.Find(tag.Number()); k >= 0 && f.message.Fields[k].Matches(tag.Type()) {
				f.field = &f.message.Fields[k]
			}
		}
		if i = c.value(f, next, end, tag); i < 0 {
			return i
		}
	}
	if open != 0 {
		return c.failAtTag(f, Truncated, end)
	}
	return i
}

func (c *checker) value(f *frame, i, end int, tag Tag) int {
	switch tag.Type() {
	case VarintType:
		next := SkipVarint(c.b[:end], i)
		if next < 0 {
			return c.fail(f, Failed(next), i)
		}
		return c.element(f, next)
	case Fixed32Type, Fixed64Type:
		width := 4
		if tag.Type() == Fixed64Type {
			width = 8
		}
		if end-i < width {
			return c.fail(f, Truncated, i)
		}
		return c.element(f, i+width)
	case StartGroup:
		if f.levels <= 0 {
			return c.fail(f, DepthExceeded, f.record)
		}
		if f.field != nil && !c.count(f, 1) {
			return -1
		}
		next := c.message(f.open(), i, end, tag.Number())
		if next >= 0 && f.field == nil {
			return c.element(f, next)
		}
		return next
	}
	return c.lengthDelimited(f, i, end)
}

// element counts the record that ends at next if it is an element of a repeated field.
func (c *checker) element(f *frame, next int) int {
	n := 0
	if f.field != nil && f.field.Flags&Repeated != 0 {
		n = 1
	}
	if !c.count(f, n) {
		return -1
	}
	return next
}

// count counts n elements of the record that f reads, and reports whether they are within the limits.
func (c *checker) count(f *frame, n int) bool {
	if c.elements -= n; c.elements < 0 || f.record == c.exceeded {
		f.element = 0
		c.fail(f, CountExceeded, f.record)
		return false
	}
	return true
}

// open returns the frame of the message, group or map entry in the current record.
func (f *frame) open() *frame {
	child := f.below
	if child == nil {
		child = &frame{parent: f, levels: f.levels - 1}
		f.below = child
	}
	child.group, child.message = nil, nil
	if f.field != nil {
		child.group, child.message = f.field.child(f.group)
	}
	return child
}

func (c *checker) lengthDelimited(f *frame, i, end int) int {
	length, start := ReadVarint(c.b[:end], i)
	switch {
	case start < 0:
		return c.fail(f, Failed(start), i)
	case length > c.sizeLimit:
		return c.fail(f, SizeExceeded, f.record)
	case length > uint64(end-start):
		return c.fail(f, Truncated, start)
	}
	stop := start + int(length)
	if f.field == nil {
		return c.element(f, stop)
	}
	switch payload := c.b[start:stop]; f.field.Kind {
	case Bytes:
	case String:
		if (c.strict || f.field.Flags&VerifyUtf8 != 0) && !c.trusted && !ValidUTF8(payload) {
			return c.fail(f, InvalidUtf8, start+ValidPrefix(payload))
		}
	case Message:
		if f.levels <= 0 {
			return c.fail(f, DepthExceeded, f.record)
		}
		if !c.count(f, 1) {
			return -1
		}
		return c.message(f.open(), start, stop, 0)
	default:
		count, bad, code := PackedElements(f.field.Kind, payload)
		if !c.count(f, count) {
			return -1
		}
		if code != 0 {
			f.element = count
			return c.fail(f, code, start+bad)
		}
		return stop
	}
	return c.element(f, stop)
}

// PackedElements counts the elements of a packed payload up to the first bad one.
func PackedElements(k Kind, payload []byte) (count, bad int, code Code) {
	width := 0
	switch k.Type() {
	case Fixed32Type:
		width = 4
	case Fixed64Type:
		width = 8
	default:
		return CountVarints(payload)
	}
	count = len(payload) / width
	if len(payload)%width != 0 {
		return count, count * width, Truncated
	}
	return count, 0, 0
}

// path names the fields from the root to the record that f reads; nil f stands for the root message itself.
func (c *checker) path(f *frame) string {
	if f == nil {
		return ""
	}
	name := strconv.Itoa(int(f.number))
	if f.field != nil {
		name = f.field.Name
		if f.field.Flags&Repeated != 0 {
			name += "[" + strconv.Itoa(c.elementsBefore(f)+f.element) + "]"
		}
	}
	if f.parent == nil {
		return name
	}
	return c.path(f.parent) + "." + name
}

// elementsBefore counts the field's elements in the records of this message before the current one. Those records
// have been checked.
func (c *checker) elementsBefore(f *frame) (count int) {
	for i := f.start; i < f.record; {
		tag, next := ReadTag(c.b, i)
		if next < 0 {
			break
		}
		if tag.Number() == f.number && f.field.Matches(tag.Type()) {
			if start, end := ReadBytes(c.b, next); tag.Type() == BytesType && f.field.Kind.packable() && end >= 0 {
				n, _, _ := PackedElements(f.field.Kind, c.b[start:end])
				count += n
			} else {
				count++
			}
		}
		if i = Skip(c.b, next, tag, f.levels); i < 0 {
			break
		}
	}
	return count
}
