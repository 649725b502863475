package google_test

import (
	"testing"

	"github.com/hotpb/hotpb/go/test/codectest"
)

func TestRandomMessagesDecodeAsInTheRuntime(t *testing.T) {
	for _, name := range []string{
		"hotpb.vectors.p2.All", "hotpb.vectors.p3.All", "hotpb.vectors.e23.All", "hotpb.vectors.e24.All",
		"hotpb.raft.Message", "prometheus.WriteRequest",
		"protobuf_test_messages.proto2.TestAllTypesProto2", "protobuf_test_messages.proto3.TestAllTypesProto3",
		"protobuf_test_messages.editions.TestAllTypesEdition2023",
	} {
		t.Run(name, func(t *testing.T) { codectest.Random(t, name, 60) })
	}
}
