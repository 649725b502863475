package migrate

import (
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

const (
	csprotoPath     = "github.com/CrowdStrike/csproto"
	csprotoLazyPath = csprotoPath + "/lazyproto"
	csprotoGuide    = "docs/migrate-from-csproto.md"
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
	module: csprotoPath,
	other:  func(*use) outcome { return hand("hotpb has no such package; see " + csprotoGuide) },
	blank: func(string) outcome {
		return hand("remove the import: hotpb needs no package of csproto for its effect")
	},
	method:  csprotoMethod,
	plugins: csprotoPlugins,
	delete:  []string{".pb.fm.go"},
	guide:   csprotoGuide,
}

// csprotoHints name what replaces symbols that are not rewritten.
var csprotoHints = map[string]string{
	"NewEncoder": "wire.NewEncoder: it keeps the first error, and Bytes returns it; see Encoder", "Encoder": "wire.Encoder; see Encoder",
	"NewDecoder": "wire.NewDecoder; see Decoder", "Decoder": "wire.Decoder; see Decoder", "DecodePartial": "wire.Find or package lazyproto; see Partial decode",
	"DecoderModeSafe": "wire.Safe", "DecoderModeFast": "wire.Fast", "SizeOfTagKey": "wire.SizeTag", "SizeOfVarint": "wire.SizeVarint",
	"SizeOfZigZag": "wire.SizeVarint(wire.EncodeZigzag(v))", "WireTypeLengthDelimited": "wire.BytesType", "WireTypeVarint": "wire.VarintType",
	"WireTypeFixed32": "wire.Fixed32Type", "WireTypeFixed64": "wire.Fixed64Type", "ErrValueOverflow": "does not occur: the low 32 bits count",
	"ErrInvalidVarintData": "errors.Is(err, wire.VarintOverflow)", "MarshalerTo": "hotpb.MarshalerTo; messages have its method with compat=csproto",
}

func csprotoSymbol(u *use) outcome {
	name, relative := u.object.Name(), types.RelativeTo(u.object.Pkg())
	if name == "GrpcCodec" {
		return grpcCodec(u)
	}
	if name == "DecoderModeSafe" || name == "DecoderModeFast" {
		if call, ok := u.parent(1).(*ast.CallExpr); ok && isFunc(u.pass.TypesInfo, call, csprotoLazyPath, "WithMode") {
			o := u.becomes(u.sel, "wire."+strings.TrimPrefix(name, "DecoderMode"), wireImport)
			o.group = csprotoLazyPath
			return o
		}
	}
	f, ok := u.object.(*types.Func)
	if hint := csprotoHints[name]; hint != "" {
		return hand(hint)
	}
	ours := name
	generic := ok && f.Signature().TypeParams().Len() == 1
	if name == "PointerTo" && generic {
		ours = "Ptr"
	} else if !has(hotpbAPI, u.object, name, relative) {
		return hand("hotpb has no such symbol; see " + csprotoGuide)
	}
	o := u.becomes(u.sel, "hotpb."+ours, hotpbImport)
	switch {
	case !ok, strings.Contains(f.Signature().String(), csprotoPath+"."): // types of the package itself
		o.group = csprotoPath
	case messages[name] != nil:
		return csprotoMessages(u, o)
	}
	return o
}

// messages has the arguments of each function that are messages.
var messages = map[string][]int{
	"Size": {0}, "Marshal": {0}, "Unmarshal": {1}, "Reset": {0}, "Clone": {0}, "Equal": {0, 1}, "HasExtension": {0}, "GetExtension": {0}, "SetExtension": {0},
	"ClearExtension": {0}, "ClearAllExtensions": {0}, "RangeExtensions": {0}, "MarshalText": {0},
}

// csprotoMessages links the runtimes of the messages in a call, as csproto always does.
func csprotoMessages(u *use, o outcome) outcome {
	call := u.call()
	if call == nil {
		return hand(o.do + ", and import " + gogoPath + " or " + googlev1Path + " where messages of these runtimes get here")
	}
	for _, i := range messages[u.object.Name()] {
		if i >= len(call.Args) {
			return hand(o.do) // f(g()) with several results
		}
		typ := u.pass.TypesInfo.TypeOf(call.Args[i])
		switch path, known := runtimeOf(typ); {
		case !known:
			return hand(o.do + ", and import " + gogoPath + " or " + googlev1Path + " if messages of these runtimes get here: the type says only " +
				types.TypeString(typ, types.RelativeTo(u.pass.Pkg)))
		case path != "" && o.kind == safe && !slices.Contains(o.imports, imported{"_", path}):
			o.imports = append(o.imports, imported{"_", path})
		}
	}
	return o
}

// runtimeOf returns the package to link for messages of this type: none for those of Google's runtime.
func runtimeOf(typ types.Type) (path string, known bool) {
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
	for _, i := range named.Obj().Pkg().Imports() {
		switch i.Path() {
		case gogoProto:
			return gogoPath, true
		case "github.com/golang/protobuf/proto":
			return googlev1Path, true
		}
	}
	return "", false
}

// csprotoMethod judges the methods of csproto's own types.
func csprotoMethod(u *use) (outcome, bool) {
	if u.object.Pkg() == nil {
		return outcome{}, false
	}
	switch u.object.Pkg().Path() {
	case csprotoPath:
		return hand("the method of package wire; see " + csprotoGuide), true
	case csprotoLazyPath:
		o := hand("hotpb's lazyproto has no such method, or another type")
		if exists, numbers := inLazy(describe(u.object, u.object.Name(), types.RelativeTo(u.object.Pkg()))); exists && (!numbers || u.hasConstants()) {
			return stay("lazyproto has it, too"), true
		} else if numbers {
			o = hand(numbersHint)
		}
		o.group = csprotoLazyPath
		return o, true
	}
	return foreign(u, csprotoLazyPath)
}

// foreign judges a function of another module whose type has types of a package that moves as a whole.
func foreign(u *use, path string) (outcome, bool) {
	f, ok := u.object.(*types.Func)
	if !ok || !strings.Contains(f.Signature().String(), path+".") || !outside(u) {
		return outcome{}, false
	}
	o := hand("it belongs to another module, and needs the old package " + path)
	o.group = path
	return o, true
}

// outside reports whether the object belongs to another module than the package.
func outside(u *use) bool {
	if u.pass.Module == nil {
		return true
	}
	path := u.object.Pkg().Path()
	return path != u.pass.Module.Path && !strings.HasPrefix(path, u.pass.Module.Path+"/")
}

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
	o := hand("hotpb's lazyproto has no such symbol, or another type; see Partial decode")
	description := strings.ReplaceAll(describe(u.object, u.object.Name(), qualifier), wirePath+".DecoderMode", wirePath+".Mode")
	if exists, numbers := inLazy(description); numbers && !u.hasConstants() {
		o = hand(numbersHint)
	} else if exists {
		o = u.becomes(u.sel, "lazyproto."+u.object.Name(), imported{"lazyproto", csprotoLazyPath}) // the old import goes
		if o.kind == safe {
			o.imports = []imported{lazyImport}
		}
	}
	if u.object.Name() == "WithMode" && !modeIsConstant(u) {
		o = hand("lazyproto.WithMode takes wire.Safe or wire.Fast")
	}
	o.group = csprotoLazyPath
	return o
}

// inLazy reports whether hotpb's lazyproto has a symbol that is described so, and whether only its field numbers have
// another type there, which accepts the same constants.
func inLazy(description string) (exists, numbers bool) {
	is := func(description string) bool { return strings.Contains("\n"+lazyAPI, "\n"+description+"\n") }
	if is(description) {
		return true, false
	}
	numbers = is(fieldNumber.ReplaceAllString(description, "uint32"))
	return numbers, numbers
}

var fieldNumber = regexp.MustCompile(`\bint\b`)

const numbersHint = "field numbers are uint32 in hotpb's lazyproto; see Partial decode"

// hasConstants reports whether the use is a call whose arguments are all constants.
func (u *use) hasConstants() bool {
	call := u.call()
	return call != nil && !slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return u.pass.TypesInfo.Types[arg].Value == nil })
}

// modeIsConstant reports whether WithMode is called with a mode by its name, which is rewritten, too.
func modeIsConstant(u *use) bool {
	call := u.call()
	if call == nil || len(call.Args) != 1 {
		return false
	}
	_, selector := call.Args[0].(*ast.SelectorExpr)
	value := u.pass.TypesInfo.Types[call.Args[0]].Value
	return selector && value != nil && value.Kind() == constant.Int
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
	grpcRoot     = "google.golang.org/grpc"
	grpcEncoding = grpcRoot + "/encoding"
	connectRoot  = "connectrpc.com/connect"
)

// grpcCodec replaces a codec of the tool where it is registered, or where an option takes it.
func grpcCodec(u *use) outcome {
	literal, ok := u.parent(1).(*ast.CompositeLit)
	if !ok || len(literal.Elts) > 0 {
		return hand("grpccodec.Codec of " + grpcPath)
	}
	call, ok := u.parent(2).(*ast.CallExpr)
	switch info := u.pass.TypesInfo; {
	case ok && isFunc(info, call, grpcEncoding, "RegisterCodec"):
		return u.becomes(call, "grpccodec.Register()", grpcImport)
	case ok && (isFunc(info, call, grpcRoot, "ForceCodec") || isFunc(info, call, grpcRoot, "ForceServerCodec")):
		return u.becomes(literal, "grpccodec.CodecV1{}", grpcImport)
	case ok && isFunc(info, call, connectRoot, "WithCodec"):
		return u.becomes(literal, "connectcodec.Proto{}", connectImport)
	}
	return hand("grpccodec.Codec of " + grpcPath + ", or CodecV1 where the old interface is wanted")
}
