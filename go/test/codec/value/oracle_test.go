package value_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/hotpb/hotpb/go/codec"
	official2 "github.com/hotpb/hotpb/go/internal/testgen/values/test_messages_proto2"
	official3 "github.com/hotpb/hotpb/go/internal/testgen/values/test_messages_proto3"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/values/vectors"
	e23 "github.com/hotpb/hotpb/go/internal/testgen/values/vectors_2023"
	e24 "github.com/hotpb/hotpb/go/internal/testgen/values/vectors_2024"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/values/vectors_proto2"
)

// message is a struct of structs=value.
type message interface {
	proto.Message
	codec.Message
	Reset()
	Unmarshal([]byte) error
}

// messageTypes are the test messages, by their full names.
var messageTypes = collect(
	new(p3.All), new(p3.Numbers), new(p3.Child), new(p2.All), new(p2.Needs), new(p2.Must), new(p2.MustAll), new(p2.Numbers), new(p2.Child),
	new(p2.MessageSet), new(e23.All), new(e23.Needs), new(e23.Must), new(e23.MustAll), new(e23.Numbers), new(e24.All),
	new(official2.TestAllTypesProto2), new(official3.TestAllTypesProto3),
)

// collect returns messages, and those in their fields.
func collect(roots ...proto.Message) map[string]protoreflect.MessageType {
	all := map[string]protoreflect.MessageType{}
	var add func(m protoreflect.Message)
	add = func(m protoreflect.Message) {
		name := string(m.Descriptor().FullName())
		if _, is := m.Interface().(message); !is || all[name] != nil {
			return
		}
		all[name] = m.Type()
		for i := range m.Descriptor().Fields().Len() {
			if fd := m.Descriptor().Fields().Get(i); fd.Message() != nil && !fd.IsList() && !fd.IsMap() {
				add(m.NewField(fd).Message())
			}
		}
	}
	for _, root := range roots {
		add(root.ProtoReflect())
	}
	return all
}

// shorten writes the tags of unknown fields in their shortest form, as the fast methods do (COD-40).
func shorten(m protoreflect.Message) {
	var out []byte
	for b := m.GetUnknown(); len(b) > 0; {
		number, kind, tag := protowire.ConsumeTag(b)
		size := protowire.ConsumeFieldValue(number, kind, b[tag:])
		out = append(protowire.AppendTag(out, number, kind), b[tag:tag+size]...)
		b = b[tag+size:]
	}
	if len(out) != len(m.GetUnknown()) {
		m.SetUnknown(out)
	}
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.IsMap() && fd.MapValue().Message() != nil:
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool { shorten(v.Message()); return true })
		case fd.IsList() && fd.Message() != nil:
			for i := range v.List().Len() {
				shorten(v.List().Get(i).Message())
			}
		case fd.Message() != nil && !fd.IsMap():
			shorten(v.Message())
		}
		return true
	})
}

// big is the length from which on inputs are deep, and comparing them takes long.
const big = 2_000

// errPanic is the error of an oracle that says nothing.
var errPanic = errors.New("the stock runtime panicked")

// unmarshal turns the panic into errPanic with which dynamic messages meet a map entry whose key comes again with another
// wire type.
func unmarshal(o proto.UnmarshalOptions, b []byte, m proto.Message) (err error) {
	defer func() {
		if why := recover(); why != nil {
			if fmt.Sprint(why) != "type mismatch: cannot convert nil to map key" {
				panic(why)
			}
			err = errPanic
		}
	}()
	return o.Unmarshal(b, m)
}

// compare decodes input as a message of the type with the fast methods and as a dynamic message, and compares the results and
// what reflection makes of them. It returns the error of the fast methods.
func compare(t *testing.T, kind protoreflect.MessageType, input []byte, o codec.UnmarshalOptions) error {
	t.Helper()
	m, dynamic := kind.New().Interface().(message), dynamicpb.NewMessage(kind.Descriptor())
	given := bytes.Clone(input)
	err := m.UnmarshalHotOptions(given, o)
	if !o.Alias {
		clear(given) // nothing points there
	}
	stock := proto.UnmarshalOptions{AllowPartial: o.AllowPartial, DiscardUnknown: o.DiscardUnknown, Resolver: new(protoregistry.Types)}
	stockErr := unmarshal(stock, input, dynamic)
	if errors.Is(stockErr, errPanic) {
		return err
	}
	if (err == nil) != (stockErr == nil) {
		t.Errorf("%s: the error is %v, that of a dynamic message %v: %x", kind.Descriptor().FullName(), err, stockErr, input[:min(len(input), 300)])
		return err
	}
	if err != nil || len(input) > big {
		return err
	}
	shorten(dynamic.ProtoReflect())
	if !proto.Equal(m, dynamic) {
		t.Errorf("%s: by reflection it is\n%v\nwant\n%v\nfrom %x", kind.Descriptor().FullName(), m, dynamic, input)
		return nil
	}
	written, err := m.MarshalHotOptions(nil, codec.MarshalOptions{AllowPartial: true, Deterministic: true})
	if err != nil || len(written) != m.SizeHot() {
		t.Errorf("%s: %x, size %d, %v", kind.Descriptor().FullName(), written, m.SizeHot(), err)
	}
	decoded := dynamicpb.NewMessage(kind.Descriptor())
	if err := (proto.UnmarshalOptions{AllowPartial: true, Resolver: new(protoregistry.Types)}).Unmarshal(written, decoded); err != nil || !proto.Equal(decoded, dynamic) {
		t.Errorf("%s: written again it is\n%v\nwant\n%v, %v", kind.Descriptor().FullName(), decoded, dynamic, err)
	}
	for _, src := range []proto.Message{m, dynamic} {
		copied := kind.New().Interface().(message)
		proto.Merge(copied, src)
		// gogo writes no value of nil bytes in a map: another encoding of the same message.
		if !proto.Equal(copied, m) {
			t.Errorf("%s: the copy by reflection is\n%v\nwant\n%v", kind.Descriptor().FullName(), copied, m)
		}
	}
	return nil
}
