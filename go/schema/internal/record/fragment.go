package record

import (
	"github.com/hotpb/hotpb/go/schema/internal/plan"
	"github.com/hotpb/hotpb/go/wire"
)

// Fragment is columns of a message with their values. The zero Fragment and nil have no columns.
type Fragment struct {
	plan  *plan.Plan
	bytes []byte
	set   []uint64
}

// IsEmpty reports whether the fragment writes nothing.
func (f *Fragment) IsEmpty() bool { return f == nil || len(f.bytes) == 0 }

// Fragment returns the columns that have been set since the last Reset.
func (r *Record) Fragment() (f Fragment, fault *plan.Fault) {
	switch {
	case r.err != nil:
		return f, r.err
	case len(r.levels) > 0:
		return f, &plan.Fault{Code: wire.HandleMisuse, Reason: "a message was begun and not ended"}
	}
	r.settle()
	for i := range r.ops {
		o := &r.ops[i]
		if o.Slow() && o.Scope == r.scope && r.set[o.Word]&o.Bit != 0 {
			return f, &plan.Fault{Code: wire.TypeMismatch, Where: o.Column.Name, Reason: "is deferred or keeps its first value, and cannot be part of a fragment"}
		}
	}
	return Fragment{r.plan, append([]byte(nil), r.buf[r.start:]...), append([]uint64(nil), r.set...)}, nil
}

// Put sets the columns of a fragment.
func (r *Record) Put(f *Fragment) {
	if f.IsEmpty() {
		r.end = -1
		return
	}
	if f.plan != r.plan || len(r.levels) > 0 {
		r.Fail(wire.HandleMisuse, "", "the fragment belongs to another plan, or to another message than the one begun last")
		return
	}
	r.buf = append(r.buf, f.bytes...)
	for i, w := range f.set {
		r.set[i] |= w
	}
}
