package template

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"net/netip"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/wire"
)

// usual executes the ops from the i-th on, until one is not usual or there are no more, like that of boundMessage.
// base[n:] has m.room bytes; p has the fields up to the next one of variable length.
func (m *layout) usual(i int, base unsafe.Pointer, n int, p unsafe.Pointer, uptimes *uptimes) (int, int) {
	ops := m.ops
	for ; i < len(ops); i++ {
		o := &ops[i]
		at := unsafe.Add(p, o.offset)
		// Load a number that becomes a varint into v. Write addresses at once.
		var v uint64
		switch o.load {
		case loadUint8:
			v = uint64(*(*uint8)(at))
		case loadUint16:
			v = uint64(binary.BigEndian.Uint16((*[2]byte)(at)[:]))
		case loadUint24:
			b := (*[3]byte)(at)
			v = uint64(b[0])<<16 | uint64(b[1])<<8 | uint64(b[2])
		case loadUint32:
			v = uint64(binary.BigEndian.Uint32((*[4]byte)(at)[:]))
		case loadUint48:
			b := (*[6]byte)(at)
			v = uint64(binary.BigEndian.Uint16(b[:2]))<<32 | uint64(binary.BigEndian.Uint32(b[2:]))
		case loadUint64:
			v = binary.BigEndian.Uint64((*[8]byte)(at)[:])
		case loadUptime:
			v = uint64(binary.BigEndian.Uint32((*[4]byte)(at)[:]))
			if v-uptimes.first >= uptimes.usual {
				return i, n
			}
			v += uptimes.boot
		case loadFirst:
			if v = o.number(at); v == 0 {
				continue
			}
			if v-1 >= o.limit {
				return i, n
			}
			i += int(o.skip)
		case loadIPv4:
			if binary.LittleEndian.Uint32((*[4]byte)(at)[:]) == 0 && !o.always {
				continue
			}
			encode.Store64(base, n, o.tag)
			n += int(o.size)
			encode.Store64(base, n, 0)
			encode.Store32(base, n+8, 0xffff0000)
			*(*[4]byte)(unsafe.Add(base, n+12)) = *(*[4]byte)(at)
			n += 16
			continue
		case loadIPv6:
			if b := (*[16]byte)(at); binary.LittleEndian.Uint64(b[:8]) == 0 && binary.LittleEndian.Uint64(b[8:]) == 0 && !o.always {
				continue
			}
			encode.Store64(base, n, o.tag)
			n += int(o.size)
			*(*[16]byte)(unsafe.Add(base, n)) = *(*[16]byte)(at)
			n += 16
			continue
		default:
			return i, n
		}
		// Leave a value that needs more than writing.
		if v-1 >= o.limit { // zero, or more than fits
			if v == 0 && !o.always {
				continue
			}
			return i, n
		}
		// Write tag and varint.
		if v < 0x80 {
			encode.Store64(base, n, o.tag|v<<(8*o.size&63))
			n += int(o.size) + 1
			continue
		}
		if v < 1<<14 {
			encode.Store64(base, n, o.tag|(v&0x7f|v<<1&0x7f00|0x80)<<(8*o.size&63))
			n += int(o.size) + 2
			continue
		}
		encode.Store64(base, n, o.tag)
		n += int(o.size)
		encode.Store64(base, n, encode.Spread(v))
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

// number reads a number of the op's length.
func (o *op) number(at unsafe.Pointer) (v uint64) {
	switch o.length {
	case 1:
		return uint64(*(*uint8)(at))
	case 2:
		return uint64(binary.BigEndian.Uint16((*[2]byte)(at)[:]))
	case 4:
		return uint64(binary.BigEndian.Uint32((*[4]byte)(at)[:]))
	case 8:
		return binary.BigEndian.Uint64((*[8]byte)(at)[:])
	}
	for _, b := range unsafe.Slice((*byte)(at), o.length) {
		v = v<<8 | uint64(b)
	}
	return v
}

// encodeColumn writes a column from a field of any length. It makes the room in b that it needs.
func (x *run) encodeColumn(o *op, b []byte, n int, field []byte) ([]byte, int) {
	c, r := &o.Op, x.record
	if r != nil && c.Keep && !r.First(c) {
		return b, n
	}
	start := n
	switch o.Column.Shape {
	case encode.ShapeString, encode.ShapeBytes:
		if o.Column.Shape == encode.ShapeString {
			field = bytes.TrimRight(field, "\x00")
		}
		switch {
		case c.UTF8 && !utf8.Valid(field):
			x.misfit(o.column, "is not UTF-8")
		case len(field) == 0 && !o.always:
		case r != nil && c.Later:
			r.KeepText(c, encode.Borrowed(field))
		default:
			b = encode.WithRoom(b, n, encode.Slack+len(field))
			n = encode.PutVarint(b, c.Put(b, n), uint64(len(field)))
			n += copy(b[n:], field)
		}
	case encode.ShapeIP:
		address, ok := netip.AddrFromSlice(field)
		switch {
		case !ok:
			if len(field) > 0 {
				x.misfit(o.column, "is not an IP: it has neither 4 nor 16 bytes")
			}
		case address.IsUnspecified() && !o.always:
		case r != nil && c.Later:
			r.KeepIP(c, address)
		default:
			b = encode.WithRoom(b, n, encode.Slack)
			sixteen := address.As16()
			n = encode.PutVarint(b, c.Put(b, n), 16)
			n += copy(b[n:], sixteen[:])
		}
	default:
		v, nanos, ok := x.number(o, field)
		switch isMessage := c.Kind == wire.Message; {
		case !ok || v == 0 && nanos == 0 && !o.always:
		case r != nil && c.Later:
			r.KeepTime(c, int64(v), nanos)
		case isMessage:
			b = encode.WithRoom(b, n, 2*encode.Slack)
			n = encode.PutSecondsNanos(b, c.Put(b, n), int64(v), nanos)
		default:
			b = encode.WithRoom(b, n, encode.Slack)
			n = encode.PutNumber(b, c.Put(b, n), c.Kind, encode.Signed(c.Kind, int64(v)))
		}
	}
	if r != nil && n > start {
		r.Set(c)
	}
	return b, n
}

// number reads a field of a number and makes it fit; for a time that is a message, also the nanoseconds.
func (x *run) number(o *op, field []byte) (v uint64, nanos int32, ok bool) {
	if len(field) == 0 || len(field) > 8 {
		if len(field) > 0 {
			x.misfit(o.column, "is not a number of 1 to 8 bytes")
		}
		return 0, 0, false
	}
	for _, c := range field {
		v = v<<8 | uint64(c)
	}
	switch o.Column.Shape {
	case encode.ShapeBool:
		if v != 1 {
			v = 0 // 2 is false
		}
		return v, 0, true
	case encode.ShapeFloat:
		switch len(field) {
		case 4:
			return encode.FloatBits(o.Kind, float64(math.Float32frombits(uint32(v)))), 0, true
		case 8:
			return encode.FloatBits(o.Kind, math.Float64frombits(v)), 0, true
		}
		x.misfit(o.column, "is not a floating point number of 4 or 8 bytes")
		return 0, 0, false
	case encode.ShapeTime:
		return x.moment(o, v)
	case encode.ShapeDuration:
		return x.span(o, v)
	case encode.ShapeInt:
		unused := 64 - 8*len(field)
		v, ok = x.signed(o.column, int64(v<<unused)>>unused)
		return v, 0, ok
	}
	v, ok = x.unsigned(o.column, v)
	return v, 0, ok
}

// unsigned converts a number that is not negative for a column.
func (x *run) unsigned(c *column, v uint64) (uint64, bool) {
	if v > c.Max {
		if !x.misfit(c, "is out of range") {
			return 0, false
		}
		v &= c.Max
	}
	if closed := c.Column.Closed; closed != nil && !closed.Has(int32(v)) {
		x.misfit(c, "is not a value of the enum")
		return 0, false
	}
	return v, true
}

// signed converts a number that may be negative for a column.
func (x *run) signed(c *column, v int64) (uint64, bool) {
	if encode.KindShapes[c.Kind] == encode.ShapeUint {
		if v < 0 {
			if !x.misfit(c, "is before 1970 or negative") {
				return 0, false
			}
			return uint64(v) & c.Max, true
		}
		return x.unsigned(c, uint64(v))
	}
	if uint64(v)+c.Max+1 > 2*c.Max+1 {
		if !x.misfit(c, "is out of range") {
			return 0, false
		}
		v = int64(int32(v))
	}
	return uint64(v), true
}

// uptimes says how uptimes become times in the usual case: the uptimes from first on, usual many, are added to
// boot. All are in milliseconds.
type uptimes struct {
	boot, first, usual uint64
	ready              bool
}

// compute computes this for a clock. No uptime is usual if the clock lacks the start. If it has the export, uptimes
// that are so far from the export that the 32 bits may have wrapped around are not usual.
func (u *uptimes) compute(c Clock) {
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

// uptimeTurn is when the milliseconds since the start of an exporter wrap around to zero, because they have 32
// bits.
const uptimeTurn = 1 << 32 * time.Millisecond

// moment returns the time of a field, in the column's unit or as seconds and nanoseconds. Zero is not a time,
// except for relative ones.
func (x *run) moment(o *op, v uint64) (units uint64, nanos int32, ok bool) {
	var t time.Time
	switch o.time {
	case UptimeMillis, BeforeMicros:
		t = x.clock.Boot
		step := time.Millisecond
		if o.time == BeforeMicros {
			t, step = x.clock.Export, -time.Microsecond
		}
		if t.IsZero() || v > math.MaxUint32 {
			x.misfit(o.column, "is relative to an unknown time")
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
			x.misfit(o.column, "is out of range")
			return 0, 0, false
		}
		t = encode.TimeOf(uint8(o.time-UnixSeconds), int64(v), 0)
	}
	if v == 0 && o.time != UptimeMillis && o.time != BeforeMicros {
		return 0, 0, o.always
	}
	if o.Kind == wire.Message {
		return uint64(t.Unix()), int32(t.Nanosecond()), true
	}
	n, fits := encode.UnitsOf(o.Column.Unit, t)
	if !fits && !x.misfit(o.column, encode.TooFar) {
		return 0, 0, false
	}
	units, ok = x.signed(o.column, n)
	return units, 0, ok
}

// span returns the duration of a field.
func (x *run) span(o *op, v uint64) (units uint64, nanos int32, ok bool) {
	unit := time.Duration(1)
	if o.time >= UnixSeconds && o.time <= UnixNanos {
		unit = encode.UnitLengths[o.time-UnixSeconds]
	}
	if v > math.MaxInt64/uint64(unit) {
		x.misfit(o.column, "is out of range")
		return 0, 0, false
	}
	d := time.Duration(v) * unit
	if o.Kind == wire.Message {
		return uint64(d / time.Second), int32(d % time.Second), true
	}
	units, ok = x.signed(o.column, int64(d/encode.UnitLengths[o.Column.Unit]))
	return units, 0, ok
}
