// Package wiretest has the tests of wire's Decoder and Encoder that need generated code: inside of wire, all of that
// would be compiled once more.
package wiretest

import (
	"errors"

	rt "github.com/hotpb/hotpb/go/rt/wire"
	"github.com/hotpb/hotpb/go/wire"
)

// walk reads a message with the Decoder, as its table describes it, and writes what it reads with the Encoder.
type walk struct {
	e       *wire.Encoder
	strict  bool
	entries bool // maps are read with MapEntry
	groups  bool // a group of a known field has been met
}

func (w *walk) message(d *wire.Decoder, group []rt.MessageTable, m *rt.MessageTable) error {
	for d.More() {
		number, t, err := d.DecodeTag()
		if err != nil {
			return err
		}
		if k := m.Find(number); k >= 0 && m.Fields[k].Matches(t) {
			err = w.field(d, group, &m.Fields[k])
		} else {
			var raw []byte
			raw, err = d.Skip()
			w.e.EncodeRaw(raw)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) field(d *wire.Decoder, group []rt.MessageTable, f *rt.FieldTable) error {
	switch f.Kind {
	case wire.Message, wire.Group:
		if f.Child != nil {
			group = *f.Child
		}
		return w.nested(d, group, &group[f.Index], f)
	case wire.String, wire.Bytes:
		return w.value(d, f.Kind, f.Number, w.strict || f.Flags&rt.VerifyUtf8 != 0)
	}
	if f.Flags&rt.Repeated != 0 {
		return w.repeated(d, f)
	}
	return w.value(d, f.Kind, f.Number, false)
}

func (w *walk) nested(d *wire.Decoder, group []rt.MessageTable, m *rt.MessageTable, f *rt.FieldTable) error {
	if f.Kind == wire.Group {
		w.groups = true
		nested, err := d.Group()
		if err != nil {
			return err
		}
		defer w.e.End(w.e.BeginGroup(f.Number))
		return w.message(&nested, group, m)
	}
	if f.Flags&rt.Map != 0 && m.Fields[1].Closed != nil {
		return w.kept(d, group, m)
	}
	if w.entries && f.Flags&rt.Map != 0 {
		return w.entry(d, group, m, f.Number)
	}
	nested, err := d.Nested()
	if err != nil {
		return err
	}
	defer w.e.End(w.e.BeginNested(f.Number))
	return w.message(&nested, group, m)
}

// kept writes an entry as it came: so it is among the unknown fields where its value is none of the enum's (ENM-3).
func (w *walk) kept(d *wire.Decoder, group []rt.MessageTable, m *rt.MessageTable) error {
	record := *d
	nested, err := d.Nested()
	if err != nil {
		return err
	}
	aside := *w
	aside.e = wire.NewEncoder(make([]byte, 8*d.Offset()+64))
	if err := aside.message(&nested, group, m); err != nil {
		return err
	}
	raw, err := record.Skip()
	w.e.EncodeRaw(raw)
	return err
}

func (w *walk) entry(d *wire.Decoder, group []rt.MessageTable, m *rt.MessageTable, number uint32) error {
	key, value, err := d.MapEntry(m.Fields[0].Kind, m.Fields[1].Kind)
	if err != nil {
		return err
	}
	defer w.e.End(w.e.BeginMapEntry(number))
	return errors.Join(w.field(&key, group, &m.Fields[0]), w.field(&value, group, &m.Fields[1]))
}

// put writes the result of a call of the decoder.
func put[T any](v T, err error) func(write func(uint32, T), number uint32) error {
	return func(write func(uint32, T), number uint32) error {
		if err == nil {
			write(number, v)
		}
		return err
	}
}

func (w *walk) value(d *wire.Decoder, k wire.Kind, number uint32, checked bool) error {
	switch e := w.e; k {
	case wire.Int32, wire.Enum:
		return put(d.DecodeInt32())(e.EncodeInt32, number)
	case wire.Int64:
		return put(d.DecodeInt64())(e.EncodeInt64, number)
	case wire.Uint32:
		return put(d.DecodeUint32())(e.EncodeUint32, number)
	case wire.Uint64:
		return put(d.DecodeUint64())(e.EncodeUint64, number)
	case wire.Sint32:
		return put(d.DecodeSint32())(e.EncodeSint32, number)
	case wire.Sint64:
		return put(d.DecodeSint64())(e.EncodeSint64, number)
	case wire.Bool:
		return put(d.DecodeBool())(e.EncodeBool, number)
	case wire.Fixed32:
		return put(d.DecodeFixed32())(e.EncodeFixed32, number)
	case wire.Fixed64:
		return put(d.DecodeFixed64())(e.EncodeFixed64, number)
	case wire.Sfixed32:
		return put(d.DecodeSfixed32())(e.EncodeSfixed32, number)
	case wire.Sfixed64:
		return put(d.DecodeSfixed64())(e.EncodeSfixed64, number)
	case wire.Float:
		return put(d.DecodeFloat())(e.EncodeFloat, number)
	case wire.Double:
		return put(d.DecodeDouble())(e.EncodeDouble, number)
	case wire.String:
		if checked {
			return put(d.DecodeString())(e.EncodeString, number)
		}
		return put(d.DecodeStringUnchecked())(e.EncodeStringUnchecked, number)
	default:
		return put(d.DecodeBytes())(e.EncodeBytes, number)
	}
}

func (w *walk) repeated(d *wire.Decoder, f *rt.FieldTable) error {
	switch e, number := w.e, f.Number; f.Kind {
	case wire.Int32:
		return put(d.DecodePackedInt32(nil))(e.EncodePackedInt32, number)
	case wire.Int64:
		return put(d.DecodePackedInt64(nil))(e.EncodePackedInt64, number)
	case wire.Uint32:
		return put(d.DecodePackedUint32(nil))(e.EncodePackedUint32, number)
	case wire.Uint64:
		return put(d.DecodePackedUint64(nil))(e.EncodePackedUint64, number)
	case wire.Sint32:
		return put(d.DecodePackedSint32(nil))(e.EncodePackedSint32, number)
	case wire.Sint64:
		return put(d.DecodePackedSint64(nil))(e.EncodePackedSint64, number)
	case wire.Bool:
		return put(d.DecodePackedBool(nil))(e.EncodePackedBool, number)
	case wire.Fixed32:
		return put(d.DecodePackedFixed32(nil))(e.EncodePackedFixed32, number)
	case wire.Fixed64:
		return put(d.DecodePackedFixed64(nil))(e.EncodePackedFixed64, number)
	case wire.Sfixed32:
		return put(d.DecodePackedSfixed32(nil))(e.EncodePackedSfixed32, number)
	case wire.Sfixed64:
		return put(d.DecodePackedSfixed64(nil))(e.EncodePackedSfixed64, number)
	case wire.Float:
		return put(d.DecodePackedFloat(nil))(e.EncodePackedFloat, number)
	case wire.Double:
		return put(d.DecodePackedDouble(nil))(e.EncodePackedDouble, number)
	default:
		v, err := wire.DecodePackedEnum[value](d, nil)
		wire.EncodePackedEnum(e, number, v)
		return err
	}
}

type value int32
