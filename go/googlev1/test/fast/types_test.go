package fast_test

import (
	_ "github.com/hotpb/hotpb/go/googlev1/internal/stock/prometheus"
	_ "github.com/hotpb/hotpb/go/googlev1/internal/stock/raft"
	_ "github.com/hotpb/hotpb/go/googlev1/internal/stock/vectors_proto2"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/prometheus"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/raft"
	_ "github.com/hotpb/hotpb/go/internal/testgen/stock/vectors_proto2"
)

// names are those of messages that both this runtime and Google's have.
var names = []string{
	"hotpb.vectors.p2.All", "hotpb.vectors.p2.Needs", "hotpb.raft.Message", "hotpb.raft.Record",
	"prometheus.TimeSeries",
}
