package record

import (
	"math/bits"
	"net/netip"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/schema/internal/plan"
	"github.com/hotpb/hotpb/go/wire"
)

// Varint sets a column of integers, bools or enums. It is one function without calls for the usual value; integer
// does the rest.
//
// The stores need no bounds checks: there are slack bytes, and tag and value need 5 and 8 at most.
func (r *Record) Varint(h plan.Handle, v uint64) {
	if uint(h.Index) < uint(len(r.ops)) {
		o := &r.ops[h.Index]
		n := len(r.buf)
		if o.Scope == h.Scope && h.Scope == r.scope && v-1 < o.Usual && cap(r.buf)-n >= encode.Slack {
			r.set[o.Word] |= o.Bit
			base := unsafe.Pointer(unsafe.SliceData(r.buf))
			if v < 0x80 {
				encode.Store64(base, n, o.Tag|v<<(8*o.Size&63))
				r.buf = r.buf[:n+int(o.Step)]
				return
			}
			if v < 1<<14 {
				encode.Store64(base, n, o.Tag|(v&0x7f|v<<1&0x7f00|0x80)<<(8*o.Size&63))
				r.buf = r.buf[:n+int(o.Step)+1]
				return
			}
			encode.Store64(base, n, o.Tag)
			n += int(o.Size)
			encode.Store64(base, n, encode.Spread(v))
			switch { // the processor predicts the branch, where a computed length would delay the next call
			case v < 1<<21:
				r.buf = r.buf[:n+3]
			case v < 1<<28:
				r.buf = r.buf[:n+4]
			default:
				r.buf = r.buf[:n+(bits.Len64(v)+6)/7]
			}
			return
		}
	}
	r.integer(h, v)
}

// integer sets a column of integers, bools or enums to any value.
func (r *Record) integer(h plan.Handle, v uint64) {
	o := r.opFor(h, integers)
	if o == nil {
		return
	}
	misfit := v > o.Max
	switch encode.KindShapes[o.Kind] {
	case encode.ShapeInt:
		misfit = v+o.Max+1 > 2*o.Max+1
	case encode.ShapeEnum:
		misfit = false
		if e := o.Column.Closed; e != nil && !e.Has(int32(v)) {
			r.Misfit(o, "is not a value of the enum")
			return
		}
	}
	if v == 0 || o.Slow() || misfit {
		var write bool
		if v, write = r.unusual(o, v, misfit); !write {
			return
		}
	}
	r.set[o.Word] |= o.Bit
	r.number(o, encode.Signed(o.Kind, int64(v)))
}

// Float sets a column of floats or doubles.
func (r *Record) Float(h plan.Handle, v float64) {
	o := r.opFor(h, floats)
	if o == nil {
		return
	}
	u := encode.FloatBits(o.Kind, v)
	if u == 0 || o.Slow() {
		if _, write := r.unusual(o, u, false); !write {
			return
		}
	}
	r.set[o.Word] |= o.Bit
	r.number(o, u)
}

// Time sets a timestamp.
func (r *Record) Time(h plan.Handle, t time.Time) {
	o := r.opFor(h, times)
	if o == nil || t.IsZero() {
		r.end = -1
		return
	}
	if o.Kind == wire.Message {
		r.secondsNanos(o, t.Unix(), int32(t.Nanosecond()))
		return
	}
	v, ok := encode.UnitsOf(o.Column.Unit, t)
	if !ok && !r.Misfit(o, encode.TooFar) {
		return
	}
	r.units(o, v)
}

// Duration sets a duration.
func (r *Record) Duration(h plan.Handle, d time.Duration) {
	o := r.opFor(h, times)
	if o == nil {
		return
	}
	if o.Kind == wire.Message {
		r.secondsNanos(o, int64(d/time.Second), int32(d%time.Second))
		return
	}
	r.units(o, int64(d/encode.UnitLengths[o.Column.Unit]))
}

// units sets a column of signed or unsigned numbers.
func (r *Record) units(o *plan.Op, v int64) {
	if encode.KindShapes[o.Kind] != encode.ShapeInt && v < 0 {
		if !r.Misfit(o, "is before 1970 or negative") {
			return
		}
		v = int64(uint64(v) & o.Max)
	}
	r.Varint(o.Handle, uint64(v))
}

// unusual handles values that are zero or do not fit, and columns that need more than writing.
func (r *Record) unusual(o *plan.Op, v uint64, misfit bool) (cut uint64, write bool) {
	if v == 0 {
		r.end = -1
	}
	if o.Keep && !r.First(o) {
		return 0, false
	}
	if misfit {
		if !r.Misfit(o, "is out of range") {
			return 0, false
		}
		if encode.KindShapes[o.Kind] == encode.ShapeInt {
			v = uint64(int64(int32(v))) // only the kinds of 32 bits have misfits
		} else {
			v &= o.Max
		}
	}
	if o.Later {
		if v == 0 && o.Keep && !o.Zero {
			return 0, false // an implicit zero is not a value
		}
		r.KeepNumber(o, v)
		return 0, false
	}
	return v, v != 0 || r.zeros(o)
}

// number writes the bytes of a number.
func (r *Record) number(o *plan.Op, v uint64) {
	n := len(r.buf)
	if cap(r.buf)-n < encode.Slack {
		r.grow(encode.Slack)
	}
	b := r.buf[:n+encode.Slack]
	r.buf = b[:encode.PutNumber(b, o.Put(b, n), o.Kind, v)]
}

// IP sets a column of addresses.
func (r *Record) IP(h plan.Handle, v netip.Addr) {
	if uint(h.Index) < uint(len(r.ops)) {
		o := &r.ops[h.Index]
		n := len(r.buf)
		if o.Scope == h.Scope && h.Scope == r.scope && o.Text != 0 && cap(r.buf)-n >= encode.Slack && v.IsValid() {
			r.set[o.Word] |= o.Bit
			base := unsafe.Pointer(unsafe.SliceData(r.buf))
			encode.Store64(base, n, o.Tag|16<<(8*o.Size&63))
			n += int(o.Step)
			encode.StoreIP(base, n, &v)
			r.buf = r.buf[:n+16]
			return
		}
	}
	r.unusualIP(h, v)
}

// unusualIP sets a column of addresses that needs more than writing.
func (r *Record) unusualIP(h plan.Handle, v netip.Addr) {
	o := r.opFor(h, texts)
	r.end = -1
	if o == nil || !v.IsValid() || o.Keep && !r.First(o) {
		return
	}
	if o.Later {
		r.KeepIP(o, v)
		return
	}
	r.set[o.Word] |= o.Bit
	r.ip(o, v)
}

// ip writes an address of 16 bytes.
func (r *Record) ip(o *plan.Op, v netip.Addr) {
	r.room(encode.Slack)
	n := len(r.buf)
	b := r.buf[:n+encode.Slack]
	n = o.Put(b, n)
	b[n] = 16
	address := v.As16()
	copy(b[n+1:n+17], address[:])
	r.buf = b[:n+17]
}

// Text sets a column of strings or bytes.
func (r *Record) Text(h plan.Handle, v string) {
	if uint(h.Index) < uint(len(r.ops)) {
		o := &r.ops[h.Index]
		n := len(r.buf)
		if o.Scope == h.Scope && h.Scope == r.scope && uint(len(v)-1) < uint(o.Text) && cap(r.buf)-n >= encode.Slack+len(v) {
			r.set[o.Word] |= o.Bit
			encode.Store64(unsafe.Pointer(unsafe.SliceData(r.buf)), n, o.Tag|uint64(len(v))<<(8*o.Size&63))
			n += int(o.Step)
			b := r.buf[:n+len(v)]
			copy(b[n:], v)
			r.buf = r.buf[:n+len(v)]
			return
		}
	}
	r.anyText(h, v)
}

// anyText sets a column of strings or bytes to any value, usual or not.
func (r *Record) anyText(h plan.Handle, v string) {
	o := r.opFor(h, texts)
	if o == nil {
		return
	}
	if (v == "" || o.Slow() || o.UTF8) && !r.unusualText(o, v) {
		return
	}
	r.set[o.Word] |= o.Bit
	r.putText(o, v)
}

// unusualText handles text that is empty or must be checked, and columns that need more than writing.
func (r *Record) unusualText(o *plan.Op, v string) (write bool) {
	if v == "" {
		r.end = -1
	}
	if o.Keep && !r.First(o) {
		return false
	}
	if o.UTF8 && !utf8.ValidString(v) {
		r.Misfit(o, "is not UTF-8")
		return false
	}
	if o.Later {
		if v == "" && o.Keep && !o.Zero {
			return false // an implicit zero is not a value
		}
		r.KeepText(o, v)
		return false
	}
	return len(v) > 0 || r.zeros(o)
}

// putText writes a string or bytes.
func (r *Record) putText(o *plan.Op, v string) {
	n := len(r.buf)
	if cap(r.buf)-n < encode.Slack+len(v) {
		if len(v) > wire.MaxSize {
			r.Misfit(o, "is larger than a message may be")
			return
		}
		r.grow(encode.Slack + len(v))
	}
	b := r.buf[:n+encode.Slack]
	n = encode.PutVarint(b, o.Put(b, n), uint64(len(v)))
	r.buf = append(b[:n], v...)
}
