package schema

import (
	"math"
	"time"

	"github.com/hotpb/hotpb/go/wire"
)

// floatOf is the number that bits of the kind float or double stand for.
func floatOf(k wire.Kind, bits uint64) float64 {
	if k == wire.Float {
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// floatBits are the bits that stand for a number of the kind float or double.
func floatBits(k wire.Kind, v float64) uint64 {
	if k == wire.Float {
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

// timeOf is the time that a column's number stands for, in UTC.
func timeOf(c *Column, v int64, nanos int32) time.Time {
	switch c.Unit {
	case Millis:
		return time.UnixMilli(v).UTC()
	case Micros:
		return time.UnixMicro(v).UTC()
	case Nanos:
		return time.Unix(0, v).UTC()
	}
	return time.Unix(v, int64(nanos)).UTC()
}

// durationOf is the span that a column's number stands for.
func durationOf(c *Column, v int64, nanos int32) time.Duration {
	switch c.Unit {
	case Millis:
		return time.Duration(v) * time.Millisecond
	case Micros:
		return time.Duration(v) * time.Microsecond
	case Nanos:
		return time.Duration(v)
	}
	return time.Duration(v)*time.Second + time.Duration(nanos)
}

// unitsOf is the number that stands for a time, and whether there is one: for nanoseconds, from 1678 to 2262.
func unitsOf(c *Column, t time.Time) (v int64, ok bool) {
	switch c.Unit {
	case Seconds:
		return t.Unix(), true
	case Millis:
		return t.UnixMilli(), true
	case Micros:
		return t.UnixMicro(), true
	}
	v = t.UnixNano()
	return v, time.Unix(0, v).Equal(t)
}

// tooFar is why unitsOf has no number for a time.
const tooFar = "is too far from 1970 for its unit"

// unitLengths is how long one of a unit is.
var unitLengths = [...]time.Duration{Seconds: time.Second, Millis: time.Millisecond, Micros: time.Microsecond, Nanos: 1}
