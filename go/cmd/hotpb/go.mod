module github.com/hotpb/hotpb/go/cmd/hotpb

go 1.25.0

replace (
	github.com/hotpb/hotpb/go => ../../
	github.com/hotpb/hotpb/go/schema/yaml => ../../schema/yaml
)

require (
	github.com/alecthomas/kong v1.17.0
	github.com/aymanbagabas/go-udiff v0.4.1
	github.com/bufbuild/protocompile v0.14.1
	github.com/goccy/go-yaml v1.19.2
	github.com/hotpb/hotpb/go v0.0.0
	github.com/hotpb/hotpb/go/schema/yaml v0.0.0
	github.com/klauspost/compress v1.19.2
	github.com/posener/complete v1.2.3
	github.com/willabides/kongplete v0.4.0
	golang.org/x/mod v0.37.0
	golang.org/x/tools v0.47.0
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/hashicorp/errwrap v1.1.0 // indirect
	github.com/hashicorp/go-multierror v1.1.1 // indirect
	github.com/riywo/loginshell v0.0.0-20200815045211-7d26008be1ab // indirect
	github.com/stretchr/testify v1.12.1 // indirect
	golang.org/x/sync v0.22.0 // indirect
)
