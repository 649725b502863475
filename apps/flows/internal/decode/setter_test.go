package decode

import (
	"bytes"
	"math"
	"net/netip"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/template"
	"github.com/hotpb/hotpb/go/wire"
)

// setter sets a column from the bytes of a field, by its handle. It returns false for a value that is invalid for
// the column; the record counts values that are out of range.
type setter func(r *schema.Record, b []byte, clock template.Clock) bool

// columnSetter returns nil for a field that cannot fill the column.
func columnSetter(s *schema.Schema, c *schema.Column, f template.Field) setter {
	n := int(f.Length)
	lengths := func(list ...int) bool {
		for _, l := range append(list, template.VariableLength) {
			if n == l {
				return true
			}
		}
		return false
	}
	if c.Message != nil && c.Logical == schema.Plain {
		return nil
	}
	switch {
	case c.Logical == schema.IP:
		if h, err := schema.Lookup[schema.IPColumn](s.Message, c.Name); err == nil && lengths(4, 16) {
			return func(r *schema.Record, b []byte, _ template.Clock) bool {
				a, ok := netip.AddrFromSlice(b)
				if !ipfix.Zeros(b) || keepsZero(c) {
					r.IP(h, a)
				}
				return ok || len(b) == 0
			}
		}
		return nil
	case c.Kind == wire.String:
		if h, err := schema.Lookup[schema.StringColumn](s.Message, c.Name); err == nil {
			return func(r *schema.Record, b []byte, _ template.Clock) bool {
				if b = bytes.TrimRight(b, "\x00"); len(b) > 0 || keepsZero(c) {
					r.String(h, string(b))
				}
				return true
			}
		}
		return nil
	case c.Kind == wire.Bytes:
		if h, err := schema.Lookup[schema.BytesColumn](s.Message, c.Name); err == nil {
			return func(r *schema.Record, b []byte, _ template.Clock) bool {
				if len(b) > 0 || keepsZero(c) {
					r.Bytes(h, b)
				}
				return true
			}
		}
		return nil
	case c.Kind == wire.Float || c.Kind == wire.Double:
		if h, err := schema.Lookup[schema.FloatColumn](s.Message, c.Name); err == nil && lengths(4, 8) {
			return floatSetter(h, keepsZero(c))
		}
		return nil
	case c.Logical == schema.MAC && !lengths(6, 8), !lengths(1, 2, 3, 4, 5, 6, 7, 8):
		return nil
	case c.Logical == schema.Timestamp || c.Logical == schema.Duration:
		return timeSetter(s, c, f)
	}
	return numberSetter(s, c)
}

func floatSetter(h schema.FloatColumn, explicit bool) setter {
	return func(r *schema.Record, b []byte, _ template.Clock) bool {
		v, _ := ipfix.Number(b)
		f := math.Float64frombits(v)
		switch len(b) {
		case 0:
			return true
		case 4:
			f = float64(math.Float32frombits(uint32(v)))
		case 8:
		default:
			return false
		}
		if v != 0 || explicit {
			r.Float(h, f)
		}
		return true
	}
}

// numberSetter is for integers, bools, enums and hardware addresses. A zero counts as absent, except with explicit
// presence.
func numberSetter(s *schema.Schema, c *schema.Column) setter {
	var set func(r *schema.Record, v uint64, n int)
	switch {
	case c.Logical == schema.MAC:
		h, err := schema.Lookup[schema.MACColumn](s.Message, c.Name)
		if err != nil {
			return nil
		}
		set = func(r *schema.Record, v uint64, _ int) { r.MAC(h, v) }
	case c.Enum != nil:
		h, err := schema.Lookup[schema.EnumColumn](s.Message, c.Name)
		if err != nil {
			return nil
		}
		mask := c.Misfit == schema.Mask
		set = func(r *schema.Record, v uint64, _ int) {
			if v <= math.MaxInt32 || mask {
				r.Enum(h, int32(v&math.MaxInt32))
			}
		}
	case c.Kind == wire.Bool:
		h, err := schema.Lookup[schema.BoolColumn](s.Message, c.Name)
		if err != nil {
			return nil
		}
		set = func(r *schema.Record, v uint64, _ int) {
			if v == 1 || keepsZero(c) {
				r.Bool(h, v == 1)
			}
		}
	default:
		if h, err := schema.Lookup[schema.UintColumn](s.Message, c.Name); err == nil {
			set = func(r *schema.Record, v uint64, _ int) { r.Uint(h, v) }
			break
		}
		h, err := schema.Lookup[schema.IntColumn](s.Message, c.Name)
		if err != nil {
			return nil
		}
		set = func(r *schema.Record, v uint64, n int) { r.Int(h, int64(v<<(64-8*n))>>(64-8*n)) }
	}
	return func(r *schema.Record, b []byte, _ template.Clock) bool {
		v, ok := ipfix.Number(b)
		if ok && (v != 0 || keepsZero(c)) {
			set(r, v, len(b))
		}
		return ok || len(b) == 0
	}
}

// timeSetter is for timestamps and durations.
func timeSetter(s *schema.Schema, c *schema.Column, f template.Field) setter {
	encoding := encodingOf(c, f)
	n := int(f.Length)
	switch encoding {
	case template.UnixSeconds:
		if n != 4 && n != 8 && n != template.VariableLength {
			return nil
		}
	case template.NTPMicros, template.NTPNanos:
		if n != 8 && n != template.VariableLength {
			return nil
		}
	}
	if c.Logical == schema.Duration {
		h, err := schema.Lookup[schema.DurationColumn](s.Message, c.Name)
		if err != nil {
			return nil
		}
		return durationSetter(h, encoding, keepsZero(c))
	}
	h, err := schema.Lookup[schema.TimeColumn](s.Message, c.Name)
	if err != nil {
		return nil
	}
	relative := encoding == template.UptimeMillis || encoding == template.BeforeMicros
	return func(r *schema.Record, b []byte, clock template.Clock) bool {
		v, ok := ipfix.Number(b)
		if !ok {
			return len(b) == 0
		}
		t, ok := time.Unix(0, 0), true
		if v != 0 || relative {
			t, ok = moment(encoding, v, clock)
		} else if !keepsZero(c) {
			return true
		}
		if ok {
			r.Time(h, t)
		}
		return ok
	}
}

// moment is the time that a field contains.
func moment(encoding template.TimeEncoding, v uint64, clock template.Clock) (time.Time, bool) {
	switch encoding {
	case template.UptimeMillis:
		const turn = 1 << 32 * time.Millisecond
		t := clock.Boot.Add(time.Duration(v) * time.Millisecond)
		return t.Add(clock.Export.Sub(t).Round(turn)), !clock.Boot.IsZero() && v <= math.MaxUint32
	case template.BeforeMicros:
		return clock.Export.Add(-time.Duration(v) * time.Microsecond), !clock.Export.IsZero() && v <= math.MaxUint32
	case template.NTPMicros, template.NTPNanos:
		fraction := (v & math.MaxUint32) * 1e9 >> 32
		if encoding == template.NTPMicros {
			fraction -= fraction % 1000
		}
		seconds := int64(v >> 32)
		if seconds < 1<<31 { // the era that begins in 2036
			seconds += 1 << 32
		}
		return time.Unix(seconds-2208988800, int64(fraction)), true
	}
	if v > math.MaxInt64 {
		return time.Time{}, false
	}
	switch n := int64(v); encoding {
	case template.UnixMillis:
		return time.UnixMilli(n), true
	case template.UnixMicros:
		return time.UnixMicro(n), true
	case template.UnixNanos:
		return time.Unix(n/1e9, n%1e9), true
	default:
		return time.Unix(n, 0), true
	}
}

func durationSetter(h schema.DurationColumn, encoding template.TimeEncoding, explicit bool) setter {
	unit := map[template.TimeEncoding]time.Duration{
		template.UnixSeconds: time.Second, template.UnixMillis: time.Millisecond, template.UnixMicros: time.Microsecond,
	}[encoding]
	unit = max(unit, 1)
	return func(r *schema.Record, b []byte, _ template.Clock) bool {
		v, ok := ipfix.Number(b)
		if !ok || v > math.MaxInt64/uint64(unit) {
			return len(b) == 0
		}
		if v != 0 || explicit {
			r.Duration(h, time.Duration(v)*unit)
		}
		return true
	}
}

// encodingOf returns how a field encodes a time: as its element defines, else in the unit of the column.
func encodingOf(c *schema.Column, f template.Field) template.TimeEncoding {
	if f.Enterprise == 0 {
		switch f.Element {
		case 21, 22:
			return template.UptimeMillis
		case 150, 151, 322:
			return template.UnixSeconds
		case 152, 153, 160, 161, 258, 323:
			return template.UnixMillis
		case 154, 155, 324:
			return template.NTPMicros
		case 156, 157, 325:
			return template.NTPNanos
		case 158, 159:
			return template.BeforeMicros
		case 162:
			return template.UnixMicros
		}
	}
	switch c.Unit {
	case schema.Millis:
		return template.UnixMillis
	case schema.Micros:
		return template.UnixMicros
	case schema.Nanos:
		return template.UnixNanos
	}
	return template.UnixSeconds
}

// keepsZero reports whether a zero is a value.
func keepsZero(c *schema.Column) bool {
	return c.Presence != schema.Implicit || c.Oneof != "" || c.Kind == wire.Message
}
