package schema

import (
	"github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/schema/internal/row"
)

// Row decodes one message after the other, by the columns of a plan that are on, into memory that it reuses: in
// the long run nothing is allocated. One goroutine may use it; create one for each.
//
//	row := plan.NewRow()
//	for body := range bodies {
//		if err := row.Unmarshal(body); err != nil { … }
//		total += row.Uint(bytes)
//		for _, label := range row.Messages(labels).All() {
//			use(label.String(name))
//		}
//	}
//
// Its results, strings and nested messages included, are valid until it decodes again. Columns that are off are
// unknown fields; a message keeps these if Message.KeepUnknown says so.
type Row struct {
	Fields // of the root

	decoder row.Decoder
}

// NewRow creates an empty row.
func (p *Plan) NewRow() *Row {
	r := new(Row)
	if !p.isEmpty() {
		r.decoder.Make(p.rowPlan())
		r.f = r.decoder.Root()
	}
	return r
}

// rowPlan returns the layout of the plan's rows, and creates it on the first call.
func (p *Plan) rowPlan() *row.Plan {
	if r := p.rows.Load(); r != nil {
		return r
	}
	p.rows.CompareAndSwap(nil, row.New(&p.compiled)) // of two at once, one is stored
	return p.rows.Load()
}

// UnmarshalOptions are the limits and rules of one decode. The zero value has
// the defaults of spec/wire.md.
type UnmarshalOptions struct {
	// Alias makes strings and bytes point into the input, which must not change while the row is in use. Otherwise
	// the input is copied once, into the row's own memory.
	Alias bool
	// Strict checks every string, even if the schema leaves it unchecked.
	Strict bool
	// AllowPartial accepts messages that lack required columns.
	AllowPartial bool
	// MaxDepth is how many levels of messages, groups and map entries may nest below the root. 0 means 100, a
	// negative number means none, and 1000 is the maximum.
	MaxDepth int
	// MaxSize is the largest message in bytes. 0 means 2^31 − 1, which is also the maximum.
	MaxSize int
	// MaxElements limits the sum of repeated elements, nested messages, groups and map entries. 0 means no limit, a
	// negative number allows none. A limit costs a pass over the input before the decode.
	MaxElements int
	// MaxMemory is how many bytes the rows may need besides the copy of the input. 0 means 8 MiB or 32 times the
	// input, whichever is more.
	MaxMemory int
}

func (o *UnmarshalOptions) wire() wire.Options {
	return wire.Options{Strict: o.Strict, MaxDepth: o.MaxDepth, MaxSize: o.MaxSize}
}

// made reports whether a plan has created the row.
func (r *Row) made() bool { return r != nil && r.decoder.Made() }

// Reset empties the row and keeps its memory.
func (r *Row) Reset() {
	if r.made() {
		r.decoder.Reset()
		r.f = r.decoder.Root()
	}
}

// Shrink frees the memory that the row keeps for its next decode, and empties it.
func (r *Row) Shrink() {
	if r.made() {
		r.decoder.Shrink()
		r.f = r.decoder.Root()
	}
}

// Unmarshal decodes a message and replaces the contents of the row. It copies b. After an error, a *wire.Error,
// the row is empty.
func (r *Row) Unmarshal(b []byte) error { return r.UnmarshalWith(b, UnmarshalOptions{}) }

// UnmarshalAlias is Unmarshal without the copy: strings and bytes point into b, which must not change while the
// row is in use.
func (r *Row) UnmarshalAlias(b []byte) error {
	return r.UnmarshalWith(b, UnmarshalOptions{Alias: true})
}

// UnmarshalWith is Unmarshal with limits and rules.
func (r *Row) UnmarshalWith(b []byte, o UnmarshalOptions) error {
	if !r.made() {
		return errUnmade()
	}
	err := r.decoder.Unmarshal(b, &row.Options{
		Options: o.wire(), Alias: o.Alias, AllowPartial: o.AllowPartial, MaxElements: o.MaxElements, MaxMemory: o.MaxMemory,
	})
	r.f = r.decoder.Root()
	return err
}
