package emit

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// variant is one of the files that are written for a .proto file. Only stock structs have more than one:
// protoc-gen-go writes the structs of a file in the hybrid API twice, and a build tag chooses.
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

// fileAPI is the API of a file's stock structs: as the file says, else as the options say, else open.
func (g *Generator) fileAPI(file *plan.File) plan.GoAPI {
	for _, level := range []plan.GoAPI{file.GoAPI, g.Options.APILevels[file.Name], g.Options.APILevel} {
		if level != plan.GoAPIUnset {
			return level
		}
	}
	return plan.GoAPIOpen
}

// isOpaque reports whether the stock struct of a message of this file is opaque. A hybrid struct has the layout of
// an open one.
func (f *File) isOpaque(m *plan.Message) bool {
	return f.variant.opaque || f.IsAlwaysOpaque(m)
}

// IsAlwaysOpaque reports whether the message is opaque whatever the build tag says.
func (f *File) IsAlwaysOpaque(m *plan.Message) bool {
	if m.GoAPI != plan.GoAPIUnset {
		return m.GoAPI == plan.GoAPIOpaque
	}
	return f.Gen.fileAPI(m.File) == plan.GoAPIOpaque
}

// StockMessage is the struct that the runtime's own generator writes for a message, as far as generated code must
// know it. Each runtime builds its own (stock_google.go builds that of google.golang.org/protobuf).
type StockMessage struct {
	*plan.Message
	Name        string        // the Go type, unqualified
	StockFields []*StockField // by ascending number
	StockOneofs []*StockOneof // in the order of declaration

	Unknown         string // the expression of the unknown fields, a []byte; "" for a struct that does not keep them
	Extensible      bool   // it has extension ranges
	StockExtensions string // v1: the variable with the extensions that the runtime knows
	Presence        string // the expression of the presence bitmap, a [n]uint32; "" without one
	Opaque          bool

	// v1: the hidden fields, and for gogo how the message's own methods encode.
	Hidden                       GogoHidden
	Marshals, Stable, ProtoSizer bool
}

// GogoHidden says which hidden fields the struct has, and whether the generator declares it at all.
type GogoHidden struct{ Unkeyed, Unknown, SizeCache, Declared bool }

// NewStockMessage describes the struct that the chosen runtime has for a message.
func NewStockMessage(f *File, m *plan.Message) (*StockMessage, error) {
	if f.Options.StockRuntime().V1 {
		return newV1Message(f, m)
	}
	return NewGoogleMessage(f, m), nil
}

// StockField is a field of such a struct.
type StockField struct {
	*plan.Field
	GoName    string // the name in the field's methods
	StockSlot string // the expression of the value in the struct, or in the oneof's wrapper
	Store     storage
	Boxed     bool        // opaque: a repeated message field is a pointer to its slice
	Bit       int         // in the presence bitmap, or -1
	Oneof     *StockOneof // the real oneof, or nil
	Wrapper   string      // the Go type of the oneof's wrapper, unqualified

	// With gogo's options:
	Custom       *Custom // of the elements, or of a map's values
	CustomKey    *Custom // of a map's keys
	MapType      string  // the type of the map, as in the option, or ""
	Embedded     bool
	Always       bool // a plain value that is written even if it is zero
	GogoNullable bool // as the option says, or the generator
}

// StockOneof is a real oneof: one struct field that holds a pointer to the wrapper of the member that is set.
type StockOneof struct {
	*plan.Oneof
	goName    string
	StockSlot string
	Iface     string // the type of the struct field
	Members   []*StockField
}

// storage is how a struct stores the value of a field. Values of oneof members are in the wrapper, as plain
// values.
type storage uint8

const (
	StoreValue   storage = iota // number, bool, enum, string; bytes, nil when absent (unless a bit says)
	StorePointer                // a pointer to one of these, nil when absent
	StoreMessage                // a pointer to a message, nil when absent
	StoreList                   // a slice: of values, of []byte, or of pointers to messages
	StoreMap                    // a Go map
)

// IsOptional reports whether the struct shows absence: by a nil pointer, by nil bytes, or by a presence bit.
func (f *StockField) IsOptional() bool { return f.HasPresence() && f.Oneof == nil && !f.Always }

// stockMembers name the fields and oneofs of a message as protoc-gen-go does, collisions included: by the rules of
// protogen, in the order of declaration. A test compares them with protogen itself.
type stockMembers struct {
	StockFields map[*plan.Field]string
	StockOneofs map[*plan.Oneof]string
	used        map[string]bool
}

// reservedStock are the names that no field has. reservedGogo are the further names that no field has with gogo's
// generator: methods that its options add. Either Size or ProtoSize is in use, and ProtoSize is always reserved.
var (
	reservedStock = []string{
		"Reset", "String", "ProtoMessage", "Marshal", "Unmarshal", "ExtensionRangeArray", "ExtensionMap", "Descriptor",
	}
	reservedGogo = []string{"MarshalTo", "Equal", "VerboseEqual", "GoString", "ProtoSize"}
)

// specialNames are further names that no field of the struct has, for specialname=.
func NewStockMembers(r *stockRuntime, m *plan.Message, specialNames []string) *stockMembers {
	s := &stockMembers{StockFields: map[*plan.Field]string{}, StockOneofs: map[*plan.Oneof]string{}, used: map[string]bool{}}
	for _, name := range reservedStock {
		s.used[name] = true
	}
	if r.Gogo {
		for _, name := range reservedGogo {
			s.used[name] = true
		}
		s.used["Size"] = !r.gogoBool(m, plan.GogoProtoSizer)
	}
	for _, name := range specialNames {
		s.used[name] = true
	}
	getters := r.V1 // oneofs have getters, too, even when the name is in use
	for _, field := range m.Declared {
		name := GoCamelCase(field.Name)
		if custom := field.GogoOptions.Text(plan.GogoCustomName); custom != "" && r.Gogo {
			name = custom
		}
		s.StockFields[field] = s.unique(name, true)
		if r.Gogo && field.GogoOptions.Bool(plan.GogoEmbed, false) && field.Message != nil {
			s.StockFields[field] = r.embeddedName(field)
		}
		switch {
		case field.Oneof != nil && s.StockOneofs[field.Oneof] == "":
			s.StockOneofs[field.Oneof] = s.unique(GoCamelCase(field.Oneof.Name), getters)
		case field.Synthetic != "": // reserves its name as well
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

// WrapperNames are the types that hold the members of a message's oneofs, unqualified.
func (f *File) WrapperNames(m *plan.Message) (names []string) {
	members := NewStockMembers(f.Options.StockRuntime(), m, f.Options.SpecialNames)
	for _, field := range m.Declared {
		if field.Oneof != nil {
			names = append(names, f.wrapperName(m, members.StockFields[field], false))
		}
	}
	return names
}

// wrapperName is the type that holds a oneof's member. It consists of the message and the field, with underscores
// if a type nested in the message has that name. In the opaque API it is not exported.
func (f *File) wrapperName(m *plan.Message, goName string, opaque bool) string {
	name := f.MessageName(m) + "_" + goName
	names := f.Gen.NamesOf(m.File)
	for collides := true; collides; {
		collides = false
		for _, nested := range m.File.Messages {
			collides = collides || nested.Parent == m && !nested.MapEntry && names.Messages[nested] == name
		}
		for _, enum := range m.File.Enums {
			collides = collides || enum.Parent == m && names.Enums[enum] == name
		}
		if collides {
			name += "_"
		}
	}
	if opaque {
		first, size := utf8.DecodeRuneInString(name)
		name = string(unicode.ToLower(first)) + name[size:]
	}
	return name
}

// CheckMembers reports a field that has the name of a method of generated code: two members of a struct cannot
// share a name.
func (s *StockMessage) CheckMembers(methods []string) error {
	if s.Opaque {
		return nil // no method has the name of one of its fields
	}
	for _, method := range methods {
		if member := s.MemberCalled(method); member != "" {
			return &plan.Error{File: s.FileName, Element: s.Message.Name,
				Problem: fmt.Sprintf("%s is called %s in Go, which is also a method of the face codec", member, method),
				Fix:     "rename it, or leave the message out with messages="}
		}
	}
	return nil
}

// MemberCalled names the field or oneof of an open struct that has a name, or returns "". All accessors begin with
// Get, Set, Has, Clear or Which, so they never have it.
func (s *StockMessage) MemberCalled(goName string) string {
	for _, field := range s.StockFields {
		if field.Oneof == nil && field.GoName == goName { // members of a oneof are in the wrapper
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
