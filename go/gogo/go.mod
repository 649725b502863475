module github.com/hotpb/hotpb/go/gogo

go 1.24

tool (
	github.com/gogo/protobuf/protoc-gen-gogo
	github.com/gogo/protobuf/protoc-gen-gogofast
	github.com/gogo/protobuf/protoc-gen-gogofaster
)

replace github.com/hotpb/hotpb/go => ../

require (
	github.com/gogo/protobuf v1.3.2
	github.com/hotpb/hotpb/go v0.0.0
	google.golang.org/protobuf v1.36.12
)
