module github.com/hotpb/hotpb/tools/foreign

go 1.24

require google.golang.org/protobuf v1.36.12
