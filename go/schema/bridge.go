package schema

import (
	"github.com/hotpb/hotpb/go/schema/internal/bridge"
	"github.com/hotpb/hotpb/go/schema/internal/locked"
	"github.com/hotpb/hotpb/go/schema/internal/plan"
	"github.com/hotpb/hotpb/go/schema/internal/record"
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

func (b *bridged) Columns() ([]*plan.Op, any) {
	var columns []*plan.Op
	var handles []Handle
	if p := (*Plan)(b); !p.isEmpty() {
		for _, c := range p.compiled.Messages[0].Columns {
			columns, handles = append(columns, &p.compiled.Ops[c.Index]), append(handles, Handle{c.Handle})
		}
	}
	return columns, handles
}

func (b *bridged) Record(to any) (*record.Record, error) {
	r := to.(*Record).inner()
	if r.Plan() != &b.compiled || r.IsNested() {
		r.Fail(wire.HandleMisuse, "", "a template sets columns of the root of its own plan")
		return nil, asError(r.Err())
	}
	return r, nil
}

func (b *bridged) Slab(to any) *record.Batch {
	batch := to.(*Batch).inner()
	if !batch.Made() || batch.Record().Plan() != &b.compiled || !batch.Direct() {
		return nil
	}
	return batch
}
