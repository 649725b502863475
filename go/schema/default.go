package schema

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/wire"
)

// parseDefault reads Column.Default: the word that stands for it, or its text.
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
		return floatBits(c.Kind, v), nil, ok
	}
	if strings.HasPrefix(s, "+") {
		return 0, nil, false
	}
	if kindShapes[c.Kind] == shapeUint {
		v, err := strconv.ParseUint(s, 10, bits)
		return v, nil, err == nil
	}
	v, err := strconv.ParseInt(s, 10, bits)
	return uint64(v), nil, err == nil
}

// parseFloat is narrower than strconv: decimal numbers, and infinities and NaN as descriptors spell them.
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

// escapes are the characters that stand for others behind a backslash.
var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v',
	'"': '"', '\'': '\'', '\\': '\\', '?': '?'}

// unescape reads bytes as descriptors have them: with the escapes of C.
func unescape(s string) (b []byte, ok bool) {
	for len(s) > 0 {
		if s[0] != '\\' {
			b, s = append(b, s[0]), s[1:]
			continue
		}
		if s = s[1:]; s == "" {
			return nil, false
		}
		if c, simple := escapes[s[0]]; simple {
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
