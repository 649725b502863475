// Package test has the tests of the public packages that need generated code. Git ignores that code, and `go mod tidy` in a module
// that imports a package also loads the imports of the package's own tests. So those tests stand here, where nobody imports them.
package test

import (
	"bytes"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// The modules that a program can import, with the modules of the repository that they need.
var modules = map[string][]string{
	"go": nil, "go/gogo": {"go"}, "go/googlev1": {"go"}, "go/grpccodec": {"go"}, "go/connectcodec": {"go"},
	"go/schema/yaml": {"go"}, "go/schema/proto": {"go", "go/schema/yaml"}, "go/cmd/hotpb": {"go", "go/schema/yaml"},
}

const googleV1 = "github.com/golang/protobuf" // package googlev1/rt/fast is for the last version with a runtime of its own

// absent is how the go command says that it cannot download.
var absent = regexp.MustCompile(`module lookup disabled by GOPROXY=off|dial tcp|no such host|i/o timeout|connection refused`)

// A program that imports every package of a module, and has its commands as tools, from a checkout without generated code is tidied, and builds.
func TestACheckoutTakesThePlaceOfTheModules(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles every package once more")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	list := exec.Command("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "go")
	files, err := list.Output()
	if err != nil {
		t.Skip("this is no repository of git:", err)
	}
	checkout := t.TempDir()
	for name := range strings.SplitSeq(strings.TrimSuffix(string(files), "\x00"), "\x00") {
		b, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(checkout, name), b)
	}
	for module, needed := range modules {
		t.Run(strings.ReplaceAll(module, "/", " "), func(t *testing.T) {
			needs := goLine(t, filepath.Join(checkout, module))
			if version.Compare(runtime.Version(), "go"+needs) < 0 {
				t.Skipf("the module needs Go %s", needs)
			}
			program := t.TempDir()
			goIn := func(folder string, arguments ...string) string {
				t.Helper()
				command := exec.Command("go", arguments...)
				command.Dir = folder
				command.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local")
				out, err := command.Output()
				if err != nil {
					var stderr []byte
					if exit, ok := err.(*exec.ExitError); ok {
						stderr = exit.Stderr
					}
					if absent.Match(stderr) && !bytes.Contains(stderr, []byte("does not contain package")) {
						t.Skipf("a module is neither in the cache nor to be had:\n%s", stderr)
					}
					t.Fatalf("go %v: %v\n%s", arguments, err, stderr)
				}
				return string(out)
			}
			packages := goIn(filepath.Join(root, module), "list", "-f", "{{if .GoFiles}}{{.Name}} {{.ImportPath}}{{end}}", "./...")
			main, tools := []byte("package main\n\nimport (\n"), []string{"mod", "edit"}
			for line := range strings.Lines(packages) {
				switch name, path, _ := strings.Cut(strings.TrimSpace(line), " "); {
				case path == "" || strings.Contains(path+"/", "/internal/") || strings.Contains(path, "/go/test/"):
				case name == "main":
					tools = append(tools, "-tool="+path)
				default:
					main = append(main, "\t_ \""+path+"\"\n"...)
				}
			}
			write(t, filepath.Join(program, "main.go"), append(main, ")\n\nfunc main() {}\n"...))
			write(t, filepath.Join(program, "go.mod"), []byte("module example.com/program\n\ngo "+needs+"\n"))
			sums, _ := os.ReadFile(filepath.Join(checkout, module, "go.sum")) // so that nothing is asked for checksums
			write(t, filepath.Join(program, "go.sum"), sums)
			if len(tools) > 2 {
				goIn(program, tools...)
			}
			for _, m := range append([]string{module}, needed...) {
				goIn(program, "mod", "edit", "-replace=github.com/hotpb/hotpb/"+m+"="+filepath.Join(checkout, m))
			}
			if module == "go/googlev1" {
				goIn(program, "mod", "edit", "-replace="+googleV1+"="+googleV1+"@v1.3.5")
			}
			goIn(program, "mod", "tidy")
			goIn(program, "build", "-o", os.DevNull, ".")
		})
	}
}

// goLine is the version of Go that a module needs.
func goLine(t *testing.T, folder string) string {
	b, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(b, []byte("\ngo "))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return string(line)
}

func write(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
