// Command protoc-gen-go-hotpb makes fast Go code for Protocol Buffers messages:
// as a protoc plugin without arguments, on its own with --descriptor_set=.
package main

import (
	"os"

	"github.com/hotpb/hotpb/go/internal/gen"
)

func main() {
	os.Exit(gen.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
