module github.com/hotpb/hotpb/examples/first-light/go

go 1.25

tool (
	github.com/hotpb/hotpb/go/cmd/protoc-gen-go-hotpb
	google.golang.org/protobuf/cmd/protoc-gen-go
)

require (
	github.com/hotpb/hotpb/go v0.0.0
	github.com/klauspost/compress v1.20.3
	google.golang.org/protobuf v1.36.12
)

replace github.com/hotpb/hotpb/go => ../../../go
