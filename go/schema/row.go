package schema

import (
	"errors"
	"math"

	"github.com/hotpb/hotpb/go/rt/wire"
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

	memory decoder
}

// NewRow creates an empty row.
func (p *Plan) NewRow() *Row {
	if p.isEmpty() {
		return new(Row)
	}
	r := &Row{}
	d := &r.memory
	d.plan = p.rowTypes()
	d.tables = make([]table, len(d.plan.widths))
	for i, width := range d.plan.widths {
		d.tables[i].width = width
	}
	d.compare = d.byKey
	r.Reset()
	return r
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
func (r *Row) made() bool { return r != nil && r.memory.plan != nil }

// Reset empties the row and keeps its memory.
func (r *Row) Reset() {
	if !r.made() {
		return
	}
	d := &r.memory
	for i := range d.tables {
		if d.tables[i].count > 0 {
			d.tables[i].reset()
		}
	}
	d.made, d.data = d.made[:0], nil
	d.tables[0].take(1)
	r.Fields = Fields{d, &d.plan.types[0], &d.tables[0].slots[0]}
}

// Shrink frees the memory that the row keeps for its next decode, and empties it.
func (r *Row) Shrink() {
	if !r.made() {
		return
	}
	d := &r.memory
	for i := range d.tables {
		d.tables[i] = table{width: d.tables[i].width}
	}
	d.block, d.made, d.data = nil, nil, nil
	r.Reset()
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
	d := &r.memory
	r.Reset()
	if len(b) > o.wire().Size() {
		return &wire.Error{Code: wire.SizeExceeded}
	}
	if o.MaxElements != 0 {
		if err := d.plan.check(b, &o, wire.Storing{Elements: max(o.MaxElements, 0), Exceeded: -1}); err != nil {
			return err
		}
	}
	if !o.Alias {
		d.block = append(d.block[:0], b...)
		b = d.block
	}
	d.start(b, &o)
	if d.message(&d.plan.types[0], 0, b, 0, 0, o.wire().Depth()) < 0 {
		exceeded := d.exceeded
		r.Reset()
		return d.plan.explain(b, &o, exceeded)
	}
	if d.incomplete && !o.AllowPartial {
		if path := d.missing(&d.plan.types[0], d.tables[0].slots[:d.tables[0].width]); path != "" {
			r.Reset()
			return &wire.Error{Code: wire.MissingRequired, Offset: int64(len(b)), Path: path}
		}
	}
	if d.unsorted {
		d.sortMaps()
	}
	r.Fields.row = &d.tables[0].slots[0]
	return nil
}

// check reads a message without storing it, slowly, and returns its fault.
func (p *rowPlan) check(b []byte, o *UnmarshalOptions, s wire.Storing) error {
	if err := wire.CheckStored(p.tables, 0, b, o.wire(), s); err != nil {
		return err
	}
	return nil
}

// explain finds the cause of a fault that decoding has only detected.
func (p *rowPlan) explain(b []byte, o *UnmarshalOptions, exceeded int) error {
	if err := p.check(b, o, wire.Storing{Elements: math.MaxInt, Exceeded: exceeded}); err != nil {
		return err
	}
	return errors.New("hotpb: internal error: a decoder refused what wire.Check accepts")
}

func (d *decoder) start(b []byte, o *UnmarshalOptions) {
	d.data = b
	d.exceeded, d.incomplete, d.unsorted = -1, false, false
	if d.check = checkAlways; o.Strict {
		d.check = checkStrict
	}
	switch d.memory = o.MaxMemory; {
	case d.memory > 0:
	case len(b) > math.MaxInt/32:
		d.memory = math.MaxInt
	default:
		d.memory = max(8<<20, 32*len(b))
	}
}
