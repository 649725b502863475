package bench

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
)

//go:embed cpp.txt
var cppProgram string

//go:embed cpp_reencode.txt
var cppReencode string

//go:embed cpp_rewrite.txt
var cppRewrite string

const cppInstall = "install a C++17 compiler, CMake, pkg-config, and libprotobuf with its protoc " +
	"(Debian: apt install g++ cmake pkg-config libprotobuf-dev protobuf-compiler)"

// cppCompiler is the compiler that the user has named, or c++.
func cppCompiler() string { return cmp.Or(os.Getenv("CXX"), "c++") }

// libprotobuf is the installed library, and the protoc that its headers accept code from.
type libprotobuf struct {
	version, protoc string
	cflags, libs    []string
}

// runCpp generates views, writers, pools and libprotobuf's classes, builds the program and runs it.
func runCpp(ctx context.Context, j *job) ([]Row, string, error) {
	folder := filepath.Join(j.work, "cpp")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, "", fault.IO(folder, err)
	}
	t := &tool{ctx: ctx, folder: folder}
	own := j.needed()
	if len(own) == 0 {
		return nil, "", fault.Usage("the type "+string(j.root.FullName())+" is a well-known type",
			"choose a type of your own with --type")
	}
	library, err := findLibprotobuf(t)
	if err != nil {
		return nil, "", err
	}
	if err := j.cppStock(t, library, own); err != nil {
		return nil, "", err
	}
	if err := j.cppFaces(t, own); err != nil {
		return nil, "", err
	}
	if err := j.cppProgram(folder); err != nil {
		return nil, "", err
	}
	j.step("C++: build the rows")
	if err := j.cppBuild(t, library, own); err != nil {
		return nil, "", err
	}
	data, err := j.dataFile()
	if err != nil {
		return nil, "", err
	}
	rows, err := j.measure(t, "C++", filepath.Join(folder, "rows"), data)
	compiler, _ := t.pipe(nil, cppCompiler(), "--version")
	first, _, _ := strings.Cut(string(compiler), "\n")
	return rows, strings.TrimSpace(first) + " -O2, libprotobuf " + library.version, err
}

// findLibprotobuf asks pkg-config, and looks for the protoc of the same version on the PATH.
func findLibprotobuf(t *tool) (*libprotobuf, error) {
	ask := func(flag string) (string, error) {
		out, err := t.pipe(nil, "pkg-config", flag, "protobuf")
		return strings.TrimSpace(string(out)), err
	}
	version, err := ask("--modversion")
	if err != nil {
		return nil, fault.In("libprotobuf", "pkg-config does not find it", cppInstall)
	}
	cflags, err := ask("--cflags")
	if err != nil {
		return nil, err
	}
	libs, err := ask("--libs")
	if err != nil {
		return nil, err
	}
	l := &libprotobuf{version: version, cflags: strings.Fields(cflags), libs: strings.Fields(libs)}
	var others []string
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		protoc := filepath.Join(folder, "protoc")
		if !filepath.IsAbs(protoc) || !found(protoc) {
			continue
		}
		out, err := t.pipe(nil, protoc, "--version")
		if err != nil {
			continue
		}
		its := strings.TrimPrefix(strings.TrimSpace(string(out)), "libprotoc ")
		if strings.TrimSuffix(version, ".0") == strings.TrimSuffix(its, ".0") {
			l.protoc = protoc
			return l, nil
		}
		others = append(others, protoc+" ("+its+")")
	}
	cause := "there is no protoc of its version " + version + " on the PATH"
	if len(others) > 0 {
		cause += ", only " + strings.Join(others, ", ")
	}
	return nil, fault.In("libprotobuf", cause, cppInstall)
}

// readsEditions reports whether a protoc of that version reads them; the first that does so without a flag is 27.
func readsEditions(version string) bool {
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	return err == nil && n >= 27
}

// cppStock generates libprotobuf's classes.
func (j *job) cppStock(t *tool, library *libprotobuf, own []string) error {
	set := new(descriptorpb.FileDescriptorSet)
	unread := proto.UnmarshalOptions{AllowPartial: true, Resolver: new(protoregistry.Types)} // custom options stay unread
	if err := unread.Unmarshal(j.schema.Set, set); err != nil {
		return err
	}
	for _, f := range set.File {
		if f.GetSyntax() == "editions" && !readsEditions(library.version) {
			return fault.In(f.GetName(), "libprotobuf "+library.version+" reads no editions",
				"C++'s rows of an edition need libprotobuf 27 or newer")
		}
		// The program reads by the classes' descriptors, which the lite classes lack.
		if f.GetOptions().GetOptimizeFor() == descriptorpb.FileOptions_LITE_RUNTIME {
			f.Options.OptimizeFor = nil
		}
	}
	stock, err := proto.MarshalOptions{AllowPartial: true}.Marshal(set)
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"stock.fds": stock, "all.fds": j.schema.Set} {
		if err := writeFile(filepath.Join(t.folder, name), content); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Join(t.folder, "stock"), 0o777); err != nil {
		return fault.IO(filepath.Join(t.folder, "stock"), err)
	}
	j.step("C++: generate")
	return t.run(library.protoc, append([]string{"--descriptor_set_in=stock.fds", "--cpp_out=stock"}, own...)...)
}

// cppFaces builds the generator and generates views, writers and pools, and the functions of cpp/testgen that read and write
// all fields by them. Those are also needed of the well-known types, which are therefore generated, too.
func (j *job) cppFaces(t *tool, own []string) error {
	generator, err := j.cppGenerator(t)
	if err != nil {
		return err
	}
	options := "faces=writer+view+pool+reencode+rewrite"
	if j.hot != "" {
		options += "," + j.hot
	}
	files := append(own, j.wellKnown()...)
	return t.run(generator, "--descriptor_set=all.fds", "--out=hot", "--files="+strings.Join(files, "+"), "--opt="+options)
}

// cppGenerator builds the generator in the clone, where the next call finds it built.
func (j *job) cppGenerator(t *tool) (string, error) {
	j.step("C++: build the generator")
	build := filepath.Join(j.hotpb, "build", "hotpb-bench")
	if os.MkdirAll(build, 0o777) != nil { // a clone that cannot be written
		build = filepath.Join(t.folder, "generator")
	}
	// HOTPB_PROTOC is only for the tests of the C++ library, which are not built.
	if err := t.run("cmake", "-S", filepath.Join(j.hotpb, "cpp"), "-B", build, "-DCMAKE_CXX_COMPILER="+cppCompiler(),
		"-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG", "-DHOTPB_UNITY=ON",
		"-DHOTPB_BUILD_TESTEES=ON", "-DHOTPB_PROTOC=protoc"); err != nil {
		return "", err
	}
	const target = "hotpb-cpp-testgen"
	jobs := strconv.Itoa(runtime.NumCPU())
	if err := t.run("cmake", "--build", build, "--target", target, "--parallel", jobs); err != nil {
		return "", err
	}
	return filepath.Join(build, "testgen", "generator", target), nil
}

// wellKnown are the well-known files that the root's file reaches.
func (j *job) wellKnown() (names []string) {
	seen := map[string]bool{}
	var add func(protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
		if strings.HasPrefix(f.Path(), "google/protobuf/") {
			names = append(names, f.Path())
		}
	}
	add(j.root.ParentFile())
	return names
}

var cppNamespace = regexp.MustCompile(`(?m)^namespace ([\w:]+) \{`)

// cppProgram writes the program. The generated header has the names of the root's types in the lists of its messages.
func (j *job) cppProgram(folder string) error {
	header := strings.TrimSuffix(j.root.ParentFile().Path(), ".proto") + ".hot.h"
	text, err := os.ReadFile(filepath.Join(folder, "hot", filepath.FromSlash(header)))
	if err != nil {
		return fault.IO(header, err)
	}
	name := regexp.QuoteMeta(string(j.root.FullName()))
	types := regexp.MustCompile(`\{"` + name + `",\s*::hotpb::rewrite::rewrite<([\w:]+),\s*([\w:]+)>`).FindSubmatch(text)
	pool := regexp.MustCompile(`// The message ` + name + `, decoded into a pool\.\nclass (\w+) `).FindSubmatch(text)
	space := cppNamespace.FindSubmatch(text)
	if types == nil || pool == nil || space == nil {
		return fault.In(header, "it has no view, writer and pool of "+string(j.root.FullName()), "please report it with the schema")
	}
	full := func(name []byte) string {
		if strings.HasPrefix(string(name), "::") {
			return string(name)
		}
		return "::" + string(space[1]) + "::" + string(name)
	}
	names := strings.NewReplacer("@HEADER@", header, "@VIEW@", full(types[1]), "@WRITER@", full(types[2]),
		"@POOL@", full(pool[1]), "@TYPE@", string(j.root.FullName()))
	for name, content := range map[string]string{
		"main.cc":                    names.Replace(cppProgram),
		"glue/hotpb_test/reencode.h": cppReencode,
		"glue/hotpb_test/rewrite.h":  cppRewrite,
	} {
		if err := writeFile(filepath.Join(folder, filepath.FromSlash(name)), []byte(content)); err != nil {
			return err
		}
	}
	return nil
}

// cppBuild compiles libprotobuf's classes and the program, as many files at a time as there are processors.
func (j *job) cppBuild(t *tool, library *libprotobuf, own []string) error {
	flags := append([]string{"-std=c++17", "-O2", "-DNDEBUG", "-w", "-pthread",
		"-Iglue", "-Ihot", "-I" + filepath.Join(j.hotpb, "cpp", "include"), "-Istock"}, library.cflags...)
	sources := []string{"main.cc"}
	for _, file := range own {
		sources = append(sources, "stock/"+strings.TrimSuffix(file, ".proto")+".pb.cc")
	}
	failures, room := make([]error, len(sources)), make(chan struct{}, runtime.NumCPU())
	var all sync.WaitGroup
	var objects []string
	for i, source := range sources {
		object := fmt.Sprintf("%d.o", i)
		objects = append(objects, object)
		all.Add(1)
		go func() {
			defer all.Done()
			room <- struct{}{}
			defer func() { <-room }()
			failures[i] = t.run(cppCompiler(), append(append([]string{}, flags...), "-c", "-o", object, source)...)
		}()
	}
	all.Wait()
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return t.run(cppCompiler(), append(append([]string{"-pthread", "-o", "rows"}, objects...), library.libs...)...)
}
