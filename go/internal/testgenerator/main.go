// Command testgenerator is protoc-gen-go-hotpb with the faces for tests.
package main

import (
	"os"

	"github.com/hotpb/hotpb/go/internal/gen"
)

func main() {
	gen.RegisterTestFaces()
	os.Exit(gen.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
