package schema

import "github.com/hotpb/hotpb/go/wire"

// Fragment is columns of a message with their values, encoded once to be written into many records. It does not
// change, and any number of goroutines may use it. The zero Fragment and nil have no columns.
type Fragment struct {
	plan  *Plan
	bytes []byte
	set   []uint64
}

// IsEmpty reports whether the fragment writes nothing.
func (f *Fragment) IsEmpty() bool { return f == nil || len(f.bytes) == 0 }

// Fragment returns the columns that have been set since the last Reset. A fragment cannot have deferred columns, nor
// columns that keep their first value: what a record does with those depends on its other values. Both are
// TypeMismatch. A fault of an earlier call is returned, too.
func (r *Record) Fragment() (Fragment, error) {
	switch {
	case r.plan == nil:
		return Fragment{}, errNoPlan()
	case r.err != nil:
		return Fragment{}, r.err
	case len(r.levels) > 0:
		return Fragment{}, &Error{wire.HandleMisuse, "", "a message was begun and not ended"}
	}
	r.settle()
	for i := range r.ops {
		o := &r.ops[i]
		if o.slow() && o.scope == r.scope && r.set[o.word]&o.bit != 0 {
			return Fragment{}, &Error{wire.TypeMismatch, o.column.Name, "is deferred or keeps its first value, and cannot be part of a fragment"}
		}
	}
	return Fragment{r.plan, append([]byte(nil), r.buf[r.start:]...), append([]uint64(nil), r.set...)}, nil
}

// Put sets the columns of a fragment, as setting them one by one would. A fragment of another plan, or within a
// nested message, writes nothing: Err then returns HandleMisuse.
func (r *Record) Put(f *Fragment) {
	if f.IsEmpty() {
		r.end = -1
		return
	}
	if f.plan != r.plan || len(r.levels) > 0 {
		r.fail(wire.HandleMisuse, "", "the fragment belongs to another plan, or to another message than the one begun last")
		return
	}
	r.buf = append(r.buf, f.bytes...)
	for i, w := range f.set {
		r.set[i] |= w
	}
}
