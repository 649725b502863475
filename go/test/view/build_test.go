package view_test

import (
	"strings"

	"github.com/hotpb/hotpb/go/wire"
)

// varint returns one record of a message: a varint field. The functions below do the same for other types.
func varint(number uint32, v uint64) []byte {
	return wire.AppendVarint(wire.AppendTag(nil, number, wire.VarintType), v)
}

func fixed32(number uint32, v uint32) []byte {
	return wire.AppendFixed32(wire.AppendTag(nil, number, wire.Fixed32Type), v)
}

func fixed64(number uint32, v uint64) []byte {
	return wire.AppendFixed64(wire.AppendTag(nil, number, wire.Fixed64Type), v)
}

func text(number uint32, v string) []byte {
	return wire.AppendString(wire.AppendTag(nil, number, wire.BytesType), v)
}

func message(number uint32, records ...[]byte) []byte {
	return wire.AppendBytes(wire.AppendTag(nil, number, wire.BytesType), join(records...))
}

func group(number uint32, records ...[]byte) []byte {
	return join(wire.AppendTag(nil, number, wire.StartGroup), join(records...), wire.AppendTag(nil, number, wire.EndGroup))
}

func join(records ...[]byte) (b []byte) {
	for _, r := range records {
		b = append(b, r...)
	}
	return b
}

func packedFixed32(number uint32, values ...uint32) []byte {
	var payload []byte
	for _, v := range values {
		payload = wire.AppendFixed32(payload, v)
	}
	return message(number, payload)
}

func packedVarints(number uint32, values ...uint64) []byte {
	var payload []byte
	for _, v := range values {
		payload = wire.AppendVarint(payload, v)
	}
	return message(number, payload)
}

// oneOfEach returns an encoded hotpb.vectors.p2.All with a field of every kind.
func oneOfEach() []byte {
	child := join(varint(1, 7), text(2, "a child"))
	return join(
		varint(1, 150), varint(2, 1<<40), varint(5, 3), fixed32(7, 7), fixed64(8, 8), fixed32(11, 0x3fc00000), fixed64(12, 0x3ff8000000000000),
		varint(13, 1), text(14, "some text"), text(15, "some bytes"), varint(17, 1), message(18, child),
		varint(301, 1), varint(301, 300), varint(301, 70_000), text(314, "one"), text(314, strings.Repeat("two", 50)), text(315, "bytes"),
		varint(317, 1), varint(317, 1), message(318, child), message(318, varint(1, 8)), message(318),
		packedVarints(401, 1, 2, 300), packedFixed32(407, 10, 11, 12, 13), packedVarints(413, 0, 1), packedVarints(417, 1, 1),
		message(601, varint(1, 5), varint(2, 50)), message(614, text(1, "key"), text(2, "value")), message(718, varint(1, 3), message(2, child)),
		varint(832-1, 9), text(814, "the one"),
		group(901, varint(1, 4), text(14, "in a group")),
		varint(1001, 77), message(1018, child), packedFixed32(1407, 1, 2, 3),
		message(922, group(1, varint(2, 1000), message(3, varint(1, 5)))),
		text(60_000, "unknown"), varint(60_001, 4),
	)
}
