package googlev1_test

import (
	"bytes"
	"testing"

	"github.com/hotpb/hotpb/go/test/staletest"
)

// COD-27, COD-65, COD-66. Structs and fast methods from two versions of a schema do not compile together, or fail with an error at
// the first use.
func TestFastMethodsOfAnotherSchemaThanTheirStructsLoseNothing(t *testing.T) {
	const module = "github.com/hotpb/hotpb/go/googlev1"
	program := bytes.ReplaceAll(staletest.V1, []byte("RUNTIME"), []byte("github.com/golang/protobuf/proto"))
	program = bytes.ReplaceAll(program, []byte("MODULE"), []byte(module))
	for name, hot := range map[string]string{"v1": "", "v1_csproto": ",compat=csproto"} {
		if hot != "" && !staletest.Thorough() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			staletest.Run(t, staletest.Flavour{
				Name: name, Module: module, Folder: ".", Generator: "github.com/golang/protobuf/protoc-gen-go",
				Options: "paths=source_relative", Hot: ",runtime=v1" + hot, Program: program,
			})
		})
	}
}
