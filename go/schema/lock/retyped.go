package lock

import (
	"github.com/hotpb/hotpb/go/schema/internal/locked"
	"github.com/hotpb/hotpb/go/wire"
)

// wireFamilies are kinds with the same encoding. float and double have none: their bits mean something else.
var wireFamilies = [...]uint8{
	wire.Int32: 1, wire.Int64: 1, wire.Uint32: 1, wire.Uint64: 1, wire.Bool: 1, wire.Enum: 1,
	wire.Sint32: 2, wire.Sint64: 2,
	wire.Fixed32: 3, wire.Sfixed32: 3,
	wire.Fixed64: 4, wire.Sfixed64: 4,
	wire.String: 5, wire.Bytes: 5,
	wire.Message: 6, wire.Group: 7, wire.Float: 8, wire.Double: 9,
}

// retyped returns the level of a change of a column's type, and the reason; no reason if the type is the same.
func retyped(o, n *locked.Column) (Level, string) {
	level, reason := retypedKind(o.Kind, n.Kind)
	if level == Breaking {
		return level, reason
	}
	switch {
	case o.Repeated != n.Repeated && (o.Packed || n.Packed):
		return Breaking, "packed elements are not a value for a column that is not repeated"
	case o.Repeated != n.Repeated:
		return Risky, "of several values, one side keeps only the last"
	case o.Map != n.Map:
		return Risky, "of several entries with one key, a map keeps the last"
	}
	return level, reason
}

func retypedKind(o, n wire.Kind) (Level, string) {
	bytesAndMessage := o == wire.Bytes && n == wire.Message || o == wire.Message && n == wire.Bytes
	switch {
	case o == n:
		return Compatible, ""
	case bytesAndMessage:
		return Risky, "the same if the bytes are an encoded message"
	case wireFamilies[o] != wireFamilies[n]:
		return Breaking, "the encodings differ"
	case wireFamilies[o] == 5:
		return Risky, "the same if the bytes are UTF-8"
	case o == wire.Enum && n == wire.Int32 || o == wire.Int32 && n == wire.Enum:
		return Compatible, "the same numbers"
	}
	return Risky, "numbers that the other type cannot hold are cut or change their sign"
}
