package codec

import (
	"encoding/binary"
	"sync"
	"unsafe"

	"github.com/hotpb/hotpb/go/wire"
)

// CountFrom is the size from which the children in an input are counted before the decode, so that those of all
// parents stand in one allocation. From here on that costs no time (at a quarter of it, a fifth more), and at 25 KiB it
// saves a fifth, besides the allocations (BenchmarkDecodeRemoteWrite with other values).
const CountFrom = 1 << 10

// Decoder is the state of one decode. Generated code hands it down. Positions are those in the whole input, because
// a nested message is decoded from b[:end] on from its first byte.
type Decoder struct {
	// Discard drops unknown fields.
	Discard bool
	// Partial is set when the runtime has decoded something that may lack required fields.
	Partial bool
	// Resolver is the one of the options.
	Resolver any
	// Kept tells that strings may point into what is decoded.
	Kept bool
	// Inside is how many extensions the message is in whose levels are counted anew.
	Inside int

	ended   uint32 // the number of the end tag that ended the last group, and where it starts
	endedAt int
	err     wire.Error
	refused error // in place of err
}

// Nested is what generated code has for messages of other packages.
type Nested interface {
	// DecodeHot decodes what stands in b from i on, on top of what the message holds. It gives 0 at the end of b,
	// and else what GroupEnd takes.
	DecodeHot(d *Decoder, b []byte, i, levels int) int
}

// A generated decoder gives 0 at the end of its bytes, failed when something is wrong, and at an end tag the position
// behind it, encoded by groupEnd: below all codes that a failed read can give.
const failed = -1

func groupEnd(i int) int { return -i - 64 }

func isGroupEnd(i int) bool { return i <= -64 }

// Start begins a decode of b: it gives the bytes to decode, which are a copy of b when the message holds text, and how
// many levels may nest below the root; negative is an error.
func (d *Decoder) Start(b []byte, o *UnmarshalOptions, text bool) (own []byte, levels int) {
	d.Discard, d.Resolver, d.Kept = o.DiscardUnknown, o.Resolver, text || o.Alias
	if text && !o.Alias {
		own = make([]byte, len(b))
		copy(own, b)
		b = own
	}
	levels = o.RecursionLimit
	if levels == 0 {
		levels = DefaultRecursionLimit
	}
	if levels--; levels < 0 {
		d.err.Code = wire.DepthExceeded
	}
	return b, levels
}

// Unmarshal decodes b into m by its fast code. text tells whether the message holds strings or bytes.
func Unmarshal(m Nested, b []byte, o *UnmarshalOptions, text bool) error {
	_, err := UnmarshalPartial(m, b, o, text)
	return err
}

// UnmarshalPartial is Unmarshal for messages that may hold extensions: partial tells whether one of these may lack required
// fields.
func UnmarshalPartial(m Nested, b []byte, o *UnmarshalOptions, text bool) (partial bool, err error) {
	var d Decoder
	b, levels := d.Start(b, o, text)
	if levels < 0 {
		b = nil // what refuses the message goes first
	}
	if m.DecodeHot(hidden(&d), b, 0, levels) != 0 || levels < 0 {
		return false, d.Err()
	}
	return d.Partial, nil
}

// hidden hides d from escape analysis. Fast code keeps no pointer to it, which the compiler cannot see through an interface:
// without this, each decode would allocate one. Nothing may move the stack while the address is a number: no call of checkptr,
// and no growth.
//
//go:nosplit
//go:nocheckptr
func hidden(d *Decoder) *Decoder {
	address := uintptr(unsafe.Pointer(d))
	return *(**Decoder)(unsafe.Pointer(&address))
}

// Err is what went wrong, as a *wire.Error.
func (d *Decoder) Err() error {
	if d.refused != nil {
		return d.refused
	}
	err := d.Failure() // a copy, so that the Decoder stays on the stack
	return &err
}

// Failure is Err as a value.
func (d *Decoder) Failure() wire.Error {
	d.outOfPlace()
	return d.err
}

// outOfPlace reports the end tag that ended a message that is no group.
func (d *Decoder) outOfPlace() {
	if d.err.Code == 0 {
		d.err.Code, d.err.Offset = wire.GroupMismatch, int64(d.endedAt)
	}
}

// Nil is the error of a nil message that something is to be decoded into.
func Nil() error { return &wire.Error{Code: wire.HandleMisuse} }

// Missing is the error of an input of so many bytes that lacks the required field at path.
func Missing(size int, path string) error {
	return &wire.Error{Code: wire.MissingRequired, Offset: int64(size), Path: path}
}

// Unknown passes over a record that is none of the message's fields, with its tag from start to i, and appends it to
// the unknown fields. It gives the position behind it; at an end tag, and on failure, what the decoder has to give.
func (d *Decoder) Unknown(unknown *[]byte, b []byte, start, i int, tag wire.Tag) int {
	value := i
	if i = d.pass(b, start, i, tag); i >= 0 && !d.Discard {
		*unknown = appendRecord(*unknown, b, start, value, i, tag)
	}
	return i
}

func (d *Decoder) pass(b []byte, start, i int, tag wire.Tag) int {
	if tag.Type() == wire.EndGroup {
		d.ended, d.endedAt = tag.Number(), start
		return groupEnd(i)
	}
	return Skip(b, i, tag)
}

// appendRecord appends b[start:end], whose value starts at value; an over-long tag becomes a short one.
func appendRecord(dst, b []byte, start, value, end int, tag wire.Tag) []byte {
	if value-start != wire.SizeVarint(uint64(tag)) {
		return append(wire.AppendVarint(dst, uint64(tag)), b[value:end]...)
	}
	return append(dst, b[start:end]...)
}

// GroupEnd is the position behind the end tag of group number, whose content ended so in a decoder, or negative.
func (d *Decoder) GroupEnd(b []byte, ended int, number uint32) int {
	switch {
	case isGroupEnd(ended) && d.ended == number:
		return -ended - 64
	case ended == 0:
		d.err.Code, d.err.Offset = wire.Truncated, int64(len(b))
	default:
		d.outOfPlace()
	}
	return failed
}

// Nested decodes a message of another package that has fast methods. It works on a Decoder of its own, on the heap:
// that of the caller can stay on the stack.
func (d *Decoder) Nested(m Nested, b []byte, i, levels int) int {
	inner := decoders.Get().(*Decoder)
	*inner = *d
	i = m.DecodeHot(inner, b, i, levels)
	*d = *inner
	*inner = Decoder{} // it keeps nothing alive
	decoders.Put(inner)
	return i
}

var decoders = sync.Pool{New: func() any { return new(Decoder) }}

// Content finds the end of what a message decoder reads from i on: the end of b, for which it gives 0, or an end
// tag. behind is what the decoder has to give; end is negative on failure.
func (d *Decoder) Content(b []byte, i int) (end, behind int) {
	for i < len(b) {
		start := i
		tag, value := ReadTag(b, start)
		if i = value; i >= 0 {
			i = d.pass(b, start, value, tag)
		}
		switch {
		case isGroupEnd(i):
			return start, i
		case i < 0:
			return failed, d.Fail(b, start, i, "")
		}
	}
	return len(b), 0
}

// Explained notes an error that has been explained already. It gives what the decoder has to give.
func (d *Decoder) Explained(err wire.Error) int {
	d.err = err
	return failed
}

// Records are the unknown fields of a message that has extensions, in their order: the runtime sorts them out at the
// end of the message, all together.
type Records struct {
	b         []byte // a part of the input as long as they stand side by side
	own       bool
	end       int
	last      int  // where the last one starts
	extension bool // one of them has an extension's number
}

// Collect is Decoder.Unknown for such messages. extension tells whether the record is in a range of extensions.
func (r *Records) Collect(d *Decoder, b []byte, start, i int, tag wire.Tag, extension bool) int {
	value := i
	if i = d.pass(b, start, i, tag); i < 0 || d.Discard && !extension {
		return i
	}
	r.extension, r.last = r.extension || extension, start
	if short := value-start == wire.SizeVarint(uint64(tag)); short && !r.own && (r.b == nil || r.end == start) {
		r.b, r.end = b[start-len(r.b):i:i], i
		return i
	}
	if !r.own {
		r.own = true
		r.b = append(make([]byte, 0, 2*len(r.b)+i-start), r.b...)
	}
	r.b = appendRecord(r.b, b, start, value, i, tag)
	return i
}

// Any tells whether there are any records, and Extension whether one of them may be an extension.
func (r *Records) Any() bool       { return r.b != nil }
func (r *Records) Extension() bool { return r.extension }

// Locate puts the offset of an error in Bytes right, or on the last record when they do not stand side by side.
func (r *Records) Locate(err wire.Error) wire.Error {
	if !r.own {
		err.Offset += int64(r.end - len(r.b))
	} else {
		err.Offset = int64(r.last)
	}
	return err
}

// Single is the tag of the only record, when there is no other and it stands as it came.
func (r *Records) Single() (tag wire.Tag, is bool) {
	if r.own || r.last != r.end-len(r.b) {
		return 0, false
	}
	tag, _ = ReadTag(r.b, 0)
	return tag, true
}

// Bytes are the records, one behind the other. They are not to be kept.
func (r *Records) Bytes() []byte { return r.b }

// String borrows bytes of the input, or of its copy, as a string.
func String(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Bytes borrows bytes of the input, or of its copy; they are never nil.
func Bytes(b []byte) []byte {
	if len(b) == 0 {
		return []byte{}
	}
	return b[:len(b):len(b)]
}

// Ended is i at an end tag, and 0 when i tells a failure.
func Ended(i int) int {
	if isGroupEnd(i) {
		return i
	}
	return 0
}

// ASCII tells whether b is ASCII. Tags and lengths below 128 are ASCII too, so that several strings are looked at
// together, with what stands between them.
func ASCII(b []byte) bool {
	var seen uint64
	n := len(b)
	if n < 8 {
		for _, c := range b {
			seen |= uint64(c)
		}
		return seen&msbs == 0
	}
	seen = binary.LittleEndian.Uint64(b[n-8:]) // the last word overlaps the one before
	for ; len(b) >= 32; b = b[32:] {
		seen |= binary.LittleEndian.Uint64(b) | binary.LittleEndian.Uint64(b[8:]) |
			binary.LittleEndian.Uint64(b[16:]) | binary.LittleEndian.Uint64(b[24:])
	}
	for ; len(b) >= 8; b = b[8:] {
		seen |= binary.LittleEndian.Uint64(b)
	}
	return seen&msbs == 0
}

// ValidText tells whether a string is UTF-8.
func ValidText(s string) bool { return wire.ValidUTF8(unsafe.Slice(unsafe.StringData(s), len(s))) }
