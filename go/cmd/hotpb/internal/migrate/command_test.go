package migrate

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
)

// COD-123
func TestWriteNeedsACleanRepository(t *testing.T) {
	s := start(t, "csproto")
	before := s.snapshot()
	s.write("notes.txt", "not committed")
	if _, err := s.migrate(Command{Write: true}); !fault.IsUsage(err) || !strings.Contains(err.Error(), "uncommitted") {
		t.Error(err)
	}
	for file, text := range before {
		if s.read(file) != text {
			t.Errorf("%s changed", file)
		}
	}
	if _, err := s.migrate(Command{Write: true, Force: true}); fault.IsUsage(err) || s.read("codec.go") == before["codec.go"] {
		t.Error("--force does not write:", err)
	}
	if err := os.RemoveAll(filepath.Join(s.folder, ".git")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.migrate(Command{Write: true}); !fault.IsUsage(err) || !strings.Contains(err.Error(), "no git") {
		t.Error(err)
	}
}

// COD-124: the types of package lazyproto belong together, so none of its uses is rewritten.
func TestTypesThatBelongTogetherStayTogether(t *testing.T) {
	s := start(t, "csproto")
	s.write("dot.go", "package main\n\nimport . \"github.com/CrowdStrike/csproto/lazyproto\"\n\nfunc (f *filter) use(d *Decoder) { f.decoder = d }\n\nvar _ = (*filter).use\n")
	s.write("filter_plan9.go", "package main\n\nimport \"github.com/CrowdStrike/csproto/lazyproto\"\n\nfunc (f *filter) use(d *lazyproto.Decoder) { f.decoder = d }\n")
	s.commit()
	before := s.read("filter.go")
	list, _ := s.migrate(Command{Write: true})
	for _, want := range []string{"  dot.go:3:8: import . \"github.com/CrowdStrike/csproto/lazyproto\"", "  filter_plan9.go:3:8: import \"github.com/CrowdStrike/csproto/lazyproto\"",
		"  filter.go:14:9: lazyproto.NewDef: lazyproto.NewDef is a func(...uint32) Def, where the old one is a func(...int) Def"} {
		if !strings.Contains(list, want) {
			t.Errorf("no %q in\n%s", want, list)
		}
	}
	if s.read("filter.go") != before || !strings.Contains(s.read("store.go"), "hotpb.Marshal(e)") {
		t.Error(list)
	}
	s.require()
	s.run(s.folder, "go", "vet", "./...")
}

// COD-121: a file with cgo is read as it is, and not what cgo writes in its place.
func TestAFileWithCgoIsRewritten(t *testing.T) {
	s := start(t, "csproto")
	s.write("native.go", `package main

// static int one(void) { return 1; }
import "C"

import (
	"unsafe"

	"github.com/CrowdStrike/csproto"
	"github.com/CrowdStrike/csproto/lazyproto"
)

type holder struct{ p *C.char }

func native(f *filter, d *lazyproto.Decoder, h holder) *string {
	f.decoder = d
	_ = unsafe.Pointer(h.p)
	return csproto.String(string(rune(C.one())))
}
`)
	s.run(s.folder, "go", "vet", "./...")
	s.commit()
	list, _ := s.migrate(Command{Write: true})
	for _, want := range []string{"csproto.String: hotpb.String [3 places: native.go:18:9 ", "native.go:15:27", "lazyproto.Decoder: the same of"} {
		if !strings.Contains(list, want) {
			t.Errorf("no %q in\n%s", want, list)
		}
	}
	if !strings.Contains(s.read("native.go"), "return hotpb.String(string(rune(C.one())))") {
		t.Error(s.read("native.go"))
	}
	s.require()
	s.run(s.folder, "go", "vet", "./...")
}

// COD-122: what stands in the way of a name, or is no plain call, is left by hand, and the result compiles.
func TestUnsafeUsesAreLeft(t *testing.T) {
	s := start(t, "csproto")
	s.write("more.go", `package main

import (
	"github.com/CrowdStrike/csproto"

	"example.com/watch/events"
)

func shadowed(e *events.Event) ([]byte, error) {
	hotpb := csproto.Size(e)
	_ = hotpb
	return csproto.Marshal(e)
}

var marshal func(any) ([]byte, error) = csproto.Marshal

func generic[T any](v T) (*T, error) {
	_, err := csproto.Marshal(v)
	return csproto.PointerTo(v), err
}

func nothing() error { return csproto.Unmarshal(nil, nil) }
`)
	s.commit()
	list, _ := s.migrate(Command{Write: true})
	for _, want := range []string{"csproto.Size: hotpb.Size [2 places: more.go:10:11 store.go:22:46]\n", "more.go:12:9: csproto.Marshal: hotpb.Marshal of ",
		"more.go:15:41: csproto.Marshal: hotpb.Marshal, and import", "more.go:18:12: csproto.Marshal: hotpb.Marshal: import",
		"csproto.PointerTo: hotpb.Ptr [2 places: more.go:19:9 ", "more.go:22:31: csproto.Unmarshal: hotpb.Unmarshal: import"} {
		if !strings.Contains(list, want) {
			t.Errorf("no %q in\n%s", want, list)
		}
	}
	s.require()
	s.run(s.folder, "go", "vet", "./...")
}

// COD-121
func TestAFolderOfAModuleIsRead(t *testing.T) {
	s := start(t, "csproto")
	s.write("inner/x.go", "package inner\n\nimport \"github.com/CrowdStrike/csproto\"\n\nvar Name = csproto.String(\"x\")\n")
	list, _ := s.migrate(Command{Folder: filepath.Join(s.folder, "inner")})
	if !strings.Contains(list, "  x.go:5:12: csproto.String: hotpb.String\n") {
		t.Error(list)
	}
	if err := os.Remove(filepath.Join(s.folder, "go.mod")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.migrate(Command{Folder: filepath.Join(s.folder, "inner")}); err == nil || !strings.Contains(err.Error(), "main module") {
		t.Error("no module is no error:", err)
	}
}

// COD-125
func TestForeignFilesAreNotChanged(t *testing.T) {
	s := start(t, "csproto")
	code := "package %\n\nimport \"github.com/CrowdStrike/csproto\"\n\nvar Name = csproto.String(\"x\")\n"
	for _, folder := range []string{"ignored", "inner/vendor/other", "inner/testdata"} {
		s.write(folder+"/x.go", strings.ReplaceAll(code, "%", "x"))
	}
	s.write("zz.go", "// Code generated by hand. DO NOT EDIT.\n\n"+strings.ReplaceAll(strings.ReplaceAll(code, "Name", "zz"), "%", "main"))
	s.commit()
	before := s.snapshot()
	list, _ := s.migrate(Command{Write: true})
	for file, text := range s.snapshot() {
		if own := file == "store.go" || file == "codec.go" || file == "store_test.go"; own == (text == before[file]) {
			t.Errorf("%s: changed: %t", file, !own)
		}
	}
	for _, name := range []string{"ignored", "vendor", "testdata"} {
		if strings.Contains(list, name) {
			t.Errorf("%s is in\n%s", name, list)
		}
	}
	if strings.Count(list, "zz.go") != 1 || !strings.Contains(list, "  zz.go: generated, and imports what goes: run its generator again after the move\n") {
		t.Error(list)
	}
}

// COD-126
func TestCodeThatDoesNotCompileIsReported(t *testing.T) {
	s := start(t, "csproto")
	s.write("broken/broken.go", "package broken\n\nimport \"github.com/CrowdStrike/csproto\"\n\nvar name = csproto.String(1 +)\n")
	s.write("untyped/untyped.go", "package untyped\n\nimport \"github.com/CrowdStrike/csproto\"\n\nvar name = csproto.Nothing(csproto.String(\"x\"))\n")
	s.write("tagged.go", "//go:build never\n\npackage main\n\nimport _ \"github.com/CrowdStrike/csproto\"\n")
	s.write("bad.proto", "message {")
	s.write("buf.gen.old.yaml", "plugins: [")
	s.write("sub/go.mod", "module ?\n")
	s.commit()
	list, err := s.migrate(Command{Write: true})
	for _, want := range []string{`import "github.com/CrowdStrike/csproto": the package does not compile`, " broken/broken.go:3:8 untyped/untyped.go:3:8]", "tagged.go:5:10: import ", "store.go:20:12: csproto.Marshal: hotpb.Marshal\n"} {
		if !strings.Contains(list, want) {
			t.Errorf("no %q in\n%s", want, list)
		}
	}
	for _, want := range []string{"broken/broken.go:5:30: ", "untyped/untyped.go:5:20: undefined", "buf.gen.old.yaml: ", "sub: "} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	if !strings.Contains(s.read("store.go"), "hotpb.Marshal(e)") || !strings.Contains(s.read("untyped/untyped.go"), "csproto.String") {
		t.Error("the wrong files changed")
	}
}

// COD-121
func TestTheGeneratorsOptionsAreTranslated(t *testing.T) {
	s := &sample{t: t, name: "vtproto", folder: t.TempDir()}
	s.write("buf.gen.yaml", "version: v1\nplugins:\n  - plugin: go-vtproto\n    out: gen\n    opt: features=all,wrap=true,pool=a.{B,C}\n")
	s.write("build.sh", "protoc --go-vtproto_out=paths=import,features=size+grpc:gen --go-vtproto_opt=allow-empty=true --other_out=. x.proto\n")
	s.write("a.proto", "syntax = \"proto3\"; import \"vt.proto\";\nmessage A {\n  option (vtproto.mempool) = true;\n  option (.vtproto.options).unique = true; option (vtproto.next) = 1; }")
	list, _ := s.migrate(Command{All: true})
	golden(t, "options", list)
	s.name = "gogo"
	s.write("a.proto", "syntax = \"proto3\";\noption (gogoproto.enum_customname) = \"x\";\noption (gogoproto.equal_all) = true;\n"+
		"message A { repeated int32 a = 1 [(gogoproto.castrepeated) = \"B\", (gogoproto.unheard) = 1, (other.nullable) = true]; }")
	list, _ = s.migrate(Command{All: true})
	golden(t, "gogooptions", list)
	s.write("a.proto", "syntax = \"proto3\"; message {")
	if _, err := s.migrate(Command{}); err == nil || !strings.Contains(err.Error(), "a.proto:1:") {
		t.Error(err)
	}
}

// COD-121: plugins of buf's registry and with versions, those in --plugin of protoc, and the commands that install them.
func TestPluginsAreFoundWhereverTheyAreNamed(t *testing.T) {
	s := &sample{t: t, name: "vtproto", folder: t.TempDir()}
	s.write("buf.gen.yaml", "version: v2\nplugins:\n  - remote: buf.build/community/planetscale-vtprotobuf:v0.6.0\n    out: gen\n    opt: [paths=source_relative]\n"+
		"  - remote: buf.build/protocolbuffers/go:v1.36.6\n    out: gen\n"+
		"  - local: [go, run, github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto@v0.6.0]\n    out: gen\n")
	s.write("buf.gen.v1.yaml", "version: v1\nplugins:\n  - plugin: buf.build/community/planetscale-vtprotobuf\n    out: gen\n")
	s.write("Dockerfile", "RUN go install github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto@v0.6.0\n")
	s.write("build.sh", "protoc --plugin protoc-gen-go-vtproto=\"$B/protoc-gen-go-vtproto\" --plugin=protoc-gen-go=$B/protoc-gen-go \\\n  --plugin=$B/protoc-gen-go-vtproto x.proto\n"+
		"protoc --go-vtproto_out gen --go-vtproto_opt paths=import x.proto\n")
	s.write("go.mod", "module example.com/x\n\ngo 1.25\n\ntool (\n\tgolang.org/x/tools/cmd/stringer\n\tgithub.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto\n)\n")
	s.write("x.go", "package x\n")
	list, _ := s.migrate(Command{})
	golden(t, "places", list)
	s.name = "gogo" // its plugin stays
	s.write("build.sh", "go install github.com/gogo/protobuf/protoc-gen-gogofaster@v1.3.2\nprotoc --plugin=$B/protoc-gen-gogofaster x.proto\n")
	if list, err := s.migrate(Command{}); err != nil || list != "0 safe, 0 by hand, 0 refused, 0 stay\n" {
		t.Error(err, list)
	}
}

// COD-127
func TestTheOutputIsJSON(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.proto"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c := Command{From: "gogo", Folder: folder}
	if err := c.Run(&console.Streams{Out: &out, JSON: true}); err != nil || out.String() != "{\"findings\":[],\"hand\":0,\"refused\":0,\"safe\":0,\"stays\":0}\n" {
		t.Error(out.String(), err)
	}
	text := "syntax = \"proto3\"; option (gogoproto.enum_customname) = \"x\";"
	if err := os.WriteFile(filepath.Join(folder, "a.proto"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	err := c.Run(&console.Streams{Out: &out, JSON: true})
	var got struct{ Findings []line }
	if json.Unmarshal(out.Bytes(), &got) != nil || len(got.Findings) != 1 || got.Findings[0].Kind != refused || got.Findings[0].Places[0] != (place{"a.proto", 1, 27}) || err == nil || fault.IsUsage(err) {
		t.Error(out.String(), err)
	}
}

// COD-127
func TestWrongCallsAreRefused(t *testing.T) {
	for _, c := range []Command{{DryRun: true, Write: true}, {Force: true}, {From: "vtproto", Structs: "value"}, {Folder: "nowhere"}, {Folder: "command.go"}, {Folder: t.TempDir()}} {
		if c.Folder == "" {
			c.Folder = t.TempDir()
			if err := os.WriteFile(filepath.Join(c.Folder, "go.mod"), []byte("module m\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if c.From == "" {
			c.From = "gogo"
		}
		if err := c.Run(&console.Streams{Out: new(bytes.Buffer)}); !fault.IsUsage(err) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestCodeWithoutAModuleIsNoEmptyResult(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.go"), []byte("package a\n\nimport _ \"github.com/gogo/protobuf/proto\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := Command{From: "gogo", Folder: folder}
	if err := c.Run(&console.Streams{Out: new(bytes.Buffer)}); err == nil || !strings.Contains(err.Error(), "is there a go.mod?") {
		t.Error(err)
	}
}
