module github.com/hotpb/hotpb/go

go 1.24

require google.golang.org/protobuf v1.36.12
