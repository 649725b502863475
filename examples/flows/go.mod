module github.com/hotpb/hotpb/examples/flows

go 1.26.0

replace (
	github.com/hotpb/hotpb/go => ../../go
	github.com/hotpb/hotpb/go/schemayaml => ../../go/schemayaml
)

require (
	github.com/hotpb/hotpb/go v0.0.0
	github.com/hotpb/hotpb/go/schemayaml v0.0.0
	golang.org/x/net v0.60.0
	golang.org/x/sys v0.49.0
)

require github.com/goccy/go-yaml v1.19.2 // indirect
