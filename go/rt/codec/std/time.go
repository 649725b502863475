package std

import (
	"errors"
	"time"

	"github.com/hotpb/hotpb/go/rt/codec"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// Timestamps and durations as time.Time and time.Duration, for the options stdtime and stdduration. The limits are those
// of gogo's package types, which this package does not link.

const (
	minSeconds, maxSeconds = -62135596800, 253402300800 // 0001-01-01 and 10000-01-01
	maxDuration            = 10000 * 365.25 * 24 * 3600 // seconds
	second                 = int64(time.Second)
)

var (
	errTime     = errors.New("hotpb: a timestamp outside of the years 1 to 9999")
	errDuration = errors.New("hotpb: a duration that time.Duration cannot hold")
)

// EncodeStdTime writes a time as a Timestamp.
func EncodeStdTime(e *codec.Encoder, i int, t *time.Time) int {
	if t == nil {
		Nil(e)
		return i
	}
	seconds := t.Unix()
	if !validTime(seconds) {
		e.Fail(errTime)
	}
	return putPair(e, i, seconds, int64(t.Nanosecond()))
}

func validTime(seconds int64) bool { return minSeconds <= seconds && seconds < maxSeconds }

// SizeStdTime returns the size of a time as a Timestamp.
func SizeStdTime(t *time.Time) int {
	if t == nil || !validTime(t.Unix()) {
		return 0
	}
	return sizePair(t.Unix(), int64(t.Nanosecond()))
}

// DecodeStdTime decodes b[i:] as a Timestamp. Result and b are those of codec.Nested.
func DecodeStdTime(d *codec.Decoder, t *time.Time, b []byte, i int) int {
	seconds, nanos, result := pair(d, b, i)
	if result != 0 {
		return result
	}
	if !validTime(seconds) || nanos < 0 || int64(nanos) >= second {
		return d.Refuse(errTime)
	}
	*t = time.Unix(seconds, int64(nanos)).UTC()
	return 0
}

// EncodeStdDuration writes a duration as a Duration.
func EncodeStdDuration(e *codec.Encoder, i int, v *time.Duration) int {
	if v == nil {
		Nil(e)
		return i
	}
	return putPair(e, i, int64(*v)/second, int64(*v)%second)
}

// SizeStdDuration returns the size of a duration as a Duration.
func SizeStdDuration(v *time.Duration) int {
	if v == nil {
		return 0
	}
	return sizePair(int64(*v)/second, int64(*v)%second)
}

// DecodeStdDuration decodes b[i:] as a Duration. Result and b are those of codec.Nested.
func DecodeStdDuration(d *codec.Decoder, v *time.Duration, b []byte, i int) int {
	seconds, nanos, result := pair(d, b, i)
	if result != 0 {
		return result
	}
	whole := time.Duration(seconds) * time.Second
	sum := whole + time.Duration(nanos)
	if seconds < -maxDuration || seconds > maxDuration || int64(nanos) <= -second || int64(nanos) >= second ||
		seconds < 0 && nanos > 0 || seconds > 0 && nanos < 0 || // other signs
		int64(whole)/second != seconds || (sum < whole) != (nanos < 0) { // overflow
		return d.Refuse(errDuration)
	}
	*v = sum
	return 0
}

// putPair writes an int64 in field 1 and an int32 in field 2.
func putPair(e *codec.Encoder, i int, seconds, nanos int64) int {
	if i < 24 {
		i = e.Grow(i, 24)
	}
	if nanos != 0 {
		i = codec.PutVarint(e.B, i, uint64(nanos))
		i--
		e.B[i] = 0x10
	}
	if seconds != 0 {
		i = codec.PutVarint(e.B, i, uint64(seconds))
		i--
		e.B[i] = 0x08
	}
	return i
}

func sizePair(seconds, nanos int64) (size int) {
	if seconds != 0 {
		size += 1 + wire.SizeVarint(uint64(seconds))
	}
	if nanos != 0 {
		size += 1 + wire.SizeVarint(uint64(nanos))
	}
	return size
}

// pair reads an int64 in field 1 and an int32 in field 2. result is the value that the decoder must return, if not 0.
func pair(d *codec.Decoder, b []byte, i int) (seconds int64, nanos int32, result int) {
	for i < len(b) {
		start := i
		tag, next := codec.ReadTag(b, i)
		if i = next; i >= 0 {
			switch tag {
			case 0x08:
				var v uint64
				v, i = codec.ReadVarint(b, i)
				seconds = int64(v)
			case 0x10:
				var v uint64
				v, i = codec.ReadVarint(b, i)
				nanos = int32(v)
			default:
				i = d.Drop(b, start, i, tag)
			}
		}
		if i < 0 {
			return 0, 0, d.Fail(b, start, i, " 8 seconds 16 nanos ")
		}
	}
	return seconds, nanos, 0
}
