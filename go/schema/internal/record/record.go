// Package record writes messages by the handles of their columns, as package schema offers it to users.
package record

import (
	"cmp"
	"slices"

	"github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/plan"
)

// Record is a schema.Record. The zero Record has no columns.
type Record struct {
	plan  *plan.Plan
	ops   []plan.Op
	scope uint32 // of the message that is being written
	buf   []byte // the body, with room for its length before it
	start int    // of the body
	set   []uint64

	levels  []level
	bits    []uint64  // of all levels; set is the last part
	lengths []uint8   // by column: the size of the last length of a message, in bytes
	run     packedRun // the packed elements added last
	later   []Later   // by column, values that are kept until the end
	pending int       // of later, and encoded or sent
	texts   []byte    // of later
	misfits []uint64  // by column
	all     uint64    // misfits of all columns
	bound   [2]int    // where a binding has written columns into the buffer that set does not contain yet
	end     int       // of the body that was encoded; -1 if something was set since
	limit   int       // of the body: what is longer is too large, or, for 0, has columns that keep their first value
	err     *plan.Fault
}

// These are added to pending when a message has been encoded, or appended, whose columns keep their first value: what
// looks for pending values finds them, too.
const (
	encoded = 1 << 29
	sent    = 1 << 30
)

// headroom is kept before a body for its length.
const headroom = 5

// Make makes a record of a plan.
func (r *Record) Make(p *plan.Plan) {
	*r = Record{plan: p, ops: p.Ops, limit: wire.MaxSize, buf: make([]byte, headroom, 512), start: headroom}
	if p.Keeps {
		r.limit = 0
	}
	r.bits = make([]uint64, p.Messages[0].Words, 8)
	r.set = r.bits
	r.scope = p.Messages[0].Scope
	r.lengths = make([]uint8, len(p.Ops))
}

// Plan returns the plan of the record; nil if there is none.
func (r *Record) Plan() *plan.Plan { return r.plan }

// Reset empties the record for the next message; in a batch it drops the message that is being written.
func (r *Record) Reset() {
	r.buf = r.buf[:r.start]
	r.begin(r.start)
}

// begin starts a message whose body starts at the end of the buffer.
func (r *Record) begin(start int) {
	r.start = start
	r.bound = [2]int{}
	if len(r.levels) > 0 {
		root := r.plan.Messages[0]
		r.scope = root.Scope
		r.levels = r.levels[:0]
		r.bits = r.bits[:root.Words]
		r.set = r.bits
	}
	if len(r.set) == 1 { // which needs no call
		r.set[0] = 0
	} else {
		clear(r.set)
	}
	r.run.end = 0 // where no run can end
	if r.pending > 0 {
		r.forget()
	}
	r.texts = r.texts[:0]
	if r.err != nil {
		r.err = nil
	}
}

// Err returns the first fault of a call since the last Reset, or nil.
func (r *Record) Err() *plan.Fault { return r.err }

// Misfits returns how many values the column could not hold.
func (r *Record) Misfits(h plan.Handle) uint64 {
	if int(h.Index) >= len(r.misfits) || r.ops[h.Index].Scope != h.Scope {
		return 0
	}
	return r.misfits[h.Index]
}

// AllMisfits returns the sum of Misfits over all columns.
func (r *Record) AllMisfits() uint64 { return r.all }

// finish ends open levels and writes the deferred columns. It reports whether the message may leave the record.
func (r *Record) finish() bool {
	if len(r.levels) > 0 {
		r.Fail(wire.HandleMisuse, "", "a message was begun and not ended")
		for len(r.levels) > 0 {
			r.End()
		}
	}
	if r.pending > 0 {
		if r.pending >= encoded {
			return r.end == len(r.buf) || r.spent()
		}
		r.writeLater()
	}
	if len(r.buf)-r.start > r.limit {
		r.long()
	}
	return true
}

// long handles a message that exceeds the limit.
func (r *Record) long() {
	if len(r.buf)-r.start > wire.MaxSize {
		r.Fail(wire.SizeExceeded, "", "the message is larger than a message may be")
	}
	if r.limit == 0 {
		r.pending, r.end = encoded, len(r.buf)
	}
}

// spent refuses a message after another one.
func (r *Record) spent() bool {
	r.Fail(wire.HandleMisuse, "", "the message has been encoded already, and columns keep its values: call Reset before the next one")
	return false
}

// Encoded returns the encoded message.
func (r *Record) Encoded() []byte {
	if !r.finish() {
		return nil
	}
	return r.buf[r.start:len(r.buf):len(r.buf)]
}

// Delimited returns the encoded message, length-prefixed. The length goes into the room before the body, which does not
// move.
func (r *Record) Delimited() []byte {
	if r.plan == nil { // the zero Record has no message
		return nil
	}
	if !r.finish() {
		return nil
	}
	return r.buf[r.putLength():len(r.buf):len(r.buf)]
}

// Append appends the encoded message to dst.
func (r *Record) Append(dst []byte) ([]byte, *plan.Fault) {
	if r.limit == 0 {
		return r.appendOnce(dst, (*Record).Encoded)
	}
	dst = append(dst, r.Encoded()...) // which may find a fault
	return dst, r.err
}

// appendOnce appends a message, unless that was done before.
func (r *Record) appendOnce(dst []byte, encode func(*Record) []byte) ([]byte, *plan.Fault) {
	if r.pending < sent || r.spent() {
		dst = append(dst, encode(r)...)
		if r.pending >= encoded {
			r.pending |= sent
		}
	}
	return dst, r.err
}

// AppendDelimited is Append for a length-prefixed message.
func (r *Record) AppendDelimited(dst []byte) ([]byte, *plan.Fault) {
	if r.limit == 0 {
		return r.appendOnce(dst, (*Record).Delimited)
	}
	dst = append(dst, r.Delimited()...)
	return dst, r.err
}

// putLength writes the length of the body before it and returns where the length starts.
func (r *Record) putLength() int {
	n := uint64(len(r.buf) - r.start)
	at := r.start - wire.SizeVarint(n)
	encode.PutVarint(r.buf, at, n)
	return at
}

// isPlain reports whether the message is complete as it is, and begin has little to reset.
func (r *Record) isPlain() bool {
	return len(r.levels) == 0 && len(r.set) == 1 && r.pending == 0 && len(r.texts) == 0 && r.err == nil
}

// putShortLength is putLength for a body of less than 1<<14 bytes.
func (r *Record) putShortLength() int {
	size, at := len(r.buf)-r.start, r.start-1
	if size < 0x80 {
		r.buf[at] = byte(size)
		return at
	}
	r.buf[at-1], r.buf[at] = byte(size)|0x80, byte(size>>7)
	return at - 1
}

// op returns the op of a handle, or nil.
func (r *Record) op(h plan.Handle) *plan.Op {
	if uint(h.Index) < uint(len(r.ops)) {
		if o := &r.ops[h.Index]; o.Scope == h.Scope && h.Scope == r.scope {
			return o
		}
	}
	return r.refuse(h)
}

// kinds are sets of shapes that a call can write, including lists and packed elements.
type kinds uint16

const (
	integers kinds = 1<<encode.ShapeUint | 1<<encode.ShapeInt | 1<<encode.ShapeBool | 1<<encode.ShapeEnum
	floats   kinds = 1 << encode.ShapeFloat
	texts    kinds = 1<<encode.ShapeString | 1<<encode.ShapeBytes
	messages kinds = 1 << encode.ShapeMessage
	lists    kinds = 1 << 15
	times          = integers | messages
)

// opFor is op for columns of some kinds. The type of a handle says its column's kind, but one type can be
// converted to another.
func (r *Record) opFor(h plan.Handle, k kinds) *plan.Op {
	o := r.op(h)
	if o != nil && (k>>encode.KindShapes[o.Kind]&1 == 0 || o.Packed && k&lists == 0 ||
		k == times && o.Kind == wire.Message && o.Column.Shape == encode.ShapeMessage) {
		r.Fail(wire.HandleMisuse, o.Column.Name, "is "+o.Column.Type+", and the handle was another's")
		return nil
	}
	return o
}

// refuse handles a handle that cannot be used now. Columns that are off are not an error.
func (r *Record) refuse(h plan.Handle) *plan.Op {
	if h.Scope == r.scope && int(h.Index) < len(r.ops) && r.ops[h.Index].Scope == 0 {
		return nil
	}
	where, reason := "", "the handle belongs to no schema"
	switch {
	case h.Scope == 0:
	case int(h.Index) >= len(r.ops) || r.ops[h.Index].Column != nil && r.ops[h.Index].Scope != h.Scope:
		reason = "the handle belongs to another schema, or to a column added after Compile"
	default:
		reason = "the handle belongs to another message than the one begun last"
		if c := r.ops[h.Index].Column; c != nil {
			where = c.Name
		}
	}
	r.Fail(wire.HandleMisuse, where, reason)
	return nil
}

// Fail reports a fault, unless there was another before.
func (r *Record) Fail(code wire.Code, where, reason string) {
	r.end = -1
	if r.err == nil {
		r.err = &plan.Fault{Code: code, Where: where, Reason: reason}
	}
}

// Misfit counts a value that its column cannot hold, and reports whether a truncated value is written.
func (r *Record) Misfit(o *plan.Op, reason string) (write bool) {
	if r.misfits == nil {
		r.misfits = make([]uint64, len(r.ops))
	}
	r.misfits[o.Index]++
	r.end = -1
	r.all++
	if o.Misfit == plan.Refuse {
		r.Fail(wire.TypeMismatch, o.Column.Name, reason)
	}
	return o.Misfit == plan.Mask
}

// First reports whether a value is to be written: not if the first one is kept and there is one.
func (r *Record) First(o *plan.Op) bool {
	if r.Has(o) && o.Keep {
		r.end = -1
		return false
	}
	return true
}

// Buffer returns the buffer of the message, to which a binding may append columns of the root.
func (r *Record) Buffer() []byte { return r.buf }

// Extend takes the buffer with the columns that a binding has appended.
func (r *Record) Extend(to []byte) {
	from := len(r.buf)
	r.buf = to
	r.settle()
	r.bound = [2]int{from, len(r.buf)}
	r.end = -1
}

// Has reports whether a column is written.
func (r *Record) Has(o *plan.Op) bool {
	r.settle()
	return r.set[o.Word]&o.Bit != 0
}

// Set notes that a column is written.
func (r *Record) Set(o *plan.Op) { r.set[o.Word] |= o.Bit }

// IsNested reports whether a message within the root has been begun.
func (r *Record) IsNested() bool { return len(r.levels) > 0 }

// settle marks the columns that a binding has written as set. That matters only when another value is set for one
// of them.
func (r *Record) settle() {
	if r.bound[1] == 0 {
		return
	}
	columns := r.plan.Messages[0].Columns
	i, end := r.bound[0], r.bound[1]
	r.bound = [2]int{}
	for i < end {
		tag, next := wire.ReadTag(r.buf, i)
		if next < 0 {
			return
		}
		at, found := slices.BinarySearchFunc(columns, tag.Number(), func(c *plan.Column, n uint32) int { return cmp.Compare(c.Number, n) })
		if found {
			o := &r.ops[columns[at].Index]
			r.bits[o.Word] |= o.Bit
		}
		if i = wire.Skip(r.buf, next, tag, wire.DefaultDepth+1); i < 0 {
			return
		}
	}
}

// zeros reports whether a zero is written: if presence is explicit, or if it replaces another value.
func (r *Record) zeros(o *plan.Op) bool {
	r.settle()
	return o.Zero || r.set[o.Word]&o.Bit != 0
}

// room makes room in the buffer for n bytes, and for a store after them.
func (r *Record) room(n int) {
	if cap(r.buf)-len(r.buf) < n {
		r.grow(n)
	}
}

func (r *Record) grow(n int) {
	b := make([]byte, len(r.buf), 2*cap(r.buf)+n)
	copy(b, r.buf)
	r.buf = b
}
