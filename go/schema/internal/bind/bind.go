// Package bind writes structs as messages, as package schema offers it to users.
package bind

import (
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/plan"
	"github.com/hotpb/hotpb/go/schema/internal/record"
	"github.com/hotpb/hotpb/go/wire"
)

// Binding encodes structs of one type as the root message of a plan.
type Binding struct {
	plan    *plan.Plan
	direct  *boundMessage
	kept    *boundMessage   // for AppendRecord: with code for deferred columns and kept first values
	misfits []atomic.Uint64 // by column
	length  atomic.Uint32   // size of the last length in bytes
}

// Make binds a plan to a struct type. The faults are fields that fit no column.
func (b *Binding) Make(p *plan.Plan, t reflect.Type) []*plan.Fault {
	direct, wrong := bindMessage(p, t, false)
	if len(wrong) > 0 {
		return wrong
	}
	b.plan, b.direct, b.misfits = p, direct, make([]atomic.Uint64, len(p.Ops))
	b.kept, wrong = bindMessage(p, t, true)
	return wrong
}

// Misfits returns how many values a column could not hold, without those of AppendRecord.
func (b *Binding) Misfits(h plan.Handle) uint64 {
	if int(h.Index) >= len(b.misfits) || b.plan.Ops[h.Index].Scope != h.Scope {
		return 0
	}
	return b.misfits[h.Index].Load()
}

// Append appends the encoded struct to dst, whose capacity is overwritten.
func (b *Binding) Append(dst []byte, v unsafe.Pointer) ([]byte, *plan.Fault) {
	if v == nil {
		return dst, nil
	}
	x := boundRun{binding: b}
	out, n := b.direct.encode(&x, dst[:cap(dst)], len(dst), v)
	return out[:n], x.err
}

// AppendDelimited is Append for a length-prefixed message.
func (b *Binding) AppendDelimited(dst []byte, v unsafe.Pointer) ([]byte, *plan.Fault) {
	x := boundRun{binding: b}
	room := max(1, int(b.length.Load()))
	start := len(dst) + room
	out := encode.WithRoom(dst[:cap(dst)], len(dst), room)
	n := start
	if v != nil {
		out, n = b.direct.encode(&x, out, start, v)
	}
	out, n = encode.PutLengthBefore(out, start, n, room, &b.length)
	return out[:n], x.err
}

// AddTo adds the struct's message to a batch.
func (b *Binding) AddTo(to *record.Batch, v unsafe.Pointer) *plan.Fault {
	r := to.Record()
	if r.Plan() != b.plan || !to.Direct() {
		b.AppendRecord(r, v)
		if r.Plan() != b.plan || r.IsNested() {
			return r.Err()
		}
		return to.Add()
	}
	x := boundRun{binding: b}
	buffer := to.Buffer()
	out, n := buffer[:cap(buffer)], len(buffer)
	if v != nil {
		out, n = b.direct.encode(&x, out, n, v)
	}
	to.Put(out, n)
	return x.err
}

// AppendRecord sets the columns of a record to the struct's values.
func (b *Binding) AppendRecord(r *record.Record, v unsafe.Pointer) {
	switch {
	case r.Plan() != b.plan:
		r.Fail(wire.HandleMisuse, "", "the binding and the record belong to different plans")
	case r.IsNested():
		r.Fail(wire.HandleMisuse, "", "a binding sets columns of the root, and another message has been begun")
	case v != nil:
		x := boundRun{binding: b, record: r}
		buffer := r.Buffer()
		out, n := b.kept.encode(&x, buffer[:cap(buffer)], len(buffer), v)
		r.Extend(out[:n])
	}
}
