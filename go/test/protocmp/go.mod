module github.com/hotpb/hotpb/go/test/protocmp

go 1.24

require (
	github.com/google/go-cmp v0.7.0
	github.com/hotpb/hotpb/go v0.0.0
	google.golang.org/protobuf v1.36.12
)

replace github.com/hotpb/hotpb/go => ../../
