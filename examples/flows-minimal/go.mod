module github.com/hotpb/hotpb/examples/flows-minimal

go 1.24

replace (
	github.com/hotpb/hotpb/go => ../../go
	github.com/hotpb/hotpb/go/schema/yaml => ../../go/schema/yaml
)

require (
	github.com/hotpb/hotpb/go v0.0.0
	github.com/hotpb/hotpb/go/schema/yaml v0.0.0
	google.golang.org/protobuf v1.36.12
)

require github.com/goccy/go-yaml v1.19.2 // indirect
