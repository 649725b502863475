module github.com/hotpb/hotpb/examples/flows

go 1.26

replace (
	github.com/hotpb/hotpb/go => ../../go
	github.com/hotpb/hotpb/go/schemayaml => ../../go/schemayaml
)

require (
	github.com/gopacket/gopacket v1.7.7
	github.com/hotpb/hotpb/go v0.0.0
	github.com/hotpb/hotpb/go/schemayaml v0.0.0
	github.com/netsampler/goflow2/v2 v2.2.6
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/goccy/go-yaml v1.19.2 // indirect
	golang.org/x/net v0.55.0 // indirect
	golang.org/x/sys v0.45.0 // indirect
)
