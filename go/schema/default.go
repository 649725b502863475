package schema

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/wire"
)

// parseDefault reads Column.Default: the word that represents the value, or its text.
func (c *Column) parseDefault() (word uint64, text []byte, ok bool) {
	s := c.Default
	bits := 64
	switch c.Kind {
	case wire.Int32, wire.Sint32, wire.Sfixed32, wire.Uint32, wire.Fixed32:
		bits = 32
	}
	switch c.Kind {
	case wire.String:
		return 0, []byte(s), true
	case wire.Bytes:
		text, ok = unescape(s)
		return 0, text, ok
	case wire.Bool:
		return map[string]uint64{"true": 1}[s], nil, s == "true" || s == "false"
	case wire.Enum:
		for _, v := range c.Enum.Values {
			if v.Name == s {
				return uint64(int64(v.Number)), nil, true
			}
		}
		return 0, nil, false
	case wire.Float, wire.Double:
		v, ok := parseFloat(s, c.Kind)
		return encode.FloatBits(c.Kind, v), nil, ok
	}
	if strings.HasPrefix(s, "+") {
		return 0, nil, false
	}
	if encode.KindShapes[c.Kind] == encode.ShapeUint {
		v, err := strconv.ParseUint(s, 10, bits)
		return v, nil, err == nil
	}
	v, err := strconv.ParseInt(s, 10, bits)
	return uint64(v), nil, err == nil
}

// defaultText returns Column.Default in the spelling of protoc; "" if there is none, or it is not a value of the
// column.
func (c *Column) defaultText() string {
	word, text, ok := uint64(0), []byte(nil), false
	if c.Default != "" && c.Message == nil {
		word, text, ok = c.parseDefault()
	}
	if !ok {
		return ""
	}
	switch c.Kind {
	case wire.String, wire.Bool, wire.Enum:
		return c.Default
	case wire.Bytes:
		return escape(text)
	case wire.Float:
		return formatFloat(float64(math.Float32frombits(uint32(word))), 32)
	case wire.Double:
		return formatFloat(math.Float64frombits(word), 64)
	}
	if encode.KindShapes[c.Kind] == encode.ShapeUint {
		return strconv.FormatUint(word, 10)
	}
	return strconv.FormatInt(int64(word), 10)
}

// formatFloat writes the fewest digits of C's %g from which the number can be read back, starting with those that
// every decimal keeps.
func formatFloat(v float64, bits int) string {
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

// parseFloat accepts less than strconv: decimal numbers, and infinities and NaN as descriptors spell them.
func parseFloat(s string, k wire.Kind) (float64, bool) {
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

// escape writes bytes as protoc does in descriptors: all but printable ASCII in octal.
func escape(text []byte) string {
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

// unescape reads bytes as they are in descriptors: with the escapes of C.
func unescape(s string) (b []byte, ok bool) {
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
