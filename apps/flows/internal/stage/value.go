package stage

import (
	"errors"
	"net"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

func unsigned(k wire.Kind) bool {
	return k == wire.Uint32 || k == wire.Fixed32 || k == wire.Uint64 || k == wire.Fixed64
}

// width is the number of bits of a kind of integers.
func width(k wire.Kind) int {
	switch k {
	case wire.Uint32, wire.Fixed32, wire.Int32, wire.Sint32, wire.Sfixed32:
		return 32
	}
	return 64
}

// reason is an error of package strconv without the function and the text.
func reason(err error) error {
	if number := (*strconv.NumError)(nil); errors.As(err, &number) {
		return number.Err
	}
	return err
}

func parseText(c *schema.Column) func(string) (string, error) {
	return func(text string) (string, error) {
		if c.CheckUTF8 && !utf8.ValidString(text) {
			return "", errNotUTF8
		}
		return text, nil
	}
}

// parseList reads values between spaces.
func parseList[V any](parse func(string) (V, error)) func(string) ([]V, error) {
	return func(text string) (list []V, err error) {
		for _, part := range strings.Fields(text) {
			v, err := parse(part)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	}
}

func parseBool(text string) (bool, error) { return strconv.ParseBool(text) }

func parseFloat(text string) (float64, error) { return strconv.ParseFloat(text, 64) }

func parseUint(bits int) func(string) (uint64, error) {
	return func(text string) (uint64, error) { return strconv.ParseUint(text, 10, bits) }
}

func parseInt(bits int) func(string) (int64, error) {
	return func(text string) (int64, error) { return strconv.ParseInt(text, 10, bits) }
}

func parseMAC(text string) (uint64, error) {
	hardware, err := net.ParseMAC(text)
	if err != nil || len(hardware) != 6 {
		return 0, errors.New("it is not an address of 6 bytes")
	}
	v := uint64(0)
	for _, b := range hardware {
		v = v<<8 | uint64(b)
	}
	return v, nil
}

// parseEnum reads a value's name, or a number, which an open enum need not define.
func parseEnum(e *schema.Enum) func(string) (int32, error) {
	return func(text string) (int32, error) {
		number, err := strconv.ParseInt(text, 10, 32)
		for _, v := range e.Values {
			if v.Name == text || err == nil && int64(v.Number) == number {
				return v.Number, nil
			}
		}
		if err != nil || e.Closed {
			return 0, errors.New("it is not a value of the enum")
		}
		return int32(number), nil
	}
}

// A value that the exporter has sent counts unless it is zero.

func hasUint(r *schema.Record, c schema.UintColumn) bool { v, _ := r.GetUint(c); return v != 0 }

func hasInt(r *schema.Record, c schema.IntColumn) bool { v, _ := r.GetInt(c); return v != 0 }

func hasBool(r *schema.Record, c schema.BoolColumn) bool { v, _ := r.GetBool(c); return v }

func hasFloat(r *schema.Record, c schema.FloatColumn) bool { v, _ := r.GetFloat(c); return v != 0 }

func hasEnum(r *schema.Record, c schema.EnumColumn) bool { v, _ := r.GetEnum(c); return v != 0 }

func hasMAC(r *schema.Record, c schema.MACColumn) bool { v, _ := r.GetMAC(c); return v != 0 }

func hasString(r *schema.Record, c schema.StringColumn) bool {
	v, _ := r.GetBytes(schema.BytesColumn(c)) // which does not copy
	return len(v) > 0
}

func hasIP(r *schema.Record, c schema.IPColumn) bool {
	v, ok := r.GetIP(c)
	return ok && !v.Unmap().IsUnspecified()
}
