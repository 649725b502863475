// Command go-codec lets the official conformance runner test the codec face: the fast methods of stock structs. It
// links the stock runtime, whose structs these are; that runtime decodes and encodes message sets, and nothing else
// here.
package main

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/conformance/testee"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/test_messages_edition2023"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/test_messages_proto2"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/test_messages_proto2_editions"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/test_messages_proto3"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/test_messages_proto3_editions"
)

func main() { testee.Main("go-codec", messages()) }

// message is the interface that stock structs with fast methods implement.
type message interface {
	proto.Message
	codec.Message
}

// messages are all linked messages that have fast methods.
func messages() testee.Messages {
	all := testee.Messages{}
	protoregistry.GlobalTypes.RangeMessages(func(mt protoreflect.MessageType) bool {
		if _, fast := mt.Zero().Interface().(message); fast {
			all[string(mt.Descriptor().FullName())] = func(input []byte) ([]byte, int, error) {
				return reencode(mt.New().Interface().(message), input)
			}
		}
		return true
	})
	return all
}

// reencode decodes and re-encodes a message. The unknown fields are at the end.
func reencode(m message, input []byte) (output []byte, unknown int, err error) {
	if err := m.UnmarshalHot(input); err != nil {
		return nil, 0, err
	}
	output, err = m.MarshalHot()
	return output, len(m.ProtoReflect().GetUnknown()), err
}
