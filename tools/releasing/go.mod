module github.com/hotpb/hotpb/tools/releasing

go 1.24.0

require (
	github.com/CycloneDX/cyclonedx-go v0.9.3
	golang.org/x/mod v0.29.0
)
