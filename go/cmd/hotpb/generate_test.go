package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const app = `syntax = "proto3";
package app;
option go_package = "example.com/app";
import "google/protobuf/timestamp.proto";
message Event { string name = 1; google.protobuf.Timestamp at = 2; }
`

func TestGenerateMakesGo(t *testing.T) {
	h := hotpb{t: t, folder: t.TempDir()}
	file := func(name, text string) string {
		name = filepath.Join(h.folder, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	proto := file("app.proto", app)
	config := file("hotpb.yaml", "schemas: [app.proto]\ngenerate:\n  - {lang: go, out: gen, opt: \"faces=view+pool,paths=source_relative\"}\n")
	if _, stderr := h.run(1, "generate", "--check", "--config="+config); stderr != "gen/apphot/app.hot.go: 1 files differ from the code of the schemas; call hotpb generate without --check\n" {
		t.Error(stderr)
	}
	h.run(0, "generate", "--config="+config)
	code, err := os.ReadFile(filepath.Join(h.folder, "gen/apphot/app.hot.go"))
	if err != nil || !strings.Contains(string(code), "type EventView struct") || !strings.Contains(string(code), "type Event struct") {
		t.Fatalf("%v\n%.300s", err, code)
	}
	h.run(0, "generate", "--check", "--config="+config)
	if out, _ := h.run(0, "generate", "--config="+config); !strings.HasSuffix(out, ", unchanged\n") {
		t.Error(out)
	}
	out, _ := h.run(0, "generate", "--json", "-I"+h.folder, "--out="+h.folder, "--opt=faces=writer", "--opt=module=example.com", proto)
	var files struct {
		Files []struct {
			File    string
			Changed bool
		}
	}
	if err := json.Unmarshal([]byte(out), &files); err != nil || len(files.Files) != 1 || files.Files[0].File != "app/apphot/app.hot.go" || !files.Files[0].Changed {
		t.Error(err, out)
	}
	// A descriptor set has its imports, too. Well-known types are not generated.
	h.run(0, "generate", "--out="+h.folder+"/set", "--opt=faces=view", "--opt=Mprometheus/types.proto=example.com/p,Mprometheus/remote.proto=example.com/p", "../../../vectors/plans/remote_write_v1.fds")
	h.run(0, "generate", "--out="+h.folder+"/wkt", "--opt=faces=view", "--only=google/protobuf/timestamp.proto", "../../../vectors/plans/wkt.fds")
}

// A plugin on the PATH is asked; this one answers with a file of its name.
func TestGenerateAsksPlugins(t *testing.T) {
	h := hotpb{t: t, folder: t.TempDir()}
	proto, out := filepath.Join(h.folder, "app.proto"), filepath.Join(h.folder, "gen")
	if err := os.WriteFile(proto, []byte(app), 0o600); err != nil {
		t.Fatal(err)
	}
	plugin := func(name, answer string) {
		if err := os.WriteFile(filepath.Join(h.folder, name), []byte("#!/bin/sh\ncat > request\nprintf '"+answer+"'\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", h.folder+":/bin:/usr/bin")
	t.Chdir(h.folder)
	for _, test := range []struct {
		code         int
		lang, answer string
		want         string
	}{
		{1, "rust", "", "protoc-gen-hotpb-rs: it is not on the PATH, and generates the code of rust; install it: cargo install --path rust/protoc-gen-hotpb-rs"},
		{1, "cpp", "", "protoc-gen-hotpb-cpp: it is not on the PATH, and generates the code of cpp; install it: cmake -S cpp"},
		{0, "rust", `\172\012\012\004a.rs\172\002//`, "gen/a.rs"},
		{1, "cpp", `\012\003bad`, "app.proto: bad"},
		{1, "cpp", `\172\012\012\004../x\172\002//`, "../x: the generator wants to write outside of "},
		{1, "cpp", `\377`, "its answer is no CodeGeneratorResponse; install it again"},
	} {
		name := map[string]string{"rust": "protoc-gen-hotpb-rs", "cpp": "protoc-gen-hotpb-cpp"}[test.lang]
		if test.answer != "" {
			plugin(name, test.answer)
		}
		got, stderr := h.run(test.code, "generate", "--lang="+test.lang, "--out="+out, proto)
		if !strings.Contains(got+stderr, test.want) {
			t.Errorf("%s: %s%s", test.lang, got, stderr)
		}
	}
	if request, err := os.ReadFile("request"); err != nil || !strings.Contains(string(request), "app.proto") {
		t.Error(err)
	}
}

func TestGenerateSaysWhatIsWrong(t *testing.T) {
	h := hotpb{t: t, folder: t.TempDir()}
	config := filepath.Join(h.folder, "hotpb.yaml")
	for _, test := range []struct {
		code                int
		config, flags, want string
	}{
		{2, "", "--config=none.yaml", "hotpb: there is neither a FILE nor none.yaml; name .proto files, or write none.yaml; it has schemas:"},
		{2, "", "testdata/shop.proto", "hotpb: --out=FOLDER is missing"},
		{2, "", "--out=x", "hotpb: --out and --opt are for a FILE, and there is none"},
		{2, "", "--lang=perl --out=x testdata/shop.proto", "--lang must be one of"},
		{2, "", "--out=x --only=y.proto testdata/shop.proto", "hotpb: the schemas have no file y.proto; their files are testdata/shop.proto"},
		{1, "", "--out=x --opt=faces=none testdata/shop.proto", "testdata/shop.proto: option faces=none: "},
		{1, "", "--out=x gone.proto", "gone.proto: no such file or directory"},
		{1, "schemas: [a.proto]\nmake: 1\n", "", "hotpb.yaml:2:1: unknown field \"make\"; it has schemas:"},
		{1, "schemas: [\n", "", "hotpb.yaml:1:"},
		{1, "schemas: []\n", "", "hotpb.yaml: schemas: and generate: are wanted"},
		{1, "schemas: [a.proto]\ngenerate: [{lang: perl, out: x}]\n", "", "hotpb.yaml: entry 1 of generate: has lang \"perl\" and out \"x\"; lang is go, rust or cpp"},
		{1, "schemas: [a.proto]\ngenerate: [{lang: go, out: x}]\n", "", "a.proto: no such file or directory"},
	} {
		flags := strings.Fields(test.flags)
		if test.config != "" {
			flags = append(flags, "--config="+config)
			if err := os.WriteFile(config, []byte(test.config), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out, stderr := h.run(test.code, append([]string{"generate"}, flags...)...)
		if !strings.Contains(stderr, test.want) || out != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s %q: %s%s", test.flags, test.config, out, stderr)
		}
	}
}

// repository is a file of the clone, as an absolute path; a test that needs one that is not built is skipped.
func repository(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		path, err := filepath.Abs(filepath.Join("../../..", name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Skip("not built: " + strings.Join(names, ", "))
	return ""
}

// Edition 2024 goes through protoc, or through the descriptor set that it writes; the code is the same.
func TestGenerateReadsEdition2024(t *testing.T) {
	protoc := repository(t, "build/tools/protoc/bin/protoc")
	h := hotpb{t: t, folder: t.TempDir()}
	t.Setenv("PROTOC", protoc)
	set := filepath.Join(h.folder, "set.fds")
	const file = "hotpb/vectors_2024.proto"
	if out, err := exec.Command(protoc, "-I../../../proto", "--include_imports", "--include_source_info", "--descriptor_set_out="+set, file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var codes [2]string
	for i, schema := range []string{file, set} {
		out := filepath.Join(h.folder, strconv.Itoa(i))
		h.run(0, "generate", "-I../../../proto", "--out="+out, "--opt=faces=view+pool,paths=source_relative,M"+file+"=example.com/v", "--opt=Mhotpb/vectors_elsewhere.proto=example.com/e", "--opt=Mhotpb/vectors.proto=example.com/p", "--only="+file, schema)
		err := filepath.Walk(out, func(path string, info os.FileInfo, err error) error {
			if err == nil && !info.IsDir() {
				text, failure := os.ReadFile(path)
				codes[i], err = codes[i]+string(text), failure
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if codes[0] != codes[1] || !strings.Contains(codes[0], "View struct") {
		t.Errorf("%d bytes from the .proto, %d from the set", len(codes[0]), len(codes[1]))
	}
}

// The plugins of this clone, where they are built.
func TestGenerateMakesRustAndCpp(t *testing.T) {
	for lang, test := range map[string]struct {
		file, want, spelled, name string
		plugins                   []string
	}{
		"rust": {"hotpb.mod.rs", "mod app", "hotpb/spelling.hot.rs", "HttpPingView", []string{"rust/target/debug/protoc-gen-hotpb-rs", "rust/target/release/protoc-gen-hotpb-rs"}},
		"cpp":  {"app.hot.h", "EventView", "hotpb/spelling.hot.h", "HTTPPingView", []string{"build/cpp/plugin/protoc-gen-hotpb-cpp", "build/release/plugin/protoc-gen-hotpb-cpp", "build/hotpb-bench/plugin/protoc-gen-hotpb-cpp"}},
	} {
		t.Run(lang, func(t *testing.T) {
			h := hotpb{t: t, folder: t.TempDir()}
			t.Setenv("PATH", filepath.Dir(repository(t, test.plugins...))+":/bin:/usr/bin")
			proto, out := filepath.Join(h.folder, "app.proto"), filepath.Join(h.folder, "gen")
			if err := os.WriteFile(proto, []byte(app), 0o600); err != nil {
				t.Fatal(err)
			}
			call := []string{"generate", "--lang=" + lang, "-I" + h.folder, "--out=" + out, proto}
			if lang == "cpp" {
				call = append(call, "--opt=faces=view")
			}
			h.run(0, call...)
			code, err := os.ReadFile(filepath.Join(out, test.file))
			if err != nil || !strings.Contains(string(code), test.want) {
				t.Errorf("%v\n%.500s", err, code)
			}
			if out, _ := h.run(0, append(call, "--check")...); !strings.Contains(out, ", unchanged\n") {
				t.Error(out)
			}
			// Names in every case.
			h.run(0, "generate", "--lang="+lang, "-I../../../proto", "--out="+out, "--opt=faces=view", "../../../proto/hotpb/spelling.proto", "../../../proto/hotpb/spelling_other.proto")
			code, err = os.ReadFile(filepath.Join(out, test.spelled))
			if err != nil || !strings.Contains(string(code), test.name) {
				t.Errorf("%v\n%.500s", err, code)
			}
		})
	}
}

// A schema whose names come in every case passes through generate and migrate for Go, too.
func TestNamesInEveryCaseInGo(t *testing.T) {
	h := hotpb{t: t, folder: t.TempDir()}
	files := map[string]string{"go.mod": "module example.com/names\n\ngo 1.24\n", "main.go": "package main\n\nfunc main() {}\n"}
	for _, name := range []string{"hotpb/spelling.proto", "hotpb/spelling_other.proto"} {
		b, err := os.ReadFile(filepath.Join("../../../proto", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(b)
	}
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(h.folder, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(h.folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(h.folder, "gen")
	h.run(0, "generate", "--lang=go", "-I"+h.folder, "--out="+out,
		"--opt=faces=view+pool+writer,Mhotpb/spelling.proto=example.com/names/p,Mhotpb/spelling_other.proto=example.com/names/o",
		filepath.Join(h.folder, "hotpb/spelling.proto"), filepath.Join(h.folder, "hotpb/spelling_other.proto"))
	code, err := os.ReadFile(filepath.Join(out, "example.com/names/p/phot/spelling.hot.go"))
	if err != nil || !strings.Contains(string(code), "type HTTPPingView struct") || !strings.Contains(string(code), "type HTTPPing struct") {
		t.Errorf("%v\n%.500s", err, code)
	}
	t.Chdir(h.folder)
	for _, from := range []string{"gogo", "csproto", "vtproto"} {
		if list, _ := h.run(0, "migrate", "--from="+from); !strings.Contains(list, ", 0 refused,") {
			t.Error(list)
		}
	}
}
