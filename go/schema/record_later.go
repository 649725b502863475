package schema

import (
	"net/netip"
	"time"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/wire"
)

// later is the value of a deferred column. The column determines which part holds it.
type later struct {
	set      bool
	number   uint64 // the value for number, or seconds
	nanos    int32
	from, to int // of texts
	ip       netip.Addr
}

// keep returns the place for the value of a deferred column and marks it as set.
func (r *Record) place(o *op) *later {
	if r.later == nil {
		r.later = make([]later, len(r.ops))
	}
	r.end = -1
	l := &r.later[o.index]
	if !l.set {
		l.set = true
		r.pending++
	}
	r.set[o.word] |= o.bit
	return l
}

func (r *Record) keepNumber(o *op, v uint64) {
	l := r.place(o)
	l.number, l.nanos = v, 0
}

func (r *Record) keepIP(o *op, v netip.Addr) { r.place(o).ip = v }

func (r *Record) keepTime(o *op, seconds int64, nanos int32) {
	l := r.place(o)
	l.number, l.nanos = uint64(seconds), nanos
}

func (r *Record) keepText(o *op, v string) {
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
	for _, c := range r.plan.deferred {
		r.later[c.index].set = false
	}
}

// writeLater writes the deferred columns by ascending number.
func (r *Record) writeLater() {
	for _, c := range r.plan.deferred {
		if r.later == nil || !r.later[c.index].set {
			continue
		}
		l, o := &r.later[c.index], &r.ops[c.index]
		switch c.shape() {
		case encode.ShapeString, encode.ShapeBytes:
			if l.to > l.from || o.zero {
				r.putText(o, encode.Borrowed(r.texts[l.from:l.to]))
			}
		case encode.ShapeIP:
			r.ip(o, l.ip)
		default:
			if c.Kind == wire.Message {
				written := *o
				written.keep, written.later = false, false
				r.secondsNanos(&written, int64(l.number), l.nanos)
				continue
			}
			if l.number != 0 || o.zero {
				r.number(o, wireNumber(c, l.number))
			}
		}
	}
	r.forget()
}

// wireNumber is the number on the wire for a number that is kept as it was given.
func wireNumber(c *Column, v uint64) uint64 { return encode.Signed(c.Kind, int64(v)) }

// deferred finds the value of a deferred column.
func (r *Record) deferred(h Handle) *later {
	if int(h.index) >= len(r.later) || r.ops[h.index].scope != h.scope || !r.later[h.index].set {
		return nil
	}
	return &r.later[h.index]
}

// GetUint reads the value of a deferred column; false if it has none. Encoding the record writes the deferred
// values, and after that none can be read.
func (r *Record) GetUint(c UintColumn) (uint64, bool) {
	if l := r.deferred(c.Handle); l != nil {
		return l.number, true
	}
	return 0, false
}

// GetInt reads the value of a deferred column.
func (r *Record) GetInt(c IntColumn) (int64, bool) {
	v, ok := r.GetUint(UintColumn(c))
	return int64(v), ok
}

// GetBool reads the value of a deferred column.
func (r *Record) GetBool(c BoolColumn) (v, ok bool) {
	u, ok := r.GetUint(UintColumn(c))
	return u != 0, ok
}

// GetEnum reads the value of a deferred column.
func (r *Record) GetEnum(c EnumColumn) (int32, bool) {
	v, ok := r.GetUint(UintColumn(c))
	return int32(v), ok
}

// GetMAC reads the value of a deferred column.
func (r *Record) GetMAC(c MACColumn) (uint64, bool) { return r.GetUint(UintColumn(c)) }

// GetFloat reads the value of a deferred column, rounded if it is a float.
func (r *Record) GetFloat(c FloatColumn) (float64, bool) {
	v, ok := r.GetUint(UintColumn(c))
	if !ok {
		return 0, false
	}
	return floatOf(r.ops[c.index].kind, v), true
}

// GetString reads the value of a deferred column, as a copy.
func (r *Record) GetString(c StringColumn) (string, bool) {
	v, ok := r.GetBytes(BytesColumn(c))
	return string(v), ok
}

// GetBytes reads the value of a deferred column. It is valid until the record is reset.
func (r *Record) GetBytes(c BytesColumn) ([]byte, bool) {
	if l := r.deferred(c.Handle); l != nil {
		return r.texts[l.from:l.to:l.to], true
	}
	return nil, false
}

// GetIP reads the value of a deferred column.
func (r *Record) GetIP(c IPColumn) (netip.Addr, bool) {
	if l := r.deferred(c.Handle); l != nil {
		return l.ip, true
	}
	return netip.Addr{}, false
}

// GetTime reads the value of a deferred column, in UTC and as exact as its unit.
func (r *Record) GetTime(c TimeColumn) (time.Time, bool) {
	l := r.deferred(c.Handle)
	if l == nil {
		return time.Time{}, false
	}
	return encode.TimeOf(uint8(r.ops[c.index].column.Unit), int64(l.number), l.nanos), true
}

// GetDuration reads the value of a deferred column.
func (r *Record) GetDuration(c DurationColumn) (time.Duration, bool) {
	l := r.deferred(c.Handle)
	if l == nil {
		return 0, false
	}
	return durationOf(r.ops[c.index].column, int64(l.number), l.nanos), true
}
