module github.com/hotpb/hotpb/examples/codec/service

go 1.24

replace github.com/hotpb/hotpb/go => ../../../go

require github.com/hotpb/hotpb/go v0.0.0

require google.golang.org/protobuf v1.36.12 // indirect
