package schema

import (
	"math"
	"time"

	"github.com/hotpb/hotpb/go/wire"
)

// floatOf returns the number that the bits of the kind float or double represent.
func floatOf(k wire.Kind, bits uint64) float64 {
	if k == wire.Float {
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// durationOf returns the duration that a column's number represents.
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
