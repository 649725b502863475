// Package codec writes the face codec: fast methods on the structs of a stock runtime.
package codec

import (
	"errors"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// Face is the face codec.
var Face = emit.Face{
	Name:    "codec",
	Stock:   true,
	Selects: true,
	Emit:    emitCodec,
}

// codecVersion is the version of the code this emitter writes; the runtime
// states which versions it works with.
const codecVersion = 7

// codecMethods are the exported methods that the face adds to each struct.
var codecMethods = []string{
	"SizeHot", "MarshalHot", "MarshalAppendHot", "MarshalScratchHot", "MarshalHotOptions", "EncodeHot",
	"UnmarshalHot", "UnmarshalHotOptions", "DecodeHot", "MissingHot",
}

func emitCodec(f *emit.File) error {
	if len(f.Options.Only)+len(f.Options.Skip) > 0 {
		return &emit.OptionError{Option: "only", Allowed: "the face codec fills stock structs, which have all fields; use messages= instead"}
	}
	f.EmitVersions("codec", codecVersion)
	if err := errors.Join(checkEmbedded(f), emit.CheckEnums(f)); err != nil {
		return err
	}
	emitGuard(f)
	// All messages are checked before the code of the first one is written.
	var types []*codecType
	for _, m := range f.Messages() {
		stock, err := emit.NewStockMessage(f, m)
		if err != nil {
			return err
		}
		c := newCodecType(f, stock)
		methods := codecMethods
		if f.Options.Values {
			methods = append(c.valueMethods(), methods...)
		}
		if c.dropsUnknown() {
			methods = append([]string{dropsUnknown}, methods...)
		}
		if err := c.CheckMembers(methods); err != nil {
			return err
		}
		c.chooseTable()
		types = append(types, c)
	}
	explainStale(f, types)
	if f.Options.Values {
		emitValueFile(f, types)
	}
	for _, c := range types {
		c.emitHandWritten()
		if c.v1() && !c.Hidden.Declared {
			c.emitSameMembers()
		} else if !c.Options.Values {
			c.emitSameStruct()
		}
		if f.Options.Values {
			c.emitValue()
		}
		c.emitExtensions()
		c.emitTable()
		c.emitMarshal()
		c.emitCompat()
		c.emitVtproto()
		c.emitUnmarshal()
		c.emitSlabs()
		c.emitDecode()
		c.emitMissing()
	}
	emitProtoMethods(f)
	return nil
}

// Codec returns an identifier of package codec.
func Codec(f *emit.File, name string) string { return f.Ident(emit.RuntimePath+"/rt/codec", name) }

// CodecRuntime returns an identifier of the package for the structs' runtime.
func CodecRuntime(f *emit.File, name string) string {
	return f.Ident(f.Options.StockRuntime().Fast, name)
}

// codecType is a stock struct that gets methods.
type codecType struct {
	*emit.File
	*emit.StockMessage
	boxes map[*emit.StockField]string // the decoder stores the values of pointer fields here
	table map[*emit.StockField]int    // the fields that are read by table, each with its index there
	// written is the table, or nil if straight code writes and sizes its fields.
	written map[*emit.StockField]int
	// customs are the elements, map keys and map values that options of gogo change.
	customs map[*plan.Field]*emit.Custom
}

// Code is File.Code with $type$ for the struct and $guard$ for the file's guard.
func (c *codecType) Code(template string, values ...any) {
	c.File.Code(template, append(values, "type", c.Name, "guard", guardName(c.File))...)
}

func newCodecType(f *emit.File, stock *emit.StockMessage) *codecType {
	c := &codecType{File: f, StockMessage: stock, customs: map[*plan.Field]*emit.Custom{}}
	for _, field := range stock.StockFields {
		element := field.Field
		if field.Map != nil {
			element = field.Map.Value
			c.customs[field.Map.Key] = field.CustomKey
		}
		c.customs[element] = field.Custom
	}
	return c
}

// isLocal reports whether this run generates the message's methods into this package. Such methods are called
// directly; other messages are asked at run time whether they have fast methods.
func (c *codecType) isLocal(m *plan.Message) bool {
	return m.File.Requested && c.Gen.PackageOf(m.File).Path == c.In.Path && c.IsSelected(m)
}

// structName is the Go type of a message's struct, qualified where needed.
func (c *codecType) structName(m *plan.Message) string {
	return c.Qualify(m.File, c.Gen.NamesOf(m.File).Messages[m])
}

// valueType is the Go type of one element or value.
func (c *codecType) valueType(field *plan.Field) string {
	if custom := c.customs[field]; custom != nil {
		return c.customType(field, custom)
	}
	if field.Type == plan.TypeMessage {
		return "*" + c.structName(field.Message)
	}
	return c.GoType(field)
}

// fieldType is the Go type of a field in the struct, or in its oneof's wrapper.
func (c *codecType) fieldType(field *emit.StockField) string {
	switch field.Store {
	case emit.StoreMap:
		if field.MapType != "" {
			return c.CustomName(field.MapType)
		}
		return "map[" + c.valueType(field.Map.Key) + "]" + c.valueType(field.Map.Value)
	case emit.StoreList:
		return "[]" + c.valueType(field.Field)
	case emit.StorePointer:
		return "*" + c.valueType(field.Field)
	}
	return c.valueType(field.Field)
}

// codecChild is the message type of a field's elements or of a map's values, or nil.
func codecChild(field *plan.Field) *plan.Message {
	if field.Map != nil {
		return field.Map.Value.Message
	}
	return field.Message
}

// setBit is the statement that marks a field of an opaque struct as present.
func (c *codecType) setBit(field *emit.StockField) string {
	return c.Presence + "[" + emit.Itoa(field.Bit/32) + "] |= 1 << " + emit.Itoa(field.Bit%32)
}

// hasBit is the condition that the field is present.
func (c *codecType) hasBit(field *emit.StockField) string {
	return c.Presence + "[" + emit.Itoa(field.Bit/32) + "]&(1<<" + emit.Itoa(field.Bit%32) + ") != 0"
}
