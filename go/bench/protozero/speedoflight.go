package protozero

import "encoding/binary"

// newSpeedOfLight appends by hand, and knows that every length is one byte or two.
func newSpeedOfLight() rival {
	out := make([]byte, 0, 512)
	return rival{func(depth int) ([]byte, error) {
		out = light(out[:0], depth)
		return out, nil
	}, "written by hand for this message, without checks"}
}

func light(b []byte, depth int) []byte {
	b = binary.AppendUvarint(append(b, 0x08), uint64(int64(int32(inputs.numbers[0]))))
	b = binary.AppendUvarint(append(b, 0x18), uint64(uint32(inputs.numbers[1])))
	b = binary.AppendUvarint(append(b, 0x10), inputs.numbers[2])
	b = binary.AppendUvarint(append(b, 0x20), inputs.numbers[3])
	b = append(append(b, 0xa2, 0x1f, byte(len(inputs.text))), inputs.text...)
	if depth > 1 {
		b = append(b, 0x72, 0)
		start := len(b)
		b = light(b, depth-1)
		n := len(b) - start
		if n >= 0x80 {
			b = append(b, 0)
			copy(b[start+1:], b[start:len(b)-1])
			b[start] = byte(n >> 7)
			n |= 0x80
		}
		b[start-1] = byte(n)
	}
	return b
}
