package gen

import (
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
)

func TestGoBuildsEveryOutputOnEveryPlatform(t *testing.T) {
	names := []string{"foo", "_private", ".hidden", "foo.v1", "foo_test", "foo_", "linux", "_linux"}
	for _, platform := range emit.Platforms {
		names = append(names, "model_"+platform, "model_"+platform+"_test", "model_"+platform+".v1", "a_linux_"+platform)
	}
	folder := t.TempDir()
	foreign := build.Default
	foreign.GOOS, foreign.GOARCH = "none", "none"
	for _, name := range names {
		file := emit.Buildable(name) + ".hot.go"
		if err := os.WriteFile(filepath.Join(folder, file), []byte("package p\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if builds, err := foreign.MatchFile(folder, file); !builds || err != nil {
			t.Errorf("%s.proto gives %s, which Go passes over (%v)", name, file, err)
		}
	}
	for _, name := range []string{"foo", "foo.v1", "foo_test", "linux", "model_linuxes"} {
		if got := emit.Buildable(name); got != name {
			t.Errorf("%s becomes %s without need", name, got)
		}
	}
}

// Go's own list of systems and processors is in its source, and in the list of those that the linker knows.
func TestEveryPlatformOfGoIsKnown(t *testing.T) {
	list, err := exec.Command("go", "tool", "dist", "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	words := strings.FieldsFunc(string(list), func(r rune) bool { return r == '/' || r == '\n' })
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "src", "internal", "syslist", "syslist.go"))
	if err != nil {
		t.Logf("Go's own list is not compared: %v", err)
	}
	for _, word := range regexp.MustCompile(`(?m)^\t"(\w+)": +true`).FindAllSubmatch(source, -1) {
		words = append(words, string(word[1]))
	}
	if len(words) < 40 || err == nil && len(words) < 120 {
		t.Errorf("only %d words were found", len(words))
	}
	for _, word := range words {
		if !slices.Contains(emit.Platforms, word) {
			t.Errorf("Go knows the platform %s", word)
		}
	}
}

// Whether Go compiles the file that the structs' own generator writes decides whether the generator warns of it.
func TestFilesOfStockStructsThatGoLeavesOutAreReported(t *testing.T) {
	folder := t.TempDir()
	foreign := build.Default
	foreign.GOOS, foreign.GOARCH = "none", "none"
	names := []string{"foo", "foo_test", "foo_linux_test", "foo_unix", "foo_", "linux", "linux_test", "_foo", ".foo", "foo.v1_linux", "foo_linux.v1", "a_windows_amd64", "a_linux_b", "test_arm"}
	for _, platform := range emit.Platforms {
		names = append(names, "experiment_"+platform, platform, "x_"+platform+"_"+platform)
	}
	for _, name := range names {
		stock := filepath.Base(name) + ".pb.go"
		if err := os.WriteFile(filepath.Join(folder, stock), []byte("package p\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		compiled, err := foreign.MatchFile(folder, stock)
		if err != nil {
			t.Fatal(err)
		}
		file := fmt.Sprintf("d/%s.proto", name)
		p := planText(t, fmt.Sprintf(`name: %q package: "p" options { go_package: "example.com/p" } message_type { name: "M" }`, file))
		for options, warns := range map[string]bool{
			"faces=codec": true, "faces=codec,runtime=gogo": true, "faces=codec,runtime=v1": true, "faces=codec,default_api_level=API_HYBRID": true,
			"faces=codec,filepermessage=true,quiet": true, "faces=codec,structs=value": false, "faces=pool+view": false,
		} {
			result, err := generateOne(t, p, options)
			if err != nil {
				t.Fatal(err)
			}
			all := strings.Join(result.Warnings, "\n")
			warned := strings.Contains(all, file+": Go compiles the file of its stock structs, "+stock) && strings.Contains(all, "rename the .proto, for example to d/")
			if warned != (warns && !compiled) || warned != strings.Contains(string(result.Outputs[0].Content), "// Errors such as undefined: M: Go compiles") {
				t.Errorf("%s, %s: Go compiles it: %v; warnings %q", file, options, compiled, result.Warnings)
			}
			if !warned {
				continue
			}
			renamed := regexp.MustCompile(`for example to d/(.*)\.proto`).FindStringSubmatch(all)[1] + ".pb.go"
			if err := os.WriteFile(filepath.Join(folder, renamed), []byte("package p\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			if compiled, err := foreign.MatchFile(folder, renamed); !compiled || err != nil {
				t.Errorf("%s: Go does not compile %s either", file, renamed)
			}
		}
	}
}
