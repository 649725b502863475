package record

import (
	"net/netip"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/plan"
	"github.com/hotpb/hotpb/go/wire"
)

// Later is the value of a deferred column. The column determines which part holds it.
type Later struct {
	set      bool
	Number   uint64 // the value for number, or seconds
	Nanos    int32
	from, to int // of texts
	IP       netip.Addr
}

// place returns the place for the value of a deferred column and marks it as set.
func (r *Record) place(o *plan.Op) *Later {
	if r.later == nil {
		r.later = make([]Later, len(r.ops))
	}
	r.end = -1
	l := &r.later[o.Index]
	if !l.set {
		l.set = true
		r.pending++
	}
	r.set[o.Word] |= o.Bit
	return l
}

// KeepNumber keeps the value of a deferred column of numbers.
func (r *Record) KeepNumber(o *plan.Op, v uint64) {
	l := r.place(o)
	l.Number, l.Nanos = v, 0
}

// KeepIP keeps the value of a deferred column of addresses.
func (r *Record) KeepIP(o *plan.Op, v netip.Addr) { r.place(o).IP = v }

// KeepTime keeps the value of a deferred column of times.
func (r *Record) KeepTime(o *plan.Op, seconds int64, nanos int32) {
	l := r.place(o)
	l.Number, l.Nanos = uint64(seconds), nanos
}

// KeepText keeps the value of a deferred column of strings or bytes.
func (r *Record) KeepText(o *plan.Op, v string) {
	l := r.place(o)
	l.from = len(r.texts)
	r.texts = append(r.texts, v...)
	l.to = len(r.texts)
}

// forget drops the kept values. They stay in place, unseen.
func (r *Record) forget() {
	r.pending = 0
	if r.later == nil {
		return
	}
	for _, o := range r.plan.Deferred {
		r.later[o.Index].set = false
	}
}

// writeLater writes the deferred columns by ascending number.
func (r *Record) writeLater() {
	for _, o := range r.plan.Deferred {
		if r.later == nil || !r.later[o.Index].set {
			continue
		}
		l := &r.later[o.Index]
		switch o.Column.Shape {
		case encode.ShapeString, encode.ShapeBytes:
			if l.to > l.from || o.Zero {
				r.putText(o, encode.Borrowed(r.texts[l.from:l.to]))
			}
		case encode.ShapeIP:
			r.ip(o, l.IP)
		default:
			if o.Kind == wire.Message {
				written := *o
				written.Keep, written.Later = false, false
				r.secondsNanos(&written, int64(l.Number), l.Nanos)
				continue
			}
			if l.Number != 0 || o.Zero {
				r.number(o, encode.Signed(o.Kind, int64(l.Number)))
			}
		}
	}
	r.forget()
}

// Later returns the value of a deferred column that is not yet encoded; nil if it has none.
func (r *Record) Later(h plan.Handle) *Later {
	if int(h.Index) >= len(r.later) || r.ops[h.Index].Scope != h.Scope || !r.later[h.Index].set {
		return nil
	}
	return &r.later[h.Index]
}

// LaterText returns the bytes of a deferred column.
func (r *Record) LaterText(l *Later) []byte { return r.texts[l.from:l.to:l.to] }
