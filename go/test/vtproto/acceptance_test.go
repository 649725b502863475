package vtproto

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/stretchr/testify/require" // the programs import it
)

// vtprotobuf's own test programs, unchanged, with methods that our generator writes in place of its own.
func TestVtprotobufsOwnTestsPass(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs")
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(here, "../../..")
	protoc := filepath.Join(root, "build/tools/protoc/bin/protoc")
	folder := t.TempDir()
	environment := append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local", "GOGC=off") // with -cpu=1, pools keep everything
	do := func(in, name string, arguments ...string) string {
		t.Helper()
		command := exec.Command(name, arguments...)
		command.Dir, command.Env = in, environment
		output, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v (tools/setup protoc brings protoc): %v\n%s", name, arguments, err, output)
		}
		return strings.TrimSpace(string(output))
	}
	module := do(here, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/planetscale/vtprotobuf")
	if err := os.CopyFS(folder, os.DirFS(module)); err != nil {
		t.Fatal(err)
	}
	if err := filepath.WalkDir(folder, func(name string, entry os.DirEntry, err error) error {
		if err == nil {
			err = os.Chmod(name, 0o755)
		}
		// Its generated code goes, but for its own structs for the well-known types, and the structs of its option.
		inTests := strings.HasPrefix(name, filepath.Join(folder, "testproto")) || strings.HasPrefix(name, filepath.Join(folder, "conformance"))
		if err == nil && inTests && strings.HasSuffix(name, ".pb.go") {
			err = os.Remove(name)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	do(here, "go", "build", "-tags", "protolegacy", "-o", folder+"/bin/", "google.golang.org/protobuf/cmd/protoc-gen-go")
	do(filepath.Join(here, "../.."), "go", "build", "-o", folder+"/bin/", "./cmd/protoc-gen-go-hotpb")
	generate := func(out, options string, arguments ...string) {
		t.Helper()
		do(folder, protoc, append([]string{"-I" + filepath.Join(root, "build/tools/protoc/include"), "--plugin=bin/protoc-gen-go", "--plugin=bin/protoc-gen-go-hotpb",
			"--go_out=" + out, "--go_opt=" + options, "--go-hotpb_out=" + out, "--go-hotpb_opt=" + options + "faces=codec,compat=vtproto"}, arguments...)...)
	}
	const path = "github.com/planetscale/vtprotobuf/"
	at, files := "", []string{"-Itestproto", "-Iinclude"}
	for _, file := range []string{"empty/empty", "pool/pool", "pool/pool_with_slice_reuse", "pool/pool_with_oneof", "proto3opt/opt", "proto2/scalars", "unsafe/unsafe", "wkt/wkt"} {
		at += "M" + file + ".proto=" + path + "testproto/" + filepath.Dir(file) + ","
		files = append(files, file+".proto")
	}
	generate(".", at+"module="+strings.TrimSuffix(path, "/")+",", files...)
	at, files = "", []string{"-I" + filepath.Join(root, "proto/conformance")}
	for _, file := range []string{"google/protobuf/test_messages_proto2.proto", "google/protobuf/test_messages_proto3.proto", "conformance/conformance.proto"} {
		at += "M" + file + "=" + path + "conformance/internal/conformance,"
		files = append(files, file)
	}
	generate(".", at+"module="+strings.TrimSuffix(path, "/")+",", files...)

	// Its module requires what this one does, in the same versions.
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), content, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	vt := strings.TrimSuffix(path, "/")
	do(folder, "go", "mod", "edit", "-module="+vt, "-droprequire="+vt, "-droptool="+path+"cmd/protoc-gen-go-vtproto",
		"-replace=github.com/hotpb/hotpb/go="+filepath.Join(here, "../.."))
	output := do(folder, "go", "test", "-count=1", "-cpu=1", "-v", "-short", "./testproto/...", "./conformance/...")
	for _, name := range []string{"Test_Pool_slice_recreation", "Test_Pool_Oneof", "Test_UnmarshalVTUnsafe", "TestWellKnownTypes", "TestEmptyBytesMarshalling", "TestEqualVT3", "TestCloneVT2"} {
		if !strings.Contains(output, "--- PASS: "+name) {
			t.Errorf("%s did not run:\n%s", name, output)
		}
	}
}
