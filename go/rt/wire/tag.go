package wire

import "strconv"

// Type is a wire type.
type Type uint8

// The wire types.
const (
	VarintType  Type = 0
	Fixed64Type Type = 1
	BytesType   Type = 2
	StartGroup  Type = 3
	EndGroup    Type = 4
	Fixed32Type Type = 5
)

var typeNames = [...]string{"varint", "fixed64", "length-delimited", "start-group", "end-group", "fixed32"}

// String returns the name of the wire type, such as "varint" or "length-delimited", and for a type that does not exist
// its number.
func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return strconv.Itoa(int(t))
}

// MaxNumber is the largest field number.
const MaxNumber = 1<<29 - 1

// Tag is a decoded field number and wire type, in the form they have on the wire: number<<3 | type.
type Tag uint32

// MakeTag returns the tag of a field number and a wire type.
func MakeTag(number uint32, t Type) Tag { return Tag(number<<3 | uint32(t)) }

// Number returns the tag's field number.
func (t Tag) Number() uint32 { return uint32(t >> 3) }

// Type returns the tag's wire type.
func (t Tag) Type() Type { return Type(t & 7) }

// ReadTag reads the tag at position i. It accepts at most five bytes, values below 2^32, and field numbers and wire
// types that exist. The caller checks whether an end tag fits.
func ReadTag(b []byte, i int) (tag Tag, next int) {
	if uint(i) < uint(len(b)) {
		c := b[i]
		if c-8 < 0x78 { // one byte, number 1 to 15
			if c&7 < 6 {
				return Tag(c), i + 1
			}
		} else if rest := b[i+1:]; len(rest) > 0 && rest[0]-1 < 0x7f && c >= 0x80 && c&7 < 6 { // two bytes, up to 2047
			return Tag(rest[0])<<7 | Tag(c&0x7f), i + 2
		}
	}
	return readLongTag(b, i)
}

func readLongTag(b []byte, i int) (Tag, int) {
	if uint(i) > uint(len(b)) {
		return 0, fail(Truncated)
	}
	var v uint64
	for n := 0; ; n++ {
		if i+n == len(b) {
			return 0, fail(Truncated)
		}
		c := b[i+n]
		v |= uint64(c&0x7f) << (7 * uint(n))
		if n == 4 && c > 0x0f {
			return 0, fail(InvalidTag)
		}
		if c < 0x80 {
			i += n + 1
			break
		}
	}
	switch tag := Tag(v); {
	case tag.Number() == 0:
		return 0, fail(InvalidTag)
	case tag.Type() > Fixed32Type:
		return 0, fail(InvalidWireType)
	default:
		return tag, i
	}
}

// AppendTag appends a tag in its shortest form.
func AppendTag(dst []byte, number uint32, t Type) []byte {
	return AppendVarint(dst, uint64(MakeTag(number, t)))
}
