package migrate

import (
	"go/types"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

const (
	vtprotoPath  = "github.com/planetscale/vtprotobuf"
	vtprotoGuide = "docs/migrate-from-vtprotobuf.md"
)

var vtproto = &tool{
	name: "vtproto",
	packages: map[string]func(*use) outcome{
		vtprotoPath + "/codec/grpc": func(u *use) outcome {
			if u.object.Name() == "Codec" {
				return hand(vtprotoCodec)
			}
			return hand("grpccodec.Name of " + grpcPath)
		},
		vtprotoPath + "/codec/drpc":  func(*use) outcome { return stay("it calls methods that compat=vtproto writes") },
		vtprotoPath + "/codec/twirp": func(*use) outcome { return stay("it calls methods that compat=vtproto writes") },
		vtprotoPath + "/vtproto":     func(*use) outcome { return stay("the generator reads the option with compat=vtproto") },
		vtprotoPath + "/protohelpers": func(u *use) outcome {
			if do := vtprotoHelpers[u.object.Name()]; do != "" {
				return hand(do)
			}
			return hand("a function of package wire; see " + module + "/wire")
		},
	},
	module:   vtprotoPath,
	fallback: vtprotoOther,
	blank:    vtprotoBlank,
	method:   vtprotoMethod,
	options: map[string]option{
		"vtproto.mempool":               {stays, "the generator reads it with compat=vtproto", ""},
		"vtproto.ignore_unknown_fields": {stays, "the generator reads it with compat=vtproto", ""},
		"vtproto.options":               {stays, "the generator reads it with compat=vtproto", ""},
		"vtproto.":                      {refused, "hotpb does not know this option of vtprotobuf", ""},
	},
	plugins: vtprotoPlugins,
	delete:  []string{"_vtproto.pb.go"},
	mark:    regexp.MustCompile(`\bprotoc-gen-go-vtproto\b`),
	foreign: regenerate,
	guide:   vtprotoGuide,
}

// vtprotoHelpers name what replaces the functions and errors of generated code.
var vtprotoHelpers = map[string]string{
	"EncodeVarint": "wire.AppendVarint, which appends: protohelpers writes backwards", "SizeOfVarint": "wire.SizeVarint", "SizeOfZigzag": "wire.SizeVarint(wire.EncodeZigzag(v))",
	"Skip": "the method Skip of wire.Decoder", "ErrIntOverflow": "errors.Is(err, wire.VarintOverflow)", "ErrInvalidLength": "errors.Is(err, wire.SizeExceeded), or wire.Truncated",
	"ErrUnexpectedEndOfGroup": "errors.Is(err, wire.GroupMismatch)",
}

const vtprotoCodec = "it works on, with compat=vtproto; without vtprotobuf's module: grpccodec.Register() in the place of RegisterCodec, grpccodec.CodecV1{} where the old interface is wanted, both of " +
	grpcPath + ", and connectcodec.Proto{} of " + connectPath + " for connect, which empty a message before they decode, where vtprotobuf adds to it"

// vtprotoOther judges the packages that have no entry.
func vtprotoOther(u *use) outcome {
	switch path := strings.TrimPrefix(u.object.Pkg().Path(), vtprotoPath); {
	case strings.HasPrefix(path, "/types/known/"):
		return stay("its structs have their methods in vtprotobuf's module; without it, hotpb.Marshal, Unmarshal and Size take Google's struct itself")
	case strings.HasPrefix(path, "/generator"), strings.HasPrefix(path, "/features"), strings.HasPrefix(path, "/cmd"):
		return hand("hotpb's generator takes no features from outside: keep a plugin of your own for them, beside compat=vtproto")
	case strings.HasPrefix(path, "/testproto"), strings.HasPrefix(path, "/conformance"):
		return hand("a schema of vtprotobuf's own tests: use one of your own")
	}
	return hand("hotpb has no such package; see " + vtprotoGuide)
}

// vtprotoBlank judges an import for its effect, such as that of a plugin in tools.go.
func vtprotoBlank(path string) outcome {
	switch path {
	case vtprotoPath + "/cmd/protoc-gen-go-vtproto":
		return hand("becomes " + pluginPath + ", or a line `tool` of go.mod by `go get -tool`")
	case vtprotoPath + "/vtproto":
		return stay("the option is in the .proto")
	}
	return hand("remove the import: hotpb's code does not need it")
}

// vtprotoMethods are the methods that compat=vtproto writes.
var vtprotoMethods = []string{"SizeVT", "MarshalVT", "MarshalToVT", "MarshalToSizedBufferVT", "MarshalVTStrict", "MarshalToVTStrict",
	"MarshalToSizedBufferVTStrict", "UnmarshalVT", "UnmarshalVTUnsafe", "EqualVT", "EqualMessageVT", "CloneVT", "CloneMessageVT", "ResetVT", "ReturnToVTPool"}

func vtprotoMethod(u *use) (outcome, bool) {
	name := u.object.Name()
	f, ok := u.object.(*types.Func)
	switch {
	case !ok || f.Signature().Recv() == nil:
		return outcome{}, false
	case u.object.Pkg() != nil && u.object.Pkg().Path() == vtprotoPath+"/codec/grpc" && u.code.rule(u.object.Pkg().Path()) != nil:
		return hand("the same method of grpccodec.CodecV1 of " + grpcPath), true
	case !slices.Contains(vtprotoMethods, name):
		return outcome{}, false
	case u.code.rule(u.object.Pkg().Path()) != nil:
		return vtprotoOther(u), true
	case isMember(f.Signature().Recv().Type()):
		return hand("compat=vtproto writes no methods for a member of a oneof: call that of the message"), true
	}
	return stay("compat=vtproto writes it"), true
}

// isMember reports whether a type is the struct of a member of a oneof.
func isMember(typ types.Type) bool {
	if p, ok := types.Unalias(typ).(*types.Pointer); ok {
		typ = p.Elem()
	}
	s, ok := typ.Underlying().(*types.Struct)
	if !ok || s.NumFields() != 1 {
		return false
	}
	return slices.Contains(strings.Split(reflect.StructTag(s.Tag(0)).Get("protobuf"), ","), "oneof")
}
