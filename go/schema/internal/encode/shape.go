package encode

import (
	"github.com/hotpb/hotpb/go/wire"
)

// Shape is the type of a column's handle.
type Shape uint8

// The shapes.
const (
	ShapeUint Shape = iota
	ShapeInt
	ShapeFloat
	ShapeBool
	ShapeEnum
	ShapeString
	ShapeBytes
	ShapeIP
	ShapeMAC
	ShapeTime
	ShapeDuration
	ShapeMessage
	ShapeMap
)

// KindShapes are the shapes of columns without a logical type.
var KindShapes = [...]Shape{
	wire.Int32: ShapeInt, wire.Int64: ShapeInt, wire.Sint32: ShapeInt, wire.Sint64: ShapeInt,
	wire.Sfixed32: ShapeInt, wire.Sfixed64: ShapeInt,
	wire.Uint32: ShapeUint, wire.Uint64: ShapeUint, wire.Fixed32: ShapeUint, wire.Fixed64: ShapeUint,
	wire.Float: ShapeFloat, wire.Double: ShapeFloat, wire.Bool: ShapeBool, wire.Enum: ShapeEnum,
	wire.String: ShapeString, wire.Bytes: ShapeBytes, wire.Message: ShapeMessage, wire.Group: ShapeMessage,
}
