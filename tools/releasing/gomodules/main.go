// Command gomodules turns the Go modules of this repository into released ones.
//
//	gomodules -root DIR -version v1.2.3 -files LIST -proxy OUT    a file tree that GOPROXY=file://OUT serves
//	gomodules -root DIR -version v1.2.3 -files LIST -write        the go.mod and go.sum files of DIR itself, for the commit that is tagged
//
// LIST holds the files of the release, one name below DIR a line. A module is released if its go.mod is in go/ or below and no part of
// its path is in `private`, or if it is that of an app, apps/NAME/go.mod. In a released go.mod, the modules of this repository are required at the version,
// none is replaced, and go.sum has their sums. Tests are left out, and so are internal packages that only tests use: they need vectors,
// generated code and modules that no release has, and a user's `go mod tidy` looks for what they import.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

const repository = "github.com/hotpb/hotpb/"

// private modules serve the repository's own tests and benchmarks, and the samples in testdata are programs of others.
var private = map[string]bool{"testdata": true, "bench": true, "conformance": true, "gogotest": true, "test": true}

// A released module.
type released struct {
	dir   string // below the root, with slashes
	mod   *modfile.File
	files []string // below dir
	left  []string // files below dir that are not released
	goMod []byte
	goSum []byte
	sums  []string // its own two lines for the go.sum of others
	zip   []byte
}

func main() {
	root := flag.String("root", ".", "the repository")
	version := flag.String("version", "", "the version, as v1.2.3")
	list := flag.String("files", "", "a file that lists the files of the release")
	proxy := flag.String("proxy", "", "where to write the tree for GOPROXY")
	write := flag.Bool("write", false, "write the go.mod and go.sum files of the repository")
	flag.Parse()
	if err := run(*root, *version, *list, *proxy, *write); err != nil {
		fmt.Fprintln(os.Stderr, "gomodules:", err)
		os.Exit(1)
	}
}

func run(root, version, list, proxy string, write bool) error {
	if err := module.Check("example.com/m", version); err != nil {
		return err
	}
	names, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	modules, err := find(root, strings.Split(strings.TrimSpace(string(names)), "\n"))
	if err != nil {
		return err
	}
	ordered, err := order(modules)
	if err != nil {
		return err
	}
	for _, m := range ordered {
		if err := m.release(root, version, modules); err != nil {
			return fmt.Errorf("%s: %w", m.dir, err)
		}
		if proxy != "" {
			err = m.serve(proxy, version)
		}
		if err == nil && write {
			err = m.write(root)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.dir, err)
		}
		fmt.Printf("%s %d\n", m.mod.Module.Mod.Path, len(m.zip))
	}
	return nil
}

// find returns the released modules by their path. A file belongs to the innermost module around it.
func find(root string, names []string) (map[string]*released, error) {
	folders := map[string]bool{}
	for _, name := range names {
		if path.Base(name) == "go.mod" {
			folders[path.Dir(name)] = true
		}
	}
	byFolder := map[string]*released{}
	for _, name := range names {
		dir := path.Dir(name)
		for !folders[dir] && dir != "." {
			dir = path.Dir(dir)
		}
		if dir == "." || !isReleased(dir) {
			continue
		}
		m := byFolder[dir]
		if m == nil {
			m = &released{dir: dir}
			byFolder[dir] = m
		}
		m.files = append(m.files, strings.TrimPrefix(name, dir+"/"))
	}
	modules := map[string]*released{}
	for dir, m := range byFolder {
		content, err := os.ReadFile(filepath.Join(root, dir, "go.mod"))
		if err != nil {
			return nil, err
		}
		if m.mod, err = modfile.Parse(dir+"/go.mod", content, nil); err != nil {
			return nil, err
		}
		if want := repository + dir; m.mod.Module.Mod.Path != want {
			return nil, fmt.Errorf("%s/go.mod: the module is %s; its folder makes it %s", dir, m.mod.Module.Mod.Path, want)
		}
		modules[m.mod.Module.Mod.Path] = m
	}
	if len(modules) == 0 {
		return nil, errors.New("no module found in go/ and apps/")
	}
	return modules, leaveTestsOut(root, modules)
}

func isReleased(dir string) bool {
	parts := strings.Split(dir, "/")
	if parts[0] == "apps" {
		return len(parts) == 2
	}
	if parts[0] != "go" {
		return false
	}
	for _, part := range parts {
		if private[part] {
			return false
		}
	}
	return true
}

// order returns the modules so that each comes after those that it requires: it needs their sums.
func order(modules map[string]*released) ([]*released, error) {
	var paths []string
	for p := range modules {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	const begun, done = 1, 2
	state := map[string]int{}
	var ordered []*released
	var visit func(string) error
	visit = func(p string) error {
		switch state[p] {
		case begun:
			return fmt.Errorf("%s requires itself, through others", p)
		case done:
			return nil
		}
		state[p] = begun
		for _, r := range modules[p].mod.Require {
			if modules[r.Mod.Path] == nil {
				if strings.HasPrefix(r.Mod.Path, repository) {
					return fmt.Errorf("%s requires %s, which is not released", p, r.Mod.Path)
				}
				continue
			}
			if err := visit(r.Mod.Path); err != nil {
				return err
			}
		}
		state[p] = done
		ordered = append(ordered, modules[p])
		return nil
	}
	for _, p := range paths {
		if err := visit(p); err != nil {
			return nil, err
		}
	}
	return ordered, nil
}

// release makes go.mod, go.sum, the zip and the sums.
func (m *released) release(root, version string, modules map[string]*released) error {
	var replaced []module.Version
	for _, r := range m.mod.Replace {
		if strings.HasPrefix(r.Old.Path, repository) {
			replaced = append(replaced, r.Old)
		}
	}
	for _, old := range replaced {
		if err := m.mod.DropReplace(old.Path, old.Version); err != nil {
			return err
		}
	}
	var needed []*released
	for _, r := range m.mod.Require {
		if required := modules[r.Mod.Path]; required != nil {
			needed = append(needed, required)
		}
	}
	for _, required := range needed {
		if err := m.mod.AddRequire(required.mod.Module.Mod.Path, version); err != nil {
			return err
		}
	}
	for _, path := range forTests {
		if err := m.mod.DropRequire(path); err != nil {
			return err
		}
	}
	m.mod.Cleanup()
	var err error
	if m.goMod, err = m.mod.Format(); err != nil {
		return err
	}

	sum, err := os.ReadFile(filepath.Join(root, m.dir, "go.sum"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	lines := map[string]bool{}
	for _, line := range strings.Split(string(sum), "\n") {
		modulePath, _, _ := strings.Cut(line, " ")
		if line != "" && !strings.HasPrefix(line, repository) && !slices.Contains(forTests, modulePath) {
			lines[line] = true
		}
	}
	for _, required := range needed {
		for _, line := range required.sums {
			lines[line] = true
		}
	}
	var all []string
	for line := range lines {
		all = append(all, line+"\n")
	}
	sort.Strings(all)
	m.goSum = []byte(strings.Join(all, ""))
	return m.pack(root, version)
}

func (m *released) pack(root, version string) error {
	var files []zip.File
	license := false
	for _, name := range m.files {
		switch name {
		case "go.mod", "go.sum":
			continue // as they are released
		case "LICENSE":
			license = true
		}
		files = append(files, onDisk{name, filepath.Join(root, m.dir, name)})
	}
	files = append(files, inMemory{"go.mod", m.goMod})
	if len(m.goSum) > 0 {
		files = append(files, inMemory{"go.sum", m.goSum})
	}
	if !license { // the go command, too, takes the repository's for a module in a folder
		files = append(files, onDisk{"LICENSE", filepath.Join(root, "LICENSE")})
	}
	self := module.Version{Path: m.mod.Module.Mod.Path, Version: version}
	var packed bytes.Buffer
	if err := zip.Create(&packed, self, files); err != nil {
		return err
	}
	m.zip = packed.Bytes()

	temporary, err := os.CreateTemp("", "hotpb-module-*.zip")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	if _, err := temporary.Write(m.zip); err != nil {
		return err
	}
	if err := temporary.Close(); err != nil {
		return err
	}
	whole, err := dirhash.HashZip(temporary.Name(), dirhash.Hash1)
	if err != nil {
		return err
	}
	mod, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(m.goMod)), nil
	})
	if err != nil {
		return err
	}
	m.sums = []string{
		fmt.Sprintf("%s %s %s", self.Path, version, whole),
		fmt.Sprintf("%s %s/go.mod %s", self.Path, version, mod),
	}
	return nil
}

// serve writes the files that the go command asks a proxy for.
func (m *released) serve(proxy, version string) error {
	escaped, err := module.EscapePath(m.mod.Module.Mod.Path)
	if err != nil {
		return err
	}
	dir := filepath.Join(proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	info := fmt.Sprintf("{\"Version\":%q,\"Time\":%q}\n", version, time.Unix(0, 0).UTC().Format(time.RFC3339))
	for name, content := range map[string][]byte{
		"list":            []byte(version + "\n"),
		version + ".info": []byte(info),
		version + ".mod":  m.goMod,
		version + ".zip":  m.zip,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func (m *released) write(root string) error {
	for _, name := range m.left {
		if err := os.Remove(filepath.Join(root, m.dir, name)); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(root, m.dir, "go.mod"), m.goMod, 0o666); err != nil {
		return err
	}
	if len(m.goSum) == 0 {
		return nil
	}
	return os.WriteFile(filepath.Join(root, m.dir, "go.sum"), m.goSum, 0o666)
}

type onDisk struct{ name, file string }

func (f onDisk) Path() string                 { return f.name }
func (f onDisk) Lstat() (fs.FileInfo, error)  { return os.Lstat(f.file) }
func (f onDisk) Open() (io.ReadCloser, error) { return os.Open(f.file) }

type inMemory struct {
	name    string
	content []byte
}

func (f inMemory) Path() string                { return f.name }
func (f inMemory) Lstat() (fs.FileInfo, error) { return info{f}, nil }
func (f inMemory) Open() (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(f.content)), nil
}

type info struct{ inMemory }

func (i info) Name() string     { return i.name }
func (i info) Size() int64      { return int64(len(i.content)) }
func (info) Mode() fs.FileMode  { return 0o644 }
func (info) ModTime() time.Time { return time.Time{} }
func (info) IsDir() bool        { return false }
func (info) Sys() any           { return nil }
