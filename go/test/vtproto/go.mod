module github.com/hotpb/hotpb/go/test/vtproto

go 1.25.0

replace github.com/hotpb/hotpb/go => ../../

tool (
	github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto
	google.golang.org/protobuf/cmd/protoc-gen-go
)

require (
	connectrpc.com/connect v1.21.0
	github.com/hotpb/hotpb/go v0.0.0
	github.com/planetscale/vtprotobuf v0.6.0
	github.com/stretchr/testify v1.8.4
	google.golang.org/protobuf v1.36.12
	gopkg.in/yaml.v3 v3.0.1
)

require (
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
)
