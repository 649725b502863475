package schema

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/hotpb/hotpb/go/wire"
)

// Uint sets a column of unsigned numbers.
func (r *Record) Uint(c UintColumn, v uint64) {
	o := r.op(c.Handle)
	if o == nil {
		return
	}
	if v-1 >= o.max || o.slow { // zero, too large, or more to be done
		var write bool
		if v, write = r.unusual(o, v, v > o.max); !write {
			return
		}
	}
	r.set[o.word] |= o.bit
	r.number(o, v)
}

// Int sets a column of signed numbers.
func (r *Record) Int(c IntColumn, v int64) {
	o := r.op(c.Handle)
	if o == nil {
		return
	}
	if v == 0 || o.slow || uint64(v)+o.max+1 > 2*o.max+1 {
		u, write := r.unusual(o, uint64(v), uint64(v)+o.max+1 > 2*o.max+1)
		if !write {
			return
		}
		v = int64(u)
	}
	r.set[o.word] |= o.bit
	r.number(o, signed(o.kind, v))
}

// signed is the number that stands on the wire for v.
func signed(k wire.Kind, v int64) uint64 {
	switch k {
	case wire.Sint32, wire.Sint64:
		return wire.EncodeZigzag(v)
	}
	return uint64(v)
}

// Bool sets a bool column.
func (r *Record) Bool(c BoolColumn, v bool) {
	o := r.op(c.Handle)
	if o == nil {
		return
	}
	u := uint64(0)
	if v {
		u = 1
	}
	if u == 0 || o.slow {
		if _, write := r.unusual(o, u, false); !write {
			return
		}
	}
	r.set[o.word] |= o.bit
	r.number(o, u)
}

// Enum sets an enum column. A number that a closed enum does not have is a misfit.
func (r *Record) Enum(c EnumColumn, v int32) {
	o := r.op(c.Handle)
	if o == nil {
		return
	}
	if e := o.column.Enum; e.Closed && !e.has(v) {
		r.misfit(o, "is no value of the enum")
		return
	}
	if v == 0 || o.slow {
		if _, write := r.unusual(o, uint64(v), false); !write {
			return
		}
	}
	r.set[o.word] |= o.bit
	r.number(o, uint64(v))
}

// Float sets a column of floats or doubles. -0 is not zero.
func (r *Record) Float(c FloatColumn, v float64) {
	o := r.op(c.Handle)
	if o == nil {
		return
	}
	u := floatBits(o.kind, v)
	if u == 0 || o.slow {
		if _, write := r.unusual(o, u, false); !write {
			return
		}
	}
	r.set[o.word] |= o.bit
	r.number(o, u)
}

// MAC sets a column of hardware addresses: the low 48 bits are the address, its first byte the highest of them.
func (r *Record) MAC(c MACColumn, v uint64) { r.Uint(UintColumn(c), v) }

// Time sets a timestamp. Numbers of unsigned kinds cannot hold times before 1970.
func (r *Record) Time(c TimeColumn, t time.Time) {
	o := r.op(c.Handle)
	if o == nil {
		return
	}
	if o.kind == wire.Message {
		r.secondsNanos(o, t.Unix(), int32(t.Nanosecond()))
		return
	}
	r.integer(o, c.Handle, unitsOf(o.column, t))
}

// Duration sets a span of time, cut to the unit of the column.
func (r *Record) Duration(c DurationColumn, d time.Duration) {
	o := r.op(c.Handle)
	if o == nil {
		return
	}
	if o.kind == wire.Message {
		r.secondsNanos(o, int64(d/time.Second), int32(d%time.Second))
		return
	}
	r.integer(o, c.Handle, int64(d/unitLengths[o.column.Unit]))
}

// integer sets a column that may be signed or not.
func (r *Record) integer(o *op, h Handle, v int64) {
	if kindShapes[o.kind] == shapeInt {
		r.Int(IntColumn{h}, v)
		return
	}
	if v < 0 && !r.misfit(o, "is before 1970 or negative") {
		return
	}
	u := uint64(v)
	if v < 0 {
		u &= o.max
	}
	r.Uint(UintColumn{h}, u)
}

// unusual handles values that are zero or do not fit, and columns that need more than writing.
func (r *Record) unusual(o *op, v uint64, misfit bool) (cut uint64, write bool) {
	if o.keep && !r.first(o) {
		return 0, false
	}
	if misfit {
		if !r.misfit(o, "is out of range") {
			return 0, false
		}
		if kindShapes[o.kind] == shapeInt {
			v = uint64(int64(int32(v))) // only the kinds of 32 bits have misfits
		} else {
			v &= o.max
		}
	}
	if o.later {
		r.keepNumber(o, v)
		return 0, false
	}
	return v, v != 0 || r.zeros(o)
}

// number writes what stands on the wire for a number.
func (r *Record) number(o *op, v uint64) {
	n := len(r.buf)
	if cap(r.buf)-n < slack {
		r.grow(slack)
	}
	b := r.buf[:n+slack]
	r.buf = b[:putNumber(b, o.put(b, n), o.kind, v)]
}

// putNumber writes a number without its tag.
func putNumber(b []byte, n int, k wire.Kind, v uint64) int {
	switch k {
	case wire.Fixed32, wire.Sfixed32, wire.Float:
		binary.LittleEndian.PutUint32(b[n:], uint32(v))
		return n + 4
	case wire.Fixed64, wire.Sfixed64, wire.Double:
		binary.LittleEndian.PutUint64(b[n:], v)
		return n + 8
	}
	return spreadVarint(b, n, v)
}

// String sets a string column.
func (r *Record) String(c StringColumn, v string) {
	o := r.op(c.Handle)
	if o == nil {
		return
	}
	if v == "" || o.slow || o.utf8 {
		if !unusualText(r, o, v) {
			return
		}
	}
	r.set[o.word] |= o.bit
	text(r, o, v)
}

// Bytes sets a bytes column.
func (r *Record) Bytes(c BytesColumn, v []byte) {
	o := r.op(c.Handle)
	if o == nil {
		return
	}
	if len(v) == 0 || o.slow {
		if !unusualText(r, o, v) {
			return
		}
	}
	r.set[o.word] |= o.bit
	text(r, o, v)
}

// IP sets a column of addresses. The zero Addr is no address and sets nothing.
func (r *Record) IP(c IPColumn, v netip.Addr) {
	o := r.op(c.Handle)
	if o == nil || !v.IsValid() {
		return
	}
	if o.slow {
		if o.keep && !r.first(o) {
			return
		}
		if o.later {
			r.keepIP(o, v)
			return
		}
	}
	r.set[o.word] |= o.bit
	r.ip(o, v)
}

// ip writes an address of 16 bytes.
func (r *Record) ip(o *op, v netip.Addr) {
	n := len(r.buf)
	if cap(r.buf)-n < slack {
		r.grow(slack)
	}
	b := r.buf[:n+slack]
	n = o.put(b, n)
	b[n] = 16
	address := v.As16()
	copy(b[n+1:n+17], address[:])
	r.buf = b[:n+17]
}
