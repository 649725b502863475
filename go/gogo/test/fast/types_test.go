package fast_test

import (
	_ "github.com/hotpb/hotpb/go/gogo/internal/stock/raft"
	_ "github.com/hotpb/hotpb/go/gogo/internal/stock/test_messages_proto3"
	_ "github.com/hotpb/hotpb/go/gogo/internal/stock/vectors_proto2"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/raft"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/test_messages_proto3"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_proto2"
)

// names are the names of messages that both this runtime and Google's have.
var names = []string{
	"hotpb.vectors.p2.All", "hotpb.vectors.p2.Needs", "hotpb.raft.Message", "hotpb.raft.Record",
	"protobuf_test_messages.proto3.TestAllTypesProto3",
}
