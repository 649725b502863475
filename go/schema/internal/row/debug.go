package row

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/wire"
)

// Debug prints the message.
func (f Fields) Debug() string {
	var b strings.Builder
	f.debug(&b)
	return strings.TrimSuffix(b.String(), " ")
}

func (f Fields) debug(b *strings.Builder) {
	if f.t == nil {
		return
	}
	for _, o := range f.t.Columns {
		switch c := o.Column; {
		case c.Child >= 0 && c.Repeated:
			for _, m := range f.Children(o).All() {
				m.debugIn(b, c.Name)
			}
		case c.Repeated:
			for _, word := range f.Elements(o) {
				f.debugValue(b, o, word)
			}
		case !f.t.Message.Entry && !f.Present(o):
		case c.Shape == encode.ShapeMessage:
			f.Nested(o).debugIn(b, c.Name)
		default:
			f.debugValue(b, o, f.Value(o))
		}
	}
	for _, word := range f.unknownRecords() {
		b.WriteString("# " + hex.EncodeToString(f.d.record(word)) + " ")
	}
}

func (f Fields) debugIn(b *strings.Builder, name string) {
	b.WriteString(name + " { ")
	f.debug(b)
	b.WriteString("} ")
}

// debugValue prints one value of a column that is a number or text.
func (f Fields) debugValue(b *strings.Builder, o *Cell, word uint64) {
	b.WriteString(o.Column.Name + ": " + f.debugText(o, word) + " ")
}

func (f Fields) debugText(o *Cell, word uint64) string {
	c := o.Column
	switch c.Shape {
	case encode.ShapeIP:
		if a := Address(f.d.Text(word)); a.IsValid() {
			return a.String()
		}
	case encode.ShapeMAC:
		s := hex.EncodeToString(binary.BigEndian.AppendUint64(nil, word)[2:])
		return strings.Join([]string{s[:2], s[2:4], s[4:6], s[6:8], s[8:10], s[10:]}, ":")
	case encode.ShapeTime, encode.ShapeDuration:
		v, nanos := int64(word), int32(0)
		if c.Child >= 0 {
			v, nanos = f.secondsNanos(o)
		}
		if c.Shape == encode.ShapeDuration {
			return encode.DurationOf(c.Unit, v, nanos).String()
		}
		return encode.TimeOf(c.Unit, v, nanos).Format("2006-01-02T15:04:05.999999999Z07:00")
	}
	switch c.Kind {
	case wire.String, wire.Bytes:
		return strconv.Quote(string(f.d.Text(word)))
	case wire.Bool:
		return strconv.FormatBool(word != 0)
	case wire.Float:
		return strconv.FormatFloat(encode.FloatOf(c.Kind, word), 'g', -1, 32)
	case wire.Double:
		return strconv.FormatFloat(encode.FloatOf(c.Kind, word), 'g', -1, 64)
	case wire.Enum:
		for _, v := range c.Values {
			if v.Number == int32(word) {
				return v.Name
			}
		}
	}
	if encode.KindShapes[c.Kind] == encode.ShapeUint {
		return strconv.FormatUint(word, 10)
	}
	return strconv.FormatInt(int64(word), 10)
}
