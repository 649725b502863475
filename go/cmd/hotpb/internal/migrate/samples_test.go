package migrate

import (
	"bytes"
	"errors"
	"go/version"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
)

// A sample is a small service that uses one of the tools: a module of its own below testdata.
type sample struct {
	t           *testing.T
	name        string
	folder, bin string
	root        string // of the repository
}

// The modules of the repository that the samples use before and after their move, with the folders of their go.sum.
var sampleModules = map[string][]string{
	"gogo":    {"go", "go/gogo"},
	"vtproto": {"go", "go/grpccodec", "go/connectcodec"},
	"csproto": {"go", "go/grpccodec"},
}

// start copies a sample, generates its code with the old tool's generators, and commits it.
func start(t *testing.T, name string) *sample {
	t.Helper()
	if version.Compare(runtime.Version(), "go1.26") < 0 {
		t.Skip("the samples' versions of gRPC and connect need Go 1.26")
	}
	root, err := filepath.Abs("../../../../..")
	if err != nil {
		t.Fatal(err)
	}
	s := &sample{t: t, name: name, folder: t.TempDir(), bin: t.TempDir(), root: root}
	for _, module := range sampleModules[name] { // all that follows works without a network
		download := exec.Command("go", "mod", "download")
		download.Dir = filepath.Join(root, module)
		if out, err := download.CombinedOutput(); err != nil {
			t.Fatalf("go mod download in %s: %v\n%s", module, err, out)
		}
	}
	if err := os.CopyFS(s.folder, os.DirFS("testdata/"+name)); err != nil {
		t.Fatal(err)
	}
	s.write(".gitignore", "/ignored/\n")
	goTool := func(in string, packages ...string) {
		s.run(filepath.Join(root, in), "go", append([]string{"build", "-mod=readonly", "-o", s.bin + "/"}, packages...)...)
	}
	switch name {
	case "gogo":
		goTool("go/gogo", "github.com/gogo/protobuf/protoc-gen-gogofaster")
		folder := strings.TrimSpace(s.run(filepath.Join(root, "go/gogo"), "go", "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", "github.com/gogo/protobuf"))
		s.protoc("--gogofaster_out=paths=source_relative,Mgoogle/protobuf/timestamp.proto=github.com/gogo/protobuf/types:.", "-I"+folder, "stock/stock.proto")
	case "vtproto":
		goTool("go/test/vtproto", "github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto", "google.golang.org/protobuf/cmd/protoc-gen-go")
		s.run(s.folder, "go", "mod", "edit", "-replace=github.com/planetscale/vtprotobuf=github.com/planetscale/vtprotobuf@v0.6.0")
		s.protoc("--go_out=paths=source_relative:.", "--go-vtproto_out=.",
			"--go-vtproto_opt=paths=source_relative,features=marshal+unmarshal+size+equal+clone+pool,pool=example.com/shop/catalog.Item", "catalog/catalog.proto")
	case "csproto":
		goTool("go", "google.golang.org/protobuf/cmd/protoc-gen-go")
		s.run(s.folder, "go", "mod", "edit", "-replace=github.com/CrowdStrike/csproto="+filepath.Join(root, "go/cmd/hotpb/internal/migrate/testdata/standin/csproto"))
		s.protoc("--go_out=paths=source_relative:.", "events/event.proto")
	}
	s.tidy()
	s.run(s.folder, "git", "init", "-q")
	s.commit()
	return s
}

func (s *sample) commit() {
	s.t.Helper()
	s.run(s.folder, "git", "add", "-A")
	s.run(s.folder, "git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "state")
}

func (s *sample) protoc(arguments ...string) {
	s.t.Helper()
	s.run(s.folder, filepath.Join(s.root, "build/tools/protoc/bin/protoc"), append([]string{"-I."}, arguments...)...)
}

// run runs a program without a network, and returns its output.
func (s *sample) run(in, program string, arguments ...string) string {
	s.t.Helper()
	out, err := s.try(in, program, arguments...)
	if err != nil {
		s.t.Fatalf("%s %v: %v\n%s", program, arguments, err, out)
	}
	return out
}

func (s *sample) try(in, program string, arguments ...string) (string, error) {
	command := exec.Command(program, arguments...)
	command.Dir = in
	command.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOTOOLCHAIN=local", "PATH="+s.bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := command.CombinedOutput()
	return string(out), err
}

// migrate runs the command on the sample.
func (s *sample) migrate(c Command) (stdout string, err error) {
	s.t.Helper()
	c.From = s.name
	if c.Folder == "" {
		c.Folder = s.folder
	}
	s.t.Setenv("GOWORK", "off")
	s.t.Setenv("GOPROXY", "off")
	var out, stderr bytes.Buffer
	err = c.Run(&console.Streams{Out: &out, Err: &stderr})
	return strings.ReplaceAll(out.String(), s.folder, "."), err
}

func (s *sample) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.folder, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sample) read(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.folder, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

// golden compares a text with testdata/NAME.golden.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := "testdata/" + name + ".golden"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("%s (-update writes it): %v\n%s", file, err, got)
	}
}

// snapshot is the content of all files but git's.
func (s *sample) snapshot() map[string]string {
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(s.folder), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && name == ".git" {
			return fs.SkipDir
		}
		if err == nil && !d.IsDir() {
			all[name] = s.read(name)
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

// COD-121, COD-122, COD-123, COD-124: each sample moves as its guide says. It compiles and passes its tests after the safe rewrites,
// and again with hotpb's generated code. Without HOTPB_THOROUGH it is only compiled, after the safe rewrites.
func TestSamplesMove(t *testing.T) {
	for name := range tools {
		t.Run(name, func(t *testing.T) {
			s := start(t, name)
			thorough := os.Getenv("HOTPB_THOROUGH") != ""
			if thorough && name != "csproto" { // its stand-in has signatures only
				s.run(s.folder, "go", "test", "./...")
			}
			before := s.snapshot()
			list, err := s.migrate(Command{All: true})
			if err == nil {
				t.Error("findings are no error")
			}
			golden(t, name, list)
			diff, err := s.migrate(Command{DryRun: true})
			if err == nil {
				t.Error("findings of the dry run are no error")
			}
			golden(t, name+".diff", diff)
			for file, text := range s.snapshot() {
				if before[file] != text {
					t.Errorf("%s changed without --write", file)
				}
			}
			if _, err := s.migrate(Command{Write: true}); err == nil {
				t.Error("what is left by hand is no error")
			}
			s.require()
			s.run(s.folder, "go", "vet", "./...")
			if rest, _ := s.migrate(Command{DryRun: true}); rest != "" {
				t.Errorf("a second call rewrites again:\n%s", rest)
			}
			s.follow()
			s.require()
			s.run(s.folder, "go", "vet", "./...")
			if !thorough {
				return
			}
			s.run(s.folder, "go", "test", "./...")
			s.generate(list)
			s.require()
			s.run(s.folder, "go", "vet", "./...")
			s.run(s.folder, "go", "test", "./...")
			if hot := s.run(s.folder, "git", "ls-files", "--others", "*.hot.go"); hot == "" {
				t.Error("no code of hotpb")
			}
		})
	}
}

// handMade are the changes that the lists of the samples leave by hand, with the parts of files that it changes.
var handMade = map[string][]string{
	"csproto": {"filter.go", `"github.com/CrowdStrike/csproto/lazyproto"`, `"github.com/hotpb/hotpb/go/compat/lazyproto"`, "filter.go", `"github.com/CrowdStrike/csproto"`, `"github.com/hotpb/hotpb/go/wire"`,
		"filter.go", "csproto.DecoderModeFast", "wire.Fast", "store_test.go", "csp.GetExtension", "hotpb.GetExtension", "store_test.go", `	csp "github.com/CrowdStrike/csproto"` + "\n", ""},
	"vtproto": {"codec.go", `vtgrpc "github.com/planetscale/vtprotobuf/codec/grpc"`, `"github.com/hotpb/hotpb/go/grpccodec"`, "codec.go", `	"google.golang.org/grpc/encoding"` + "\n", "",
		"codec.go", "encoding.RegisterCodec(vtgrpc.Codec{})", "grpccodec.Register()", "server.go", `vtgrpc "github.com/planetscale/vtprotobuf/codec/grpc"`, `"github.com/hotpb/hotpb/go/connectcodec"`,
		"server.go", "vtgrpc.Codec{}", "connectcodec.Proto{}", "server_test.go", `vtcodec "github.com/planetscale/vtprotobuf/codec/grpc"`, `"github.com/hotpb/hotpb/go/grpccodec"; "github.com/hotpb/hotpb/go/connectcodec"`,
		"server_test.go", "grpc.ForceCodec(vtcodec.Codec{})", "grpc.ForceCodec(grpccodec.CodecV1{})", "server_test.go", "vtcodec.Codec{}", "connectcodec.Proto{}"},
}

// follow makes the changes that the list leaves by hand.
func (s *sample) follow() {
	s.t.Helper()
	for edit := range slices.Chunk(handMade[s.name], 3) {
		text := s.read(edit[0])
		if !strings.Contains(text, edit[1]) {
			s.t.Fatalf("%s has no %s:\n%s", edit[0], edit[1], text)
		}
		s.write(edit[0], strings.ReplaceAll(text, edit[1], edit[2]))
	}
}

// require does what `go get` of the finding for go.mod does, from the repository.
func (s *sample) require() {
	s.run(s.folder, "go", "mod", "edit", "-require=google.golang.org/protobuf@v1.36.12") // what hotpb requires is not looked up
	for _, folder := range sampleModules[s.name] {
		path := "github.com/hotpb/hotpb/" + folder
		s.run(s.folder, "go", "mod", "edit", "-require="+path+"@v0.0.0", "-replace="+path+"="+filepath.Join(s.root, folder))
	}
	s.tidy()
}

// tidy completes go.mod from the modules at hand, with the checksums that the repository has.
func (s *sample) tidy() {
	s.t.Helper()
	var sums []byte
	for _, m := range []string{"go", "go/gogo", "go/test/vtproto", "go/grpccodec", "go/connectcodec"} {
		b, err := os.ReadFile(filepath.Join(s.root, m, "go.sum"))
		if err != nil {
			s.t.Fatal(err)
		}
		sums = append(sums, b...)
	}
	s.write("go.sum", string(sums))
	s.run(s.folder, "go", "mod", "tidy", "-e")
	s.write("go.sum", s.read("go.sum")+string(sums))
}

// generate runs protoc with the options that the list has for buf.gen.yaml, and deletes the files that it names.
func (s *sample) generate(list string) {
	s.t.Helper()
	for _, f := range regexp.MustCompile(`(?m)^  (\S+): delete it`).FindAllStringSubmatch(list, -1) {
		if err := os.Remove(filepath.Join(s.folder, f[1])); err != nil {
			s.t.Fatal(err)
		}
	}
	s.run(filepath.Join(s.root, "go"), "go", "build", "-mod=readonly", "-o", s.bin+"/", "./cmd/protoc-gen-go-hotpb")
	options := regexp.MustCompile(`protoc-gen-go-hotpb\], out: \., opt: \[(.*)\]`).FindStringSubmatch(list)
	if options == nil {
		s.t.Fatal("no template in the list")
	}
	arguments := []string{"--go-hotpb_out=.", "--go-hotpb_opt=" + strings.ReplaceAll(options[1], ", ", ",")}
	protos, err := filepath.Glob(filepath.Join(s.folder, "*/*.proto"))
	if err != nil || len(protos) != 1 {
		s.t.Fatal(protos, err)
	}
	name, _ := filepath.Rel(s.folder, protos[0])
	if s.name == "gogo" {
		folder := strings.TrimSpace(s.run(filepath.Join(s.root, "go/gogo"), "go", "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", "github.com/gogo/protobuf"))
		arguments = append(arguments, "-I"+folder)
	}
	s.protoc(append(arguments, name)...)
}
