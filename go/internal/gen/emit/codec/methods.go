package codec

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
)

// emitProtoMethods makes the runtime's own calls use the fast code, for protomethods=true. Message sets stay with
// the runtime, which their fast code calls anyway.
func emitProtoMethods(f *emit.File) {
	if !f.Options.ProtoMethods {
		return
	}
	var names []string
	for _, m := range f.Messages() {
		if !m.MessageSet {
			names = append(names, f.MessageName(m))
		}
	}
	if len(names) == 0 {
		return
	}
	f.P("func init() {")
	f.P(protoInit(f.Plan.Name), "() // of the .pb.go file, whose own init may run later")
	for _, name := range names {
		f.P(CodecRuntime(f, "Hook"), "[", name, "]()")
	}
	f.P("}")
}

// protoInit is the function with which protoc-gen-go initializes the types of a file.
func protoInit(file string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, file)
	if first, _ := utf8.DecodeRuneInString(name); !unicode.IsLetter(first) {
		name = "_" + name
	}
	return "file_" + name + "_init"
}
