package gen

import (
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

func init() {
	Register(Face{
		Name:    "codec",
		Stock:   true,
		Selects: true,
		Emit:    emitCodec,
	})
}

// codecVersion is the version of the code this emitter writes; the runtime
// states which versions it works with.
const codecVersion = 2

// codecMethods are the exported methods that the face adds to every struct.
var codecMethods = []string{
	"SizeHot", "MarshalHot", "MarshalAppendHot", "MarshalScratchHot", "MarshalHotOptions", "EncodeHot",
	"UnmarshalHot", "UnmarshalHotOptions", "DecodeHot", "MissingHot",
}

func emitCodec(f *File) error {
	if len(f.Options.Only)+len(f.Options.Skip) > 0 {
		return &OptionError{"only", "", "the face codec fills structs that have all fields; messages= is allowed"}
	}
	f.Printf(`const (
			// An error here: the runtime is too old for this code; update the module `+runtimePath+`.
			_ = uint(%s - %d)
			// An error here: this code is too old for the runtime; generate it again.
			_ = uint(%d - %s)
		)
		`, f.Codec("MaxGenerated"), codecVersion, codecVersion, f.Codec("MinGenerated"))
	f.emitGuard()
	var types []*codecType
	for _, m := range f.Messages() {
		stock, err := newStockMessage(f, m)
		if err != nil {
			return err
		}
		c := &codecType{File: f, stockMessage: stock}
		if err := c.checkMembers(codecMethods); err != nil {
			return err
		}
		c.chooseTable()
		types = append(types, c)
	}
	f.explainStale(types)
	for _, c := range types {
		c.emitSameStruct()
		c.emitExtensions()
		c.emitTable()
		c.emitMarshal()
		c.emitCompat()
		c.emitUnmarshal()
		c.emitSlabs()
		c.emitDecode()
		c.emitMissing()
	}
	f.emitProtoMethods()
	return nil
}

// Codec gives an identifier of package codec, and CodecRuntime of the package for the runtime of the structs.
func (f *File) Codec(name string) string { return f.Ident(runtimePath+"/codec", name) }

// CodecRuntime gives an identifier of the package for the runtime of the structs.
func (f *File) CodecRuntime(name string) string { return f.Ident(f.Options.runtime().fast, name) }

// codecType is one stock struct that gets methods.
type codecType struct {
	*File
	*stockMessage
	boxes map[*stockField]string // where the decoder puts the values of pointer fields
	table map[*stockField]int    // the fields that are read and written by table, and their index in it
}

// isLocal tells the messages whose methods are made by this very run in this very package, and so are called directly.
// Others are asked at run time whether they have any.
func (c *codecType) isLocal(m *plan.Message) bool {
	return m.File.Requested && c.gen.packageOf(m.File).path == c.in.path && c.isSelected(m)
}

// structName is the Go type of a message's struct, qualified where needed.
func (c *codecType) structName(m *plan.Message) string {
	return c.qualify(m.File, c.gen.namesOf(m.File).messages[m])
}

// valueType is the Go type of one element or value.
func (c *codecType) valueType(field *plan.Field) string {
	if field.Type == plan.TypeMessage {
		return "*" + c.structName(field.Message)
	}
	return c.goType(field)
}

// fieldType is the Go type of what a field has in the struct, or in its oneof's wrapper.
func (c *codecType) fieldType(field *stockField) string {
	switch field.store {
	case storeMap:
		return "map[" + c.goType(field.Map.Key) + "]" + c.valueType(field.Map.Value)
	case storeList:
		return "[]" + c.valueType(field.Field)
	case storePointer:
		return "*" + c.valueType(field.Field)
	}
	return c.valueType(field.Field)
}

// codecChild is the message that a field's elements or a map's values are, or nil.
func codecChild(field *plan.Field) *plan.Message {
	if field.Map != nil {
		return field.Map.Value.Message
	}
	return field.Message
}

// setBit is the statement that marks a field of an opaque struct as present.
func (c *codecType) setBit(field *stockField) string {
	return c.presence + "[" + itoa(field.bit/32) + "] |= 1 << " + itoa(field.bit%32)
}

// hasBit is the condition that it is present.
func (c *codecType) hasBit(field *stockField) string {
	return c.presence + "[" + itoa(field.bit/32) + "]&(1<<" + itoa(field.bit%32) + ") != 0"
}
