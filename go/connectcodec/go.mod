module github.com/hotpb/hotpb/go/connectcodec

go 1.25.0

replace github.com/hotpb/hotpb/go => ../

require (
	connectrpc.com/connect v1.21.0
	github.com/hotpb/hotpb/go v0.0.0
	google.golang.org/protobuf v1.36.12
)
