module github.com/hotpb/hotpb/go/schema/yaml

go 1.24

replace github.com/hotpb/hotpb/go => ../..

require github.com/hotpb/hotpb/go v0.0.0

require github.com/goccy/go-yaml v1.19.2
