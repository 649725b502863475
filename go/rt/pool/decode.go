package pool

import (
	"errors"
	"math"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Options are the limits and rules of one decode. The zero value has the
// defaults of spec/wire.md.
type Options struct {
	// Mode says who owns the memory of the message.
	Mode Mode
	// Strict checks every string, including those that the schema leaves unchecked.
	Strict bool
	// AllowPartial accepts messages with missing required fields.
	AllowPartial bool
	// MaxDepth is the number of levels of messages, groups and map entries that may nest below the root; 0 means 100,
	// negative none; the maximum is 1000.
	MaxDepth int
	// MaxSize is the size limit of a message, in bytes; 0 means 2^31 − 1, which is also the maximum.
	MaxSize int
	// MaxElements limits the number of repeated elements, nested messages, groups and map entries, all together; 0
	// means no limit, negative allows none. With a limit the decoder first makes a pass over the input, so that it
	// stores nothing of a message that exceeds the limit.
	MaxElements int
	// MaxMemory is the number of bytes that the message may need in addition to the copy of its input; 0 means 8 MiB
	// or 32 times the input, whichever is more.
	MaxMemory int
}

// Mode says who owns the memory of a decoded message.
type Mode uint8

// The modes. Unmarshal has a variant for each.
const (
	Reuse Mode = iota // the message owns it and its next decode reuses it: Unmarshal
	Alias             // the same, but strings and bytes point into the input: UnmarshalAlias
	Owned             // freshly allocated and never reused: UnmarshalOwned
)

func (o *Options) wire() wire.Options {
	return wire.Options{Strict: o.Strict, MaxDepth: o.MaxDepth, MaxSize: o.MaxSize}
}

// Message is the interface that generated messages implement for the functions of this package.
type Message interface {
	Reset()
	// RefHot returns the message as this package sees it.
	RefHot() Ref
}

// Decoder is the state of one decode. Generated code passes it on.
type Decoder struct {
	memory   int // bytes that may still be charged
	strict   bool
	trusted  bool   // strings are not checked
	ended    uint32 // the number of the end tag that ended the last group
	exceeded int    // the start of the record for which there was no memory left
	extras   Slab[Extra]
	block    []byte    // the copy of the input
	scratch  []byte    // unknown records that are not in the input in that form
	used     bool      // by an earlier decode
	strayed  unsettled // sorted maps whose entries came out of order
}

// copy returns the message's own copy of the input.
func (d *Decoder) copy(b []byte) []byte {
	d.block = append(d.block[:0], b...)
	return d.block[:len(b):len(b)]
}

// Unmarshal decodes b into m and replaces the contents of m. After an error m is empty.
func Unmarshal(m Message, b []byte, o Options) error { return unmarshal(m, b, &o, false) }

func unmarshal(m Message, b []byte, o *Options, trusted bool) error {
	if m == nil {
		return nilError()
	}
	return m.RefHot().unmarshal(b, o, trusted)
}

// UnmarshalUnchecked is Unmarshal without a check that strings are UTF-8, whatever the schema and o.Strict say; it
// checks everything else. Use it for bytes that have been checked before, or that come from a trusted writer: strings
// of the message then hold whatever the input held. On remote-write requests it is 1.4 times as fast
// (BenchmarkDecode, with Alias).
func UnmarshalUnchecked(m Message, b []byte, o Options) error { return unmarshal(m, b, &o, true) }

func (r Ref) unmarshal(b []byte, o *Options, trusted bool) error {
	if r.m == nil {
		return nilError()
	}
	m := r.l.code(r.m)
	m.Reset()
	l := r.l
	if len(b) > o.wire().Size() {
		return &wire.Error{Code: wire.SizeExceeded}
	}
	if o.MaxElements != 0 {
		if err := wire.CheckStored(*l.Tables, l.Index, b, o.wire(), wire.Storing{Elements: max(o.MaxElements, 0), Exceeded: -1, Trusted: trusted}); err != nil {
			return err
		}
	}
	memory := o.memory(r.Hidden())
	if memory.slabs == nil {
		memory.layout, memory.slabs = l, l.newSlabs()
	}
	if o.Mode == Owned {
		memory.decoder.block = append(make([]byte, 0, len(b)), b...)
	} else if o.Mode == Reuse {
		memory.decoder.block = append(memory.decoder.block[:0], b...)
	}
	if o.Mode != Alias {
		b = memory.decoder.block[:len(b):len(b)]
	}
	d := &memory.decoder
	d.start(o, len(b), trusted)
	if len(b) >= countFrom && (o.Mode == Owned || !d.used) {
		memory.count(b)
	}
	d.used = true
	if l.decodeAt(r.m, d, memory.slabs, b, root, o.wire().Depth()+1) < 0 {
		err := d.explain(l, b, o)
		m.Reset()
		return err
	}
	d.settle()
	if !o.AllowPartial {
		if path := l.missing(r.m, false); path != "" {
			m.Reset()
			return &wire.Error{Code: wire.MissingRequired, Offset: int64(len(b)), Path: path}
		}
	}
	return nil
}

// countFrom is the size from which counting the elements beforehand costs less than outgrowing chunks. It saves a
// tenth of the time at this size, half from 1 MiB on, and a third of the memory everywhere (BenchmarkOwned).
var countFrom = 4 << 10 // a variable because the benchmark changes it

// memory returns the memory that the message is decoded into, with all slabs free.
func (o *Options) memory(h *Hidden) *Memory {
	if o.Mode == Owned {
		h.extra = nil
		return new(Memory)
	}
	m := h.ownMemory()
	m.rewind()
	return m
}

func (m *Memory) rewind() {
	m.decoder.rewind()
	if m.slabs != nil {
		m.walk.purpose = rewind
		m.layout.rewind(m.slabs, &m.walk)
	}
}

func (d *Decoder) rewind() {
	if cap(d.extras.buf) > 0 {
		d.extras.visit(&Walk{purpose: rewind})
	}
	d.scratch = d.scratch[:0]
}

// count reserves memory for the contents of an encoded message, unless they exceed the message's limit.
func (m *Memory) count(b []byte) {
	m.layout.count(m.slabs, b)
	w := &m.walk
	*w = Walk{purpose: weigh}
	m.layout.walk(m.slabs, w)
	w.purpose = reserve
	if w.bytes > m.decoder.memory {
		w.purpose = forget
	}
	m.layout.walk(m.slabs, w)
}

func (d *Decoder) start(o *Options, size int, trusted bool) {
	if d.memory = o.MaxMemory; d.memory <= 0 {
		d.memory = usualMemory(size)
	}
	d.strict, d.trusted, d.exceeded, d.strayed = o.Strict && !trusted, trusted, -1, nil
}

// usualMemory returns the default memory limit for an encoded message of size bytes.
func usualMemory(size int) int {
	if size > math.MaxInt/32 {
		return math.MaxInt
	}
	return max(8<<20, 32*size)
}

// explain finds out what is wrong when a decoder has only detected that something is.
func (d *Decoder) explain(l *Layout, b []byte, o *Options) error {
	if err := wire.CheckStored(*l.Tables, l.Index, b, o.wire(), wire.Storing{Elements: math.MaxInt, Exceeded: d.exceeded, Trusted: d.trusted}); err != nil {
		return err
	}
	return errors.New("hotpb: internal error: the pool rejects a message that wire.Check accepts")
}

// A decoder returns the end of its message, or failed on an error. At an end tag it returns the position after that
// tag, encoded by groupEnd.
const failed = -1

func groupEnd(i int) int { return -i - 2 }

// GroupEnd returns the position after the end tag of group number, where the decoder of the group's contents has
// ended, or a negative number.
func (d *Decoder) GroupEnd(ended int, number uint32) int {
	if ended >= failed || d.ended != number {
		return failed
	}
	return -ended - 2
}

// Strict reports whether every string must be checked.
func (d *Decoder) Strict() bool { return d.strict }

// Exceeded notes the start of the record for which there was no memory left.
func (d *Decoder) Exceeded(start int) int {
	d.exceeded = start
	return failed
}

// Take charges n bytes of memory, and reports whether they are within the limit.
func (d *Decoder) Take(n int) bool {
	d.memory -= n
	return d.memory >= 0
}

// Unknown skips a record that belongs to none of the message's fields and keeps it as an unknown field. At an end tag
// it returns the value that the decoder must return.
func (d *Decoder) Unknown(h *Hidden, b []byte, start, levels int) int {
	tag, i := wire.ReadTag(b, start) // nothing has checked yet that a short tag is valid
	if i < 0 {
		return failed
	}
	if tag.Type() == wire.EndGroup {
		d.ended = tag.Number()
		return groupEnd(i)
	}
	if i = wire.Skip(b, i, tag, levels); i < 0 {
		return failed
	}
	if !d.Take(unknownCost) {
		return d.Exceeded(start)
	}
	h.keep(d, b[start:i])
	return i
}

// unknownCost is the most that an unknown record can cost: a run of its own.
const unknownCost = 24

// Drop skips a record of a field that the generated code leaves out.
func (d *Decoder) Drop(b []byte, i int, tag wire.Tag, levels int) int {
	if i = wire.Skip(b, i, tag, levels); i < 0 {
		return failed
	}
	return i
}

// Keep keeps a record as an unknown field.
func (d *Decoder) Keep(h *Hidden, record []byte) { h.keep(d, record) }

// KeepEnum keeps an undefined value of a closed enum as an unknown field.
func (d *Decoder) KeepEnum(h *Hidden, number uint32, value int32) {
	start := len(d.scratch)
	d.scratch = wire.AppendTag(d.scratch, number, wire.VarintType)
	d.scratch = wire.AppendInt32(d.scratch, value)
	h.keep(d, d.scratch[start:])
}

// Valid reports whether a string that the schema checks is valid.
func (d *Decoder) Valid(b []byte) bool { return d.trusted || wire.ValidUTF8(b) }

// ValidStrict reports whether a string that only Strict checks is valid.
func (d *Decoder) ValidStrict(b []byte) bool { return !d.strict || wire.ValidUTF8(b) }

// ValidRun reports whether all strings in a run of records are valid, without looking at each of them.
func (d *Decoder) ValidRun(b []byte) bool { return d.trusted || ASCII(b) }

// ValidText is Valid for a string.
func (d *Decoder) ValidText(s string) bool { return d.Valid(bytesOf(s)) }
