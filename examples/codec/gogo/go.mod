module github.com/hotpb/hotpb/examples/codec/gogo

go 1.24

tool github.com/gogo/protobuf/protoc-gen-gogofast

replace (
	github.com/hotpb/hotpb/examples/codec/service => ../service
	github.com/hotpb/hotpb/go => ../../../go
	github.com/hotpb/hotpb/go/gogo => ../../../go/gogo
)

require (
	github.com/gogo/protobuf v1.3.2
	github.com/hotpb/hotpb/examples/codec/service v0.0.0
	github.com/hotpb/hotpb/go v0.0.0
	github.com/hotpb/hotpb/go/gogo v0.0.0
	google.golang.org/protobuf v1.36.12
)
