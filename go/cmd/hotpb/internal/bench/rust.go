package bench

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
)

//go:embed rust.txt
var rustProgram string

//go:embed rust_build.txt
var rustBuild string

// prostVersion is that of bench/'s rival.
const prostVersion = "0.14.4"

// runRust generates prost's structs and the pool in a build script, builds the program and runs it.
func runRust(ctx context.Context, j *job) ([]Row, string, error) {
	folder := filepath.Join(j.work, "rust")
	t := &tool{ctx: ctx, folder: folder, env: []string{"CARGO_TARGET_DIR=" + filepath.Join(folder, "target")}}
	files := j.needed()
	if len(files) == 0 {
		return nil, "", fault.Usage("the type "+string(j.root.FullName())+" is a well-known type", "choose a type of your own with --type")
	}
	set, own := new(descriptorpb.FileDescriptorSet), new(descriptorpb.FileDescriptorSet)
	if err := (proto.UnmarshalOptions{AllowPartial: true, Resolver: new(protoregistry.Types)}).Unmarshal(j.schema.Set, set); err != nil {
		return nil, "", err
	}
	for _, f := range set.File {
		for _, name := range files {
			if f.GetName() == name {
				own.File = append(own.File, f)
			}
		}
	}
	for _, f := range own.File {
		if f.GetSyntax() == "editions" {
			return nil, "", fault.In(f.GetName(), "prost reads no editions", "Rust's rows are for proto2 and proto3")
		}
	}
	j.keepNeeded(own.File)
	filtered, err := proto.MarshalOptions{AllowPartial: true}.Marshal(own)
	if err != nil {
		return nil, "", err
	}
	lock := filepath.Join(j.hotpb, "rust", "Cargo.lock")
	locked, err := os.ReadFile(lock)
	if err != nil {
		return nil, "", fault.IO(lock, err)
	}
	hot := ""
	for _, option := range strings.Split(j.hot, ",") {
		if key, names, ok := strings.Cut(option, "="); ok {
			hot += fmt.Sprintf(".%s([%s])", key, quoted(strings.Split(names, "+")))
		}
	}
	manifest := fmt.Sprintf(`[workspace]

[package]
name = "rows"
version = "0.1.0"
edition = "2024"

[dependencies]
hotpb = { path = %q }
prost = "=%[2]s"
prost-types = "=%[2]s"

[build-dependencies]
hotpb-build = { path = %q, default-features = false }
hotpb-codegen = { path = %q }
proc-macro2 = "1"
prost = "=%[2]s"
prost-build = { version = "=%[2]s", default-features = false }
prost-types = "=%[2]s"

[profile.release]
codegen-units = 1
debug = false
`, filepath.Join(j.hotpb, "rust", "hotpb"), prostVersion, filepath.Join(j.hotpb, "rust", "hotpb-build"), filepath.Join(j.hotpb, "rust", "hotpb-codegen"))
	build := strings.NewReplacer("@FILES@", quoted(files), "@HOT@", hot, "@MESSAGE@", string(j.root.FullName())).Replace(rustBuild)
	for name, content := range map[string][]byte{
		"Cargo.toml": []byte(manifest), "Cargo.lock": locked, "build.rs": []byte(build), "src/main.rs": []byte(rustProgram),
		"all.fds": j.schema.Set, "own.fds": filtered,
	} {
		if err := writeFile(filepath.Join(folder, name), content); err != nil {
			return nil, "", err
		}
	}
	j.step("Rust: build the rows")
	if err := t.run("cargo", "build", "--quiet", "--release"); err != nil {
		return nil, "", err
	}
	data, err := j.dataFile()
	if err != nil {
		return nil, "", err
	}
	rows, err := j.measure(t, "Rust", filepath.Join(folder, "target", "release", "rows"), data)
	compiler, _ := t.pipe(nil, "rustc", "--version")
	return rows, strings.TrimSpace(string(compiler)) + ", prost " + prostVersion, err
}

// keepNeeded leaves only the types that the root needs in the files, as messages= does for hotpb: prost has no option for it.
func (j *job) keepNeeded(files []*descriptorpb.FileDescriptorProto) {
	needed := map[protoreflect.FullName]bool{}
	var add, fields func(protoreflect.Descriptor)
	add = func(d protoreflect.Descriptor) {
		for d.Parent() != d.ParentFile() {
			d = d.Parent()
		}
		if !needed[d.FullName()] {
			needed[d.FullName()] = true
			fields(d)
		}
	}
	fields = func(d protoreflect.Descriptor) {
		m, ok := d.(protoreflect.MessageDescriptor)
		if !ok {
			return
		}
		for i := range m.Fields().Len() {
			if child := m.Fields().Get(i).Message(); child != nil {
				add(child)
			} else if child := m.Fields().Get(i).Enum(); child != nil {
				add(child)
			}
		}
		for i := range m.Messages().Len() {
			fields(m.Messages().Get(i))
		}
	}
	add(j.root)
	for _, f := range files {
		unneeded := func(name string) bool {
			return !needed[protoreflect.FullName(strings.TrimPrefix(f.GetPackage()+"."+name, "."))]
		}
		f.MessageType = slices.DeleteFunc(f.MessageType, func(m *descriptorpb.DescriptorProto) bool { return unneeded(m.GetName()) })
		f.EnumType = slices.DeleteFunc(f.EnumType, func(e *descriptorpb.EnumDescriptorProto) bool { return unneeded(e.GetName()) })
		// Comments stand by the numbers of types in their file.
		f.Service, f.Extension, f.SourceCodeInfo = nil, nil, nil
	}
}

// quoted are words of a list in Rust.
func quoted(words []string) string {
	var all []string
	for _, w := range words {
		all = append(all, fmt.Sprintf("%q", w))
	}
	return strings.Join(all, ", ")
}
