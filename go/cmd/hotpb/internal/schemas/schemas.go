// Package schemas loads the schemas that users name: .proto files, compiled here, or descriptor sets.
package schemas

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
)

// Flags name a schema and a message type of it.
type Flags struct {
	Schema     []string `short:"s" help:"The schema: .proto files, or descriptor sets (protoc --include_imports --descriptor_set_out)." placeholder:"FILE" sep:"none" aliases:"set"`
	ImportPath []string `short:"I" help:"A folder that imports are looked for in; without any, the current one." placeholder:"FOLDER" sep:"none"`
	Message    string   `short:"m" help:"The type of the message; without it, the only one that no other message holds." placeholder:"NAME" aliases:"type"`
}

// Schema is a compiled schema.
type Schema struct {
	Set       []byte   // an encoded FileDescriptorSet, imports before importers
	Requested []string // the .proto files that were asked for: those of .proto arguments, or all of a descriptor set
	Files     *protoregistry.Files
	Types     *dynamicpb.Types
	from      string // the files' names, for errors
}

// Load compiles or reads the schema. Without one it returns nil.
func (f Flags) Load() (*Schema, error) {
	if len(f.Schema) == 0 {
		return nil, nil
	}
	var protos []string
	set, seen := new(descriptorpb.FileDescriptorSet), map[string]bool{}
	s := &Schema{from: strings.Join(f.Schema, ", ")}
	add := func(more *descriptorpb.FileDescriptorSet) {
		for _, file := range more.File {
			if !seen[file.GetName()] {
				seen[file.GetName()] = true
				set.File = append(set.File, file)
			}
		}
	}
	for _, name := range f.Schema {
		if filepath.Ext(name) == ".proto" {
			protos = append(protos, name)
			continue
		}
		more, err := readSet(name)
		if err != nil {
			return nil, err
		}
		add(more)
		for _, file := range more.File {
			s.Requested = append(s.Requested, file.GetName())
		}
	}
	if len(protos) > 0 {
		names, more, err := compile(protos, f.ImportPath)
		if err != nil {
			return nil, err
		}
		add(more)
		s.Requested = append(s.Requested, names...)
	}
	var err error
	if s.Set, err = (proto.MarshalOptions{AllowPartial: true}).Marshal(set); err != nil {
		return nil, fault.In(s.from, err.Error(), "")
	}
	for _, file := range set.File {
		neutral(file.MessageType)
		file.Extension = slices.DeleteFunc(file.Extension, isAbove)
	}
	if s.Files, err = protodesc.NewFiles(set); err != nil {
		mend := "name a file that protoc wrote"
		if strings.Contains(err.Error(), "could not resolve import") || strings.Contains(err.Error(), "not found") {
			mend = "write the descriptor set with --include_imports"
		}
		return nil, fault.In(s.from, strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: "), mend)
	}
	s.Types = dynamicpb.NewTypes(s.Files)
	return s, nil
}

// numbers of ordinary fields and extensions are below this one; those of message sets may be above.
const numbers = 1 << 29

// neutral turns message sets into messages: protobuf-go refuses the option, and extensions above the numbers of other messages.
func neutral(messages []*descriptorpb.DescriptorProto) {
	for _, m := range messages {
		neutral(m.NestedType)
		m.Extension = slices.DeleteFunc(m.Extension, isAbove)
		if !m.GetOptions().GetMessageSetWireFormat() {
			continue
		}
		m.Options.MessageSetWireFormat = nil
		for _, r := range m.ExtensionRange {
			r.End = proto.Int32(min(r.GetEnd(), numbers))
		}
	}
}

func isAbove(f *descriptorpb.FieldDescriptorProto) bool { return f.GetNumber() >= numbers }

// noTypes keeps custom options unread: no type linked into this command changes the meaning of a schema.
var noTypes = proto.UnmarshalOptions{AllowPartial: true, RecursionLimit: 101, Resolver: new(protoregistry.Types)}

func readSet(name string) (*descriptorpb.FileDescriptorSet, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, fault.IO(name, err)
	}
	set := new(descriptorpb.FileDescriptorSet)
	if noTypes.Unmarshal(content, set) != nil || len(set.File) == 0 || set.File[0].GetName() == "" {
		return nil, fault.In(name, "it is no descriptor set", "write one with protoc --include_imports --descriptor_set_out="+name+", or name a .proto file")
	}
	return set, nil
}

// Root finds the message type of the flags. Without a name, it is the only one that no other message of the requested files holds.
func (f Flags) Root(s *Schema) (protoreflect.MessageDescriptor, error) {
	all := s.Messages()
	if len(all) == 0 {
		return nil, fault.In(s.from, "it declares no message", "name the file that declares the type")
	}
	if f.Message == "" {
		roots := rootsOf(all)
		if len(roots) == 1 {
			return roots[0], nil
		}
		if len(roots) == 0 {
			roots = all
		}
		return nil, fault.Usage(fmt.Sprintf("%s has %d types that may be meant: %s", s.from, len(roots), list(roots)), "choose one with --message")
	}
	name := strings.TrimPrefix(f.Message, ".")
	if d, err := s.Files.FindDescriptorByName(protoreflect.FullName(name)); err == nil {
		if m, ok := d.(protoreflect.MessageDescriptor); ok {
			return m, nil
		}
	}
	var ends []protoreflect.MessageDescriptor
	for _, m := range all {
		if strings.HasSuffix(string(m.FullName()), "."+name) {
			ends = append(ends, m)
		}
	}
	switch len(ends) {
	case 1:
		return ends[0], nil
	case 0:
		return nil, fault.Usage(fmt.Sprintf("%s has no message %s", s.from, name), "its messages are "+list(all))
	}
	return nil, fault.Usage(fmt.Sprintf("%s has %d messages %s", s.from, len(ends), name), "write the full name: "+list(ends))
}

// Messages are all of the requested files, without map entries.
func (s *Schema) Messages() (all []protoreflect.MessageDescriptor) {
	var walk func(protoreflect.MessageDescriptors)
	walk = func(ms protoreflect.MessageDescriptors) {
		for i := range ms.Len() {
			if m := ms.Get(i); !m.IsMapEntry() {
				all = append(all, m)
				walk(m.Messages())
			}
		}
	}
	for _, name := range s.Requested {
		if file, err := s.Files.FindFileByPath(name); err == nil {
			walk(file.Messages())
		}
	}
	return all
}

func rootsOf(all []protoreflect.MessageDescriptor) (roots []protoreflect.MessageDescriptor) {
	held := map[protoreflect.FullName]bool{}
	for _, m := range all {
		fields := m.Fields()
		for i := range fields.Len() {
			f := fields.Get(i)
			if f.IsMap() {
				f = f.MapValue()
			}
			if f.Message() != nil && f.Message().FullName() != m.FullName() {
				held[f.Message().FullName()] = true
			}
		}
	}
	for _, m := range all {
		if _, nested := m.Parent().(protoreflect.MessageDescriptor); !nested && !held[m.FullName()] {
			roots = append(roots, m)
		}
	}
	return roots
}

// list names some messages.
func list(ms []protoreflect.MessageDescriptor) string {
	const most = 8
	var names []string
	for _, m := range ms[:min(most, len(ms))] {
		names = append(names, string(m.FullName()))
	}
	slices.SortFunc(names, cmp.Compare)
	if len(ms) > most {
		names = append(names, fmt.Sprintf("%d more", len(ms)-most))
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}
