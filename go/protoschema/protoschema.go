// Package protoschema connects package schema with google.golang.org/protobuf:
// schemas imported from its descriptors, plans as descriptors, and rows and records as dynamic messages.
package protoschema

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

// Import is schema.FromDescriptorSet for a descriptor: that of a generated
// message (ProtoReflect().Descriptor()) or of a compiler in Go. Comments come with it where the descriptor's file has them.
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

// collect adds a file after those it imports.
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

// Type is the root message of a plan in google.golang.org/protobuf. It is immutable.
type Type struct {
	descriptor protoreflect.MessageDescriptor
}

// New makes the type of a plan. What a .proto cannot say is an error, as in Plan.Proto; strings have to be
// UTF-8 in messages of the type unless the file has to be of edition 2023.
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

// Descriptor is the descriptor of the root message. Its ParentFile is that of all the plan has.
func (t *Type) Descriptor() protoreflect.MessageDescriptor {
	if t == nil {
		return nil
	}
	return t.descriptor
}

// NewMessage makes an empty message.
func (t *Type) NewMessage() *dynamicpb.Message {
	if t.Descriptor() == nil {
		return nil
	}
	return dynamicpb.NewMessage(t.descriptor)
}

// FromRow makes a message of what a row holds. The plan of both has to be the same.
func (t *Type) FromRow(row *schema.Row) (*dynamicpb.Message, error) {
	if row == nil {
		return nil, errNoType()
	}
	return t.decode(row.Append(nil))
}

// FromRecord makes a message of what has been written to a record.
func (t *Type) FromRecord(r *schema.Record) (*dynamicpb.Message, error) {
	if r == nil {
		return nil, errNoType()
	}
	return t.decode(r.Encoded())
}

func errNoType() error {
	return &schema.Error{Code: wire.HandleMisuse, Reason: "the type was not made by New, or the message is nil"}
}

func (t *Type) decode(b []byte) (*dynamicpb.Message, error) {
	m := t.NewMessage()
	if m == nil {
		return nil, errNoType()
	}
	// What is required is the reader's to ask for; a record may go on.
	if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(b, m); err != nil {
		return nil, err
	}
	return m, nil
}

// ToRow decodes a message into a row. The message is of the plan's root type, generated or dynamic.
func (t *Type) ToRow(m proto.Message, row *schema.Row) error {
	if t.Descriptor() == nil || m == nil {
		return errNoType()
	}
	if got := m.ProtoReflect().Descriptor().FullName(); got != t.descriptor.FullName() {
		return &schema.Error{Code: wire.TypeMismatch, Where: string(t.descriptor.FullName()), Reason: fmt.Sprintf("a message of the type %s is no such", got)}
	}
	b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(m)
	if err != nil {
		return err
	}
	return row.UnmarshalWith(b, schema.UnmarshalOptions{AllowPartial: true})
}
