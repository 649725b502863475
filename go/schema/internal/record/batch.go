package record

import (
	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/plan"
)

// Batch encodes many records into one slab. The zero Batch and nil have no record.
type Batch struct {
	r      *Record
	ranges []Span
}

// Span is the position of a record in a slab: Start is the beginning of its length, Body the beginning of the
// message itself, End the end. There are gaps between records.
type Span struct{ Start, Body, End int }

// NewBatch creates an empty batch that writes with a record.
func NewBatch(r *Record) *Batch { return &Batch{r: r} }

// Record returns the record that is being written.
func (b *Batch) Record() *Record { return b.r }

// Made reports whether NewBatch has created the batch.
func (b *Batch) Made() bool { return b != nil && b.r != nil }

// Add ends the record and starts the next one. The fault is that of the record.
func (b *Batch) Add() *plan.Fault {
	if !b.Made() {
		return plan.Unmade()
	}
	r := b.r
	if n := len(r.buf); r.isPlain() && n-r.start < 1<<14 && cap(r.buf)-n >= headroom+encode.Slack {
		b.ranges = append(b.ranges, Span{r.putShortLength(), r.start, n})
		r.buf = r.buf[:n+headroom]
		r.start = n + headroom
		r.set[0] = 0
		r.run.end, r.bound = 0, [2]int{}
		return nil
	}
	r.pending &^= encoded | sent // somebody may have looked at the message
	r.finish()
	b.ranges = append(b.ranges, Span{r.putLength(), r.start, len(r.buf)})
	err := r.err
	b.next()
	return err
}

// Drop discards what has been written of the current record.
func (b *Batch) Drop() {
	if !b.Made() {
		return
	}
	b.r.pending &^= encoded | sent
	b.r.finish()
	b.r.buf = b.r.buf[:b.r.start-headroom]
	b.next()
}

// Direct reports whether a binding may write the next message straight into the slab: none of it is written
// yet, and nothing is kept for its end.
func (b *Batch) Direct() bool {
	r := b.r
	return len(r.plan.Deferred) == 0 && len(r.buf) == r.start && len(r.levels) == 0 && r.err == nil
}

// Buffer returns the slab, to which a binding may write such a message.
func (b *Batch) Buffer() []byte { return b.r.buf }

// Put takes the slab with the message that a binding has written. n is its end in the buffer that starts with out.
func (b *Batch) Put(out []byte, n int) {
	r := b.r
	r.buf = out[:n]
	b.ranges = append(b.ranges, Span{r.putLength(), r.start, n})
	r.room(headroom + encode.Slack)
	r.buf = r.buf[:n+headroom]
	r.start = n + headroom
}

// next leaves room for the next record's length.
func (b *Batch) next() {
	r := b.r
	r.room(headroom + encode.Slack)
	r.buf = r.buf[:len(r.buf)+headroom]
	r.begin(len(r.buf))
}

// Len returns the number of records.
func (b *Batch) Len() int { return len(b.ranges) }

// Size returns the size of the slab in bytes.
func (b *Batch) Size() int {
	if !b.Made() {
		return 0
	}
	return b.r.start - headroom
}

// Take returns the slab and the positions of its records, and starts a new slab of about the same size. A record
// that was begun but not added is lost.
func (b *Batch) Take() (slab []byte, records []Span) {
	if !b.Made() {
		return nil, nil
	}
	slab = b.r.buf[:b.Size():b.Size()]
	records = b.ranges
	b.start(len(slab), len(records))
	return slab, records
}

// Reset empties the batch and keeps its slab for reuse.
func (b *Batch) Reset() {
	if !b.Made() {
		return
	}
	b.ranges = b.ranges[:0]
	b.r.buf = b.r.buf[:headroom]
	b.r.begin(headroom)
}

// start makes room for as much as there was before, and a little more.
func (b *Batch) start(size, count int) {
	b.r.buf = make([]byte, headroom, size+size/16+headroom+512)
	b.ranges = make([]Span, 0, count+count/16)
	b.r.begin(headroom)
}
