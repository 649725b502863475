package schema

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"net/netip"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/hotpb/hotpb/go/wire"
)

// usual does the ops from the i-th on, until one is not usual or there are no more, as that of boundMessage
// does. base[n:] has m.room bytes; p has the fields up to the next one of variable length.
func (m *templatePlan) usual(i int, base unsafe.Pointer, n int, p unsafe.Pointer, uptimes *uptimes) (int, int) {
	ops := m.ops
	for ; i < len(ops); i++ {
		o := &ops[i]
		at := unsafe.Add(p, o.offset)
		var v uint64
		switch o.load {
		case templateUint8:
			v = uint64(*(*uint8)(at))
		case templateUint16:
			v = uint64(binary.BigEndian.Uint16((*[2]byte)(at)[:]))
		case templateUint24:
			b := (*[3]byte)(at)
			v = uint64(b[0])<<16 | uint64(b[1])<<8 | uint64(b[2])
		case templateUint32:
			v = uint64(binary.BigEndian.Uint32((*[4]byte)(at)[:]))
		case templateUint48:
			b := (*[6]byte)(at)
			v = uint64(binary.BigEndian.Uint16(b[:2]))<<32 | uint64(binary.BigEndian.Uint32(b[2:]))
		case templateUint64:
			v = binary.BigEndian.Uint64((*[8]byte)(at)[:])
		case templateUptime:
			v = uint64(binary.BigEndian.Uint32((*[4]byte)(at)[:]))
			if v-uptimes.first >= uptimes.usual {
				return i, n
			}
			v += uptimes.boot
		case templateIPv4:
			store64(base, n, o.tag)
			n += int(o.size)
			store64(base, n, 0)
			store32(base, n+8, 0xffff0000)
			*(*[4]byte)(unsafe.Add(base, n+12)) = *(*[4]byte)(at)
			n += 16
			continue
		case templateIPv6:
			store64(base, n, o.tag)
			n += int(o.size)
			*(*[16]byte)(unsafe.Add(base, n)) = *(*[16]byte)(at)
			n += 16
			continue
		default:
			return i, n
		}
		if v-1 >= o.limit { // zero, or more than fits
			if v == 0 && !o.always {
				continue
			}
			return i, n
		}
		if v < 0x80 {
			store64(base, n, o.tag|v<<(8*o.size&63))
			n += int(o.size) + 1
			continue
		}
		if v < 1<<14 {
			store64(base, n, o.tag|(v&0x7f|v<<1&0x7f00|0x80)<<(8*o.size&63))
			n += int(o.size) + 2
			continue
		}
		store64(base, n, o.tag)
		n += int(o.size)
		store64(base, n, spread(v))
		switch {
		case v < 1<<21:
			n += 3
		case v < 1<<28:
			n += 4
		case v < 1<<35:
			n += 5
		default:
			n += (bits.Len64(v) + 6) / 7
		}
	}
	return i, n
}

// other writes a column from a field of any length. What it needs of b it looks after.
func (x *templateRun) other(o *templateOp, b []byte, n int, field []byte) ([]byte, int) {
	op, r := o.op, x.record
	if r != nil && op.keep && !r.first(op) {
		return b, n
	}
	start := n
	switch o.shape {
	case shapeString, shapeBytes:
		if o.shape == shapeString {
			field = bytes.TrimRight(field, "\x00")
		}
		switch {
		case op.utf8 && !utf8.Valid(field):
			x.misfit(op, "is not UTF-8")
		case len(field) == 0 && !o.always:
		case r != nil && op.later:
			r.keepText(op, borrowed(field))
		default:
			b = withRoom(b, n, slack+len(field))
			n = putVarint(b, op.put(b, n), uint64(len(field)))
			n += copy(b[n:], field)
		}
	case shapeIP:
		address, ok := netip.AddrFromSlice(field)
		switch {
		case !ok:
			if len(field) > 0 {
				x.misfit(op, "is no IP: it has neither 4 nor 16 bytes")
			}
		case r != nil && op.later:
			r.keepIP(op, address)
		default:
			b = withRoom(b, n, slack)
			sixteen := address.As16()
			n = putVarint(b, op.put(b, n), 16)
			n += copy(b[n:], sixteen[:])
		}
	default:
		v, nanos, ok := x.number(o, field)
		switch isMessage := op.kind == wire.Message; {
		case !ok || v == 0 && nanos == 0 && !o.always:
		case r != nil && op.later:
			r.keepTime(op, int64(v), nanos)
		case isMessage:
			b = withRoom(b, n, 2*slack)
			n = putSecondsNanos(b, op.put(b, n), int64(v), nanos)
		default:
			b = withRoom(b, n, slack)
			n = putNumber(b, op.put(b, n), op.kind, signed(op.kind, int64(v)))
		}
	}
	if r != nil && n > start {
		r.set[op.word] |= op.bit
	}
	return b, n
}

// number reads a field of a number and sees to it that it fits; of a time that is a message, the nanoseconds, too.
func (x *templateRun) number(o *templateOp, field []byte) (v uint64, nanos int32, ok bool) {
	if len(field) == 0 || len(field) > 8 {
		if len(field) > 0 {
			x.misfit(o.op, "is no number of 1 to 8 bytes")
		}
		return 0, 0, false
	}
	for _, c := range field {
		v = v<<8 | uint64(c)
	}
	switch o.shape {
	case shapeBool:
		if v != 1 {
			v = 0 // 2 is false
		}
		return v, 0, true
	case shapeFloat:
		switch len(field) {
		case 4:
			return floatBits(o.op.kind, float64(math.Float32frombits(uint32(v)))), 0, true
		case 8:
			return floatBits(o.op.kind, math.Float64frombits(v)), 0, true
		}
		x.misfit(o.op, "is no floating point number of 4 or 8 bytes")
		return 0, 0, false
	case shapeTime:
		return x.moment(o, v)
	case shapeDuration:
		return x.span(o, v)
	case shapeInt:
		unused := 64 - 8*len(field)
		v, ok = x.signed(o.op, int64(v<<unused)>>unused)
		return v, 0, ok
	}
	v, ok = x.unsigned(o.op, v)
	return v, 0, ok
}

// unsigned has a column take a number that is not negative.
func (x *templateRun) unsigned(o *op, v uint64) (uint64, bool) {
	if v > o.max {
		if !x.misfit(o, "is out of range") {
			return 0, false
		}
		v &= o.max
	}
	if e := o.column.Enum; e != nil && e.Closed && !e.has(int32(v)) {
		x.misfit(o, "is no value of the enum")
		return 0, false
	}
	return v, true
}

// signed has a column take a number that may be negative.
func (x *templateRun) signed(o *op, v int64) (uint64, bool) {
	if kindShapes[o.kind] == shapeUint {
		if v < 0 {
			if !x.misfit(o, "is before 1970 or negative") {
				return 0, false
			}
			return uint64(v) & o.max, true
		}
		return x.unsigned(o, uint64(v))
	}
	if uint64(v)+o.max+1 > 2*o.max+1 {
		if !x.misfit(o, "is out of range") {
			return 0, false
		}
		v = int64(int32(v))
	}
	return uint64(v), true
}

// uptimes says how uptimes become times where nothing is unusual: usual of them from first on, each added to boot. All is in
// milliseconds.
type uptimes struct {
	boot, first, usual uint64
	ready              bool
}

// of finds out for a clock. Nothing is usual where it does not know enough; and where it knows the export, what is so far from
// it that it may be of another turn of the 32 bits.
func (u *uptimes) of(c Clock) {
	u.ready = true
	boot := c.Boot.UnixMilli()
	if c.Boot.IsZero() || uint64(boot) >= 1<<50 {
		return
	}
	u.boot, u.first, u.usual = uint64(boot), 0, 1<<32
	if !c.Export.IsZero() {
		const half = 1<<31 - 2
		u.first, u.usual = uint64(c.Export.UnixMilli()-boot)-half, 2*half
	}
}

// uptimeTurn is when the milliseconds since an exporter was started begin again at zero, as 32 bits have no more.
const uptimeTurn = 1 << 32 * time.Millisecond

// moment is the time of a field, in the column's unit or as seconds and nanoseconds. Zero is no time, but for
// relative ones.
func (x *templateRun) moment(o *templateOp, v uint64) (units uint64, nanos int32, ok bool) {
	var t time.Time
	switch o.time {
	case UptimeMillis, BeforeMicros:
		t = x.clock.Boot
		step := time.Millisecond
		if o.time == BeforeMicros {
			t, step = x.clock.Export, -time.Microsecond
		}
		if t.IsZero() || v > math.MaxUint32 {
			x.misfit(o.op, "is relative to a time that is not known")
			return 0, 0, false
		}
		t = t.Add(time.Duration(v) * step)
		if o.time == UptimeMillis && !x.clock.Export.IsZero() {
			t = t.Add(x.clock.Export.Sub(t).Round(uptimeTurn))
		}
	case NTPMicros, NTPNanos:
		fraction := (v & math.MaxUint32) * 1e9 >> 32
		if o.time == NTPMicros {
			fraction -= fraction % 1000
		}
		const from1900 = 2208988800
		seconds := int64(v >> 32)
		if seconds < 1<<31 { // the era that begins in 2036
			seconds += 1 << 32
		}
		t = time.Unix(seconds-from1900, int64(fraction))
	default:
		if v > math.MaxInt64 {
			x.misfit(o.op, "is out of range")
			return 0, 0, false
		}
		t = timeOf(&Column{Unit: Unit(o.time - UnixSeconds)}, int64(v), 0)
	}
	if v == 0 && o.time != UptimeMillis && o.time != BeforeMicros {
		return 0, 0, o.always
	}
	if o.op.kind == wire.Message {
		return uint64(t.Unix()), int32(t.Nanosecond()), true
	}
	n, fits := unitsOf(o.op.column, t)
	if !fits && !x.misfit(o.op, tooFar) {
		return 0, 0, false
	}
	units, ok = x.signed(o.op, n)
	return units, 0, ok
}

// span is the duration of a field.
func (x *templateRun) span(o *templateOp, v uint64) (units uint64, nanos int32, ok bool) {
	one := time.Duration(1)
	if o.time >= UnixSeconds && o.time <= UnixNanos {
		one = unitLengths[o.time-UnixSeconds]
	}
	if v > math.MaxInt64/uint64(one) {
		x.misfit(o.op, "is out of range")
		return 0, 0, false
	}
	d := time.Duration(v) * one
	if o.op.kind == wire.Message {
		return uint64(d / time.Second), int32(d % time.Second), true
	}
	units, ok = x.signed(o.op, int64(d/unitLengths[o.op.column.Unit]))
	return units, 0, ok
}
