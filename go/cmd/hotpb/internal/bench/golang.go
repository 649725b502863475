package bench

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
	"github.com/hotpb/hotpb/go/internal/gen"
)

//go:embed golang.txt
var goProgram string

//go:embed golang_clock_unix.txt
var goClockUnix []byte

//go:embed golang_clock.txt
var goClock []byte

const ownModule = "hotpbbench"

// runGo generates the structs of protoc-gen-go and the faces, builds the program and runs it.
func runGo(ctx context.Context, j *job) ([]Row, string, error) {
	folder := filepath.Join(j.work, "go")
	version, err := j.goModule(folder)
	if err != nil {
		return nil, "", err
	}
	t := &tool{ctx: ctx, folder: folder, env: []string{"GOWORK=off", "GOFLAGS=-mod=mod"}}
	j.step("Go: build protoc-gen-go %s", version)
	plugin := filepath.Join(folder, "protoc-gen-go")
	if err := t.run("go", "build", "-o", plugin, "google.golang.org/protobuf/cmd/protoc-gen-go"); err != nil {
		return nil, "", err
	}
	j.step("Go: generate")
	request, places, err := j.goRequest()
	if err != nil {
		return nil, "", err
	}
	stock, err := ask(request, func(in []byte) ([]byte, error) { return t.pipe(in, plugin) })
	if err != nil {
		return nil, "", err
	}
	module := request.GetParameter()
	var hot [2][]*pluginpb.CodeGeneratorResponse_File
	for i, faces := range []string{"view+pool+reflect", "codec"} {
		request.Parameter = proto.String(module + ",faces=" + faces)
		if j.hot != "" && i == 0 {
			request.Parameter = proto.String(request.GetParameter() + "," + j.hot)
		}
		if hot[i], err = ask(request, func(in []byte) ([]byte, error) {
			var out, stderr bytes.Buffer
			if gen.Main(nil, bytes.NewReader(in), &out, &stderr) != 0 {
				return nil, fmt.Errorf("%s", strings.TrimSpace(stderr.String()))
			}
			return out.Bytes(), nil
		}); err != nil {
			return nil, "", fault.In(strings.Join(j.Schema, ", "), err.Error(), "")
		}
	}
	if err := writeAll(folder, stock, hot[0], hot[1]); err != nil {
		return nil, "", err
	}
	place := places[j.root.ParentFile().Path()]
	name := goNames(j.root)
	has := func(declared string) bool {
		return slices.ContainsFunc(hot[0], func(f *pluginpb.CodeGeneratorResponse_File) bool {
			return strings.HasPrefix(f.GetName(), place+"/") && strings.Contains(f.GetContent(), "\ntype "+declared+" struct")
		})
	}
	own := func(name string) string {
		if !has(name) && has(name+"_") {
			return name + "_"
		}
		return name
	}
	var program bytes.Buffer
	if err := template.Must(template.New("").Parse(goProgram)).Execute(&program, map[string]any{
		"Stock": ownModule + "/" + place, "Hot": ownModule + "/" + place + "/" + place + "hot", "Reflect": ownModule + "/" + place + "/" + place + "hot/" + place + "hotreflect",
		"Name": name, "Pool": own(name), "View": own(name + "View"),
	}); err != nil {
		return nil, "", err
	}
	for file, content := range map[string][]byte{"main.go": program.Bytes(), "clock_unix.go": goClockUnix, "clock.go": goClock} {
		if err := writeFile(filepath.Join(folder, file), content); err != nil {
			return nil, "", err
		}
	}
	j.step("Go: build the rows")
	if err := t.run("go", "build", "-o", "rows", "."); err != nil {
		return nil, "", err
	}
	data, err := j.dataFile()
	if err != nil {
		return nil, "", err
	}
	t.env = append(t.env, "GOMAXPROCS=1") // the garbage collector works on the rows' time
	rows, err := j.measure(t, "Go", filepath.Join(folder, "rows"), data)
	compiler, _ := t.pipe(nil, "go", "env", "GOVERSION")
	return rows, strings.TrimSpace(string(compiler)) + ", protobuf-go " + version, err
}

// goModule writes go.mod. The version of google.golang.org/protobuf is the one that hotpb is tested with.
func (j *job) goModule(folder string) (version string, err error) {
	theirs := filepath.Join(j.hotpb, "go", "go.mod")
	text, err := os.ReadFile(theirs)
	if err != nil {
		return "", fault.IO(theirs, err)
	}
	m := regexp.MustCompile(`google\.golang\.org/protobuf (v\S+)`).FindSubmatch(text)
	g := regexp.MustCompile(`(?m)^go (\S+)`).FindSubmatch(text)
	if m == nil || g == nil {
		return "", fault.In(theirs, "it states no version of Go or of google.golang.org/protobuf", "check out the repository again")
	}
	sums, err := os.ReadFile(filepath.Join(j.hotpb, "go", "go.sum"))
	if err != nil {
		return "", fault.IO(filepath.Join(j.hotpb, "go", "go.sum"), err)
	}
	module := fmt.Sprintf("module %s\n\ngo %s\n\nrequire (\n\tgithub.com/hotpb/hotpb/go v0.0.0\n\tgoogle.golang.org/protobuf %s\n)\n\nreplace github.com/hotpb/hotpb/go => %q\n",
		ownModule, g[1], m[1], filepath.Join(j.hotpb, "go"))
	if err := writeFile(filepath.Join(folder, "go.mod"), []byte(module)); err != nil {
		return "", err
	}
	return string(m[1]), writeFile(filepath.Join(folder, "go.sum"), sums)
}

// needed are the root's file and its imports, without the well-known types.
func (j *job) needed() (names []string) {
	seen := map[string]bool{}
	var add func(protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		if seen[f.Path()] || strings.HasPrefix(f.Path(), "google/protobuf/") {
			return
		}
		seen[f.Path()] = true
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
		names = append(names, f.Path())
	}
	add(j.root.ParentFile())
	return names
}

// goRequest asks for the files needed. Each is a package of its own, so that neither names nor imports can clash.
func (j *job) goRequest() (*pluginpb.CodeGeneratorRequest, map[string]string, error) {
	set := new(descriptorpb.FileDescriptorSet)
	if err := (proto.UnmarshalOptions{AllowPartial: true, Resolver: new(protoregistry.Types)}).Unmarshal(j.schema.Set, set); err != nil {
		return nil, nil, err
	}
	files := j.needed()
	if len(files) == 0 {
		return nil, nil, fault.Usage("the type "+string(j.root.FullName())+" is a well-known type", "choose a type of your own with --type")
	}
	options, places := []string{"module=" + ownModule}, map[string]string{}
	for i, file := range files {
		places[file] = fmt.Sprintf("p%d", i)
		options = append(options, "M"+file+"="+ownModule+"/"+places[file])
	}
	return &pluginpb.CodeGeneratorRequest{FileToGenerate: files, ProtoFile: set.File, Parameter: proto.String(strings.Join(options, ",")),
		CompilerVersion: &pluginpb.Version{Major: proto.Int32(6), Minor: proto.Int32(36), Patch: proto.Int32(2)}}, places, nil
}

// goNames is the Go name of a message, as protoc-gen-go has it.
func goNames(m protoreflect.MessageDescriptor) string {
	name := string(m.FullName())
	if p := string(m.ParentFile().Package()); p != "" {
		name = name[len(p)+1:]
	}
	return camel(name)
}

// camel is protoc-gen-go's GoCamelCase.
func camel(s string) string {
	lower := func(c byte) bool { return 'a' <= c && c <= 'z' }
	var b []byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '.' && i+1 < len(s) && lower(s[i+1]):
		case c == '.':
			b = append(b, '_')
		case c == '_' && (i == 0 || s[i-1] == '.'):
			b = append(b, 'X')
		case c == '_' && i+1 < len(s) && lower(s[i+1]):
		case '0' <= c && c <= '9':
			b = append(b, c)
		default:
			if lower(c) {
				c -= 'a' - 'A'
			}
			b = append(b, c)
			for ; i+1 < len(s) && lower(s[i+1]); i++ {
				b = append(b, s[i+1])
			}
		}
	}
	return string(b)
}
