package migrate

import (
	_ "embed"
	"go/types"
	"strings"
)

// Packages of hotpb whose symbols take the place of the tools'.
const (
	module       = "github.com/hotpb/hotpb/go"
	lazyPath     = module + "/compat/lazyproto"
	wirePath     = module + "/wire"
	gogoPath     = module + "/gogo"
	googlev1Path = module + "/googlev1"
	grpcPath     = module + "/grpccodec"
	connectPath  = module + "/connectcodec"
	pluginPath   = module + "/cmd/protoc-gen-go-hotpb"
)

var (
	hotpbImport = imported{"hotpb", module}
	grpcImport  = imported{"grpccodec", grpcPath}
)

// The exported API of hotpb's packages, a symbol a line. A test compares them with the packages.
var (
	//go:embed api/hotpb.txt
	hotpbAPI string
	//go:embed api/lazyproto.txt
	lazyAPI string
	//go:embed api/wire.txt
	wireAPI string
)

// entry is the line of an API for a symbol, or for a method of a type, without its name; "" if there is none.
func entry(api, receiver, name string) string {
	for line := range strings.Lines(api) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		owner := ""
		if strings.HasPrefix(rest, "(") {
			owner, rest, _ = strings.Cut(strings.TrimLeft(rest, "(*"), ") ")
		}
		if symbol, typ, _ := strings.Cut(rest, " "); owner == receiver && symbol == name {
			if kind != "func" {
				typ = kind + " " + typ
			}
			return typ
		}
	}
	return ""
}

// difference says that an API has no such symbol, or of which type it is there and here.
func difference(api, packageName string, o types.Object, guide string) string {
	receiver, qualifier := "", types.RelativeTo(o.Pkg())
	if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
		receiver = strings.TrimPrefix(types.TypeString(f.Signature().Recv().Type(), qualifier), "*")
	}
	here := entry(api, receiver, o.Name())
	if here == "" {
		return "hotpb has no such symbol; see " + guide
	}
	there := describe(o, o.Name(), qualifier)
	if receiver != "" {
		packageName += "." + receiver
	}
	return packageName + "." + o.Name() + " is a " + here + ", where the old one is a " + entry(there, receiver, o.Name()) + "; see " + guide
}

// has reports whether an API has a symbol of this name and type.
func has(api string, o types.Object, name string, qualifier types.Qualifier) bool {
	return strings.Contains("\n"+api, "\n"+describe(o, name, qualifier)+"\n")
}

// describe is a line of an API: its kind, name and type, without the names of parameters.
func describe(o types.Object, name string, qualifier types.Qualifier) string {
	typ := o.Type()
	kind := "var "
	switch o := o.(type) {
	case *types.Const:
		kind = "const "
	case *types.TypeName:
		kind, typ = "type ", typ.Underlying()
		switch typ.(type) {
		case *types.Struct:
			return "type " + name + " struct" // the fields are its own
		case *types.Signature:
			return "type " + name + " func" // of options: their functions come from the package
		}
	case *types.Func:
		kind = "func "
		signature := o.Signature()
		if r := signature.Recv(); r != nil {
			kind += "(" + types.TypeString(r.Type(), qualifier) + ") "
		}
		typ = unnamed(signature)
	}
	return kind + name + " " + strings.ReplaceAll(types.TypeString(typ, qualifier), "interface{}", "any")
}

// unnamed is a signature without the names of parameters and results, and without its receiver.
func unnamed(s *types.Signature) *types.Signature {
	strip := func(t *types.Tuple) *types.Tuple {
		vars := make([]*types.Var, t.Len())
		for i := range vars {
			typ := t.At(i).Type()
			if f, ok := typ.(*types.Signature); ok {
				typ = unnamed(f)
			}
			vars[i] = types.NewParam(0, nil, "", typ)
		}
		return types.NewTuple(vars...)
	}
	if s.TypeParams().Len() > 0 {
		return s
	}
	return types.NewSignatureType(nil, nil, nil, strip(s.Params()), strip(s.Results()), s.Variadic())
}
