module github.com/hotpb/hotpb/bench/corpus

go 1.25.0

require (
	github.com/klauspost/compress v1.20.3
	google.golang.org/protobuf v1.36.12
)
