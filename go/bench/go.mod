module github.com/hotpb/hotpb/go/bench

go 1.25.0

tool (
	github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto
	google.golang.org/protobuf/cmd/protoc-gen-go
)

replace github.com/hotpb/hotpb/go => ../

replace github.com/hotpb/hotpb/go/gogo => ../gogo

require (
	buf.build/go/hyperpb v0.1.3
	github.com/VictoriaMetrics/easyproto v1.1.3
	github.com/gogo/protobuf v1.3.2
	github.com/hotpb/hotpb/go v0.0.0
	github.com/hotpb/hotpb/go/gogo v0.0.0
	github.com/netsampler/goflow2/v2 v2.2.6
	github.com/planetscale/vtprotobuf v0.6.0
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/davecgh/go-spew v1.1.1 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	github.com/stretchr/testify v1.11.1 // indirect
	github.com/timandy/routine v1.1.5 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)
