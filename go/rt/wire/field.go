package wire

import "encoding/binary"

// MaxSize is the largest size of a message: 2 GiB − 1.
const MaxSize = 1<<31 - 1

// ReadBytes reads the length at position i and returns the range of the payload after it. On failure end is negative:
// SizeExceeded for a length above MaxSize, Truncated for one that goes past the end.
func ReadBytes(b []byte, i int) (start, end int) {
	if uint(i) < uint(len(b)) && b[i] < 0x80 {
		start = i + 1
		if end = start + int(b[i]); end <= len(b) {
			return start, end
		}
	} else if i >= 0 && len(b)-i >= 4 { // two to four bytes, a branch for each
		word := binary.LittleEndian.Uint32(b[i:])
		length := int(word&0x7f | word>>1&0x3f80)
		if start = i + 2; word&0x8000 == 0 {
		} else if start++; word&0x800000 == 0 {
			length |= int(word >> 2 & 0x1fc000)
		} else if start++; word&0x80000000 == 0 {
			length |= int(word>>2&0x1fc000 | word>>3&0xfe00000)
		} else {
			return readLongBytes(b, i)
		}
		if length <= len(b)-start {
			return start, start + length
		}
	}
	return readLongBytes(b, i)
}

func readLongBytes(b []byte, i int) (start, end int) {
	length, start := ReadVarint(b, i)
	switch {
	case start < 0:
		return start, start
	case length > MaxSize:
		return start, fail(SizeExceeded)
	case length > uint64(len(b)-start):
		return start, fail(Truncated)
	}
	return start, start + int(length)
}

// ReadFixed32 reads four bytes.
func ReadFixed32(b []byte, i int) (v uint32, next int) {
	if uint(i) > uint(len(b)) || len(b)-i < 4 {
		return 0, fail(Truncated)
	}
	return binary.LittleEndian.Uint32(b[i:]), i + 4
}

// ReadFixed64 reads eight bytes.
func ReadFixed64(b []byte, i int) (v uint64, next int) {
	if uint(i) > uint(len(b)) || len(b)-i < 8 {
		return 0, fail(Truncated)
	}
	return binary.LittleEndian.Uint64(b[i:]), i + 8
}

// Skip skips the value of tag; i is the position after the tag. It checks the wire form of groups, which may open up
// to levels levels, this group included. An end tag is GroupMismatch.
func Skip(b []byte, i int, tag Tag, levels int) (next int) {
	switch tag.Type() {
	case VarintType:
		return SkipVarint(b, i)
	case BytesType:
		_, next = ReadBytes(b, i)
		return next
	case Fixed64Type:
		next = i + 8
	case Fixed32Type:
		next = i + 4
	case StartGroup:
		_, next = SkipGroup(b, i, tag.Number(), levels)
		return next
	default:
		return fail(GroupMismatch)
	}
	if i < 0 || next > len(b) {
		return fail(Truncated)
	}
	return next
}

// SkipGroup skips the rest of a group whose start tag ends at position i. end is where its end tag starts, next the
// position after that tag.
func SkipGroup(b []byte, i int, number uint32, levels int) (end, next int) {
	if levels <= 0 {
		return 0, fail(DepthExceeded)
	}
	for {
		tag, after := ReadTag(b, i)
		if after < 0 {
			return 0, after
		}
		if tag.Type() == EndGroup {
			if tag.Number() != number {
				return 0, fail(GroupMismatch)
			}
			return i, after
		}
		if i = Skip(b, after, tag, levels-1); i < 0 {
			return 0, i
		}
	}
}
