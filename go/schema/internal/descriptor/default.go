package descriptor

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/wire"
)

// FormatFloat writes the fewest digits of C's %g from which the number can be read back, starting with those that
// every decimal keeps.
func FormatFloat(v float64, bits int) string {
	switch {
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	case v != v:
		return "nan"
	}
	digits, more := 15, 17
	if bits == 32 {
		digits, more = 6, 9
		if v != 0 && math.Abs(v) < 0x1p-126 { // protoc writes all digits of the smallest floats
			digits = more
		}
	}
	s := strconv.FormatFloat(v, 'g', digits, bits)
	if parsed, err := strconv.ParseFloat(s, bits); err != nil || parsed != v {
		s = strconv.FormatFloat(v, 'g', more, bits)
	}
	return s
}

// ParseFloat accepts less than strconv: decimal numbers, and infinities and NaN as descriptors spell them.
func ParseFloat(s string, k wire.Kind) (float64, bool) {
	switch s {
	case "inf", "-inf", "nan", "-nan":
		v, err := strconv.ParseFloat(strings.TrimPrefix(s, "-"), 64)
		if s == "-inf" {
			v = -v
		}
		return v, err == nil
	}
	if strings.Trim(s, "0123456789.eE+-") != "" || strings.HasPrefix(s, "+") {
		return 0, false
	}
	bits := 64
	if k == wire.Float {
		bits = 32
	}
	v, err := strconv.ParseFloat(s, bits)
	// A number that is too large is infinite.
	return v, err == nil || errors.Is(err, strconv.ErrRange) && math.IsInf(v, 0)
}

// escapes are pairs: the character after a backslash, and its meaning.
const escapes = "n\nr\rt\ta\ab\bf\fv\v\"\"''\\\\??"

// unescaped returns the meaning of a character after a backslash.
func unescaped(c byte) (byte, bool) {
	for i := 0; i < len(escapes); i += 2 {
		if escapes[i] == c {
			return escapes[i+1], true
		}
	}
	return 0, false
}

// Escape writes bytes as protoc does in descriptors: all but printable ASCII in octal.
func Escape(text []byte) string {
	var b []byte
	for _, c := range text {
		switch {
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '"' || c == '\'' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ' || c > '~':
			b = fmt.Appendf(b, `\%03o`, c)
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

// Unescape reads bytes as they are in descriptors: with the escapes of C.
func Unescape(s string) (b []byte, ok bool) {
	for len(s) > 0 {
		if s[0] != '\\' {
			b, s = append(b, s[0]), s[1:]
			continue
		}
		if s = s[1:]; s == "" {
			return nil, false
		}
		if c, simple := unescaped(s[0]); simple {
			b, s = append(b, c), s[1:]
			continue
		}
		base, digits, most := 8, "01234567", 3
		if s[0] == 'x' || s[0] == 'X' {
			base, digits, most, s = 16, "0123456789abcdefABCDEF", 2, s[1:]
		}
		n := 0
		for n < len(s) && n < most && strings.IndexByte(digits, s[n]) >= 0 {
			n++
		}
		v, err := strconv.ParseUint(s[:n], base, 8)
		if err != nil {
			return nil, false
		}
		b, s = append(b, byte(v)), s[n:]
	}
	return b, true
}
