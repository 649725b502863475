module github.com/hotpb/hotpb/go/schema/proto

go 1.24

replace github.com/hotpb/hotpb/go => ../..

require (
	github.com/bufbuild/protocompile v0.14.1
	github.com/hotpb/hotpb/go v0.0.0
	google.golang.org/protobuf v1.36.12
)

require golang.org/x/sync v0.8.0 // indirect
