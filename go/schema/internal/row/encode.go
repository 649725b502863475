package row

import "github.com/hotpb/hotpb/go/rt/wire"

// Append appends the encoded message.
func (f Fields) Append(dst []byte) []byte {
	if f.t == nil {
		return dst
	}
	for _, o := range f.t.Columns {
		dst = f.appendColumn(dst, o)
	}
	for _, word := range f.unknownRecords() {
		dst = append(dst, f.d.record(word)...)
	}
	return dst
}

func (f Fields) appendColumn(dst []byte, o *Cell) []byte {
	number := o.Column.Number
	switch {
	case o.Column.Child >= 0 && o.Column.Repeated:
		messages := f.Children(o)
		for i := range messages.Len() {
			dst = appendMessage(dst, o, messages.At(i))
		}
		return dst
	case o.Column.Repeated:
		return f.appendList(dst, o, f.Elements(o))
	// Both columns of an entry are written, whatever they contain.
	case !f.t.Message.Entry && !f.Present(o):
		return dst
	case o.Column.Child >= 0:
		return appendMessage(dst, o, f.Nested(o))
	}
	word := f.at(o.slot)
	if o.preset {
		word = f.Value(o) // in an entry
	}
	return f.d.appendWord(wire.AppendTag(dst, number, o.Kind.Type()), o.Kind, word)
}

func appendMessage(dst []byte, o *Cell, f Fields) []byte {
	dst = wire.AppendTag(dst, o.Column.Number, o.Kind.Type())
	start := len(dst)
	dst = f.Append(dst)
	if o.Kind == wire.Group {
		return wire.AppendTag(dst, o.Column.Number, wire.EndGroup)
	}
	return wire.InsertLength(dst, start)
}

func (f Fields) appendList(dst []byte, o *Cell, words []uint64) []byte {
	if !o.Column.Packed {
		for _, word := range words {
			dst = f.d.appendWord(wire.AppendTag(dst, o.Column.Number, o.Kind.Type()), o.Kind, word)
		}
		return dst
	}
	if len(words) == 0 {
		return dst
	}
	dst = wire.AppendTag(dst, o.Column.Number, wire.BytesType)
	start := len(dst)
	for _, word := range words {
		dst = f.d.appendWord(dst, o.Kind, word)
	}
	return wire.InsertLength(dst, start)
}

// appendWord appends a value without its tag.
func (d *Decoder) appendWord(dst []byte, k wire.Kind, word uint64) []byte {
	switch k {
	case wire.String, wire.Bytes:
		return wire.AppendBytes(dst, d.Text(word))
	case wire.Sint32:
		return wire.AppendSint32(dst, int32(word))
	case wire.Sint64:
		return wire.AppendSint64(dst, int64(word))
	case wire.Fixed32, wire.Sfixed32, wire.Float:
		return wire.AppendFixed32(dst, uint32(word))
	case wire.Fixed64, wire.Sfixed64, wire.Double:
		return wire.AppendFixed64(dst, word)
	}
	return wire.AppendVarint(dst, word)
}
