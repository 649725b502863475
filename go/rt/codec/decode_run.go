package codec

import "github.com/hotpb/hotpb/go/rt/wire"

// CountRun counts adjacent length-delimited records: the one whose length is at position i, and those after it that
// have the same tag. It counts a truncated record and ends the run there.
func CountRun(b []byte, i int, tag string) int {
	n, _ := passRun(b, i, tag)
	return n
}

// passShort is passRun for tags of one byte.
func passShort(b []byte, i int, tag byte) (n, end int) {
	for {
		n++
		if uint(i) < uint(len(b)) && b[i] < 0x80 {
			i += 1 + int(b[i])
		} else {
			_, i = ReadBytes(b, i)
		}
		if uint(i) >= uint(len(b)) {
			if i > len(b) {
				i = fail(wire.Truncated)
			}
			return n, i
		}
		if b[i] != tag {
			return n, i
		}
		i++
	}
}

// passRun is CountRun; it also returns the position after the run, or a negative number if the last record is
// truncated.
func passRun(b []byte, i int, tag string) (n, end int) {
	for {
		n++
		if uint(i) < uint(len(b)) && b[i] < 0x80 {
			i += 1 + int(b[i])
		} else {
			_, i = ReadBytes(b, i)
		}
		switch {
		case uint(i) >= uint(len(b)):
			if i > len(b) {
				i = fail(wire.Truncated)
			}
			return n, i
		case b[i] != tag[0]:
			return n, i
		case len(tag) == 1:
			i++
		case len(tag) == 2 && len(b)-i >= 2 && b[i+1] == tag[1]:
			i += 2
		default:
			return n, i
		}
	}
}

// CountVarintRun counts adjacent varint records: the one whose value is at position i, and those after it that have
// the same tag. It counts a truncated record and ends the run there.
func CountVarintRun(b []byte, i int, tag string) (n int) {
	for {
		n++
		for i < len(b) && b[i] >= 0x80 {
			i++
		}
		i++
		if len(b)-i < len(tag) || string(b[i:i+len(tag)]) != tag {
			return n
		}
		i += len(tag)
	}
}
