// Command testgenerator is protoc-gen-go-hotpb with the faces for tests.
package main

import (
	"os"

	"github.com/hotpb/hotpb/go/internal/gen"
	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/testgenerator/testface"
)

func main() {
	emit.Register(testface.Faces...)
	os.Exit(gen.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
