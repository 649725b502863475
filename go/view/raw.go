package view

import (
	"math"
	"unsafe"

	"github.com/hotpb/hotpb/go/wire"
)

// Options are the limits and rules of one Decode; nested messages inherit them.
type Options = wire.Options

// MinGenerated and MaxGenerated are the versions of generated code that this
// runtime works with; generated code compiles with no other.
const (
	MinGenerated = 4
	MaxGenerated = 4
)

// Raw is what every generated view holds beside the slots of its fields: the
// bytes of the message, the rules of the decode, and where unknown fields are.
type Raw struct {
	b       []byte
	unknown uint32 // first unknown record
	last    uint32 // end of the last unknown record; 0 when there is none
	rules
}

// rules are what is left of the options for one message.
type rules struct {
	epoch         // when the message was opened, in debug builds
	limit  uint32 // of its size
	levels int16  // that may open below it; negative: it is itself too deep
	strict bool
}

// below are the rules of a nested message.
func (r rules) below() rules {
	r.levels--
	return r
}

// start starts a decode.
func (r *Raw) start(b []byte, o Options) {
	r.b = b
	r.unknown, r.last = 0, 0
	r.rules = rules{now(), uint32(o.Size()), int16(o.Depth()), o.Strict}
}

// Bytes are the bytes of the message.
func (r *Raw) Bytes() []byte {
	if debug {
		r.check(r.b)
	}
	return r.b
}

// Strict tells whether every string is to be checked.
func (r *Raw) Strict() bool { return r.strict }

// options are those under which the table-driven readers see this message as their root.
func (r *Raw) options() Options {
	o := Options{Strict: r.strict, MaxDepth: int(r.levels), MaxSize: int(r.limit)}
	if r.levels == 0 {
		o.MaxDepth = -1 // zero would mean the default
	}
	return o
}

// Skip passes over a record that is none of the message's fields and keeps it as an unknown field.
func (r *Raw) Skip(start, i int, tag wire.Tag) int {
	if i = wire.Skip(r.b, i, tag, int(r.levels)); i >= 0 {
		r.KeepUnknown(start, i)
	}
	return i
}

// Drop passes over a record of a field that the generated code leaves out. It is
// checked as an unknown field is, and not kept.
func (r *Raw) Drop(i int, tag wire.Tag) int { return wire.Skip(r.b, i, tag, int(r.levels)) }

// KeepUnknown notes that the record between start and end is, or has in it, an unknown field.
func (r *Raw) KeepUnknown(start, end int) {
	if r.last == 0 {
		r.unknown = uint32(start)
	}
	r.last = uint32(end)
}

// SkipGroup passes over a group field's content.
func (r *Raw) SkipGroup(i int, number uint32) int {
	_, next := wire.SkipGroup(r.b, i, number, int(r.levels))
	return next
}

// The functions below read a value that a scan has checked, at the position it
// noted. They stay within b whatever at is.

// Varint reads a varint. It is a call of its own, with the usual case in it, so
// that the accessors that make it are small enough to be inlined.
func (r *Raw) Varint(at uint32) uint64 {
	if debug {
		r.check(r.b)
	}
	if b := r.b; uint(at) < uint(len(b)) && b[at] < 0x80 {
		return uint64(b[at])
	}
	v, _ := wire.ReadVarint(r.b, int(at))
	return v
}

// Fixed32 reads four bytes.
func (r *Raw) Fixed32(at uint32) uint32 {
	if debug {
		r.check(r.b)
	}
	v, _ := wire.ReadFixed32(r.b, int(at))
	return v
}

// Fixed64 reads eight bytes.
func (r *Raw) Fixed64(at uint32) uint64 {
	if debug {
		r.check(r.b)
	}
	v, _ := wire.ReadFixed64(r.b, int(at))
	return v
}

// Float reads a float.
func (r *Raw) Float(at uint32) float32 { return math.Float32frombits(r.Fixed32(at)) }

// Double reads a double.
func (r *Raw) Double(at uint32) float64 { return math.Float64frombits(r.Fixed64(at)) }

// String borrows the bytes of s as a string.
func (r *Raw) String(s Span) string {
	if debug {
		r.check(r.b)
	}
	return borrow(r.b, s.at, s.n)
}

// ByteSlice borrows the bytes of s.
func (r *Raw) ByteSlice(s Span) []byte {
	if debug {
		r.check(r.b)
	}
	return r.b[s.at : s.at+s.n : s.at+s.n]
}

// borrow makes a string of b[at:at+n] without copying. The string shares b's
// memory: it is valid, and constant, only as long as b is not changed.
func borrow(b []byte, at, n uint32) string {
	if n == 0 {
		return ""
	}
	// The slice expression checks the bounds; n > 0, so there is a first byte.
	return unsafe.String(&b[at : at+n][0], n)
}
