package migrate

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

const (
	csprotoPath     = "github.com/CrowdStrike/csproto"
	csprotoLazyPath = csprotoPath + "/lazyproto"
	csprotoGuide    = "docs/migrate-from-csproto.md"
	fastmarshal     = ".pb.fm.go" // what the names of generated files end with
)

var csproto = &tool{
	name: "csproto",
	packages: map[string]func(*use) outcome{
		csprotoPath:     csprotoSymbol,
		csprotoLazyPath: lazySymbol,
		csprotoPath + "/prototest": func(*use) outcome {
			return hand("prototest.Parse or MustParse of " + module + "/prototest; the two digits of a byte stand together there")
		},
	},
	module:   csprotoPath,
	fallback: func(*use) outcome { return hand("hotpb has no such package; see " + csprotoGuide) },
	blank: func(string) outcome {
		return hand("remove the import: hotpb needs no package of csproto for its effect")
	},
	method:  csprotoMethod,
	plugins: csprotoPlugins,
	delete:  []string{fastmarshal},
	mark:    regexp.MustCompile(`\bprotoc-gen-fastmarshal\b`),
	foreign: regenerate,
	guide:   csprotoGuide,
}

// csprotoHints name what replaces symbols that hotpb has under another name or with another meaning.
var csprotoHints = map[string]string{
	"NewEncoder": "wire.NewEncoder: it keeps the first error, and Bytes returns it; see Encoder", "Encoder": "wire.Encoder; see Encoder",
	"NewDecoder": "wire.NewDecoder; see Decoder", "Decoder": "wire.Decoder; see Decoder", "DecoderMode": "wire.Mode",
	"DecodePartial":   "wire.Find or package lazyproto; see Partial decode",
	"DecoderModeSafe": "wire.Safe", "DecoderModeFast": "wire.Fast", "SizeOfTagKey": "wire.SizeTag", "SizeOfVarint": "wire.SizeVarint",
	"SizeOfZigZag": "wire.SizeVarint(wire.EncodeZigzag(v))", "WireType": "wire.Type", "WireTypeLengthDelimited": "wire.BytesType", "WireTypeVarint": "wire.VarintType",
	"WireTypeFixed32": "wire.Fixed32Type", "WireTypeFixed64": "wire.Fixed64Type", "MaxTagValue": "wire.MaxNumber",
	"EncodeVarint": "wire.AppendVarint, which appends", "EncodeTag": "wire.AppendTag, which appends", "EncodeFixed32": "binary.LittleEndian.AppendUint32",
	"EncodeFixed64": "binary.LittleEndian.AppendUint64", "EncodeZigZag32": "wire.AppendVarint of wire.EncodeZigzag", "EncodeZigZag64": "wire.AppendVarint of wire.EncodeZigzag",
	"DecodeVarint": "wire.ReadVarint", "DecodeZigZag32": "wire.ReadVarint and wire.DecodeZigzag32", "DecodeZigZag64": "wire.ReadVarint and wire.DecodeZigzag",
	"DecodeFixed32": "wire.ReadFixed32", "DecodeFixed64": "wire.ReadFixed64",
	"ErrValueOverflow": "does not occur: the low 32 bits count", "ErrInvalidVarintData": "errors.Is(err, wire.VarintOverflow)", "ErrInvalidFieldTag": "errors.Is(err, wire.InvalidTag)",
	"ErrLenOverflow": "errors.Is(err, wire.SizeExceeded)", "ErrInvalidFixed32Data": "errors.Is(err, wire.Truncated)", "ErrInvalidFixed64Data": "errors.Is(err, wire.Truncated)",
	"DecoderSkipError": "does not occur: the method Skip of wire.Decoder skips the record of the tag that was read last", "ErrInvalidPackedData": "errors.Is(err, wire.Truncated)", "ErrInvalidZigZagData": "errors.Is(err, wire.VarintOverflow)",
	"ErrMarshaler": "errors.Is(err, hotpb.ErrNotMessage)", "ErrUnmarshaler": "errors.Is(err, hotpb.ErrNotMessage)",
	"Marshaler": "hotpb.Marshaler, the same interface", "Unmarshaler": "hotpb.Unmarshaler, the same interface", "Sizer": "hotpb.Sizer, the same interface",
	"MarshalerTo":  "hotpb.MarshalerTo, the same interface",
	"ProtoV1Sizer": byInterface, "ProtoV1Marshaler": byInterface, "ProtoV1Unmarshaler": byInterface, "NativeTypes": "a constraint of your own: hotpb.Ptr accepts any type",
	"MsgType": "hotpb.RuntimeOf: its ImportPath names the runtime", "MessageType": "hotpb.Runtime", "MessageTypeGoogle": "hotpb.RuntimeOf: its ImportPath names the runtime",
	"MessageTypeGoogleV1": "hotpb.RuntimeOf: its ImportPath names the runtime", "MessageTypeGogo": "hotpb.RuntimeOf: its ImportPath names the runtime",
	"MessageTypeUnknown": "the error of hotpb.RuntimeOf",
	"GetExtension":       "hotpb.GetExtension: for an extension that is not set and has no default it returns hotpb.ErrMissingExtension, where csproto returns a zero value and no error for messages of Google's runtime",
	"ClearExtension":     "hotpb.ClearExtension: it returns an error where csproto panics",
	"ClearAllExtensions": "hotpb.ClearAllExtensions: it returns an error for anything that is not a message, where csproto does nothing",
	"Reset":              "hotpb.Reset: it returns an error where csproto panics",
	"MarshalText":        "hotpb.MarshalText: it returns a []byte, where csproto returns a string, and does not call the message's own MarshalText",
	"JSONMarshaler":      "hotpb.JSONMarshaler: it does not call the message's own MarshalJSON, and a nil message is an error",
	"JSONUnmarshaler":    "hotpb.JSONUnmarshaler: it does not call the message's own UnmarshalJSON, and empties a message of gogo or v1 first",
	"JSONOption":         "hotpb.JSONOption, together with the call that takes it",
	"JSONIndent":         jsonOption, "JSONUseEnumNumbers": jsonOption, "JSONIncludeZeroValues": jsonOption, "JSONAllowUnknownFields": jsonOption,
	"JSONAllowPartialMessages": jsonOption + "; it also counts when hotpb writes",
}

const jsonOption = "the same function of hotpb, together with the call that takes it"

func csprotoSymbol(u *use) outcome {
	name := u.object.Name()
	if hint := csprotoHints[name]; hint != "" {
		return hand(hint)
	}
	f, ok := u.object.(*types.Func)
	switch {
	case name == "GrpcCodec":
		return grpcCodec(u)
	case name == "PointerTo" && ok && f.Signature().TypeParams().Len() == 1:
		return u.becomes(u.sel, "hotpb.Ptr", hotpbImport)
	case !has(hotpbAPI, u.object, name, types.RelativeTo(u.object.Pkg())):
		return hand(difference(hotpbAPI, "hotpb", u.object, csprotoGuide))
	case pointers[name]:
		return u.becomes(u.sel, "hotpb."+name, hotpbImport)
	}
	judge := csprotoCalls[name]
	if judge == nil {
		return hand("hotpb." + name + ", after a comparison of the two: the list does not know whether they behave alike")
	}
	call := u.call()
	if call == nil || len(call.Args) != f.Signature().Params().Len() { // a value, or f(g()) with several results
		return hand("hotpb." + name + ", and import " + gogoPath + " or " + googlev1Path + " where messages of these runtimes get here")
	}
	do, path := judge(u, call.Args)
	if do != "" {
		return hand("hotpb." + name + ": " + do)
	}
	o := u.becomes(u.sel, "hotpb."+name, hotpbImport)
	if o.kind == safe && path != "" {
		o.imports = append(o.imports, imported{"_", path})
	}
	return o
}

// csprotoCalls judge calls of the functions that both have with the same types. A call is safe for arguments that behave alike: do is what
// may differ for the others, and path the package to link. A panic of csproto may be an error of hotpb.
var csprotoCalls = map[string]func(u *use, arguments []ast.Expr) (do, path string){
	"Size": func(u *use, a []ast.Expr) (do, path string) { return u.message(a[0]).common(u, a[0]) },
	"Marshal": func(u *use, a []ast.Expr) (do, path string) {
		m := u.message(a[0])
		if do, path = m.common(u, a[0]); do == "" && path != "" && m.fast["Marshal"] && !isNew(u, a[0]) {
			do = "it returns an error for a nil message of another runtime than Google's, where csproto's methods return no bytes"
		}
		return do, path
	},
	"Unmarshal": func(u *use, a []ast.Expr) (do, path string) {
		m := u.message(a[1])
		if do, path = m.common(u, a[1]); do == "" && path != "" && !m.fast["Unmarshal"] {
			do = "it empties the message first, where csproto adds to a message of this runtime"
		}
		return do, path
	},
	"Clone": func(u *use, a []ast.Expr) (do, path string) { return u.message(a[0]).runtime(u, a[0]) },
	"Equal": func(u *use, a []ast.Expr) (do, path string) {
		m := u.message(a[0])
		if do, path = m.runtime(u, a[0]); do == "" && (!m.concrete || !types.Identical(u.info.TypeOf(a[0]), u.info.TypeOf(a[1]))) {
			do = "it is false for messages of two Go types, where csproto asks their runtime"
		}
		return do, path
	},
	"HasExtension":    csprotoExtension,
	"SetExtension":    csprotoExtension,
	"RangeExtensions": csprotoRange,
	"ExtensionFieldNumber": func(u *use, a []ast.Expr) (do, path string) {
		if !isExtensionType(u, a[0]) {
			do = "import " + gogoPath + " or " + googlev1Path + " if extensions of these runtimes get here"
		}
		return do, ""
	},
}

// csprotoExtension judges a call with a message and an extension.
func csprotoExtension(u *use, a []ast.Expr) (do, path string) {
	if do, path = u.message(a[0]).runtime(u, a[0]); do == "" && (path != "" || !isExtensionType(u, a[1])) {
		do = "it refuses an extension of another message, which csproto looks up by its number for messages of gogo and v1"
	}
	return do, path
}

func csprotoRange(u *use, a []ast.Expr) (do, path string) {
	switch do, path = u.message(a[0]).runtime(u, a[0]); {
	case do != "":
	case path != "":
		do = "the function gets the value of the extension, where csproto passes its description for messages of gogo and v1"
	case !isNew(u, a[0]):
		do = "it returns an error for a nil message, where csproto returns none"
	}
	return do, path
}

// isExtensionType reports whether the type of an expression is one of Google's runtime for extensions.
func isExtensionType(u *use, e ast.Expr) bool {
	return types.NewMethodSet(u.info.TypeOf(e)).Lookup(nil, "TypeDescriptor") != nil
}

// isNew reports whether an expression is the address of a new message or of a variable, and so not nil.
func isNew(u *use, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return e.Op == token.AND
	case *ast.CallExpr:
		f, ok := ast.Unparen(e.Fun).(*ast.Ident)
		return ok && u.info.Uses[f] == types.Universe.Lookup("new")
	}
	return false
}

// message describes a message by the type of an argument.
type message struct {
	known    bool
	path     string          // of the package to link for its runtime; "" for Google's
	concrete bool            // the type is that of one struct, and not of many
	own      string          // a method for the encoding that protoc-gen-fastmarshal did not write
	fast     map[string]bool // the methods that it wrote
}

// encodings are the methods that one of the two asks messages for.
var encodings = []string{"Size", "Marshal", "MarshalTo", "MarshalAppend", "Unmarshal", "SizeVT", "MarshalVT", "MarshalToSizedBufferVT", "UnmarshalVT"}

func (u *use) message(e ast.Expr) message {
	typ := u.info.TypeOf(e)
	path, known := runtimeOf(typ)
	m := message{known: known, path: path, fast: map[string]bool{}}
	if _, m.concrete = types.Unalias(typ).(*types.Pointer); !m.concrete {
		return m
	}
	set := types.NewMethodSet(typ)
	for _, name := range encodings {
		method := set.Lookup(nil, name)
		if method == nil {
			continue
		}
		if strings.HasSuffix(u.fset.Position(method.Obj().Pos()).Filename, fastmarshal) {
			m.fast[name] = true
		} else if m.own == "" {
			m.own = name
		}
	}
	return m
}

// runtime returns the possible differences of a call that the message's runtime serves.
func (m message) runtime(u *use, e ast.Expr) (do, path string) {
	if !m.known {
		do = "import " + gogoPath + " or " + googlev1Path + " if messages of these runtimes get here: the type says only " +
			types.TypeString(u.info.TypeOf(e), types.RelativeTo(u.pkg))
	}
	return do, m.path
}

// common returns the possible differences of a call that methods of the message may serve.
func (m message) common(u *use, e ast.Expr) (do, path string) {
	do, path = m.runtime(u, e)
	switch {
	case do != "":
	case !m.concrete:
		do = "the type says only " + types.TypeString(u.info.TypeOf(e), types.RelativeTo(u.pkg)) + ", and messages may have methods of their own, which hotpb calls after it has emptied the message"
	case m.own == "":
	case strings.HasSuffix(m.own, "VT"):
		do = "it calls vtprotobuf's methods, which check less than the runtime that csproto calls"
	case path == "":
		do = "compare with the method " + m.own + " of the message: hotpb calls it where csproto does, but empties the message before its Unmarshal"
	}
	return do, path
}

// runtimeOf returns the package to link for messages of this type: none for those of Google's runtime.
func runtimeOf(typ types.Type) (path string, known bool) {
	if typ == nil {
		return "", false
	}
	set := types.NewMethodSet(typ)
	if set.Lookup(nil, "ProtoReflect") != nil {
		return "", true
	}
	pointer, ok := types.Unalias(typ).(*types.Pointer)
	if !ok || set.Lookup(nil, "ProtoMessage") == nil {
		return "", false
	}
	named, ok := types.Unalias(pointer.Elem()).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return "", false
	}
	imports := func(path string) bool {
		return slices.ContainsFunc(named.Obj().Pkg().Imports(), func(p *types.Package) bool { return p.Path() == path })
	}
	switch gogo, v1 := imports(gogoProto), imports(googleV1Proto); {
	case gogo && v1: // one of them is for something else
		return "", false
	case gogo:
		return gogoPath, true
	case v1:
		return googlev1Path, true
	}
	return "", false
}

// csprotoMethod judges the methods of csproto's own types.
func csprotoMethod(u *use) (outcome, bool) {
	if u.object.Pkg() == nil {
		return outcome{}, false
	}
	f, ok := u.object.(*types.Func)
	if !ok || f.Signature().Recv() == nil || u.code.rule(u.object.Pkg().Path()) == nil {
		return outcome{}, false
	}
	if u.object.Pkg().Path() == csprotoLazyPath {
		return lazySymbol(u), true
	}
	return hand(wireMethod(f)), true
}

// wireNames are the names of types in a .proto, which package wire uses, for csproto's names.
var wireNames = strings.NewReplacer("Float32", "Float", "Float64", "Double", "SInt", "Sint", "UInt", "Uint", "SFixed", "Sfixed")

// wireMethod replaces a method of csproto's types.
func wireMethod(f *types.Func) string {
	receiver, name := strings.TrimPrefix(types.TypeString(f.Signature().Recv().Type(), types.RelativeTo(f.Pkg())), "*"), f.Name()
	switch receiver {
	case "GrpcCodec":
		return "the same method of grpccodec.CodecV1 of " + grpcPath
	case "DecoderMode":
		receiver = "Mode"
	case "DecoderSkipError":
		return csprotoHints[receiver]
	}
	if name == "EncodeMapEntryHeader" {
		return "wire.Encoder.BeginMapEntry and End, which need no size"
	}
	name = wireNames.Replace(name)
	if typ := entry(wireAPI, receiver, name); typ != "" {
		return "wire." + receiver + "." + name + " " + strings.TrimPrefix(typ, "func") + "; see " + csprotoGuide
	}
	return "a method of another name of package wire; see " + csprotoGuide
}

// lazySymbol judges package lazyproto. All of its uses belong together, and hotpb's decoder reads some messages in another way.
func lazySymbol(u *use) outcome {
	qualifier := func(p *types.Package) string {
		switch p.Path() {
		case csprotoLazyPath:
			return ""
		case csprotoPath:
			return wirePath
		}
		return p.Path()
	}
	if u.object.Name() == "RawValueConversionError" {
		return hand("does not occur: leave it out")
	}
	description := strings.ReplaceAll(describe(u.object, u.object.Name(), qualifier), wirePath+".DecoderMode", wirePath+".Mode")
	if !strings.Contains("\n"+lazyAPI, "\n"+description+"\n") {
		return hand(difference(lazyAPI, "lazyproto", u.object, csprotoGuide))
	}
	switch u.object.Name() {
	case "Decode", "NewDecoder", "Decoder":
		return hand("the same of " + lazyPath + ", with all uses of the package together: it decodes all levels in one pass and merges a message that came in parts; Partial decode in the guide has what differs")
	case "WithMaxBufferSize":
		return hand("the same of " + lazyPath + ", with all uses of the package together: without it the limit is 65,536 elements, where csproto has none")
	}
	return hand("the same of " + lazyPath + ", with all uses of the package together")
}

// isFunc reports whether a call calls this function of a package.
func isFunc(info *types.Info, call *ast.CallExpr, path, name string) bool {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	o := info.Uses[sel.Sel]
	return o != nil && o.Pkg() != nil && o.Pkg().Path() == path && o.Name() == name
}

const (
	grpcRoot      = "google.golang.org/grpc"
	grpcEncoding  = grpcRoot + "/encoding"
	googleV1Proto = "github.com/golang/protobuf/proto"
)

// grpcCodec replaces csproto's codec where it is registered, or where an option takes it, in a program that has messages of Google's
// runtime only.
func grpcCodec(u *use) outcome {
	literal, ok := u.parent(1).(*ast.CompositeLit)
	call, is := u.parent(2).(*ast.CallExpr)
	if !ok || !is || len(literal.Elts) > 0 {
		return hand("grpccodec.Codec of " + grpcPath + ", or CodecV1 where the old interface is wanted")
	}
	var o outcome
	switch {
	case isFunc(u.info, call, grpcEncoding, "RegisterCodec"):
		o = u.becomes(call, "grpccodec.Register()", grpcImport)
	case isFunc(u.info, call, grpcRoot, "ForceCodec"), isFunc(u.info, call, grpcRoot, "ForceServerCodec"):
		o = u.becomes(literal, "grpccodec.CodecV1{}", grpcImport)
	default:
		return hand("grpccodec.Codec of " + grpcPath + ", or CodecV1 where the old interface is wanted; connectcodec.Proto of " + connectPath + " for connect")
	}
	if o.kind == safe && u.code.mixed != "" {
		return hand(o.do + ": this code also has " + u.code.mixed + "; hotpb needs an import of " + gogoPath + " or " + googlev1Path +
			" for messages of these runtimes, empties them before it decodes, and calls vtprotobuf's methods")
	}
	return o
}
