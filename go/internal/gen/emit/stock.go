package emit

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

// OpaqueTag is protoc-gen-go's build tag for the opaque structs of hybrid files.
const OpaqueTag = "protoopaque"

func (g *Generator) variants(file *plan.File) []variant {
	if g.Stock && g.fileAPI(file) == plan.GoAPIHybrid {
		return []variant{{build: "!" + OpaqueTag}, {suffix: "_" + OpaqueTag, build: OpaqueTag, opaque: true}}
	}
	return []variant{{}}
}

// fileAPI is the API of a file's stock structs: as the file says, else as the options do, else open.
func (g *Generator) fileAPI(file *plan.File) plan.GoAPI {
	for _, level := range []plan.GoAPI{file.GoAPI, g.Options.APILevels[file.Name], g.Options.APILevel} {
		if level != plan.GoAPIUnset {
			return level
		}
	}
	return plan.GoAPIOpen
}

// isOpaque tells whether the stock struct of a message of this file is opaque; a hybrid one is laid out as an open one.
func (f *File) isOpaque(m *plan.Message) bool {
	return f.variant.opaque || f.IsAlwaysOpaque(m)
}

// IsAlwaysOpaque tells the messages that are opaque whatever the build tag says.
func (f *File) IsAlwaysOpaque(m *plan.Message) bool {
	if m.GoAPI != plan.GoAPIUnset {
		return m.GoAPI == plan.GoAPIOpaque
	}
	return f.Gen.fileAPI(m.File) == plan.GoAPIOpaque
}

// StockMessage is the struct that the runtime's own generator makes of a message: what generated code for stock
// structs has to know of it. Each runtime builds its own (stock_google.go has that of google.golang.org/protobuf).
type StockMessage struct {
	*plan.Message
	Name        string        // the Go type, unqualified
	StockFields []*StockField // by ascending number
	StockOneofs []*StockOneof // in the order of declaration

	Unknown         string // the expression of the unknown fields, a []byte
	Extensible      bool   // it has extension ranges
	StockExtensions string // v1: the variable with what the runtime knows of them
	Presence        string // the expression of the presence bitmap, a [n]uint32; "" without one
	Opaque          bool
}

// NewStockMessage describes the struct that the runtime asked for has for a message.
func NewStockMessage(f *File, m *plan.Message) (*StockMessage, error) {
	if f.Options.StockRuntime().V1 {
		return newV1Message(f, m)
	}
	return NewGoogleMessage(f, m), nil
}

// StockField is a field of such a struct.
type StockField struct {
	*plan.Field
	GoName    string // as in the field's methods
	StockSlot string // the expression of what stands in the struct, or in the oneof's wrapper
	Store     storage
	Boxed     bool        // opaque: a repeated message field is a pointer to its slice
	Bit       int         // in the presence bitmap, or -1
	Oneof     *StockOneof // the real oneof, or nil
	Wrapper   string      // the Go type of the oneof's wrapper, unqualified
}

// StockOneof is a real oneof: one struct field that holds a pointer to the wrapper of the member that is set.
type StockOneof struct {
	*plan.Oneof
	goName    string
	StockSlot string
	Iface     string // the type of the struct field
	Members   []*StockField
}

// storage says how a struct keeps the value of a field. Values of oneof members stand in the wrapper, as values.
type storage uint8

const (
	StoreValue   storage = iota // number, bool, enum, string; bytes, nil when absent (unless a bit says)
	StorePointer                // a pointer to one of these, nil when absent
	StoreMessage                // a pointer to a message, nil when absent
	StoreList                   // a slice: of values, of []byte, or of pointers to messages
	StoreMap                    // a Go map
)

// IsOptional tells whether absence shows: in a nil pointer, in nil bytes, or in a presence bit.
func (f *StockField) IsOptional() bool { return f.HasPresence() && f.Oneof == nil }

// stockMembers name the fields and oneofs of a message as protoc-gen-go does, collisions included: by the rules of
// protogen, in the order of declaration. A test holds them against protogen itself.
type stockMembers struct {
	StockFields map[*plan.Field]string
	StockOneofs map[*plan.Oneof]string
	used        map[string]bool
}

// reservedStock are the names that no field has, and reservedGogo those that with gogo's generator no field has either:
// methods that its options add. It has one of Size and ProtoSize in use, and the latter reserved always.
var (
	reservedStock = []string{
		"Reset", "String", "ProtoMessage", "Marshal", "Unmarshal", "ExtensionRangeArray", "ExtensionMap", "Descriptor",
	}
	reservedGogo = []string{"MarshalTo", "Equal", "VerboseEqual", "GoString", "ProtoSize"}
)

func NewStockMembers(r *stockRuntime, m *plan.Message) *stockMembers {
	s := &stockMembers{StockFields: map[*plan.Field]string{}, StockOneofs: map[*plan.Oneof]string{}, used: map[string]bool{}}
	for _, name := range reservedStock {
		s.used[name] = true
	}
	if r.Name == "gogo" {
		for _, name := range reservedGogo {
			s.used[name] = true
		}
		s.used["Size"] = !slices.Contains(m.GogoMethods, "ProtoSize")
	}
	getters := r.V1 // oneofs have getters, too, of names that are taken
	for _, field := range m.Declared {
		s.StockFields[field] = s.unique(GoCamelCase(field.Name), true)
		switch {
		case field.Oneof != nil && s.StockOneofs[field.Oneof] == "":
			s.StockOneofs[field.Oneof] = s.unique(GoCamelCase(field.Oneof.Name), getters)
		case field.Synthetic != "": // takes its name as well
			s.unique(GoCamelCase(field.Synthetic), false)
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
	names := f.Gen.NamesOf(m.File)
	for taken := true; taken; {
		taken = false
		for _, other := range m.File.Messages {
			taken = taken || other.Parent == m && !other.MapEntry && names.Messages[other] == name
		}
		for _, enum := range m.File.Enums {
			taken = taken || enum.Parent == m && names.Enums[enum] == name
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

// CheckMembers reports a field that has the name of one of the methods that generated code adds: two members of a
// struct cannot have one name.
func (s *StockMessage) CheckMembers(methods []string) error {
	if s.Opaque {
		return nil // its fields have names that no method has
	}
	for _, method := range methods {
		if what := s.MemberCalled(method); what != "" {
			return &plan.Error{File: s.FileName, Element: s.Message.Name,
				Problem: fmt.Sprintf("%s is called %s in Go, as one of the methods that the face codec adds", what, method),
				Fix:     "rename it, or leave the message out with messages="}
		}
	}
	return nil
}

// MemberCalled says which field or oneof of an open struct has a name, or gives "". No accessor has one without Get,
// Set, Has, Clear or Which in front of it.
func (s *StockMessage) MemberCalled(goName string) string {
	for _, field := range s.StockFields {
		if field.Oneof == nil && field.GoName == goName { // those in a oneof stand in the wrapper
			return "the field " + field.Name
		}
	}
	for _, oneof := range s.StockOneofs {
		if oneof.goName == goName {
			return "the oneof " + oneof.Name
		}
	}
	return ""
}
