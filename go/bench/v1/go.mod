module github.com/hotpb/hotpb/go/bench/v1

go 1.25.0

tool github.com/golang/protobuf/protoc-gen-go

replace (
	github.com/hotpb/hotpb/go => ../../
	github.com/hotpb/hotpb/go/bench => ../
)

require (
	github.com/golang/protobuf v1.3.5
	github.com/hotpb/hotpb/go/bench v0.0.0
)

require github.com/hotpb/hotpb/go v0.0.0 // indirect
