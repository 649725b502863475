package view

import (
	"math"
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Options are the limits and rules of one Decode; nested messages inherit them.
type Options = wire.Options

// MinGenerated and MaxGenerated are the versions of generated code that this runtime works with. Generated code of
// any other version does not compile.
const (
	MinGenerated = 7
	MaxGenerated = 8
)

// Raw is the part of a generated view that is not slots: the bytes of the message, the rules of the decode, and the
// place of the unknown fields.
type Raw struct {
	b       []byte
	unknown uint32 // first unknown record
	last    uint32 // end of the last unknown record; 0 if there is none
	rules
}

// rules are the options that still apply to one message.
type rules struct {
	epoch         // when the message was opened, in debug builds
	limit  uint32 // of its size
	levels int16  // that may open below it; negative if it is itself too deep
	strict bool
}

// below returns the rules of a nested message.
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

// Bytes returns the bytes of the message.
func (r *Raw) Bytes() []byte {
	if debug {
		r.check(r.b)
	}
	return r.b
}

// Strict reports whether every string must be checked.
func (r *Raw) Strict() bool { return r.strict }

// options returns the options for table-driven readers that treat this message as their root.
func (r *Raw) options() Options {
	o := Options{Strict: r.strict, MaxDepth: int(r.levels), MaxSize: int(r.limit)}
	if r.levels == 0 {
		o.MaxDepth = -1 // zero would mean the default
	}
	return o
}

// Skip skips a record that belongs to none of the message's fields and keeps it as an unknown field.
func (r *Raw) Skip(start, i int, tag wire.Tag) int {
	if i = wire.Skip(r.b, i, tag, int(r.levels)); i >= 0 {
		r.KeepUnknown(start, i)
	}
	return i
}

// Drop skips a record of a field that the generated code leaves out. It checks the record like an unknown field, but
// does not keep it.
func (r *Raw) Drop(i int, tag wire.Tag) int { return wire.Skip(r.b, i, tag, int(r.levels)) }

// KeepUnknown notes that the record between start and end is, or contains, an unknown field.
func (r *Raw) KeepUnknown(start, end int) {
	if r.last == 0 {
		r.unknown = uint32(start)
	}
	r.last = uint32(end)
}

// SkipGroup skips the contents of a group field.
func (r *Raw) SkipGroup(i int, number uint32) int {
	_, next := wire.SkipGroup(r.b, i, number, int(r.levels))
	return next
}

// The functions below read a value that a scan has checked, at the position that the scan noted. They stay within b
// for any at.

// Varint reads a varint. It is a function that is not inlined and contains the usual case, so that the accessors that
// call it are small enough to be inlined.
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

// borrow returns b[at:at+n] as a string without copying. The string shares b's memory: it is valid, and constant,
// only while b does not change.
func borrow(b []byte, at, n uint32) string {
	if n == 0 {
		return ""
	}
	// The slice expression checks the bounds; n > 0, so there is a first byte.
	return unsafe.String(&b[at : at+n][0], n)
}
