package emit

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// CustomKind says how the elements of a field differ from the default, with gogo's options.
type CustomKind uint8

const (
	CustomCast    CustomKind = iota + 1 // a number, string or bytes of a type of its own
	CustomType                          // a type with Size, MarshalTo and Unmarshal
	CustomStd                           // time.Time, time.Duration, or the value of a wrapper
	CustomMessage                       // a message that is stored as a value, or under another type
)

// Custom is how a struct stores the elements of a field, or the keys or values of a map, when options of gogoproto
// change that.
type Custom struct {
	Kind  CustomKind
	Type  string // the Go type, without pointer, as in the option: qualified by its import path; "" for the default
	Std   string // CustomStd: in the names of the runtime's functions
	Value bool   // not a pointer
	// Unique is set for a CustomCast to string itself: equal strings that were decoded are one string in memory.
	Unique bool
}

// IsPayload reports whether the elements have their own functions, which read and write a payload without its length.
func (c *Custom) IsPayload() bool { return c != nil && c.Kind != CustomCast }

// IsForeign reports whether elements are types of Go or of the user.
func (c *Custom) IsForeign() bool { return c.IsPayload() && c.Kind != CustomMessage }

// IsValue reports whether elements are values where the default is a pointer.
func (c *Custom) IsValue() bool { return c != nil && c.Value }

// stdWrappers are the names in the runtime's functions and the Go types of gogo's option wktpointer.
var stdWrappers = map[string][2]string{
	"DoubleValue": {"Double", "float64"}, "FloatValue": {"Float", "float32"}, "Int64Value": {"Int64", "int64"},
	"UInt64Value": {"UInt64", "uint64"}, "Int32Value": {"Int32", "int32"}, "UInt32Value": {"UInt32", "uint32"},
	"BoolValue": {"Bool", "bool"}, "StringValue": {"String", "string"}, "BytesValue": {"Bytes", "[]byte"},
}

// gogoNullable is the option nullable of a field. gogofaster and gogoslick turn it off where proto2 has plain values.
func (r *stockRuntime) gogoNullable(field *plan.Field) bool {
	otherwise := true
	if r.Faster && field.File.Syntax == "proto2" && !field.IsRepeated() && field.Type != plan.TypeMessage && field.Default == nil {
		otherwise = false
	}
	return field.GogoOptions.Bool(plan.GogoNullable, otherwise)
}

// gogoBool is a bool option of a message. Generators that are named after what they turn off do so where a file does
// not say.
func (r *stockRuntime) gogoBool(m *plan.Message, option plan.GogoOption) bool {
	otherwise := false
	switch option {
	case plan.GogoUnrecognized, plan.GogoUnkeyed, plan.GogoSizeCache:
		otherwise = !r.Faster
	case plan.GogoTypeDecl, plan.GogoExtensionsMap:
		otherwise = true
	case plan.GogoMarshaler, plan.GogoUnmarshaler, plan.GogoSizer:
		otherwise = r.Marshals
	}
	return m.GogoBool(option, otherwise)
}

// HidesAbsence reports whether a field is required and the struct does not show that it is absent.
func (r *stockRuntime) HidesAbsence(field *plan.Field) bool {
	return r.Gogo && field.Presence == plan.Required && !r.gogoNullable(field) &&
		(field.Type != plan.TypeBytes || r.CustomOf(field).IsValue())
}

// Declares reports whether the generator declares the struct of a message.
func (r *stockRuntime) Declares(m *plan.Message) bool { return r.gogoBool(m, plan.GogoTypeDecl) }

// GogoMethods returns the methods that gogo's generator adds to a message.
func (r *stockRuntime) GogoMethods(m *plan.Message) (methods []string) {
	if !r.Gogo {
		return nil
	}
	for _, group := range []struct {
		options []plan.GogoOption
		names   []string
	}{
		{[]plan.GogoOption{plan.GogoMarshaler, plan.GogoUnsafeMarshaler}, []string{"Marshal", "MarshalTo"}},
		{[]plan.GogoOption{plan.GogoUnmarshaler, plan.GogoUnsafeUnmarshal}, []string{"Unmarshal"}},
		{[]plan.GogoOption{plan.GogoSizer}, []string{"Size"}},
		{[]plan.GogoOption{plan.GogoProtoSizer}, []string{"ProtoSize"}},
	} {
		if slices.ContainsFunc(group.options, func(option plan.GogoOption) bool { return r.gogoBool(m, option) }) {
			methods = append(methods, group.names...)
		}
	}
	return methods
}

// CustomOf returns the special form of the elements of a field, or of the values of a map; nil for none.
func (r *stockRuntime) CustomOf(field *plan.Field) *Custom {
	if !r.Gogo {
		return nil
	}
	o, element := field.GogoOptions, field
	cast := o.Text(plan.GogoCastType)
	if field.Map != nil {
		element, cast = field.Map.Value, o.Text(plan.GogoCastValue)
	}
	value := !r.gogoNullable(field)
	custom := o.Text(plan.GogoCustomType)
	std, goType := "", ""
	if element.Message != nil {
		wrapper, isWrapper := stdWrappers[strings.TrimPrefix(element.Message.Name, "google.protobuf.")]
		switch {
		case o.Bool(plan.GogoStdTime, false):
			std, goType = "Time", "time.Time"
		case o.Bool(plan.GogoStdDuration, false):
			std, goType = "Duration", "time.Duration"
		case o.Bool(plan.GogoWktPointer, false) && isWrapper:
			std, goType = wrapper[0], wrapper[1]
		}
	}
	switch {
	case custom != "":
		// Elements of lists, and plain members of oneofs, are never pointers.
		value = value || field.IsRepeated() && field.Map == nil || field.Oneof != nil && element.Message == nil
		return &Custom{Kind: CustomType, Type: custom, Value: value}
	case std != "":
		return &Custom{Kind: CustomStd, Type: goType, Std: std, Value: value}
	case element.Message != nil && (value || cast != ""):
		return &Custom{Kind: CustomMessage, Type: cast, Value: value}
	case element.Message == nil && cast != "":
		return &Custom{Kind: CustomCast, Type: cast}
	}
	return nil
}

// CustomKeyOf is CustomOf for the keys of a map.
func (r *stockRuntime) CustomKeyOf(field *plan.Field) *Custom {
	if cast := field.GogoOptions.Text(plan.GogoCastKey); r.Gogo && cast != "" {
		return &Custom{Kind: CustomCast, Type: cast}
	}
	return nil
}

// CustomName returns the Go expression of a type in an option, such as Name or example.com/path.Name.
func (f *File) CustomName(name string) string {
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		return f.Ident(name[:dot], name[dot+1:])
	}
	return name
}

// checkGogo refuses the options of gogo that fast code cannot follow. Each is named.
func checkGogo(r *stockRuntime, m *plan.Message) error {
	refuse := func(element, option, why string) error {
		return &plan.Error{File: m.FileName, Element: element, Problem: fmt.Sprintf("it has the option gogoproto.%s, and %s", option, why),
			Fix: "leave out the message with messages=, or remove the option"}
	}
	if !r.Values && len(m.ExtensionRanges) > 0 && !r.gogoBool(m, plan.GogoExtensionsMap) {
		return refuse(m.Name, m.GogoName(plan.GogoExtensionsMap, "goproto_extensions_map"), "the face codec supports extensions only in the runtime's own map")
	}
	if !r.Values && len(m.ExtensionRanges) > 0 && !m.File.GogoOptions.Bool(plan.GogoImport, true) {
		return refuse(m.Name, "gogoproto_import", "the face codec supports extensions only in the map of gogo's runtime, not in that of golang/protobuf")
	}
	for _, field := range m.Fields {
		element, o := m.Name+"."+field.Name, field.GogoOptions
		for _, option := range []struct {
			number plan.GogoOption
			name   string
		}{
			{plan.GogoCustomType, "customtype"}, {plan.GogoCastType, "casttype"}, {plan.GogoCastKey, "castkey"}, {plan.GogoCastValue, "castvalue"},
			{plan.GogoCustomName, "customname"},
		} {
			text := o.Text(option.number)
			if text == "" {
				continue
			}
			if name := text[strings.LastIndexByte(text, '.')+1:]; !isTypeName(name) || option.number == plan.GogoCustomName && name != text {
				why := "is not a name in Go"
				if token.IsIdentifier(name) && !isTypeName(name) {
					why = "is a name that generated code needs for something else"
				}
				return refuse(element, option.name, fmt.Sprintf("%q %s", text, why))
			}
		}
		value := field
		if field.Map != nil {
			value = field.Map.Value
		}
		switch {
		case o.Text(plan.GogoCastRepeated) != "":
			return refuse(element, "castrepeated", "gogo itself does not know it: only a fork with a runtime of its own does")
		case o.Text(plan.GogoCustomType) != "" && value.Type != plan.TypeBytes && value.Type != plan.TypeMessage:
			return refuse(element, "customtype", "gogo supports it only for bytes and messages")
		case o.Text(plan.GogoCustomType) != "" && (o.Text(plan.GogoCastType) != "" || o.Text(plan.GogoCastValue) != ""):
			return refuse(element, "customtype", "gogo refuses it together with casttype and castvalue")
		case o.Bool(plan.GogoEmbed, false) && (field.Type != plan.TypeMessage || field.IsRepeated() || field.Oneof != nil):
			return refuse(element, "embed", "gogo embeds only singular messages outside of oneofs")
		case field.Map != nil && o.Text(plan.GogoCastKey) != "" && field.Map.Key.Type == plan.TypeBool:
			return refuse(element, "castkey", "the face codec supports it only for numbers and strings")
		case r.Values && value.Message != nil && strings.HasPrefix(value.Message.FileName, "google/protobuf/") && o.Text(plan.GogoCustomType) == "" &&
			r.CustomOf(field).IsPayload() && r.CustomOf(field).Kind != CustomStd && !strings.HasPrefix(m.FileName, "google/protobuf/"):
			if custom := r.CustomOf(field); !custom.Value {
				return refuse(element, castOption(field), "reflection finds a struct of google.golang.org/protobuf only under its own type")
			}
			return refuse(element, "nullable", "a struct of google.golang.org/protobuf must not be copied; use stdtime, stdduration or wktpointer, or leave it a pointer")
		case field.Delimited && r.CustomOf(field) != nil:
			option := "nullable"
			if custom := r.CustomOf(field); custom.Kind == CustomType {
				option = "customtype"
			} else if custom.Type != "" {
				option = castOption(field)
			}
			return refuse(element, option, "the face codec supports groups only as gogo's plain structs")
		case field.Enum != nil && field.Enum.GogoOptions.Text(plan.GogoEnumCustomName) != "":
			return refuse(field.Enum.Name, "enum_customname", "the face codec supports enums only under their own names")
		}
	}
	return nil
}

// castOption is the name of the option that stores a field's messages under another type.
func castOption(field *plan.Field) string {
	if field.Map != nil {
		return "castvalue"
	}
	return "casttype"
}

// CheckEnums refuses the enums of a file that structs=value cannot declare as their options say.
func CheckEnums(f *File) error {
	for _, enum := range f.Enums() {
		if f.Options.Values && enum.GogoOptions.Text(plan.GogoEnumCustomName) != "" {
			return &plan.Error{File: f.Plan.Name, Element: enum.Name, Problem: "it has the option gogoproto.enum_customname, and the face codec supports enums only under their own names",
				Fix: "remove the option"}
		}
	}
	return nil
}

// handWritten are the options that turn off methods of a message, each with another one that turns them on. Some users write the
// methods by hand.
var handWritten = []struct {
	option, instead plan.GogoOption
	methods         []string
}{
	{plan.GogoMarshaler, plan.GogoUnsafeMarshaler, []string{"Marshal", "MarshalTo", "MarshalToSizedBuffer"}},
	{plan.GogoUnmarshaler, plan.GogoUnsafeUnmarshal, []string{"Unmarshal"}},
	{plan.GogoSizer, plan.GogoProtoSizer, []string{"Size"}},
}

// HandWritten returns the methods of a message that its options or those of its file turn off.
func HandWritten(m *plan.Message) (methods []string) {
	for _, row := range handWritten {
		if !m.GogoBool(row.option, true) && !m.GogoBool(row.instead, false) {
			methods = append(methods, row.methods...)
		}
	}
	return methods
}

// withoutReflection begin the import paths of packages with gogo's structs.
var withoutReflection = []string{
	"github.com/gogo/protobuf/types/", "github.com/gogo/protobuf/protoc-gen-gogo/", "github.com/gogo/googleapis/", "github.com/cosmos/gogoproto/types/",
}

// checkValueTypes refuses fields of types in packages of gogo's or of its fork's, to which M options often map Google's files: such structs have no
// reflection, and the code with structs=value would not compile.
func checkValueTypes(f *File, m *plan.Message) error {
	for _, field := range m.Fields {
		element := field
		if field.Map != nil {
			element = field.Map.Value
		}
		custom := f.Options.StockRuntime().CustomOf(field)
		if element.Message == nil || custom != nil && (custom.Kind == CustomStd || custom.Kind == CustomType) {
			continue
		}
		in := f.Gen.PackageOf(element.Message.File)
		if element.Message.File.Requested || !slices.ContainsFunc(withoutReflection, func(module string) bool { return strings.HasPrefix(in.Path+"/", module) }) {
			continue
		}
		fix := fmt.Sprintf("leave out M%s=…: then the field has the struct of google.golang.org/protobuf", element.Message.FileName)
		if f.Options.Packages[element.Message.FileName] == "" {
			fix = fmt.Sprintf("generate %s with structs=value, too, into a package of your own", element.Message.FileName)
		}
		return &plan.Error{File: m.FileName, Element: m.Name + "." + field.Name,
			Problem: fmt.Sprintf("its type is in the package %s, whose structs have no reflection", in.Path), Fix: fix}
	}
	return nil
}

// isTypeName reports whether a name can stand for a type in generated code: a variable there must not have it.
func isTypeName(name string) bool {
	_, predeclared := types.Universe.Lookup(name).(*types.TypeName)
	return token.IsIdentifier(name) && (predeclared || !isLocalName(name))
}

// embeddedName is the name of an embedded field: that of its type.
func (r *stockRuntime) embeddedName(field *plan.Field) string {
	name := ""
	if custom := r.CustomOf(field); custom != nil {
		name = custom.Type
	}
	if name == "" {
		name = GoCamelCase(local(field.Message.File, field.Message.Name))
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}
