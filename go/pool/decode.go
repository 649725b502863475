package pool

import (
	"errors"
	"math"

	"github.com/hotpb/hotpb/go/wire"
)

// Options are the limits and rules of one decode. The zero value has the
// defaults of spec/wire.md.
type Options struct {
	// Mode says whose memory the message is in.
	Mode Mode
	// Strict checks every string, also those that the schema leaves unchecked.
	Strict bool
	// AllowPartial accepts messages whose required fields are not all there.
	AllowPartial bool
	// MaxDepth is how many levels of messages, groups and map entries may nest
	// below the root; 0 means 100, negative none, and 1000 is the most.
	MaxDepth int
	// MaxSize is the largest message, in bytes; 0 means 2^31 − 1, which is also
	// the most.
	MaxSize int
	// MaxElements bounds repeated elements, nested messages, groups and map
	// entries, all together; 0 means no bound, negative none of them. A limit here costs a pass over the input
	// before the decode, so that nothing is stored of a message that exceeds it.
	MaxElements int
	// MaxMemory is how many bytes the message may need besides the copy of its
	// input; 0 means 8 MiB or 32 times the input, whichever is more.
	MaxMemory int
}

// Mode says whose memory a decoded message is in.
type Mode uint8

// The modes. Of each, Unmarshal has a form of its own.
const (
	Reuse Mode = iota // the message's own, used again by its next decode: Unmarshal
	Alias             // the same, but strings and bytes point into the input: UnmarshalAlias
	Owned             // fresh, and never used again: UnmarshalOwned
)

func (o *Options) wire() wire.Options {
	return wire.Options{Strict: o.Strict, MaxDepth: o.MaxDepth, MaxSize: o.MaxSize}
}

// Message is what generated messages have for the functions of this package.
type Message interface {
	Reset()
	// RefHot is the message as this package sees it.
	RefHot() Ref
}

// Decoder is the state of one decode. Generated code hands it down.
type Decoder struct {
	memory   int // bytes that may still be taken
	strict   bool
	trusted  bool   // strings are taken as they are
	ended    uint32 // the number of the end tag that ended the last group
	exceeded int    // where the record starts for which there was no memory left
	extras   Slab[Extra]
	block    []byte    // the copy of the input
	scratch  []byte    // unknown records that did not come as such
	used     bool      // by an earlier decode
	strayed  unsettled // sorted maps that came in another order
}

// copy is the message's own copy of the input.
func (d *Decoder) copy(b []byte) []byte {
	d.block = append(d.block[:0], b...)
	return d.block[:len(b):len(b)]
}

// Unmarshal decodes b into m, in place of what m held. After an error m is empty.
func Unmarshal(m Message, b []byte, o Options) error { return unmarshal(m, b, &o, false) }

func unmarshal(m Message, b []byte, o *Options, trusted bool) error {
	if m == nil {
		return nilError()
	}
	return m.RefHot().unmarshal(b, o, trusted)
}

// UnmarshalUnchecked is Unmarshal without a look at whether strings are UTF-8,
// whatever the schema and o.Strict say; all else is checked. Made for bytes that
// have been checked before, or that come from a writer that is trusted: strings
// of the message then hold whatever the bytes held. On remote-write requests it
// is 1.4 times as fast (BenchmarkDecode, with Alias).
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

// countFrom is the size from which counting the elements beforehand costs less
// than chunks that are outgrown: a tenth from here on, half from 1 MiB on, and a third of the memory everywhere
// (BenchmarkOwned).
var countFrom = 4 << 10 // a variable for the benchmark that shows it

// memory is where the message is decoded into, with all slabs free.
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
		m.walk.what = rewind
		m.layout.rewind(m.slabs, &m.walk)
	}
}

func (d *Decoder) rewind() {
	if cap(d.extras.buf) > 0 {
		d.extras.visit(&Walk{what: rewind})
	}
	d.scratch = d.scratch[:0]
}

// count takes memory for what is in an encoded message, unless it is more than the message may take.
func (m *Memory) count(b []byte) {
	m.layout.count(m.slabs, b)
	w := &m.walk
	*w = Walk{what: weigh}
	m.layout.walk(m.slabs, w)
	w.what = reserve
	if w.bytes > m.decoder.memory {
		w.what = forget
	}
	m.layout.walk(m.slabs, w)
}

func (d *Decoder) start(o *Options, size int, trusted bool) {
	if d.memory = o.MaxMemory; d.memory <= 0 {
		d.memory = usualMemory(size)
	}
	d.strict, d.trusted, d.exceeded, d.strayed = o.Strict && !trusted, trusted, -1, nil
}

// again is start by the default rules, with all free.
func (d *Decoder) again(size int) {
	d.rewind()
	d.memory = usualMemory(size)
	d.strict, d.trusted, d.exceeded, d.strayed = false, false, -1, nil
}

// usualMemory is what a message of so many bytes may take if nothing else is said.
func usualMemory(size int) int {
	if size > math.MaxInt/32 {
		return math.MaxInt
	}
	return max(8<<20, 32*size)
}

// explain finds out what a decoder has only detected.
func (d *Decoder) explain(l *Layout, b []byte, o *Options) error {
	if err := wire.CheckStored(*l.Tables, l.Index, b, o.wire(), wire.Storing{Elements: math.MaxInt, Exceeded: d.exceeded, Trusted: d.trusted}); err != nil {
		return err
	}
	return errors.New("hotpb: internal error: a pool refused what wire.Check accepts")
}

// A decoder returns the end of its message, failed when something is wrong, and at an end tag the position after it, encoded
// by groupEnd.
const failed = -1

func groupEnd(i int) int { return -i - 2 }

// GroupEnd is the position behind the end tag of group number, where the decoder
// of its content has ended, or negative.
func (d *Decoder) GroupEnd(ended int, number uint32) int {
	if ended >= failed || d.ended != number {
		return failed
	}
	return -ended - 2
}

// Strict tells whether every string is to be checked.
func (d *Decoder) Strict() bool { return d.strict }

// Exceeded notes where the record starts for which there was no memory left.
func (d *Decoder) Exceeded(start int) int {
	d.exceeded = start
	return failed
}

// Take accounts for n bytes of memory.
func (d *Decoder) Take(n int) bool {
	d.memory -= n
	return d.memory >= 0
}

// Unknown passes over a record that is none of the message's fields and keeps it
// as an unknown field. At an end tag it gives what the decoder has to give.
func (d *Decoder) Unknown(h *Hidden, b []byte, start, levels int) int {
	tag, i := wire.ReadTag(b, start) // that a short one is good, nobody has looked at yet
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

// unknownCost is what an unknown record may take: a run of its own.
const unknownCost = 24

// Drop passes over a record of a field that the generated code leaves out.
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

// Valid tells whether a string that the schema has checked is good.
func (d *Decoder) Valid(b []byte) bool { return d.trusted || wire.ValidUTF8(b) }

// ValidStrict tells whether a string that only Strict checks is good.
func (d *Decoder) ValidStrict(b []byte) bool { return !d.strict || wire.ValidUTF8(b) }

// ValidRun tells whether a run of records, with the strings in it, is good without a look at each.
func (d *Decoder) ValidRun(b []byte) bool { return d.trusted || ASCII(b) }

// ValidText is Valid for a string.
func (d *Decoder) ValidText(s string) bool { return d.Valid(bytesOf(s)) }
