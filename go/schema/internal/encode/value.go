package encode

import (
	"math"
	"time"
	"unsafe"

	"github.com/hotpb/hotpb/go/wire"
)

// Signed is the number that stands on the wire for v.
func Signed(k wire.Kind, v int64) uint64 {
	switch k {
	case wire.Sint32, wire.Sint64:
		return wire.EncodeZigzag(v)
	}
	return uint64(v)
}

// FloatBits are the bits that stand for a number of the kind float or double.
func FloatBits(k wire.Kind, v float64) uint64 {
	if k == wire.Float {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

// The units of times and spans are those of schema.Unit, which is named there.
const (
	seconds = iota
	millis
	micros
	nanos
)

// TimeOf is the time that a number stands for, in UTC; of another unit than these, seconds and nanoseconds.
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

// UnitsOf is the number that stands for a time, and whether there is one: for nanoseconds, from 1678 to 2262.
func UnitsOf(unit uint8, t time.Time) (v int64, ok bool) {
	switch unit {
	case seconds:
		return t.Unix(), true
	case millis:
		return t.UnixMilli(), true
	case micros:
		return t.UnixMicro(), true
	}
	v = t.UnixNano()
	return v, time.Unix(0, v).Equal(t)
}

// TooFar is why UnitsOf has no number for a time.
const TooFar = "is too far from 1970 for its unit"

// UnitLengths is how long one of a unit is.
var UnitLengths = [...]time.Duration{seconds: time.Second, millis: time.Millisecond, micros: time.Microsecond, nanos: 1}

// Borrowed is b as a string, for a callee that copies it.
func Borrowed(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
