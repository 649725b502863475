package stage

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"unicode/utf8"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// filler creates the filler of a column of the schema from a column of a table, and parses its values.
func (b *binding) filler(t *table, from *column, c *schema.Column) filler {
	asked := false // whether the exporter's value must be read from the record
	switch {
	case from.override && c.Policy == schema.First:
		b.wrong(c, fmt.Sprintf("keeps its first value, which %s! of %s cannot override", from.name, t.path))
		return nil
	case from.override, len(c.Sources) == 0, c.Policy == schema.First: // which keeps the exporter's value by itself
	case !c.Deferred:
		b.wrong(c, fmt.Sprintf("must be deferred: %s of %s fills it if the exporter has not; "+
			"or override the exporter with %s!", from.name, t.path, from.name))
		return nil
	default:
		asked = true
	}
	f := filling{b, t, from, c, asked}
	s := b.layout.File.Schema
	switch {
	case c.Repeated || c.Message != nil || c.Logical == schema.Timestamp || c.Logical == schema.Duration ||
		c.Kind == wire.Bytes && c.Logical != schema.IP:
		b.wrong(c, fmt.Sprintf("is %s, which cannot be filled from %s", c.Type(), t.path))
		return nil
	case c.Logical == schema.IP:
		return fillerOf(&f, s.FindIP, (*schema.Record).IP, hasIP, parseAddr)
	case c.Logical == schema.MAC:
		return fillerOf(&f, s.FindMAC, (*schema.Record).MAC, hasMAC, parseMAC)
	case c.Kind == wire.String:
		return fillerOf(&f, s.FindString, (*schema.Record).String, hasString, func(text string) (string, error) {
			if c.CheckUTF8 && !utf8.ValidString(text) {
				return "", errors.New("it is not UTF-8")
			}
			return text, nil
		})
	case c.Kind == wire.Bool:
		return fillerOf(&f, s.FindBool, (*schema.Record).Bool, hasBool, strconv.ParseBool)
	case c.Kind == wire.Float || c.Kind == wire.Double:
		return fillerOf(&f, s.FindFloat, (*schema.Record).Float, hasFloat, parseFloat)
	case c.Kind == wire.Enum:
		return fillerOf(&f, s.FindEnum, (*schema.Record).Enum, hasEnum, parseEnum(c.Enum))
	case c.Kind == wire.Uint32 || c.Kind == wire.Fixed32:
		return fillerOf(&f, s.FindUint, (*schema.Record).Uint, hasUint, parseUint(32))
	case c.Kind == wire.Uint64 || c.Kind == wire.Fixed64:
		return fillerOf(&f, s.FindUint, (*schema.Record).Uint, hasUint, parseUint(64))
	case c.Kind == wire.Int32 || c.Kind == wire.Sint32 || c.Kind == wire.Sfixed32:
		return fillerOf(&f, s.FindInt, (*schema.Record).Int, hasInt, parseInt(32))
	}
	return fillerOf(&f, s.FindInt, (*schema.Record).Int, hasInt, parseInt(64))
}

// filling is a filler under construction.
type filling struct {
	*binding
	table *table
	from  *column
	to    *schema.Column
	asked bool
}

func fillerOf[C, V any](f *filling, find func(string) (C, error), set func(*schema.Record, C, V),
	has func(*schema.Record, C) bool, parse func(string) (V, error)) filler {
	handle, err := find(f.to.Name)
	if err != nil {
		f.located(err)
		return nil
	}
	made := &typed[C, V]{column: handle, set: set, ids: f.from.ids, values: make([]V, 1, len(f.from.values))}
	if f.asked {
		made.filled = has
	}
	for i, text := range f.from.values[1:] {
		value, err := parse(text)
		if err != nil {
			if number := (*strconv.NumError)(nil); errors.As(err, &number) {
				err = number.Err
			}
			f.problems = append(f.problems, fmt.Errorf("%s:%d: %q does not fit into column %s, which is %s: %v",
				f.table.path, f.from.lines[i+1], text, f.to.Name, f.to.Type(), err))
			if len(f.problems) >= maxProblems {
				break
			}
		}
		made.values = append(made.values, value)
	}
	return made
}

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
