// Package codectest holds the fast methods of stock structs against the runtime: the same messages from the same
// bytes, the same inputs refused. A test links the packages with the structs; their types are found in the registry.
package codectest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/wire"
)

// message is a stock struct with fast methods.
type message interface {
	proto.Message
	codec.Unmarshaler
}

// New makes a message by its full name; nil when no such struct with fast methods is linked.
func New(name string) message {
	mt, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(name))
	if err != nil {
		return nil
	}
	m, _ := mt.New().Interface().(message)
	return m
}

// Names are those of all linked messages with fast methods, sorted.
func Names() (names []string) {
	protoregistry.GlobalTypes.RangeMessages(func(mt protoreflect.MessageType) bool {
		if _, fast := mt.Zero().Interface().(message); fast {
			names = append(names, string(mt.Descriptor().FullName()))
		}
		return true
	})
	slices.Sort(names)
	return names
}

// Decode compares the decode of input as a message of that name with the runtime's, and returns the message and the
// error of the fast code.
func Decode(t testing.TB, name string, input []byte, o codec.UnmarshalOptions) (proto.Message, error) {
	t.Helper()
	fast, stock := New(name), New(name)
	if fast == nil {
		t.Fatalf("%s has no fast methods", name)
	}
	given := bytes.Clone(input)
	fastErr := fast.UnmarshalHotOptions(given, o)
	if !o.Alias {
		clear(given) // nothing points there
	}
	stockErr := proto.UnmarshalOptions{
		AllowPartial: o.AllowPartial, DiscardUnknown: o.DiscardUnknown, RecursionLimit: o.RecursionLimit,
		NoLazyDecoding: o.RecursionLimit != 0, // in deferred messages, levels go on in extensions; else they are counted again
	}.Unmarshal(forStock(stock, input), stock)
	if len(input) > big && fastErr == nil && stockErr == nil {
		return fast, nil
	}
	if difference := differs(fast, stock, fastErr, stockErr); difference != "" {
		t.Errorf("%s %+v: %s: %x", name, o, difference, input[:min(len(input), 300)])
	}
	return fast, fastErr
}

// forStock rewrites the plain fields of a message set as items: the runtime drops plain fields there (COD-14).
func forStock(m message, input []byte) []byte {
	if !legacy || !isMessageSet(m.ProtoReflect().Descriptor()) {
		return input
	}
	var out []byte
	for len(input) > 0 {
		number, kind, size := protowire.ConsumeField(input)
		if size < 0 {
			return append(out, input...) // the runtime reports it
		}
		if kind == protowire.BytesType {
			_, _, tag := protowire.ConsumeTag(input)
			out = protowire.AppendTag(out, 1, protowire.StartGroupType)
			out = protowire.AppendVarint(protowire.AppendTag(out, 2, protowire.VarintType), uint64(number))
			out = append(protowire.AppendTag(out, 3, protowire.BytesType), input[tag:size]...)
			out = protowire.AppendTag(out, 1, protowire.EndGroupType)
		} else {
			out = append(out, input[:size]...)
		}
		input = input[size:]
	}
	return out
}

func differs(fast, stock proto.Message, fastErr, stockErr error) string {
	var located *wire.Error
	switch {
	case stockErr == nil && errors.Is(fastErr, wire.MissingRequired) && lacks(stock):
		return ""
	case (fastErr == nil) != (stockErr == nil):
		return fmt.Sprintf("the error is %v, the runtime's is %v", fastErr, stockErr)
	case fastErr != nil && !errors.As(fastErr, &located):
		return fmt.Sprintf("the error %v has no code", fastErr)
	case fastErr != nil:
		return ""
	case !proto.Equal(fast, stock):
		return fmt.Sprintf("the message is\n%v\nthe runtime's is\n%v\n", fast, stock)
	}
	// Equal takes nil for empty in places; the bytes show what it overlooks.
	o := proto.MarshalOptions{AllowPartial: true, Deterministic: true}
	got, gotErr := o.Marshal(fast)
	want, wantErr := o.Marshal(stock)
	if (gotErr == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
		return fmt.Sprintf("written again it is %x (%v), the runtime's is %x (%v)", got, gotErr, want, wantErr)
	}
	return ""
}

// lacks reports whether a message lacks required fields. The runtime's decoder overlooks some: in members of oneofs, and in
// fields that it puts off.
func lacks(m proto.Message) bool {
	_ = protorange.Range(m.ProtoReflect(), func(protopath.Values) error { return nil }) // opens what is put off
	return proto.CheckInitialized(m) != nil
}

// Merge compares a decode on top of an earlier one with the runtime's.
func Merge(t testing.TB, name string, first, second []byte) {
	t.Helper()
	fast, stock := New(name), New(name)
	o := proto.UnmarshalOptions{AllowPartial: true, Merge: true}
	if first = forStock(stock, first); o.Unmarshal(first, fast) != nil || o.Unmarshal(first, stock) != nil {
		return
	}
	fastErr := fast.UnmarshalHotOptions(second, codec.UnmarshalOptions{Merge: true, AllowPartial: true})
	if difference := differs(fast, stock, fastErr, o.Unmarshal(forStock(stock, second), stock)); difference != "" {
		t.Errorf("%s: merged with %x: %s: %x", name, first, difference, second)
	}
}
