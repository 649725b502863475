package reflect

import (
	"fmt"
	"maps"
	"sync/atomic"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hotpb/hotpb/go/rt/wire"
)

// Files finds the descriptors of messages: for example, a *protoregistry.Files.
type Files interface {
	FindDescriptorByName(protoreflect.FullName) (protoreflect.Descriptor, error)
}

// Types finds the Go types of messages and extensions: for example, a *protoregistry.Types or *dynamicpb.Types.
type Types interface {
	protoregistry.MessageTypeResolver
	protoregistry.ExtensionTypeResolver
}

// Resolver says where descriptors and types come from. It remembers what it has found: create one for a set of
// descriptors, and keep it. Any number of goroutines may use it.
type Resolver struct {
	files Files
	types Types
	// known is complete: with a message it has all nested messages. A map never changes: another one replaces it.
	known atomic.Pointer[map[*wire.MessageTable]*binding]
}

// NewResolver returns a resolver that takes descriptors from files, which need not be linked into the program, and
// the types of extensions from types. Messages that types does not know, or knows with another descriptor, are
// created by dynamicpb. If types is nil, no extension is known.
func NewResolver(files Files, types Types) *Resolver {
	if types == nil {
		types = new(protoregistry.Types)
	}
	return &Resolver{files: files, types: types}
}

// linked finds what is linked into the program.
var linked Resolver

// in returns the places to search. It looks up the registries at each call, so that nothing runs at start-up.
func (r *Resolver) in() (Files, Types) {
	if r == &linked {
		return protoregistry.GlobalFiles, protoregistry.GlobalTypes
	}
	return r.files, r.types
}

// binding connects one of our message types with the stock runtime.
type binding struct {
	descriptor protoreflect.MessageDescriptor
	stock      protoreflect.MessageType // creates new messages
	zero       protoreflect.Message     // the value of absent fields
	fields     []protoreflect.FieldDescriptor
	extensible bool // it, or a nested message, can have extensions
}

// bind finds the descriptor of a message, and checks that the message and its nested messages have the schema that
// the code was generated from.
func (r *Resolver) bind(s Schema) (*binding, error) {
	table := s.table()
	if b := r.bound(table); b != nil {
		return b, nil
	}
	name := protoreflect.FullName(table.Name)
	files, _ := r.in()
	found, err := files.FindDescriptorByName(name)
	if err != nil {
		return nil, fmt.Errorf("hotpb: no descriptor of %s: import the Go package that protoc-gen-go generates from %s, "+
			"or pass in the descriptor with reflect.NewResolver of view/reflect (%w)", name, s.File, err)
	}
	descriptor, ok := found.(protoreflect.MessageDescriptor)
	if !ok {
		return nil, fmt.Errorf("hotpb: the linked descriptor of %s is not that of a message", name)
	}
	all := map[*wire.MessageTable]*binding{}
	if err := r.compare(descriptor, *s.Group, s.Index, all); err != nil {
		return nil, err
	}
	markExtensible(all)
	for {
		known := r.known.Load()
		if known != nil {
			maps.Copy(all, *known)
		}
		if r.known.CompareAndSwap(known, &all) {
			return all[table], nil
		}
	}
}

func (r *Resolver) bound(table *wire.MessageTable) *binding {
	if known := r.known.Load(); known != nil {
		return (*known)[table]
	}
	return nil
}

// compare binds a message and all nested messages.
func (r *Resolver) compare(d protoreflect.MessageDescriptor, group []wire.MessageTable, index int, all map[*wire.MessageTable]*binding) error {
	table := &group[index]
	if all[table] != nil {
		return nil
	}
	differs := func(text string, args ...any) error {
		return fmt.Errorf("hotpb: the descriptor found for %s has a different schema than the generated code: %s", table.Name, fmt.Sprintf(text, args...))
	}
	if d.IsPlaceholder() || string(d.FullName()) != table.Name {
		return differs("it describes %s", d.FullName())
	}
	b := &binding{descriptor: d, stock: r.stock(d)}
	b.zero = b.stock.Zero()
	all[table] = b
	for i := range table.Fields {
		f := &table.Fields[i]
		fd := d.Fields().ByNumber(protoreflect.FieldNumber(f.Number))
		switch {
		case fd == nil:
			return differs("it has no field %d (%s)", f.Number, f.Name)
		case fd.Kind() != kinds[f.Kind] || (fd.Cardinality() == protoreflect.Repeated) != (f.Flags&wire.Repeated != 0) ||
			fd.IsMap() != (f.Flags&wire.Map != 0):
			return differs("its field %s is %s", f.Name, fd.Kind())
		}
		b.fields = append(b.fields, fd)
		if fd.Message() == nil {
			continue
		}
		theirs := group
		if f.Child != nil {
			theirs = *f.Child
		}
		if err := r.compare(fd.Message(), theirs, int(f.Index), all); err != nil {
			return err
		}
	}
	return nil
}

// kinds are the kinds of package wire, as the stock runtime calls them.
var kinds = [...]protoreflect.Kind{
	wire.Int32: protoreflect.Int32Kind, wire.Int64: protoreflect.Int64Kind,
	wire.Uint32: protoreflect.Uint32Kind, wire.Uint64: protoreflect.Uint64Kind,
	wire.Sint32: protoreflect.Sint32Kind, wire.Sint64: protoreflect.Sint64Kind,
	wire.Fixed32: protoreflect.Fixed32Kind, wire.Fixed64: protoreflect.Fixed64Kind,
	wire.Sfixed32: protoreflect.Sfixed32Kind, wire.Sfixed64: protoreflect.Sfixed64Kind,
	wire.Float: protoreflect.FloatKind, wire.Double: protoreflect.DoubleKind,
	wire.Bool: protoreflect.BoolKind, wire.String: protoreflect.StringKind,
	wire.Bytes: protoreflect.BytesKind, wire.Enum: protoreflect.EnumKind,
	wire.Message: protoreflect.MessageKind, wire.Group: protoreflect.GroupKind,
}

// stock returns the stock runtime's type for a message, or a dynamic one if there is none.
func (r *Resolver) stock(d protoreflect.MessageDescriptor) protoreflect.MessageType {
	_, types := r.in()
	if t, err := types.FindMessageByName(d.FullName()); err == nil && t.Descriptor() == d {
		return t
	}
	return dynamicpb.NewMessageType(d)
}

// markExtensible finds the messages that can contain extensions.
func markExtensible(all map[*wire.MessageTable]*binding) {
	byDescriptor := map[protoreflect.MessageDescriptor]*binding{}
	holders := map[*binding][]*binding{}
	var open []*binding
	add := func(b *binding) {
		if b != nil && !b.extensible {
			b.extensible = true
			open = append(open, b)
		}
	}
	for _, b := range all {
		byDescriptor[b.descriptor] = b
	}
	for _, b := range all {
		for _, fd := range b.fields {
			if child := byDescriptor[fd.Message()]; child != nil {
				holders[child] = append(holders[child], b)
			}
		}
		if b.descriptor.ExtensionRanges().Len() > 0 {
			add(b)
		}
	}
	for len(open) > 0 {
		b := open[len(open)-1]
		open = open[:len(open)-1]
		for _, holder := range holders[b] {
			add(holder)
		}
	}
}
