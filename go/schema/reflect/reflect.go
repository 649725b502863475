// Package reflect connects package schema with google.golang.org/protobuf: it imports schemas from descriptors,
// returns plans as descriptors, and converts rows and records to dynamic messages.
package reflect

import (
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// Import is schema.FromDescriptorSet for a descriptor: that of a generated message (ProtoReflect().Descriptor()) or
// one from a compiler in Go. It copies comments if the descriptor's file has them.
func Import(m protoreflect.MessageDescriptor, options ...schema.SchemaOption) (*schema.Schema, error) {
	var set descriptorpb.FileDescriptorSet
	collect(m.ParentFile(), map[string]bool{}, &set)
	encoded, err := proto.Marshal(&set)
	if err != nil {
		return nil, &schema.Error{Code: wire.InvalidSchema, Where: string(m.FullName()), Reason: err.Error()}
	}
	s, err := schema.FromDescriptorSet(encoded, string(m.FullName()), options...)
	if err == nil {
		comments{s}.read(m.ParentFile(), map[string]bool{})
	}
	return s, err
}

// collect adds a file after its imports.
func collect(f protoreflect.FileDescriptor, seen map[string]bool, set *descriptorpb.FileDescriptorSet) {
	if seen[f.Path()] || f.IsPlaceholder() {
		return
	}
	seen[f.Path()] = true
	for i := range f.Imports().Len() {
		collect(f.Imports().Get(i), seen, set)
	}
	set.File = append(set.File, protodesc.ToFileDescriptorProto(f))
}

// Type is the root message of a plan as a type of google.golang.org/protobuf. It is immutable.
type Type struct {
	descriptor protoreflect.MessageDescriptor
}

// New returns the type of a plan. A plan that a .proto cannot express is an error, as in Plan.Proto. Strings in
// messages of the type must be UTF-8 unless the file needs edition 2023.
func New(p *schema.Plan) (*Type, error) {
	encoded, err := p.FileDescriptorSet()
	if err != nil {
		return nil, err
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(encoded, &set); err != nil {
		return nil, err
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		return nil, &schema.Error{Code: wire.InvalidSchema, Where: p.Root(), Reason: err.Error()}
	}
	d, err := files.FindDescriptorByName(protoreflect.FullName(p.Root()))
	if err != nil {
		return nil, err
	}
	return &Type{d.(protoreflect.MessageDescriptor)}, nil
}

// Descriptor returns the descriptor of the root message. Its ParentFile describes the whole plan.
func (t *Type) Descriptor() protoreflect.MessageDescriptor {
	if t == nil {
		return nil
	}
	return t.descriptor
}

// NewMessage returns an empty message.
func (t *Type) NewMessage() *dynamicpb.Message {
	if t.Descriptor() == nil {
		return nil
	}
	return dynamicpb.NewMessage(t.descriptor)
}

// FromRow returns the contents of a row as a message. Row and type must have the same plan.
func (t *Type) FromRow(row *schema.Row) (*dynamicpb.Message, error) {
	if row == nil {
		return nil, errNoType()
	}
	return t.decode(row.Append(nil))
}

// FromRecord returns the fields written to a record as a message.
func (t *Type) FromRecord(r *schema.Record) (*dynamicpb.Message, error) {
	if r == nil {
		return nil, errNoType()
	}
	return t.decode(r.Encoded())
}

func errNoType() error {
	return &schema.Error{Code: wire.HandleMisuse, Reason: "the type was not created by New, or the message is nil"}
}

func (t *Type) decode(b []byte) (*dynamicpb.Message, error) {
	m := t.NewMessage()
	if m == nil {
		return nil, errNoType()
	}
	// The reader checks required fields; a record may still grow.
	if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(b, m); err != nil {
		return nil, err
	}
	return m, nil
}

// ToRow decodes a message into a row. The message must have the plan's root type, generated or dynamic.
func (t *Type) ToRow(m proto.Message, row *schema.Row) error {
	if t.Descriptor() == nil || m == nil {
		return errNoType()
	}
	if got := m.ProtoReflect().Descriptor().FullName(); got != t.descriptor.FullName() {
		return &schema.Error{Code: wire.TypeMismatch, Where: string(t.descriptor.FullName()), Reason: fmt.Sprintf("the message is of type %s", got)}
	}
	b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m)
	if err != nil {
		return err
	}
	return row.UnmarshalWith(b, schema.UnmarshalOptions{AllowPartial: true})
}
