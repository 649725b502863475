module example.com/watch

go 1.26.0

require (
	github.com/CrowdStrike/csproto v0.33.0
	google.golang.org/grpc v1.85.0
	google.golang.org/protobuf v1.36.12
)
