package google

import (
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/rt/codec"
	"github.com/hotpb/hotpb/go/rt/wire"
)

// The tags of a message set's items.
const (
	itemStart = 1<<3 | wire.Tag(wire.StartGroup)
	itemEnd   = 1<<3 | wire.Tag(wire.EndGroup)
	itemType  = 2<<3 | wire.Tag(wire.VarintType)
	itemBytes = 3<<3 | wire.Tag(wire.BytesType)
)

// DecodeSet is Decode for message sets. Only the runtime reads them, if it is built with its tag protolegacy. The
// runtime drops items that were written as plain fields, as some encoders do and the conformance suite recommends
// reading: DecodeSet converts them into the form that the runtime knows. Without the tag the runtime treats a set as
// an ordinary message, in which the items are extensions.
func DecodeSet(d *codec.Decoder, m proto.Message, b []byte, i, levels int) int {
	end, after := d.Content(b, i)
	if end < 0 {
		return after
	}
	content, rewritten := b[i:end], false
	if legacy {
		content, rewritten = asItems(content)
	}
	if err, ok := decode(d, m.ProtoReflect(), content, levels); !ok {
		if rewritten {
			err.Offset = 0 // positions in the rewritten set are useless
		}
		err.Offset += int64(i)
		return d.Explained(err)
	}
	return after
}

// asItems returns a message set with all its contents as items, and whether it had to be rewritten for that (SET-6).
func asItems(b []byte) (items []byte, rewritten bool) {
	var out []byte
	done := 0
	for i := 0; i < len(b); {
		start := i
		tag, value := codec.ReadTag(b, start)
		if value < 0 {
			return b, false // the runtime reports the error
		}
		if i = codec.Skip(b, value, tag); i < 0 {
			return b, false
		}
		if tag.Type() == wire.BytesType {
			from, _ := codec.ReadBytes(b, value)
			out = append(out, b[done:start]...)
			out = append(out, byte(itemStart), byte(itemType))
			out = wire.AppendVarint(out, uint64(tag.Number()))
			out = wire.AppendBytes(append(out, byte(itemBytes)), b[from:i])
			out = append(out, byte(itemEnd))
			done = i
		}
	}
	if done == 0 {
		return b, false
	}
	return append(out, b[done:]...), true
}
