package output

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// object writes messages of one type as JSON objects. Columns that are absent are left out.
type object struct{ members []member }

type member struct {
	name   string // in quotes, with its colon
	handle schema.Handle
	value  func(dst []byte, f schema.Fields) []byte
}

func (o *object) append(dst []byte, f schema.Fields) []byte {
	dst = append(dst, '{')
	separator := ""
	for i := range o.members {
		m := &o.members[i]
		if !f.Has(m.handle) {
			continue
		}
		dst = append(append(dst, separator...), m.name...)
		dst = m.value(dst, f)
		separator = ","
	}
	return append(dst, '}')
}

// objects creates each message's object once, because messages may contain themselves.
type objects struct {
	plan *schema.Plan
	made map[string]*object
}

func (x *objects) object(m *schema.Message) *object {
	if o := x.made[m.Name]; o != nil {
		return o
	}
	o := &object{}
	x.made[m.Name] = o
	for _, c := range x.plan.Columns(m.Name) {
		_, h, _ := m.Find(c.Name)
		o.members = append(o.members, member{name: string(appendText(nil, c.Name)) + ":", handle: h, value: x.value(&c, h)})
	}
	return o
}

type appender = func(dst []byte, f schema.Fields) []byte

func (x *objects) value(c *schema.Column, h schema.Handle) appender {
	switch {
	case c.Map:
		o := x.object(c.Message)
		return func(dst []byte, f schema.Fields) []byte { return o.list(dst, f.Entries(schema.MapColumn{Handle: h})) }
	case c.Repeated:
		return x.list(c, h)
	case c.Logical == schema.IP:
		return func(dst []byte, f schema.Fields) []byte { return appendIP(dst, f.IP(schema.IPColumn{Handle: h})) }
	case c.Logical == schema.MAC:
		return func(dst []byte, f schema.Fields) []byte { return appendMAC(dst, f.MAC(schema.MACColumn{Handle: h})) }
	case c.Logical == schema.Timestamp:
		return func(dst []byte, f schema.Fields) []byte {
			return appendText(dst, f.Time(schema.TimeColumn{Handle: h}).Format(time.RFC3339Nano))
		}
	case c.Logical == schema.Duration:
		return func(dst []byte, f schema.Fields) []byte {
			return appendText(dst, f.Duration(schema.DurationColumn{Handle: h}).String())
		}
	}
	switch c.Kind {
	case wire.Message, wire.Group:
		o := x.object(c.Message)
		return func(dst []byte, f schema.Fields) []byte {
			return o.append(dst, f.Message(schema.MessageColumn{Handle: h}))
		}
	case wire.String:
		return func(dst []byte, f schema.Fields) []byte {
			return appendText(dst, f.String(schema.StringColumn{Handle: h}))
		}
	case wire.Bytes:
		return func(dst []byte, f schema.Fields) []byte {
			return appendHex(dst, f.Bytes(schema.BytesColumn{Handle: h}))
		}
	case wire.Bool:
		return func(dst []byte, f schema.Fields) []byte {
			return strconv.AppendBool(dst, f.Bool(schema.BoolColumn{Handle: h}))
		}
	case wire.Float, wire.Double:
		return func(dst []byte, f schema.Fields) []byte {
			return appendFloat(dst, f.Float(schema.FloatColumn{Handle: h}))
		}
	case wire.Enum:
		names := namesOf(c.Enum)
		return func(dst []byte, f schema.Fields) []byte {
			return names.append(dst, f.Enum(schema.EnumColumn{Handle: h}))
		}
	case wire.Uint32, wire.Uint64, wire.Fixed32, wire.Fixed64:
		return func(dst []byte, f schema.Fields) []byte {
			return strconv.AppendUint(dst, f.Uint(schema.UintColumn{Handle: h}), 10)
		}
	}
	return func(dst []byte, f schema.Fields) []byte {
		return strconv.AppendInt(dst, f.Int(schema.IntColumn{Handle: h}), 10)
	}
}

// list writes a column with several values.
func (x *objects) list(c *schema.Column, h schema.Handle) appender {
	switch {
	case c.Logical == schema.IP:
		return func(dst []byte, f schema.Fields) []byte {
			v := f.IPs(schema.IPList{Handle: h})
			return array(dst, v.Len(), func(dst []byte, i int) []byte { return appendIP(dst, v.At(i)) })
		}
	case c.Message != nil:
		o := x.object(c.Message)
		return func(dst []byte, f schema.Fields) []byte {
			return o.list(dst, f.Messages(schema.MessageList{Handle: h}))
		}
	}
	switch c.Kind {
	case wire.String:
		return func(dst []byte, f schema.Fields) []byte {
			v := f.Strings(schema.StringList{Handle: h})
			return array(dst, v.Len(), func(dst []byte, i int) []byte { return appendText(dst, v.At(i)) })
		}
	case wire.Bytes:
		return func(dst []byte, f schema.Fields) []byte {
			v := f.BytesList(schema.BytesList{Handle: h})
			return array(dst, v.Len(), func(dst []byte, i int) []byte { return appendHex(dst, v.At(i)) })
		}
	case wire.Bool:
		return func(dst []byte, f schema.Fields) []byte {
			v := f.Bools(schema.BoolList{Handle: h})
			return array(dst, v.Len(), func(dst []byte, i int) []byte { return strconv.AppendBool(dst, v.At(i)) })
		}
	case wire.Float, wire.Double:
		return func(dst []byte, f schema.Fields) []byte {
			v := f.Floats(schema.FloatList{Handle: h})
			return array(dst, v.Len(), func(dst []byte, i int) []byte { return appendFloat(dst, v.At(i)) })
		}
	case wire.Enum:
		names := namesOf(c.Enum)
		return func(dst []byte, f schema.Fields) []byte {
			v := f.Enums(schema.EnumList{Handle: h})
			return array(dst, v.Len(), func(dst []byte, i int) []byte { return names.append(dst, v.At(i)) })
		}
	case wire.Uint32, wire.Uint64, wire.Fixed32, wire.Fixed64:
		return func(dst []byte, f schema.Fields) []byte {
			v := f.Uints(schema.UintList{Handle: h})
			return array(dst, len(v), func(dst []byte, i int) []byte { return strconv.AppendUint(dst, v[i], 10) })
		}
	}
	return func(dst []byte, f schema.Fields) []byte {
		v := f.Ints(schema.IntList{Handle: h})
		return array(dst, len(v), func(dst []byte, i int) []byte { return strconv.AppendInt(dst, v[i], 10) })
	}
}

func (o *object) list(dst []byte, m schema.Messages) []byte {
	return array(dst, m.Len(), func(dst []byte, i int) []byte { return o.append(dst, m.At(i)) })
}

func array(dst []byte, n int, element func(dst []byte, i int) []byte) []byte {
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = element(dst, i)
	}
	return append(dst, ']')
}

// enumNames returns the names of an enum's numbers.
type enumNames map[int32]string

func namesOf(e *schema.Enum) enumNames {
	names := enumNames{}
	for _, v := range e.Values {
		if _, ok := names[v.Number]; !ok { // of names with the same number the first one is used
			names[v.Number] = v.Name
		}
	}
	return names
}

func (n enumNames) append(dst []byte, v int32) []byte {
	if name, ok := n[v]; ok {
		return appendText(dst, name)
	}
	return strconv.AppendInt(dst, int64(v), 10)
}

// appendText appends a string in quotes. Bytes that are not UTF-8 are replaced.
func appendText(dst []byte, s string) []byte {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			quoted, _ := json.Marshal(s) // it never fails for a string
			return append(dst, quoted...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}

func appendHex(dst, b []byte) []byte { return append(hex.AppendEncode(append(dst, '"'), b), '"') }

func appendIP(dst []byte, a netip.Addr) []byte {
	return append(a.Unmap().AppendTo(append(dst, '"')), '"')
}

func appendMAC(dst []byte, v uint64) []byte {
	a := net.HardwareAddr{byte(v >> 40), byte(v >> 32), byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}
	return append(append(append(dst, '"'), a.String()...), '"')
}

// appendFloat appends a number. JSON has no infinities and no NaN.
func appendFloat(dst []byte, v float64) []byte {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return appendText(dst, fmt.Sprint(v))
	}
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}
