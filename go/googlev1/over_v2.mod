module github.com/hotpb/hotpb/go/googlev1

go 1.24

tool github.com/golang/protobuf/protoc-gen-go

replace github.com/hotpb/hotpb/go => ../

require (
	github.com/golang/protobuf v1.5.4
	github.com/hotpb/hotpb/go v0.0.0
)

require google.golang.org/protobuf v1.36.12 // indirect
