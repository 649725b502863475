package gen

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// variant is one of the files written for a .proto file. Only stock structs have more than one: protoc-gen-go writes
// those of a file in the hybrid API twice, and a build tag chooses.
type variant struct {
	suffix string // of the file's base name
	build  string // the build constraint, or ""
	opaque bool   // all messages are opaque
}

// opaqueTag is protoc-gen-go's build tag for the opaque structs of hybrid files.
const opaqueTag = "protoopaque"

func (g *generator) variants(file *plan.File) []variant {
	if g.stock && g.fileAPI(file) == plan.GoAPIHybrid {
		return []variant{{build: "!" + opaqueTag}, {suffix: "_" + opaqueTag, build: opaqueTag, opaque: true}}
	}
	return []variant{{}}
}

// fileAPI is the API of a file's stock structs: as the file says, else as the options do, else open.
func (g *generator) fileAPI(file *plan.File) plan.GoAPI {
	for _, level := range []plan.GoAPI{file.GoAPI, g.options.APILevels[file.Name], g.options.APILevel} {
		if level != plan.GoAPIUnset {
			return level
		}
	}
	return plan.GoAPIOpen
}

// isOpaque tells whether the stock struct of a message of this file is opaque; a hybrid one is laid out as an open one.
func (f *File) isOpaque(m *plan.Message) bool {
	return f.variant.opaque || f.isAlwaysOpaque(m)
}

// isAlwaysOpaque tells the messages that are opaque whatever the build tag says.
func (f *File) isAlwaysOpaque(m *plan.Message) bool {
	if m.GoAPI != plan.GoAPIUnset {
		return m.GoAPI == plan.GoAPIOpaque
	}
	return f.gen.fileAPI(m.File) == plan.GoAPIOpaque
}

// stockMessage is the struct that the runtime's own generator makes of a message: what generated code for stock
// structs has to know of it. Each runtime builds its own (stock_google.go has that of google.golang.org/protobuf).
type stockMessage struct {
	*plan.Message
	name   string        // the Go type, unqualified
	fields []*stockField // by ascending number
	oneofs []*stockOneof // in the order of declaration

	unknown    string // the expression of the unknown fields, a []byte
	extensible bool   // it has extension ranges
	extensions string // v1: the variable with what the runtime knows of them
	presence   string // the expression of the presence bitmap, a [n]uint32; "" without one
	opaque     bool
}

// newStockMessage describes the struct that the runtime asked for has for a message.
func newStockMessage(f *File, m *plan.Message) (*stockMessage, error) {
	if f.Options.runtime().v1 {
		return newV1Message(f, m)
	}
	return newGoogleMessage(f, m), nil
}

// stockField is a field of such a struct.
type stockField struct {
	*plan.Field
	goName  string // as in the field's methods
	slot    string // the expression of what stands in the struct, or in the oneof's wrapper
	store   storage
	boxed   bool        // opaque: a repeated message field is a pointer to its slice
	bit     int         // in the presence bitmap, or -1
	oneof   *stockOneof // the real oneof, or nil
	wrapper string      // the Go type of the oneof's wrapper, unqualified
}

// stockOneof is a real oneof: one struct field that holds a pointer to the wrapper of the member that is set.
type stockOneof struct {
	*plan.Oneof
	goName  string
	slot    string
	iface   string // the type of the struct field
	members []*stockField
}

// storage says how a struct keeps the value of a field. Values of oneof members stand in the wrapper, as values.
type storage uint8

const (
	storeValue   storage = iota // number, bool, enum, string; bytes, nil when absent (unless a bit says)
	storePointer                // a pointer to one of these, nil when absent
	storeMessage                // a pointer to a message, nil when absent
	storeList                   // a slice: of values, of []byte, or of pointers to messages
	storeMap                    // a Go map
)

// isOptional tells whether absence shows: in a nil pointer, in nil bytes, or in a presence bit.
func (f *stockField) isOptional() bool { return f.HasPresence() && f.oneof == nil }

// stockMembers name the fields and oneofs of a message as protoc-gen-go does, collisions included: by the rules of
// protogen, in the order of declaration. A test holds them against protogen itself.
type stockMembers struct {
	fields map[*plan.Field]string
	oneofs map[*plan.Oneof]string
	used   map[string]bool
}

// reservedStock are the names that no field has, and reservedGogo those that with gogo's generator no field has either:
// methods that its options add. It has one of Size and ProtoSize in use, and the latter reserved always.
var (
	reservedStock = []string{
		"Reset", "String", "ProtoMessage", "Marshal", "Unmarshal", "ExtensionRangeArray", "ExtensionMap", "Descriptor",
	}
	reservedGogo = []string{"MarshalTo", "Equal", "VerboseEqual", "GoString", "ProtoSize"}
)

func newStockMembers(r *stockRuntime, m *plan.Message) *stockMembers {
	s := &stockMembers{fields: map[*plan.Field]string{}, oneofs: map[*plan.Oneof]string{}, used: map[string]bool{}}
	for _, name := range reservedStock {
		s.used[name] = true
	}
	if r.name == "gogo" {
		for _, name := range reservedGogo {
			s.used[name] = true
		}
		s.used["Size"] = !slices.Contains(m.GogoMethods, "ProtoSize")
	}
	getters := r.v1 // oneofs have getters, too, of names that are taken
	for _, field := range m.Declared {
		s.fields[field] = s.unique(goCamelCase(field.Name), true)
		switch {
		case field.Oneof != nil && s.oneofs[field.Oneof] == "":
			s.oneofs[field.Oneof] = s.unique(goCamelCase(field.Oneof.Name), getters)
		case field.Synthetic != "": // takes its name as well
			s.unique(goCamelCase(field.Synthetic), false)
		}
	}
	return s
}

// unique adds underscores until neither the name nor its getter's is in use.
func (s *stockMembers) unique(name string, hasGetter bool) string {
	for s.used[name] || hasGetter && s.used["Get"+name] {
		name += "_"
	}
	s.used[name] = true
	s.used["Get"+name] = hasGetter
	return name
}

// wrapperName is the type that holds a oneof's member: of the message and the field, with underscores where a type
// nested in the message has that name, and in the opaque API not exported.
func (f *File) wrapperName(m *plan.Message, goName string, opaque bool) string {
	name := f.MessageName(m) + "_" + goName
	names := f.gen.namesOf(m.File)
	for taken := true; taken; {
		taken = false
		for _, other := range m.File.Messages {
			taken = taken || other.Parent == m && !other.MapEntry && names.messages[other] == name
		}
		for _, enum := range m.File.Enums {
			taken = taken || enum.Parent == m && names.enums[enum] == name
		}
		if taken {
			name += "_"
		}
	}
	if opaque {
		first, size := utf8.DecodeRuneInString(name)
		name = string(unicode.ToLower(first)) + name[size:]
	}
	return name
}

// checkMembers reports a field that has the name of one of the methods that generated code adds: two members of a
// struct cannot have one name.
func (s *stockMessage) checkMembers(methods []string) error {
	if s.opaque {
		return nil // its fields have names that no method has
	}
	for _, method := range methods {
		if what := s.memberCalled(method); what != "" {
			return &plan.Error{File: s.FileName, Element: s.Message.Name,
				Problem: fmt.Sprintf("%s is called %s in Go, as one of the methods that the face codec adds", what, method),
				Fix:     "rename it, or leave the message out with messages="}
		}
	}
	return nil
}

// memberCalled says which field or oneof of an open struct has a name, or gives "". No accessor has one without Get,
// Set, Has, Clear or Which in front of it.
func (s *stockMessage) memberCalled(goName string) string {
	for _, field := range s.fields {
		if field.oneof == nil && field.goName == goName { // those in a oneof stand in the wrapper
			return "the field " + field.Name
		}
	}
	for _, oneof := range s.oneofs {
		if oneof.goName == goName {
			return "the oneof " + oneof.Name
		}
	}
	return ""
}
