package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/types/descriptorpb"
)

// cpp compiles all headers of a schema in one go with g++, for its warnings, and in pieces with clang, for warnings and for
// the harness, which runs under the address and undefined-behaviour sanitizers: clang needs half of the time for these.
type cpp struct{ generator string }

func (p *cpp) prepare(t *tool) error {
	p.generator = filepath.Join(t.root, "build/cpp/testgen/generator/hotpb-cpp-testgen")
	c := command{dir: filepath.Join(t.root, "cpp"), limit: t.limit}
	for _, arguments := range [][]string{
		{"--preset", "release"},
		{"--build", "--preset", "release", "--target", "hotpb-cpp-testgen", "hotpb_well_known", "--parallel", fmt.Sprint(t.jobs)},
	} {
		if output, err := c.run("cmake", arguments...); err != nil {
			return fmt.Errorf("%w\n%s", err, output)
		}
	}
	return nil
}

func (p *cpp) generates(*face, *descriptorpb.FileDescriptorProto) bool { return true }

func (p *cpp) generate(t *tool, c *cell, set string, files []*descriptorpb.FileDescriptorProto) (string, error) {
	return c.make.run(p.generator, arguments(c, set, files)...)
}

var (
	cppReencoder = regexp.MustCompile(`\{"([\w.]+)",\s*&([\w:]+)::kTable,`)
	cppTable     = regexp.MustCompile(`inline const ::hotpb::(?:\w+::)*(Owned|Reencoder|Rewriter)\s+((?:owned|(?:pool_)?reencoders|rewriters)_\w+)\[\]`)
	cppNamespace = regexp.MustCompile(`(?m)^namespace ([\w:]+) \{`)
)

// pieceSize is how many bytes of headers are compiled as one.
const pieceSize = 300_000

func (p *cpp) compile(t *tool, c *cell) ([]string, error) {
	gen := filepath.Join(c.folder, "gen")
	var headers []string
	err := filepath.WalkDir(gen, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			headers = append(headers, name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := place("cpp_harness.txt", c.folder, "harness.h"); err != nil {
		return nil, err
	}
	if err := place("cpp_main.txt", c.folder, "main.cc"); err != nil {
		return nil, err
	}
	pieces, everything, err := p.pieces(c, gen, headers)
	if err != nil {
		return nil, err
	}
	flags := []string{"-std=c++17", "-Wall", "-Wextra", "-Werror", "-fno-exceptions", "-fno-rtti", "-I" + gen, "-I" + filepath.Join(t.root, "cpp/include"), "-I" + c.folder,
		"-I" + filepath.Join(t.root, "build/cpp/include"), "-I" + filepath.Join(t.root, "cpp/testgen")}
	if output, err := c.build.run("g++", append(flags, "-fsyntax-only", everything)...); err != nil {
		return nil, fmt.Errorf("g++: %w\n%s", err, firstLines(output, 16))
	}
	if t.upTo == "check" {
		return nil, nil
	}
	// Small code, quickly made: it is gone through a few times.
	flags = append(flags, "-O0", "-gline-tables-only", "-DHOTPB_SMALL", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
	objects, err := p.objects(t, c, pieces, flags)
	if err != nil {
		return nil, err
	}
	program := filepath.Join(c.folder, "harness")
	if output, err := c.build.run("clang++", append(objects, "-fsanitize=address,undefined", "-o", program)...); err != nil {
		return nil, fmt.Errorf("clang++: %w\n%s", err, firstLines(output, 16))
	}
	return []string{program}, nil
}

// objects compiles the pieces side by side.
func (p *cpp) objects(t *tool, c *cell, pieces, flags []string) (objects []string, failed error) {
	var lock sync.Mutex
	var all sync.WaitGroup
	room := make(chan struct{}, t.jobs)
	for _, piece := range pieces {
		object := strings.TrimSuffix(piece, ".cc") + ".o"
		objects = append(objects, object)
		all.Add(1)
		go func() {
			defer all.Done()
			room <- struct{}{}
			defer func() { <-room }()
			compiler := command{limit: t.limit}
			output, err := compiler.run("clang++", append(slices.Clone(flags), "-c", "-o", object, piece)...)
			lock.Lock()
			defer lock.Unlock()
			c.build.seconds += compiler.seconds
			c.build.peak = max(c.build.peak, compiler.peak)
			if err != nil && failed == nil {
				failed = fmt.Errorf("clang++: %w\n%s", err, firstLines(output, 16))
			}
		}()
	}
	all.Wait()
	return objects, failed
}

// pieces writes the sources: a few headers each, with the tables that register their messages; and one with all headers.
func (p *cpp) pieces(c *cell, gen string, headers []string) (pieces []string, everything string, err error) {
	var all, includes, tables strings.Builder
	size := 0
	flush := func() error {
		if size == 0 {
			return nil
		}
		name := fmt.Sprintf("piece%03d.cc", len(pieces))
		source := includes.String() + "#include \"harness.h\"\nnamespace {\n" + tables.String() + "}  // namespace\n"
		pieces = append(pieces, filepath.Join(c.folder, name))
		includes.Reset()
		tables.Reset()
		size = 0
		return write([]byte(source), c.folder, name)
	}
	for i, header := range headers {
		content, err := os.ReadFile(header)
		if err != nil {
			return nil, "", err
		}
		relative, err := filepath.Rel(gen, header)
		if err != nil {
			return nil, "", err
		}
		line := fmt.Sprintf("#include %q\n", filepath.ToSlash(relative))
		all.WriteString(line)
		includes.WriteString(line)
		p.tables(&tables, c.face.name, string(content), i)
		if size += len(content); size >= pieceSize {
			if err := flush(); err != nil {
				return nil, "", err
			}
		}
	}
	if err := flush(); err != nil {
		return nil, "", err
	}
	if err := write([]byte(all.String()), c.folder, "everything.cc"); err != nil {
		return nil, "", err
	}
	return append(pieces, filepath.Join(c.folder, "main.cc")), filepath.Join(c.folder, "everything.cc"), nil
}

// tables finds the lists of a header that the test-only emitters wrote.
func (p *cpp) tables(to *strings.Builder, face, content string, number int) {
	namespace := ""
	if found := cppNamespace.FindStringSubmatch(content); found != nil {
		namespace = "::" + found[1]
	}
	for _, found := range cppTable.FindAllStringSubmatch(content, -1) {
		if (found[1] == "Rewriter") != (face == "writer") {
			continue
		}
		fmt.Fprintf(to, "const foreign::Register register%d(%s::%s);\n", number, namespace, found[2])
	}
	mode, ok := map[string]string{"view": "reused", "pool": "copied"}[face]
	if !ok {
		return
	}
	for i, row := range cppReencoder.FindAllStringSubmatch(content, -1) {
		class := row[2]
		if !strings.HasPrefix(class, "::") {
			class = namespace + "::" + class
		}
		fmt.Fprintf(to, "const foreign::Again again%d_%d(%q, foreign::%s<%s>);\n", number, i, row[1], mode, class)
	}
}
