module github.com/hotpb/hotpb/examples/codec/googlev1

go 1.24

tool github.com/golang/protobuf/protoc-gen-go

replace (
	// The v1 API with its own runtime; without this line it is one that stands on google.golang.org/protobuf.
	github.com/golang/protobuf => github.com/golang/protobuf v1.3.5
	github.com/hotpb/hotpb/examples/codec/service => ../service
	github.com/hotpb/hotpb/go => ../../../go
	github.com/hotpb/hotpb/go/googlev1 => ../../../go/googlev1
)

require (
	github.com/golang/protobuf v1.5.0
	github.com/hotpb/hotpb/examples/codec/service v0.0.0
	github.com/hotpb/hotpb/go v0.0.0
	github.com/hotpb/hotpb/go/googlev1 v0.0.0
)

require google.golang.org/protobuf v1.36.12 // indirect
