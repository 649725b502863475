// Command go-codec-protomethods lets the official conformance runner test proto.Unmarshal and proto.Marshal under
// protomethods=true: the stock runtime calls the fast methods of stock structs.
package main

import (
	"google.golang.org/protobuf/proto"

	"github.com/hotpb/hotpb/go/conformance/testee"
	e23 "github.com/hotpb/hotpb/go/internal/testgen/stock/test_messages_edition2023"
	p2 "github.com/hotpb/hotpb/go/internal/testgen/stock/test_messages_proto2"
	p2editions "github.com/hotpb/hotpb/go/internal/testgen/stock/test_messages_proto2_editions"
	p3 "github.com/hotpb/hotpb/go/internal/testgen/stock/test_messages_proto3"
	p3editions "github.com/hotpb/hotpb/go/internal/testgen/stock/test_messages_proto3_editions"
	"github.com/hotpb/hotpb/go/rt/codec/google"
)

// Code generated with protomethods=true contains these calls. Here they are written by hand, so that go-codec and
// this program share their messages. Messages inside a hooked one are fast without a call.
func init() {
	google.Hook[p2.TestAllTypesProto2]()
	google.Hook[p3.TestAllTypesProto3]()
	google.Hook[p2editions.TestAllTypesProto2]()
	google.Hook[p3editions.TestAllTypesProto3]()
	google.Hook[e23.TestAllTypesEdition2023]()
}

func main() { testee.Main("go-codec-protomethods", messages()) }

func messages() testee.Messages {
	all := testee.Messages{}
	for _, m := range []proto.Message{
		new(p2.TestAllTypesProto2), new(p3.TestAllTypesProto3), new(p2editions.TestAllTypesProto2),
		new(p3editions.TestAllTypesProto3), new(e23.TestAllTypesEdition2023),
	} {
		mt := m.ProtoReflect().Type()
		all[string(mt.Descriptor().FullName())] = func(input []byte) ([]byte, int, error) {
			return reencode(mt.New().Interface(), input)
		}
	}
	return all
}

// reencode decodes and re-encodes a message. The unknown fields are at the end.
func reencode(m proto.Message, input []byte) (output []byte, unknown int, err error) {
	if err := proto.Unmarshal(input, m); err != nil {
		return nil, 0, err
	}
	output, err = proto.Marshal(m)
	return output, len(m.ProtoReflect().GetUnknown()), err
}
