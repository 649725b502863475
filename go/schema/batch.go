package schema

import "github.com/hotpb/hotpb/go/schema/internal/record"

// Batch encodes many records into one slab and passes it on, for example to a Kafka client, which keeps it until
// it is sent. One goroutine may use it.
//
//	b := plan.NewBatch()
//	for _, f := range flows {
//		r := b.Record()
//		r.Uint(bytes, f.Bytes)
//		b.Add()
//	}
//	slab, ranges := b.Take()
type Batch record.Batch

// Span is the position of a record in a slab: Start is the beginning of its length, Body the beginning of the
// message itself, End the end. There are gaps between records.
type Span = record.Span

// NewBatch creates an empty batch.
func (p *Plan) NewBatch() *Batch { return (*Batch)(record.NewBatch(p.NewRecord().inner())) }

// inner returns the batch that does the work.
func (b *Batch) inner() *record.Batch { return (*record.Batch)(b) }

// Record returns the record that is being written. It is always the same one.
func (b *Batch) Record() *Record { return (*Record)(b.inner().Record()) }

// Add ends the record and starts the next one. The error is that of the record's Err. The record is in the batch
// nevertheless, without the column that went wrong.
func (b *Batch) Add() error { return asError(b.inner().Add()) }

// Drop discards what has been written of the current record.
func (b *Batch) Drop() { b.inner().Drop() }

// Len returns the number of records.
func (b *Batch) Len() int { return b.inner().Len() }

// Size returns the size of the slab in bytes.
func (b *Batch) Size() int { return b.inner().Size() }

// Take returns the slab and the positions of its records, and starts a new slab of about the same size. A record
// that was begun but not added is lost.
func (b *Batch) Take() (slab []byte, records []Span) { return b.inner().Take() }

// Reset empties the batch and keeps its slab for reuse.
func (b *Batch) Reset() { b.inner().Reset() }
