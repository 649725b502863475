package schema

import (
	"math/bits"
	"net/netip"
	"time"
	"unsafe"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/wire"
)

// Uint sets a column of unsigned numbers.
func (r *Record) Uint(c UintColumn, v uint64) { r.varint(c.Handle, v) }

// Int sets a column of signed numbers.
func (r *Record) Int(c IntColumn, v int64) { r.varint(c.Handle, uint64(v)) }

// Bool sets a bool column.
func (r *Record) Bool(c BoolColumn, v bool) {
	u := uint64(0)
	if v {
		u = 1
	}
	r.varint(c.Handle, u)
}

// Enum sets an enum column. A number that a closed enum does not have is a misfit.
func (r *Record) Enum(c EnumColumn, v int32) { r.varint(c.Handle, uint64(v)) }

// MAC sets a column of hardware addresses: the low 48 bits are the address, its first byte the highest of them.
func (r *Record) MAC(c MACColumn, v uint64) { r.varint(c.Handle, v) }

// varint sets a column of integers, bools or enums. It is one function without calls for the usual value; integer
// does the rest.
//
// The stores need no bounds checks: there are slack bytes, and tag and value need 5 and 8 at most.
func (r *Record) varint(h Handle, v uint64) {
	if uint(h.index) < uint(len(r.ops)) {
		o := &r.ops[h.index]
		n := len(r.buf)
		if o.scope == h.scope && h.scope == r.scope && v-1 < o.usual && cap(r.buf)-n >= encode.Slack {
			r.set[o.word] |= o.bit
			base := unsafe.Pointer(unsafe.SliceData(r.buf))
			if v < 0x80 {
				encode.Store64(base, n, o.tag|v<<(8*o.size&63))
				r.buf = r.buf[:n+int(o.step)]
				return
			}
			if v < 1<<14 {
				encode.Store64(base, n, o.tag|(v&0x7f|v<<1&0x7f00|0x80)<<(8*o.size&63))
				r.buf = r.buf[:n+int(o.step)+1]
				return
			}
			encode.Store64(base, n, o.tag)
			n += int(o.size)
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
func (r *Record) integer(h Handle, v uint64) {
	o := r.opFor(h, integers)
	if o == nil {
		return
	}
	misfit := v > o.max
	switch encode.KindShapes[o.kind] {
	case encode.ShapeInt:
		misfit = v+o.max+1 > 2*o.max+1
	case encode.ShapeEnum:
		misfit = false
		if e := o.column.Enum; e.Closed && !e.has(int32(v)) {
			r.misfit(o, "is not a value of the enum")
			return
		}
	}
	if v == 0 || o.slow() || misfit {
		var write bool
		if v, write = r.unusual(o, v, misfit); !write {
			return
		}
	}
	r.set[o.word] |= o.bit
	r.number(o, encode.Signed(o.kind, int64(v)))
}

// Float sets a column of floats or doubles. -0 is not zero.
func (r *Record) Float(c FloatColumn, v float64) {
	o := r.opFor(c.Handle, floats)
	if o == nil {
		return
	}
	u := encode.FloatBits(o.kind, v)
	if u == 0 || o.slow() {
		if _, write := r.unusual(o, u, false); !write {
			return
		}
	}
	r.set[o.word] |= o.bit
	r.number(o, u)
}

// Time sets a timestamp. Numbers of unsigned kinds cannot hold times before 1970, and nanoseconds cannot hold
// times before 1678 or after 2262: these are misfits. The zero Time is not a time and sets nothing.
func (r *Record) Time(c TimeColumn, t time.Time) {
	o := r.opFor(c.Handle, times)
	if o == nil || t.IsZero() {
		r.end = -1
		return
	}
	if o.kind == wire.Message {
		r.secondsNanos(o, t.Unix(), int32(t.Nanosecond()))
		return
	}
	v, ok := encode.UnitsOf(uint8(o.column.Unit), t)
	if !ok && !r.misfit(o, encode.TooFar) {
		return
	}
	r.units(o, v)
}

// Duration sets a duration, cut to the unit of the column.
func (r *Record) Duration(c DurationColumn, d time.Duration) {
	o := r.opFor(c.Handle, times)
	if o == nil {
		return
	}
	if o.kind == wire.Message {
		r.secondsNanos(o, int64(d/time.Second), int32(d%time.Second))
		return
	}
	r.units(o, int64(d/encode.UnitLengths[o.column.Unit]))
}

// units sets a column of signed or unsigned numbers.
func (r *Record) units(o *op, v int64) {
	if encode.KindShapes[o.kind] != encode.ShapeInt && v < 0 {
		if !r.misfit(o, "is before 1970 or negative") {
			return
		}
		v = int64(uint64(v) & o.max)
	}
	r.varint(o.Handle, uint64(v))
}

// unusual handles values that are zero or do not fit, and columns that need more than writing.
func (r *Record) unusual(o *op, v uint64, misfit bool) (cut uint64, write bool) {
	if v == 0 {
		r.end = -1
	}
	if o.keep && !r.first(o) {
		return 0, false
	}
	if misfit {
		if !r.misfit(o, "is out of range") {
			return 0, false
		}
		if encode.KindShapes[o.kind] == encode.ShapeInt {
			v = uint64(int64(int32(v))) // only the kinds of 32 bits have misfits
		} else {
			v &= o.max
		}
	}
	if o.later {
		if v == 0 && o.keep && !o.zero {
			return 0, false // an implicit zero is not a value
		}
		r.keepNumber(o, v)
		return 0, false
	}
	return v, v != 0 || r.zeros(o)
}

// number writes the bytes of a number.
func (r *Record) number(o *op, v uint64) {
	n := len(r.buf)
	if cap(r.buf)-n < encode.Slack {
		r.grow(encode.Slack)
	}
	b := r.buf[:n+encode.Slack]
	r.buf = b[:encode.PutNumber(b, o.put(b, n), o.kind, v)]
}

// String sets a string column.
func (r *Record) String(c StringColumn, v string) { r.text(c.Handle, v) }

// Bytes sets a bytes column.
func (r *Record) Bytes(c BytesColumn, v []byte) {
	r.text(c.Handle, encode.Borrowed(v))
}

// IP sets a column of addresses. The zero Addr is not an address and sets nothing.
func (r *Record) IP(c IPColumn, v netip.Addr) {
	if uint(c.index) < uint(len(r.ops)) {
		o := &r.ops[c.index]
		n := len(r.buf)
		if o.scope == c.scope && c.scope == r.scope && o.text != 0 && cap(r.buf)-n >= encode.Slack && v.IsValid() {
			r.set[o.word] |= o.bit
			base := unsafe.Pointer(unsafe.SliceData(r.buf))
			encode.Store64(base, n, o.tag|16<<(8*o.size&63))
			n += int(o.step)
			storeIP(base, n, &v)
			r.buf = r.buf[:n+16]
			return
		}
	}
	r.unusualIP(c.Handle, v)
}

// unusualIP sets a column of addresses that needs more than writing.
func (r *Record) unusualIP(h Handle, v netip.Addr) {
	o := r.opFor(h, texts)
	r.end = -1
	if o == nil || !v.IsValid() || o.keep && !r.first(o) {
		return
	}
	if o.later {
		r.keepIP(o, v)
		return
	}
	r.set[o.word] |= o.bit
	r.ip(o, v)
}

// ip writes an address of 16 bytes.
func (r *Record) ip(o *op, v netip.Addr) {
	r.room(encode.Slack)
	n := len(r.buf)
	b := r.buf[:n+encode.Slack]
	n = o.put(b, n)
	b[n] = 16
	address := v.As16()
	copy(b[n+1:n+17], address[:])
	r.buf = b[:n+17]
}
