module example.com/shop

go 1.26.0

require (
	connectrpc.com/connect v1.21.0
	github.com/planetscale/vtprotobuf v0.6.0
	google.golang.org/grpc v1.85.0
	google.golang.org/protobuf v1.36.12
)
