// Package oracle knows what a reader must make of bytes, from the stock runtime: it makes random messages of any schema,
// encodes them in legal ways that no ordinary encoder chooses, damages them, and says of each input whether readers must accept it
// and what is in it.
package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Extensions says which extensions a reader asks for; the others are unknown fields to it (spec/wire.md, EXT-2).
type Extensions int

const (
	Own  Extensions = iota // those that are declared in the file of their extendee
	None                   // no extension at all
)

// Schema is a descriptor set as the stock runtime has it.
type Schema struct {
	Messages []protoreflect.MessageDescriptor // by full name; no entries of maps
	// Refused are the files that the stock runtime does not take, with its reason, and the files that import them.
	Refused map[string]string

	// uncheckedTexts: there is an extension whose strings the stock runtime does not check.
	uncheckedTexts bool

	resolvers  [2]*protoregistry.Types
	extensions map[protoreflect.FullName][]protoreflect.ExtensionType // by extendee
	sets       map[protoreflect.FullName]bool                         // whether a message set is in reach
}

// NewSchema takes the files of a set that the stock runtime takes.
func NewSchema(set *descriptorpb.FileDescriptorSet) *Schema {
	s := &Schema{
		Refused:    map[string]string{},
		resolvers:  [2]*protoregistry.Types{new(protoregistry.Types), new(protoregistry.Types)},
		extensions: map[protoreflect.FullName][]protoreflect.ExtensionType{},
		sets:       map[protoreflect.FullName]bool{},
	}
	files := new(protoregistry.Files)
	for _, file := range set.File {
		made, err := newFile(file, files)
		if err == nil {
			err = files.RegisterFile(made)
		}
		if err != nil {
			s.Refused[file.GetName()] = err.Error()
			continue
		}
		s.addMessages(made.Messages())
		s.addExtensions(made.Extensions())
	}
	slices.SortFunc(s.Messages, func(a, b protoreflect.MessageDescriptor) int {
		return strings.Compare(string(a.FullName()), string(b.FullName()))
	})
	return s
}

// newFile makes a panic of the stock runtime an error.
func newFile(file *descriptorpb.FileDescriptorProto, files *protoregistry.Files) (made protoreflect.FileDescriptor, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("panic: %v", problem)
		}
	}()
	return protodesc.NewFile(file, files)
}

func (s *Schema) addMessages(messages protoreflect.MessageDescriptors) {
	for i := range messages.Len() {
		m := messages.Get(i)
		if m.IsMapEntry() {
			continue
		}
		s.Messages = append(s.Messages, m)
		s.addMessages(m.Messages())
		s.addExtensions(m.Extensions())
	}
}

func (s *Schema) addExtensions(extensions protoreflect.ExtensionDescriptors) {
	for i := range extensions.Len() {
		x := dynamicpb.NewExtensionType(extensions.Get(i))
		extendee := x.TypeDescriptor().ContainingMessage()
		s.extensions[extendee.FullName()] = append(s.extensions[extendee.FullName()], x)
		s.uncheckedTexts = s.uncheckedTexts || unchecked(x.TypeDescriptor())
		if extendee.ParentFile().Path() == x.TypeDescriptor().ParentFile().Path() {
			// An error here is a second extension of the number, which the first one hides.
			_ = s.resolvers[Own].RegisterExtension(x)
		}
	}
}

// Extensions are the extensions of a message in the whole set.
func (s *Schema) Extensions(m protoreflect.MessageDescriptor) []protoreflect.ExtensionType {
	return s.extensions[m.FullName()]
}

// reachesSet reports whether a message set is in a message or anywhere inside it.
func (s *Schema) reachesSet(m protoreflect.MessageDescriptor) bool {
	if has, known := s.sets[m.FullName()]; known {
		return has
	}
	seen := map[protoreflect.FullName]bool{}
	has := s.searchSet(m, seen)
	s.sets[m.FullName()] = has
	if !has {
		for name := range maps.Keys(seen) {
			s.sets[name] = false
		}
	}
	return has
}

func (s *Schema) searchSet(m protoreflect.MessageDescriptor, seen map[protoreflect.FullName]bool) bool {
	if isMessageSet(m) {
		return true
	}
	if seen[m.FullName()] {
		return false
	}
	seen[m.FullName()] = true
	for i := range m.Fields().Len() {
		if child := m.Fields().Get(i).Message(); child != nil && s.searchSet(child, seen) {
			return true
		}
	}
	for _, x := range s.extensions[m.FullName()] {
		if child := x.TypeDescriptor().Message(); child != nil && s.searchSet(child, seen) {
			return true
		}
	}
	return false
}

func isMessageSet(m protoreflect.MessageDescriptor) bool {
	set, ok := m.(interface{ IsMessageSet() bool })
	return ok && set.IsMessageSet()
}
