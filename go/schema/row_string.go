package schema

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/schema/internal/encode"
	"github.com/hotpb/hotpb/go/wire"
)

// Debug prints the values for people and for comparisons in tests: like protobuf's text format on one line,
// columns by ascending number, maps by key, enums by name, addresses and times in their usual form, unknown fields
// as hex. Equal rows print equally.
func (f Fields) Debug() string {
	var b strings.Builder
	f.debug(&b)
	return strings.TrimSuffix(b.String(), " ")
}

func (f Fields) debug(b *strings.Builder) {
	if f.t == nil {
		return
	}
	for _, o := range f.t.columns {
		r := &f.t.reads[o.column.index]
		word := f.at(o.slot)
		switch {
		case o.column.Message != nil && o.column.Repeated:
			for _, m := range f.run(o.child, word).All() {
				m.debugIn(b, o.column.Name)
			}
		case o.column.Repeated:
			for _, word := range f.d.tables[o.list].rows(word) {
				f.debugValue(b, o.column, word)
			}
		case !f.t.def.entry && !f.has(r):
		case o.column.Message != nil && o.column.Logical == Plain:
			f.nested(r, word).debugIn(b, o.column.Name)
		default:
			f.debugValue(b, o.column, f.orAbsent(r))
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
func (f Fields) debugValue(b *strings.Builder, c *Column, word uint64) {
	b.WriteString(c.Name + ": " + f.debugText(c, word) + " ")
}

func (f Fields) debugText(c *Column, word uint64) string {
	switch c.Logical {
	case IP:
		if a := addressOf(f.d.text(word)); a.IsValid() {
			return a.String()
		}
	case MAC:
		s := hex.EncodeToString(binary.BigEndian.AppendUint64(nil, word)[2:])
		return strings.Join([]string{s[:2], s[2:4], s[4:6], s[6:8], s[8:10], s[10:]}, ":")
	case Timestamp:
		v, nanos := f.secondsNanos(&f.t.reads[c.index])
		return encode.TimeOf(uint8(c.Unit), v, nanos).Format("2006-01-02T15:04:05.999999999Z07:00")
	case Duration:
		v, nanos := f.secondsNanos(&f.t.reads[c.index])
		return durationOf(c, v, nanos).String()
	}
	switch c.Kind {
	case wire.String, wire.Bytes:
		return strconv.Quote(string(f.d.text(word)))
	case wire.Bool:
		return strconv.FormatBool(word != 0)
	case wire.Float:
		return strconv.FormatFloat(floatOf(c.Kind, word), 'g', -1, 32)
	case wire.Double:
		return strconv.FormatFloat(floatOf(c.Kind, word), 'g', -1, 64)
	case wire.Enum:
		for _, v := range c.Enum.Values {
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
