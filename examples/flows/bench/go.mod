module github.com/hotpb/hotpb/examples/flows/bench

go 1.26

tool github.com/netsampler/goflow2/v2/cmd/goflow2

replace (
	github.com/hotpb/hotpb/examples/flows => ../
	github.com/hotpb/hotpb/go => ../../../go
	github.com/hotpb/hotpb/go/bench => ../../../go/bench
	github.com/hotpb/hotpb/go/gogo => ../../../go/gogo
	github.com/hotpb/hotpb/go/schemayaml => ../../../go/schemayaml
)

require (
	github.com/hotpb/hotpb/examples/flows v0.0.0
	github.com/hotpb/hotpb/go v0.0.0
	github.com/hotpb/hotpb/go/bench v0.0.0
	github.com/netsampler/goflow2/v2 v2.2.6
	google.golang.org/protobuf v1.36.12
)
