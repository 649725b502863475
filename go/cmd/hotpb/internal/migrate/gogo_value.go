package migrate

import (
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"

	proto "github.com/bufbuild/protocompile/ast"
)

// gogoValue is the way off gogo: hotpb writes the structs, with structs=value, and Google's runtime takes the place of gogo's. Calls
// compile only when the new structs are there, so what is not true for both is left by hand.
var gogoValue = &tool{
	name: "gogo",
	packages: map[string]func(*use) outcome{
		gogoProto: func(u *use) outcome {
			if name := u.object.Name(); pointers[name] && has(hotpbAPI, u.object, name, nil) {
				return u.becomes(u.sel, "hotpb."+name, hotpbImport)
			}
			return counterpart(u, "google.golang.org/protobuf/proto", gogoProtoCounterparts)
		},
		gogoModule + "/types": func(u *use) outcome {
			return counterpart(u, "google.golang.org/protobuf/types/known", gogoTypesCounterparts)
		},
		gogoModule + "/jsonpb": func(u *use) outcome {
			return counterpart(u, "google.golang.org/protobuf/encoding/protojson", gogoJSONCounterparts)
		},
		gogoModule + "/io": func(*use) outcome {
			return hand("MarshalTo and UnmarshalFrom of google.golang.org/protobuf/encoding/protodelim, which prefix a varint as the delimited readers and writers do")
		},
		gogoModule + "/sortkeys": func(*use) outcome { return hand("slices.Sort") },
		gogoModule + "/gogoproto": func(*use) outcome {
			return hand("read the option from the descriptor by its number: hotpb has no variables for gogo's options")
		},
		gogoModule + "/protoc-gen-gogo/descriptor": func(u *use) outcome {
			return counterpart(u, "google.golang.org/protobuf/types/descriptorpb", gogoDescriptorCounterparts)
		},
		gogoModule + "/protoc-gen-gogo/generator": func(*use) outcome { return hand("google.golang.org/protobuf/compiler/protogen") },
		gogoModule + "/protoc-gen-gogo/plugin":    func(*use) outcome { return hand("google.golang.org/protobuf/types/pluginpb") },
		gogoModule + "/protoc-gen-gogo/grpc":      func(*use) outcome { return hand("protoc-gen-go-grpc") },
	},
	module:   gogoModule,
	fallback: func(*use) outcome { return hand("no counterpart: write it without gogo's module") },
	blank: func(string) outcome {
		return hand("remove the import: the code with structs=value needs none of gogo's packages")
	},
	method:  gogoValueMethod,
	symbol:  gogoValueSymbol,
	helpers: regexp.MustCompile(`^(encodeVarint|sov|soz|skip|valueToString|ErrInvalidLength|ErrIntOverflow|ErrUnexpectedEndOfGroup)[A-Z]`),
	options: gogoValueOptions,
	field:   gogoValueField,
	plugins: gogoValuePlugins,
	mark:    regexp.MustCompile(`\bprotoc-gen-gogo(fast|faster|slick)?\b[^-]`),
	foreign: regenerate,
	guide:   gogoGuide,
}

// counterpart replaces a symbol by its table: by the whole name, or else by the longest pattern that fits.
func counterpart(u *use, path string, table map[string]string) outcome {
	name := u.object.Name()
	if do := table[name]; do != "" {
		return hand(do)
	}
	longest := ""
	for _, pattern := range slices.Sorted(maps.Keys(table)) {
		if fits(pattern, name) && len(pattern) > len(longest) {
			longest = pattern
		}
	}
	if longest == "" {
		return hand("no counterpart of this name in hotpb; see " + path)
	}
	return hand(table[longest])
}

// fits reports whether a pattern with a * at its beginning or end stands for a name.
func fits(pattern, name string) bool {
	if ending, ok := strings.CutPrefix(pattern, "*"); ok {
		return strings.HasSuffix(name, ending)
	}
	beginning, ok := strings.CutSuffix(pattern, "*")
	return ok && strings.HasPrefix(name, beginning)
}

const (
	googleProto  = " of google.golang.org/protobuf/proto"
	noExtension  = "extensions are unknown fields with structs=value: decode them from XXX_unrecognized, or leave the message with Google's structs"
	noRegistry   = "the structs are not registered: protoregistry.GlobalTypes.RegisterMessage where something looks them up"
	byInterface  = "an interface of your own with this method"
	unmarshalNew = "a.UnmarshalNew(), where protoregistry.GlobalTypes knows the message"
	byWire       = "package google.golang.org/protobuf/encoding/protowire"
)

// The tables have names, and beginnings and endings of names with a *.
var (
	gogoProtoCounterparts = map[string]string{
		"Marshal": "proto.Marshal" + googleProto, "Unmarshal": "proto.Unmarshal" + googleProto, "UnmarshalMerge": "proto.UnmarshalOptions{Merge: true}.Unmarshal" + googleProto,
		"Size": "proto.Size" + googleProto, "Clone": "proto.Clone" + googleProto, "Equal": "proto.Equal" + googleProto, "Merge": "proto.Merge" + googleProto,
		"Message":   "proto.Message" + googleProto + ": it needs the method ProtoReflect",
		"Marshaler": byInterface, "Unmarshaler": byInterface, "Sizer": byInterface, "ProtoSizer": byInterface, "Merger": byInterface, "NewMarshaler": byInterface, "NewUnmarshaler": byInterface,
		"NewBuffer": "MarshalAppend of proto.MarshalOptions" + googleProto + ", and " + byWire, "Buffer": "a []byte, MarshalAppend of proto.MarshalOptions" + googleProto + ", and " + byWire,
		"EncodeVarint": "protowire.AppendVarint of " + byWire, "DecodeVarint": "protowire.ConsumeVarint of " + byWire, "SizeVarint": "protowire.SizeVarint of " + byWire,
		"*Text": "prototext.Marshal or Unmarshal of google.golang.org/protobuf/encoding/prototext", "*TextString": "prototext.Format of google.golang.org/protobuf/encoding/prototext",
		"TextMarshaler": "prototext.MarshalOptions of google.golang.org/protobuf/encoding/prototext",
		"*Extension":    noExtension, "*Extensions": noExtension, "Extension*": noExtension, "*ExtensionDescs": noExtension, "*RawExtension": noExtension, "ErrMissingExtension": noExtension,
		"RegisterExtension": noExtension, "RegisteredExtensions": noExtension,
		"Register*": noRegistry, "MessageName": "m.ProtoReflect().Descriptor().FullName()", "MessageType": noRegistry, "FileDescriptor": noRegistry, "EnumValueMap": noRegistry,
		"EnumName": "the enum's method String", "UnmarshalJSONEnum": "protojson.Unmarshal of the message",
		"ErrNil": "Google's proto.Marshal writes a nil message as an empty one", "RequiredNotSetError": "an error of proto.CheckInitialized" + googleProto,
		"SetDefaults": "the getters, which return defaults", "GetProperties": "m.ProtoReflect().Descriptor()", "StructProperties": "m.ProtoReflect().Descriptor()", "Properties": "m.ProtoReflect().Descriptor()",
	}
	gogoTypesCounterparts = map[string]string{
		"Timestamp": "timestamppb.Timestamp", "Duration": "durationpb.Duration", "Any": "anypb.Any", "Empty": "emptypb.Empty", "FieldMask": "fieldmaskpb.FieldMask",
		"Struct": "structpb.Struct", "Value": "structpb.Value", "ListValue": "structpb.ListValue", "Value_*": "the same of structpb", "NullValue*": "the same of structpb",
		"*32Value": "the same of wrapperspb", "*64Value": "the same of wrapperspb", "DoubleValue": "wrapperspb.DoubleValue", "FloatValue": "wrapperspb.FloatValue",
		"BoolValue": "wrapperspb.BoolValue", "StringValue": "wrapperspb.StringValue", "BytesValue": "wrapperspb.BytesValue",
		"TimestampProto": "timestamppb.New(t), and CheckValid for the error", "TimestampFromProto": "ts.AsTime(), and ts.CheckValid() for the error",
		"TimestampNow": "timestamppb.Now()", "TimestampString": "ts.AsTime().Format(time.RFC3339Nano)",
		"DurationProto": "durationpb.New(d)", "DurationFromProto": "d.AsDuration(), and d.CheckValid() for the error",
		"MarshalAny": "anypb.New(m)", "UnmarshalAny": "a.UnmarshalTo(m)", "Is": "a.MessageIs(m)", "AnyMessageName": "a.MessageName()",
		"NewPopulated*": "fill in the message: Google's packages have no such function", "EmptyAny": unmarshalNew, "DynamicAny": unmarshalNew,
		"Api": "apipb.Api", "Method": "apipb.Method", "Mixin": "apipb.Mixin", "Type": "typepb.Type", "Field": "typepb.Field", "Field_*": "the same of typepb", "Enum": "typepb.Enum",
		"EnumValue": "typepb.EnumValue", "Option": "typepb.Option", "Syntax*": "the same of typepb", "SourceContext": "sourcecontextpb.SourceContext",
	}
	gogoDescriptorCounterparts = map[string]string{
		"*": "the same of google.golang.org/protobuf/types/descriptorpb", "Default_FileOptions_PhpGenericServices": "false: the option does not exist any more",
		"ForMessage": "protodesc.ToDescriptorProto(m.ProtoReflect().Descriptor())", "Message": "proto.Message" + googleProto,
	}
	gogoJSONCounterparts = map[string]string{
		"Marshaler":   "protojson.MarshalOptions: UseProtoNames for OrigName, EmitUnpopulated for EmitDefaults, UseEnumNumbers for EnumsAsInts",
		"Unmarshaler": "protojson.UnmarshalOptions: DiscardUnknown for AllowUnknownFields", "Unmarshal*": "protojson.Unmarshal of the bytes",
		"AnyResolver": "Resolver of protojson's options, a protoregistry.Types", "JSONPBMarshaler": "protojson calls no such method; a custom type has MarshalJSON",
		"JSONPBUnmarshaler": "protojson calls no such method; a custom type has UnmarshalJSON",
	}
)

// gogoValueMethod judges what gogo's structs have and those of structs=value have not.
func gogoValueMethod(u *use) (outcome, bool) {
	name := u.object.Name()
	var owner types.Type
	switch o := u.object.(type) {
	case *types.Func:
		if o.Signature().Recv() == nil {
			return outcome{}, false
		}
		owner = o.Signature().Recv().Type()
	case *types.Var:
		if !strings.HasPrefix(name, "XXX_") {
			return outcome{}, false
		}
		owner = u.info.TypeOf(u.sel.X)
		if _, ok := types.Unalias(owner).(*types.Pointer); !ok {
			owner = types.NewPointer(owner)
		}
	}
	if o := u.object; o.Pkg() != nil && u.code.rule(o.Pkg().Path()) != nil {
		return gogoOwnMethod(o), true
	}
	if path, _ := runtimeOf(owner); path != gogoPath {
		return outcome{}, false
	}
	switch name {
	case "XXX_unrecognized":
		return stay("structs=value keeps it, too"), true
	case "Descriptor":
		return hand("m.ProtoReflect().Descriptor()"), true
	case "Compare", "VerboseEqual", "GoString", "Description", "TestProto", "EnumDecl", "NewPopulated":
		return hand("structs=value has no such method: write it, or leave it out"), true
	case "Equal", "Marshal", "MarshalTo", "MarshalToSizedBuffer", "Size", "ProtoSize", "Unmarshal", "Reset", "String", "ProtoMessage":
		return stay("structs=value has the method, too"), true
	}
	if strings.HasPrefix(name, "XXX_") {
		return hand("structs=value has none: leave it out"), true
	}
	return outcome{}, false
}

// gogoOwnMethod judges the methods and fields of the types in gogo's module.
func gogoOwnMethod(o types.Object) outcome {
	name := o.Name()
	switch path := o.Pkg().Path(); path {
	case gogoModule + "/types", gogoModule + "/protoc-gen-gogo/descriptor", gogoModule + "/protoc-gen-gogo/plugin":
		f, ok := o.(*types.Func)
		switch {
		case !ok:
			return hand("Google's struct has no such field: leave it out")
		case isMember(f.Signature().Recv().Type()):
			return hand("Google's struct of a member has no such method: call that of the message")
		case name == "GetPhpGenericServices", strings.HasSuffix(path, "/descriptor") && strings.HasPrefix(name, "Get") && !hasField(f.Signature().Recv().Type(), name[len("Get"):]):
			return hand("Google's struct has no such method: search its lists")
		case strings.HasPrefix(name, "Get"), name == "Reset", name == "String", name == "ProtoMessage", name == "Descriptor":
			return stay("Google's struct has the method, too")
		case name == "Marshal" || name == "Unmarshal" || name == "Size" || name == "Equal":
			return hand("Google's struct has no such method: proto." + name + googleProto)
		}
		return hand("Google's struct has no such method: write it, or leave it out")
	case gogoModule + "/jsonpb":
		return hand("Marshal of protojson.MarshalOptions, or Unmarshal of protojson.UnmarshalOptions")
	case gogoProto:
		switch verb, _, _ := strings.Cut(name, "code"); verb {
		case "En":
			return hand("an Append function of " + byWire)
		case "De":
			return hand("a Consume function of " + byWire)
		}
	}
	return hand("a method of gogo's package " + o.Pkg().Path() + ": it goes with the value")
}

// hasField reports whether a pointer to a struct has a field.
func hasField(typ types.Type, name string) bool {
	found, _, _ := types.LookupFieldOrMethod(typ, true, nil, name)
	v, ok := found.(*types.Var)
	return ok && v.IsField()
}

// gogoValueSymbol judges variables, constants and functions of generated packages that structs=value does not write.
func gogoValueSymbol(u *use) (outcome, bool) {
	name := u.object.Name()
	switch o := u.object.(type) {
	case *types.Var:
		pointer, ok := types.Unalias(o.Type()).(*types.Pointer)
		if !ok {
			return outcome{}, false
		}
		if named, ok := types.Unalias(pointer.Elem()).(*types.Named); ok && named.Obj().Name() == "ExtensionDesc" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == gogoProto {
			return hand(noExtension), true
		}
	case *types.Func:
		if typ, ok := strings.CutPrefix(name, "NewPopulated"); ok && o.Pkg().Scope().Lookup(typ) != nil {
			return hand("structs=value has no such function: fill in the message"), true
		}
	case *types.Const:
		if strings.HasPrefix(name, "Default_") {
			return hand("structs=value has no constants of defaults: the getter of an empty message returns the default"), true
		}
	}
	return outcome{}, false
}

// gogoValueOptions are gogoOptions for structs=value.
var gogoValueOptions = func() map[string]option {
	all := maps.Clone(gogoOptions)
	for kinds, names := range map[option][]string{
		{byHand, "structs=value writes nothing for it: leave it out, with the code that needs it", "true"}: {"compare", "verbose_equal", "populate", "gostring", "description", "face",
			"testgen", "benchgen", "onlyone"},
		{stays, "supported", ""}: {"embed", "goproto_extensions_map", "gogoproto_import", "equal", "stringer", "goproto_stringer", "goproto_getters", "jsontag", "moretags", "goproto_enum_prefix", "enumvalue_customname"},
		{byHand, "with false, the struct lacks the methods, as with gogo; proto.Marshal and other messages do not call those that you wrote by hand", "false"}: {
			"marshaler", "unmarshaler", "sizer"},
		{stays, "these fields are left out", ""}:      {"goproto_unkeyed", "goproto_sizecache"},
		{stays, "the structs are not registered", ""}: {"goproto_registration", "messagename"},
	} {
		for _, name := range names {
			all["gogoproto."+name] = kinds
		}
	}
	return all
}()

// gogoValueField finds Google's structs by value, which the generator refuses.
func gogoValueField(typ string, options []*proto.OptionNode) option {
	if !strings.HasPrefix(typ, "google.protobuf.") {
		return option{}
	}
	byValue := false
	for _, o := range options {
		switch extensionName(o) {
		case "gogoproto.nullable":
			byValue = word(o) == "false"
		case "gogoproto.stdtime", "gogoproto.stdduration", "gogoproto.wktpointer":
			if word(o) == "true" {
				return option{}
			}
		case "gogoproto.customtype":
			return option{}
		}
	}
	if !byValue {
		return option{}
	}
	return option{byHand, "a struct of google.golang.org/protobuf must not be copied: add stdtime, stdduration or wktpointer, or remove nullable=false, and the field is a pointer", ""}
}
