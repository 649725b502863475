package gen

import (
	"go/build"
	"os"
	"path/filepath"
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
