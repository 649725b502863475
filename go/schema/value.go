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
