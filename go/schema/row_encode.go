package schema

import (
	"github.com/hotpb/hotpb/go/rt/wire"
)

// Append appends the encoded message: columns by ascending number, maps by key, unknown fields last, everything in
// its shortest form. A message that was decoded with AllowPartial is written as it is.
func (f Fields) Append(dst []byte) []byte {
	if f.t == nil {
		return dst
	}
	for _, o := range f.t.columns {
		dst = f.appendColumn(dst, o)
	}
	for _, word := range f.unknownRecords() {
		dst = append(dst, f.d.record(word)...)
	}
	return dst
}

func (f Fields) appendColumn(dst []byte, o *cell) []byte {
	word, number := f.at(o.slot), o.column.Number
	switch {
	case o.column.Message != nil && o.column.Repeated:
		messages := f.run(o.child, word)
		for i := range messages.Len() {
			dst = appendMessage(dst, o, messages.At(i))
		}
		return dst
	case o.column.Repeated:
		return f.appendList(dst, o, f.d.tables[o.list].rows(word))
	// Both columns of an entry are written, whatever they contain.
	case !f.t.def.entry && !f.has(&f.t.reads[o.column.index]):
		return dst
	case o.column.Message != nil:
		return appendMessage(dst, o, f.nested(&f.t.reads[o.column.index], word))
	}
	if r := &f.t.reads[o.column.index]; r.preset {
		word = f.orAbsent(r) // in an entry
	}
	return f.d.appendWord(wire.AppendTag(dst, number, o.kind.Type()), o.kind, word)
}

func appendMessage(dst []byte, o *cell, f Fields) []byte {
	dst = wire.AppendTag(dst, o.column.Number, o.kind.Type())
	start := len(dst)
	dst = f.Append(dst)
	if o.kind == wire.Group {
		return wire.AppendTag(dst, o.column.Number, wire.EndGroup)
	}
	return wire.InsertLength(dst, start)
}

func (f Fields) appendList(dst []byte, o *cell, words []uint64) []byte {
	if !o.packed {
		for _, word := range words {
			dst = f.d.appendWord(wire.AppendTag(dst, o.column.Number, o.kind.Type()), o.kind, word)
		}
		return dst
	}
	if len(words) == 0 {
		return dst
	}
	dst = wire.AppendTag(dst, o.column.Number, wire.BytesType)
	start := len(dst)
	for _, word := range words {
		dst = f.d.appendWord(dst, o.kind, word)
	}
	return wire.InsertLength(dst, start)
}

// appendWord appends a value without its tag.
func (d *decoder) appendWord(dst []byte, k wire.Kind, word uint64) []byte {
	switch k {
	case wire.String, wire.Bytes:
		return wire.AppendBytes(dst, d.text(word))
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
