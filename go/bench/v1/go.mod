module github.com/hotpb/hotpb/go/bench/v1

go 1.25.0

tool github.com/golang/protobuf/protoc-gen-go

// What is measured is the v1 API with a runtime of its own.
replace github.com/golang/protobuf => github.com/golang/protobuf v1.3.5

replace (
	github.com/hotpb/hotpb/go => ../../
	github.com/hotpb/hotpb/go/bench => ../
	github.com/hotpb/hotpb/go/googlev1 => ../../googlev1
)

require (
	github.com/golang/protobuf v1.5.0
	github.com/hotpb/hotpb/go/bench v0.0.0
	github.com/hotpb/hotpb/go/googlev1 v0.0.0
)

require github.com/hotpb/hotpb/go v0.0.0
