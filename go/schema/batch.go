package schema

import "github.com/hotpb/hotpb/go/schema/internal/encode"

// Batch encodes many records into one slab and hands it over: to a Kafka
// client, say, which keeps it until it is sent. For one goroutine.
//
//	b := plan.NewBatch()
//	for _, f := range flows {
//		r := b.Record()
//		r.Uint(bytes, f.Bytes)
//		b.Add()
//	}
//	slab, ranges := b.Take()
type Batch struct {
	r      *Record
	ranges []Span
}

// Span is where a record is in a slab: Start is where its length starts, Body
// where the message itself does, End is behind it. Between records there are gaps.
type Span struct{ Start, Body, End int }

// NewBatch makes an empty batch.
func (p *Plan) NewBatch() *Batch { return &Batch{r: p.NewRecord()} }

// Record is the record that is being written. It is the same one all the time.
func (b *Batch) Record() *Record { return b.r }

// Add ends the record and starts the next one. An error is what Err of the record was; the record is in the batch
// nevertheless, without the column that went wrong.
func (b *Batch) Add() error {
	if !b.made() {
		return errUnmade()
	}
	r := b.r
	r.finish()
	b.ranges = append(b.ranges, Span{r.putLength(), r.start, len(r.buf)})
	err := r.err
	b.next()
	return err
}

// Drop discards what has been written of the current record.
func (b *Batch) Drop() {
	if !b.made() {
		return
	}
	b.r.finish()
	b.r.buf = b.r.buf[:b.r.start-headroom]
	b.next()
}

// addDirectly tells whether a binding may write the next message straight into the slab: nothing of it is there yet, and nothing is
// kept for its end.
func (b *Batch) addDirectly() bool {
	r := b.r
	return len(r.plan.deferred) == 0 && len(r.buf) == r.start && len(r.levels) == 0 && r.err == nil
}

// added ends a message that was written so: n is its end in the buffer that starts with out.
func (b *Batch) added(out []byte, n int) {
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

// Len is how many records there are.
func (b *Batch) Len() int { return len(b.ranges) }

func (b *Batch) made() bool { return b != nil && b.r != nil }

// Size is how many bytes the slab has.
func (b *Batch) Size() int {
	if !b.made() {
		return 0
	}
	return b.r.start - headroom
}

// Take hands over the slab and where the records are in it, and starts a new
// one of about that size. What has been written of a record that was not added is lost.
func (b *Batch) Take() (slab []byte, records []Span) {
	if !b.made() {
		return nil, nil
	}
	slab = b.r.buf[:b.Size():b.Size()]
	records = b.ranges
	b.start(len(slab), len(records))
	return slab, records
}

// Reset empties the batch, whose slab is used again.
func (b *Batch) Reset() {
	if !b.made() {
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
