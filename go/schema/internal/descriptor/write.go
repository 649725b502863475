package descriptor

import (
	"slices"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Writer is an encoded message.
type Writer []byte

// Text appends a string.
func (w *Writer) Text(number uint32, v string) {
	*w = wire.AppendString(wire.AppendTag(*w, number, wire.BytesType), v)
}

// Number appends a varint.
func (w *Writer) Number(number uint32, v int64) {
	*w = wire.AppendVarint(wire.AppendTag(*w, number, wire.VarintType), uint64(v))
}

// Message appends a message.
func (w *Writer) Message(number uint32, content func(*Writer)) {
	*w = wire.AppendTag(*w, number, wire.BytesType)
	start := len(*w)
	content(w)
	*w = wire.InsertLength(*w, start)
}

// kinds are the kinds by the numbers of FieldDescriptorProto.Type.
var kinds = [...]wire.Kind{
	1: wire.Double, wire.Float, wire.Int64, wire.Uint64, wire.Int32, wire.Fixed64, wire.Fixed32, wire.Bool, wire.String,
	wire.Group, wire.Message, wire.Bytes, wire.Uint32, wire.Enum, wire.Sfixed32, wire.Sfixed64, wire.Sint32, wire.Sint64,
}

// KindOf returns the kind that a type stands for.
func KindOf(t uint8) (kind wire.Kind, ok bool) {
	if t == 0 || int(t) >= len(kinds) {
		return 0, false
	}
	return kinds[t], true
}

// TypeOf returns the type that stands for a kind.
func TypeOf(kind wire.Kind) int { return 1 + slices.Index(kinds[1:], kind) }
