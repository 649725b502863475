package schema

import (
	"net/netip"

	"github.com/hotpb/hotpb/go/schema/internal/bridge"
	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/locked"
	"github.com/hotpb/hotpb/go/wire"
)

// Bridge serves packages lock and template. It is not for users.
func (p *Plan) Bridge() bridge.Plan { return (*bridged)(p) }

// bridged is a plan as other packages see it.
type bridged Plan

func (b *bridged) Lock() *locked.Lock {
	p := (*Plan)(b)
	if p.isEmpty() {
		return new(locked.Lock)
	}
	l := p.describe()
	l.Sort()
	return l
}

func (b *bridged) Columns() ([]encode.Column, any) {
	p := (*Plan)(b)
	if p.isEmpty() {
		return nil, []Handle(nil)
	}
	var columns []encode.Column
	var handles []Handle
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

func (b *bridged) Record(record any) (encode.Record, error) {
	r := record.(*Record)
	if r.plan != (*Plan)(b) || len(r.levels) > 0 {
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

func (b *bridged) Slab(batch any) encode.Slab {
	to := batch.(*Batch)
	if !to.made() || to.r.plan != (*Plan)(b) || !to.addDirectly() {
		return nil
	}
	return (*slab)(to)
}

// slab is a batch that another package writes.
type slab Batch

func (b *slab) Buffer() []byte { return b.r.buf }

func (b *slab) Written(to []byte) { (*Batch)(b).added(to[:cap(to)], len(to)) }
