package plan

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
)

// defaultText turns a descriptor's default_value into the text of PLN-27.
func defaultText(f *Field, text string) (canonical, problem string) {
	bad := fmt.Sprintf("its default %q is not a value of type %s", text, f.Type)
	switch f.Type {
	case TypeInt32, TypeSint32, TypeSfixed32:
		return integer(text, 32, true, bad)
	case TypeInt64, TypeSint64, TypeSfixed64:
		return integer(text, 64, true, bad)
	case TypeUint32, TypeFixed32:
		return integer(text, 32, false, bad)
	case TypeUint64, TypeFixed64:
		return integer(text, 64, false, bad)
	case TypeFloat:
		value, ok := float(text, 32)
		if !ok {
			return "", bad
		}
		if math.IsNaN(value) {
			return "7fc00000", ""
		}
		return fmt.Sprintf("%08x", math.Float32bits(float32(value))), ""
	case TypeDouble:
		value, ok := float(text, 64)
		if !ok {
			return "", bad
		}
		if math.IsNaN(value) {
			return "7ff8000000000000", ""
		}
		return fmt.Sprintf("%016x", math.Float64bits(value)), ""
	case TypeBool:
		if text != "true" && text != "false" {
			return "", bad
		}
		return text, ""
	case TypeString:
		return text, ""
	case TypeBytes:
		value, ok := unescape(text)
		if !ok {
			return "", bad
		}
		return hex.EncodeToString(value), ""
	case TypeEnum:
		for _, value := range f.Enum.Values {
			if value.Name == text {
				return text, ""
			}
		}
		return "", fmt.Sprintf("its default %q is not a value of the enum %s", text, f.Enum.Name)
	}
	return "", bad
}

func integer(text string, bits int, signed bool, bad string) (canonical, problem string) {
	if text == "" || text[0] == '+' {
		return "", bad
	}
	if signed {
		value, err := strconv.ParseInt(text, 10, bits)
		if err != nil {
			return "", bad
		}
		return strconv.FormatInt(value, 10), ""
	}
	value, err := strconv.ParseUint(text, 10, bits)
	if err != nil {
		return "", bad
	}
	return strconv.FormatUint(value, 10), ""
}

// decimal accepts less than strconv: no hexadecimal, no underscores, no long names.
var decimal = regexp.MustCompile(`^-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

func float(text string, bits int) (value float64, ok bool) {
	switch text {
	case "nan", "-nan":
		return math.NaN(), true
	case "inf":
		return math.Inf(1), true
	case "-inf":
		return math.Inf(-1), true
	}
	if !decimal.MatchString(text) {
		return 0, false
	}
	value, err := strconv.ParseFloat(text, bits)
	// A number too large for the type is infinite, as in protoc.
	return value, err == nil || errors.Is(err, strconv.ErrRange)
}

// unescape undoes protoc's C escapes of a bytes default.
func unescape(text string) (value []byte, ok bool) {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			value = append(value, text[i])
			continue
		}
		if i++; i == len(text) {
			return nil, false
		}
		switch c := text[i]; {
		case simpleEscapes[c] != 0:
			value = append(value, simpleEscapes[c])
		case '0' <= c && c <= '7':
			n := 0
			end := min(i+3, len(text))
			for ; i < end && '0' <= text[i] && text[i] <= '7'; i++ {
				n = n*8 + int(text[i]-'0')
			}
			i--
			if n > 255 {
				return nil, false
			}
			value = append(value, byte(n))
		case c == 'x' || c == 'X':
			end := i + 1
			for end < len(text) && end < i+3 && isHex(text[end]) {
				end++
			}
			n, err := strconv.ParseUint(text[i+1:end], 16, 8)
			if err != nil {
				return nil, false
			}
			value = append(value, byte(n))
			i = end - 1
		default:
			return nil, false
		}
	}
	return value, true
}

var simpleEscapes = [256]byte{
	'n': '\n', 'r': '\r', 't': '\t', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v',
	'"': '"', '\'': '\'', '\\': '\\', '?': '?',
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}
