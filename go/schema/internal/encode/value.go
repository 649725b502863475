package encode

import (
	"math"
	"time"
	"unsafe"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Signed is the number that represents v on the wire.
func Signed(k wire.Kind, v int64) uint64 {
	switch k {
	case wire.Sint32, wire.Sint64:
		return wire.EncodeZigzag(v)
	}
	return uint64(v)
}

// FloatBits returns the bits of a number of the kind float or double.
func FloatBits(k wire.Kind, v float64) uint64 {
	if k == wire.Float {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

// FloatOf returns the number that the bits of the kind float or double represent.
func FloatOf(k wire.Kind, bits uint64) float64 {
	if k == wire.Float {
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// The units of times and durations. They equal those of schema.Unit, which documents them.
const (
	seconds = iota
	millis
	micros
	nanos
)

// TimeOf returns the time that a number represents, in UTC. For other units than these, the number is seconds and
// nanoseconds.
func TimeOf(unit uint8, v int64, nanoseconds int32) time.Time {
	switch unit {
	case millis:
		return time.UnixMilli(v).UTC()
	case micros:
		return time.UnixMicro(v).UTC()
	case nanos:
		return time.Unix(0, v).UTC()
	}
	return time.Unix(v, int64(nanoseconds)).UTC()
}

// DurationOf returns the duration that a number represents. For other units than these, the number is seconds and
// nanoseconds.
func DurationOf(unit uint8, v int64, nanoseconds int32) time.Duration {
	if unit > nanos {
		unit = seconds
	}
	return time.Duration(v)*UnitLengths[unit] + time.Duration(nanoseconds)
}

// UnitsOf returns the number that represents a time, and whether there is one: for nanoseconds, from 1678 to 2262.
func UnitsOf(unit uint8, t time.Time) (v int64, ok bool) {
	switch unit {
	case seconds:
		return t.Unix(), true
	case millis:
		v = t.UnixMilli()
		return v, time.UnixMilli(v).Unix() == t.Unix()
	case micros:
		v = t.UnixMicro()
		return v, time.UnixMicro(v).Unix() == t.Unix()
	}
	v = t.UnixNano()
	return v, time.Unix(0, v).Equal(t)
}

// TooFar is the reason when UnitsOf has no number for a time.
const TooFar = "is too far from 1970 for its unit"

// UnitLengths are the lengths of the units.
var UnitLengths = [...]time.Duration{seconds: time.Second, millis: time.Millisecond, micros: time.Microsecond, nanos: 1}

// Borrowed returns b as a string, for a callee that copies it.
func Borrowed(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
