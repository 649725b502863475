module github.com/hotpb/hotpb/examples/codec/googlev2

go 1.24

tool (
	github.com/hotpb/hotpb/go/cmd/protoc-gen-go-hotpb
	google.golang.org/protobuf/cmd/protoc-gen-go
)

replace (
	github.com/hotpb/hotpb/examples/codec/service => ../service
	github.com/hotpb/hotpb/go => ../../../go
)

require (
	github.com/hotpb/hotpb/examples/codec/service v0.0.0
	github.com/hotpb/hotpb/go v0.0.0
	google.golang.org/protobuf v1.36.12
)
