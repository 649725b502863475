module github.com/hotpb/hotpb/go/googlev1

go 1.24

tool github.com/golang/protobuf/protoc-gen-go

replace github.com/hotpb/hotpb/go => ../

// The tests want the v1 API with a runtime of its own. A replace counts in the main module only.
replace github.com/golang/protobuf => github.com/golang/protobuf v1.3.5

require (
	github.com/golang/protobuf v1.5.0
	github.com/hotpb/hotpb/go v0.0.0
)

require google.golang.org/protobuf v1.36.12 // indirect
