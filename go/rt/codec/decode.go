package codec

import (
	"sync"
	"unique"
	"unsafe"

	"github.com/hotpb/hotpb/go/internal/enc"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// Decoder is the state of one decode. Generated code passes it on. Positions are positions in the whole input,
// because a nested message is decoded from b[:end], starting at its first byte.
type Decoder struct {
	// Discard drops unknown fields.
	Discard bool
	// Partial is set if the runtime has decoded a part that may lack required fields.
	Partial bool
	// Resolver is the one from the options.
	Resolver any
	// Kept reports that strings, and unknown fields, may point into the decoded bytes.
	Kept bool
	// Aliases reports that they may point into the input itself.
	Aliases bool
	// Inside is the number of enclosing extensions that start a new count of levels.
	Inside int

	empties bool   // the message is emptied first
	ended   uint32 // the number of the end tag that ended the last group, and where it starts
	endedAt int
	err     wire.Error
	refused error // replaces err
}

// Nested is the interface through which generated code decodes messages of other packages.
type Nested interface {
	// DecodeHot decodes b from i on, and merges it with the contents of the message. It returns 0 at the end of b,
	// and otherwise a value that GroupEnd accepts.
	DecodeHot(d *Decoder, b []byte, i, levels int) int
}

// A generated decoder returns 0 at the end of its bytes, and failed on an error. At an end tag it returns the
// position after the tag, encoded by groupEnd: that is below all codes of a failed read.
const failed = -1

func groupEnd(i int) int { return -i - 64 }

func isGroupEnd(i int) bool { return i <= -64 }

// Start begins a decode of b. It returns the bytes to decode, which are a copy of b if the message holds text, and
// the number of levels that may nest below the root; a negative number is an error.
func (d *Decoder) Start(b []byte, o *UnmarshalOptions, text bool) (own []byte, levels int) {
	d.Discard, d.Resolver, d.Kept, d.Aliases = o.DiscardUnknown, o.Resolver, text || o.Alias, o.Alias
	if text && !o.Alias {
		own = make([]byte, len(b))
		copy(own, b)
		b = own
	}
	d.empties = !o.Merge
	levels = o.RecursionLimit
	if levels == 0 {
		levels = DefaultRecursionLimit
	}
	if levels--; levels < 0 {
		d.err.Code = wire.DepthExceeded
	}
	return b, levels
}

// Empties reports whether the message must be emptied: the one with which a decode begins, unless it is merged.
func (d *Decoder) Empties() bool {
	empties := d.empties
	d.empties = false
	return empties
}

// Unmarshal decodes b into m with m's fast code. text reports whether the message holds strings or bytes.
func Unmarshal(m Nested, b []byte, o *UnmarshalOptions, text bool) error {
	_, err := UnmarshalPartial(m, b, o, text)
	return err
}

// UnmarshalPartial is Unmarshal for messages that may hold extensions: partial reports whether one of these may lack
// required fields.
func UnmarshalPartial(m Nested, b []byte, o *UnmarshalOptions, text bool) (partial bool, err error) {
	var d Decoder
	b, levels := d.Start(b, o, text)
	if levels < 0 {
		b = nil // report the error for the message first
	}
	if m.DecodeHot(hidden(&d), b, 0, levels) != 0 || levels < 0 {
		return false, d.Err()
	}
	return d.Partial, nil
}

// hidden hides d from escape analysis. Fast code keeps no pointer to it, but the compiler cannot see that through an
// interface: without hidden, each decode would allocate one. While the address is a number, nothing may move the
// stack: no call of checkptr, and no growth. Without noinline it might stay one.
//
//go:noinline
//go:nosplit
//go:nocheckptr
func hidden(d *Decoder) *Decoder {
	address := uintptr(unsafe.Pointer(d))
	return *(**Decoder)(unsafe.Pointer(&address))
}

// Err returns the error of the decode, as a *wire.Error.
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

// outOfPlace reports an end tag that ended a message that is not a group.
func (d *Decoder) outOfPlace() {
	if d.err.Code == 0 {
		d.err.Code, d.err.Offset = wire.GroupMismatch, int64(d.endedAt)
	}
}

// Nil returns the error for decoding into a nil message.
func Nil() error { return &wire.Error{Code: wire.HandleMisuse} }

// Missing returns the error for an input of size bytes that lacks the required field at path.
func Missing(size int, path string) error {
	return &wire.Error{Code: wire.MissingRequired, Offset: int64(size), Path: path}
}

// Unknown skips a record that belongs to none of the message's fields, with its tag from start to i, and appends it
// to the unknown fields. It returns the position after it; at an end tag, and on failure, it returns the value that
// the decoder must return.
func (d *Decoder) Unknown(unknown *[]byte, b []byte, start, i int, tag wire.Tag) int {
	value := i
	if i = d.pass(b, start, i, tag); i >= 0 && !d.Discard {
		if d.Kept && *unknown == nil && value-start == wire.SizeVarint(uint64(tag)) {
			*unknown = b[start:i:i] // as bytes fields do; whoever appends to it copies it
		} else {
			*unknown = appendRecord(*unknown, b, start, value, i, tag)
		}
	}
	return i
}

// Drop is Unknown for a message that does not keep unknown fields.
func (d *Decoder) Drop(b []byte, start, i int, tag wire.Tag) int { return d.pass(b, start, i, tag) }

// Refuse notes the error of code that is not generated. It returns the value that the decoder must return.
func (d *Decoder) Refuse(err error) int {
	d.refused = err
	return failed
}

func (d *Decoder) pass(b []byte, start, i int, tag wire.Tag) int {
	if tag.Type() == wire.EndGroup {
		d.ended, d.endedAt = tag.Number(), start
		return groupEnd(i)
	}
	return Skip(b, i, tag)
}

// appendRecord appends b[start:end], whose value starts at value, and shortens an over-long tag.
func appendRecord(dst, b []byte, start, value, end int, tag wire.Tag) []byte {
	if value-start != wire.SizeVarint(uint64(tag)) {
		return append(wire.AppendVarint(dst, uint64(tag)), b[value:end]...)
	}
	return append(dst, b[start:end]...)
}

// GroupEnd returns the position after the end tag of group number if a decoder has ended with it, or a negative
// number.
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

// Nested decodes a message of another package that has fast methods. It uses a Decoder of its own, on the heap, so
// that the caller's can stay on the stack.
func (d *Decoder) Nested(m Nested, b []byte, i, levels int) int {
	inner := decoders.Get().(*Decoder)
	*inner = *d
	i = m.DecodeHot(inner, b, i, levels)
	*d = *inner
	*inner = Decoder{} // so that it keeps nothing alive
	decoders.Put(inner)
	return i
}

var decoders = sync.Pool{New: func() any { return new(Decoder) }}

// Content finds the end of the bytes that a message decoder reads from i on: the end of b, or an end tag. after is
// the value that the decoder must return; end is negative on failure.
func (d *Decoder) Content(b []byte, i int) (end, after int) {
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

// Explained notes an error with its place. It returns the value that the decoder must return.
func (d *Decoder) Explained(err wire.Error) int {
	d.err = err
	return failed
}

// Records are the unknown fields of a message that has extensions, in their order: at the end of the message the
// runtime processes all of them at once.
type Records struct {
	b         []byte // a part of the input as long as they are adjacent
	own       bool
	end       int
	last      int  // where the last one starts
	extension bool // one of them has an extension's number
}

// Collect is Decoder.Unknown for such messages. extension reports whether the record is in a range of extensions.
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

// Any reports whether there are any records, and Extension whether one of them may be an extension.
func (r *Records) Any() bool       { return r.b != nil }
func (r *Records) Extension() bool { return r.extension }

// Locate converts the offset of an error in Bytes to one in the input; if the records are not adjacent, to that of
// the last record.
func (r *Records) Locate(err wire.Error) wire.Error {
	if !r.own {
		err.Offset += int64(r.end - len(r.b))
	} else {
		err.Offset = int64(r.last)
	}
	return err
}

// Single returns the tag of the only record, if there is exactly one and it is unchanged from the input.
func (r *Records) Single() (tag wire.Tag, is bool) {
	if r.own || r.last != r.end-len(r.b) {
		return 0, false
	}
	tag, _ = ReadTag(r.b, 0)
	return tag, true
}

// Bytes returns the records in one slice. Do not keep it.
func (r *Records) Bytes() []byte { return r.b }

// String borrows bytes of the input, or of its copy, as a string. An empty string borrows nothing.
func String(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// Unique returns the one string in memory with the contents of s, as package unique has it. With Alias it returns s.
func (d *Decoder) Unique(s string) string {
	if d.Aliases {
		return s
	}
	return unique.Make(s).Value()
}

// Bytes borrows bytes of the input, or of its copy; the result is never nil.
func Bytes(b []byte) []byte {
	if len(b) == 0 {
		return []byte{}
	}
	return b[:len(b):len(b)]
}

// Ended returns i at an end tag, and 0 if i is a failure.
func Ended(i int) int {
	if isGroupEnd(i) {
		return i
	}
	return 0
}

// ASCII reports whether b is ASCII. Tags and lengths below 128 are ASCII too, so several strings can be tested
// together with the bytes between them.
func ASCII(b []byte) bool { return enc.ASCII(b) }

// ValidText reports whether a string is UTF-8.
func ValidText(s string) bool { return wire.ValidUTF8(unsafe.Slice(unsafe.StringData(s), len(s))) }
