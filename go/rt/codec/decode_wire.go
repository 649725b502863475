package codec

import (
	"encoding/binary"
	"math/bits"

	"github.com/hotpb/hotpb/go/rt/wire"
)

const msbs = 0x8080808080808080

// The readers in this file follow the rules of google.golang.org/protobuf, which differ from spec/wire.md in some
// points: they reject a tenth varint byte above 1, accept over-long tags, and inside unknown groups accept field
// numbers up to 2^31 − 1. Generated code tests for the one-byte forms itself.

func fail(c wire.Code) int { return -int(c) }

// ReadTag reads the tag at position i of a message.
func ReadTag(b []byte, i int) (tag wire.Tag, next int) {
	if uint(i) < uint(len(b)) {
		if rest := b[i+1:]; len(rest) > 0 && b[i] >= 0x80 && rest[0]-1 < 0x7f && b[i]&7 < 6 {
			return wire.Tag(rest[0])<<7 | wire.Tag(b[i]&0x7f), i + 2
		}
	}
	x, next := ReadVarint(b, i)
	switch {
	case next < 0:
		return 0, next
	case x>>3 == 0 || x>>3 > wire.MaxNumber:
		return 0, fail(wire.InvalidTag)
	case x&7 > 5:
		return 0, fail(wire.InvalidWireType)
	}
	return wire.Tag(x), next
}

// ReadVarint reads the varint at position i. Up to eight bytes it has no branch on the length, as in wire.ReadVarint.
func ReadVarint(b []byte, i int) (v uint64, next int) {
	if uint(i) < uint(len(b)) && len(b)-i >= 8 {
		word := binary.LittleEndian.Uint64(b[i:])
		if stop := ^word & msbs; stop != 0 {
			x := word & (stop ^ (stop - 1)) &^ msbs // up to the first byte without a continuation bit
			x = x&0x007f007f007f007f | x&0x7f007f007f007f00>>1
			x = x&0x00003fff00003fff | x&0x3fff00003fff0000>>2
			return x&0x000000000fffffff | x&0x0fffffff00000000>>4, i + bits.TrailingZeros64(stop)>>3 + 1
		}
	}
	return readLongVarint(b, i)
}

func readLongVarint(b []byte, i int) (v uint64, next int) {
	if uint(i) < uint(len(b)) && len(b)-i < 8 { // at the end of b
		for n, c := range b[i:] {
			v |= uint64(c&0x7f) << (7 * n & 63)
			if c < 0x80 {
				return v, i + n + 1
			}
		}
	}
	if uint(i) < uint(len(b)) && len(b)-i >= wire.MaxVarint { // nine or ten bytes
		last := b[i+8 : i+10]
		word := binary.LittleEndian.Uint64(b[i:])
		if x := word & msbs; x == msbs && (last[0] < 0x80 || last[1] <= 1) {
			x = word &^ msbs
			x = x&0x007f007f007f007f | x&0x7f007f007f007f00>>1
			x = x&0x00003fff00003fff | x&0x3fff00003fff0000>>2
			x = x&0x000000000fffffff | x&0x0fffffff00000000>>4 | uint64(last[0]&0x7f)<<56
			if last[0] < 0x80 {
				return x, i + 9
			}
			return x | uint64(last[1])<<63, i + 10
		}
	}
	v, next = wire.ReadVarint(b, i)
	if next-i == wire.MaxVarint && b[next-1] > 1 {
		return 0, fail(wire.VarintOverflow)
	}
	return v, next
}

// ReadBytes reads the length at position i and returns the range of the payload after it.
func ReadBytes(b []byte, i int) (start, end int) {
	if uint(i) < uint(len(b)) { // two bytes, as in most payloads that are long
		if rest := b[i+1:]; len(rest) > 0 && b[i] >= 0x80 && rest[0] < 0x80 {
			start = i + 2
			if end = start + int(rest[0])<<7 + int(b[i]&0x7f); end <= len(b) {
				return start, end
			}
		}
	}
	length, start := ReadVarint(b, i)
	switch {
	case start < 0:
		return start, start
	case length > uint64(len(b)-start):
		return start, fail(wire.Truncated)
	}
	return start, start + int(length)
}

// Skip skips the value of tag; i is the position after the tag.
func Skip(b []byte, i int, tag wire.Tag) (next int) {
	return skip(b, i, uint64(tag), DefaultRecursionLimit)
}

// skip is Skip for tags of any number, and for groups that nest up to levels deep.
func skip(b []byte, i int, tag uint64, levels int) (next int) {
	switch wire.Type(tag & 7) {
	case wire.VarintType:
		_, next = ReadVarint(b, i)
		return next
	case wire.BytesType:
		_, next = ReadBytes(b, i)
		return next
	case wire.Fixed64Type:
		next = i + 8
	case wire.Fixed32Type:
		next = i + 4
	case wire.StartGroup:
		_, next = skipGroup(b, i, tag>>3, levels)
		return next
	case wire.EndGroup:
		return fail(wire.GroupMismatch)
	default:
		return fail(wire.InvalidWireType)
	}
	if next > len(b) {
		return fail(wire.Truncated)
	}
	return next
}

// skipGroup skips the rest of a group. end is where its end tag starts.
func skipGroup(b []byte, i int, number uint64, levels int) (end, next int) {
	if levels < 0 {
		return 0, fail(wire.DepthExceeded)
	}
	for {
		tag, after := ReadVarint(b, i)
		switch {
		case after < 0:
			return 0, after
		case tag>>3 == 0 || tag>>3 > 1<<31-1:
			return 0, fail(wire.InvalidTag)
		case wire.Type(tag&7) == wire.EndGroup:
			if tag>>3 != number {
				return 0, fail(wire.GroupMismatch)
			}
			return i, after
		}
		if i = skip(b, after, tag, levels-1); i < 0 {
			return 0, i
		}
	}
}

// CountVarints checks that b holds only varints, and counts them. On failure bad is the start of the malformed
// varint, and count is the negative code.
func CountVarints(b []byte) (count, bad int) {
	open := 0 // the number of bytes before i of a varint that continues at i
	i := 0
	for ; len(b)-i >= 8; i += 8 {
		stops := ^binary.LittleEndian.Uint64(b[i:]) & msbs
		// Without a stop bit, 8 zero bytes lead and 8 trail.
		if open+bits.TrailingZeros64(stops)>>3 >= wire.MaxVarint-1 { // ten bytes or more
			if _, next := ReadVarint(b, i-open); next < 0 {
				return next, i - open
			}
		}
		count += bits.OnesCount64(stops)
		if trailing := bits.LeadingZeros64(stops) >> 3; trailing < 8 {
			open = trailing
		} else {
			open += 8
		}
	}
	for i -= open; i < len(b); count++ {
		_, next := ReadVarint(b, i)
		if next < 0 {
			return next, i
		}
		i = next
	}
	return count, 0
}
