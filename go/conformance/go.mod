module github.com/hotpb/hotpb/go/conformance

go 1.24

require (
	github.com/hotpb/hotpb/go v0.0.0
	google.golang.org/protobuf v1.36.12
)

replace github.com/hotpb/hotpb/go => ../
