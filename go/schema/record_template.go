package schema

import (
	"net/netip"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/wire"
)

// RootEncoding serves package template, which users call. It returns how the root's columns are encoded that are
// on, by number, and the handle of each.
func (p *Plan) RootEncoding() (columns []encode.Column, handles []Handle) {
	if p.isEmpty() {
		return nil, nil
	}
	for _, c := range p.messages[0].columns {
		o := &p.ops[c.index]
		e := encode.Column{
			Index: int(c.index), Name: c.Name, Kind: c.Kind, Shape: c.shape(), Unit: uint8(c.Unit), Size: o.size, Tag: o.tag, Max: o.max,
			Repeated: c.Repeated, Packed: o.packed, Logical: c.Logical != Plain,
			UTF8: o.utf8, Zero: o.zero, Keep: o.keep, Later: o.later, Mask: o.misfit == Mask, Refuse: o.misfit == Refuse,
		}
		if c.Enum != nil {
			e.Closed = c.Enum.known
		}
		columns, handles = append(columns, e), append(handles, o.Handle)
	}
	return columns, handles
}

// Root serves package template: it returns the record in the form that the template writes. The error is
// HandleMisuse, also of the record: it belongs to another plan, or a message has been begun in it.
func (r *Record) Root(p *Plan) (encode.Record, error) {
	if r.plan != p || len(r.levels) > 0 {
		r.fail(wire.HandleMisuse, "", "a template sets columns of the root of its own plan")
		return nil, r.err
	}
	return (*rootRecord)(r), nil
}

// rootRecord is a record whose root another package writes.
type rootRecord Record

func (r *rootRecord) Buffer() []byte { return r.buf }

func (r *rootRecord) Written(to []byte) {
	from := len(r.buf)
	r.buf = to
	(*Record)(r).note(from)
}

func (r *rootRecord) First(index int) bool { return (*Record)(r).first(&r.ops[index]) }

func (r *rootRecord) Set(index int) {
	o := &r.ops[index]
	r.set[o.word] |= o.bit
}

func (r *rootRecord) Has(index int) bool {
	(*Record)(r).settle()
	o := &r.ops[index]
	return r.set[o.word]&o.bit != 0
}

func (r *rootRecord) Misfit(index int, reason string) (write bool) {
	return (*Record)(r).misfit(&r.ops[index], reason)
}

func (r *rootRecord) KeepTime(index int, seconds int64, nanos int32) {
	(*Record)(r).keepTime(&r.ops[index], seconds, nanos)
}

func (r *rootRecord) KeepText(index int, v []byte) {
	(*Record)(r).keepText(&r.ops[index], encode.Borrowed(v))
}

func (r *rootRecord) KeepIP(index int, v netip.Addr) { (*Record)(r).keepIP(&r.ops[index], v) }

// Slab serves package template: it returns the batch in the form that the template writes; nil if the messages of
// the plan must go through the batch's record.
func (b *Batch) Slab(p *Plan) encode.Slab {
	if !b.made() || b.r.plan != p || !b.addDirectly() {
		return nil
	}
	return (*slab)(b)
}

// slab is a batch that another package writes.
type slab Batch

func (b *slab) Buffer() []byte { return b.r.buf }

func (b *slab) Written(to []byte) { (*Batch)(b).added(to[:cap(to)], len(to)) }
