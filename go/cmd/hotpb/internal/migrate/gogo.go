package migrate

import (
	"go/types"
)

const (
	gogoModule = "github.com/gogo/protobuf"
	gogoProto  = gogoModule + "/proto"
	gogoGuide  = "docs/migrate-from-gogo.md"
)

var gogo = &tool{
	name: "gogo",
	packages: map[string]func(*use) outcome{
		gogoProto: gogoSymbol,
	},
	module:   gogoModule,
	fallback: func(*use) outcome { return stay(gogoStays) },
	blank:    func(string) outcome { return stay(gogoStays) },
	method:   gogoMethod,
	options:  gogoOptions,
	plugins:  gogoPlugins,
	foreign:  option{stays, "generated, with gogo's structs, which stay", ""},
	guide:    gogoGuide,
}

const gogoStays = "gogo's structs stay, and with them its module; --structs=value lists what changes without them"

// pointers are the functions that return a pointer to a new value.
var pointers = map[string]bool{"Bool": true, "Int": true, "Int32": true, "Int64": true, "Uint32": true, "Uint64": true, "Float32": true, "Float64": true, "String": true}

func gogoSymbol(u *use) outcome {
	name := u.object.Name()
	if pointers[name] && has(hotpbAPI, u.object, name, nil) {
		return u.becomes(u.sel, "hotpb."+name, hotpbImport)
	}
	message, ok := gogoMessages[name]
	if !ok {
		return stay(gogoStays)
	}
	call := u.call()
	if call == nil || len(call.Args) != message+1 {
		return hand("hotpb." + name + " takes an any where gogo's takes a proto.Message")
	}
	typ := u.info.TypeOf(call.Args[message])
	switch path, known := runtimeOf(typ); {
	case !known:
		return hand("hotpb." + name + ", and import " + gogoPath + ": the type does not say whose message it is")
	case path != gogoPath:
		return hand("it is no message of gogo's generators: use its own runtime, or hotpb." + name)
	}
	set := types.NewMethodSet(typ)
	if name == "Size" && set.Lookup(nil, "Size") == nil && set.Lookup(nil, "Marshal") != nil {
		return hand("hotpb.Size: without the method Size it encodes the message, and is 0 where that fails")
	}
	return u.becomes(u.sel, "hotpb."+name, hotpbImport, imported{"_", gogoPath})
}

// gogoMessages are the functions that hotpb has, with the arguments that are messages.
var gogoMessages = map[string]int{"Size": 0, "Marshal": 0, "Unmarshal": 1}

// gogoMethods are the generated methods that have a fast one beside them with faces=codec.
var gogoMethods = map[string]string{
	"Marshal": "MarshalHot", "MarshalTo": "MarshalAppendHot(b[:0])", "MarshalToSizedBuffer": "MarshalAppendHot(b[:0]), which writes to the beginning",
	"Size": "SizeHot", "Unmarshal": "UnmarshalHot, which resets the message first",
}

func gogoMethod(u *use) (outcome, bool) {
	fast, ok := gogoMethods[u.object.Name()]
	f, is := u.object.(*types.Func)
	if !ok || !is || f.Signature().Recv() == nil {
		return outcome{}, false
	}
	typ := f.Signature().Recv().Type()
	if path, _ := runtimeOf(typ); path != gogoPath {
		return outcome{}, false
	}
	return hand(fast + ", when the code of faces=codec is there"), true
}
