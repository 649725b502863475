// Command go-codec-value lets the official conformance runner test the structs that faces=codec writes with structs=value. It links
// the stock runtime, which has the well-known types in them; those and nothing else it decodes and encodes here.
package main

import (
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/codec"
	"github.com/hotpb/hotpb/go/conformance/testee"
	edition2023 "github.com/hotpb/hotpb/go/internal/testgen/values/test_messages_edition2023"
	proto2 "github.com/hotpb/hotpb/go/internal/testgen/values/test_messages_proto2"
	proto2editions "github.com/hotpb/hotpb/go/internal/testgen/values/test_messages_proto2_editions"
	proto3 "github.com/hotpb/hotpb/go/internal/testgen/values/test_messages_proto3"
	proto3editions "github.com/hotpb/hotpb/go/internal/testgen/values/test_messages_proto3_editions"
)

func main() { testee.Main("go-codec-value", messages()) }

// message is the interface of the structs.
type message interface {
	proto.Message
	codec.Message
	Marshal() ([]byte, error)
}

// messages are the official test messages.
func messages() testee.Messages {
	all := testee.Messages{}
	for _, fresh := range []func() message{
		func() message { return new(edition2023.TestAllTypesEdition2023) },
		func() message { return new(proto2.TestAllTypesProto2) },
		func() message { return new(proto2editions.TestAllTypesProto2) },
		func() message { return new(proto3.TestAllTypesProto3) },
		func() message { return new(proto3editions.TestAllTypesProto3) },
	} {
		all[string(fresh().ProtoReflect().Descriptor().FullName())] = func(input []byte) ([]byte, int, error) {
			return reencode(fresh(), input)
		}
	}
	return all
}

// reencode decodes and re-encodes a message, the second time after a copy by reflection. The unknown fields are at the end.
func reencode(m message, input []byte) (output []byte, unknown int, err error) {
	if err := m.UnmarshalHot(input); err != nil {
		return nil, 0, err
	}
	copied := proto.Clone(m).(message)
	output, err = copied.Marshal()
	return output, len(copied.ProtoReflect().GetUnknown()), err
}
