package migrate

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
)

// goCode is what the analyzer found in one module.
type goCode struct {
	found    []finding
	changes  []change
	problems []error
	stuck    map[string]string // groups that a use without types keeps, with its place
}

// inModule analyses the packages of the module in a folder, with their tests.
func (t *tool) inModule(m *migration, folder string) (*goCode, error) {
	config := &packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Dir: folder, Tests: true, Env: os.Environ()}
	if m.Tags != "" {
		config.BuildFlags = []string{"-tags=" + m.Tags}
	}
	loaded, err := packages.Load(config, "./...")
	if err != nil {
		return nil, fault.In(m.relative(folder), strings.TrimSpace(err.Error()), "`go list ./...` has to work there")
	}
	code := &goCode{stuck: map[string]string{}}
	var sound []*packages.Package
	for _, p := range loaded {
		if strings.HasSuffix(p.PkgPath, ".test") && p.Name == "main" {
			continue // the program that go test writes
		}
		if len(p.Errors) == 0 && !p.IllTyped {
			sound = append(sound, p)
			for _, file := range p.GoFiles {
				if !slices.Contains(p.CompiledGoFiles, file) { // the compiler gets what cgo makes of it
					code.imports(t, m, file, `the file has import "C", so no types of its own; change it by hand`)
				}
			}
		} else {
			code.broken(t, m, p)
		}
		for _, file := range p.IgnoredFiles {
			code.imports(t, m, file, "the build constraints leave the file out; --tags lists it, or change it by hand")
		}
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{t.analyzer()}, sound, nil)
	if err != nil {
		return nil, err
	}
	var results []*result
	for _, root := range graph.Roots {
		if root.Err != nil {
			return nil, fault.In(root.Package.PkgPath, root.Err.Error(), "")
		}
		results = append(results, root.Result.(*result))
	}
	code.keepNames(results, loaded)
	code.keepGroups(m, results)
	err = code.collect(m, results)
	return code, err
}

// broken lists the imports of a package that does not compile: without types no rewrite is certain.
func (c *goCode) broken(t *tool, m *migration, p *packages.Package) {
	errs := slices.DeleteFunc(slices.Clone(p.Errors), func(e packages.Error) bool { return strings.HasPrefix(e.Msg, "# ") })
	if len(errs) == 0 { // the compiler's output alone, which otherwise repeats the others
		errs = p.Errors
	}
	for i, e := range errs {
		if i == 3 {
			break
		}
		at := strings.SplitN(e.Pos, ":", 3)
		problem := &fault.Error{File: p.PkgPath, Offset: fault.NoOffset, Cause: e.Msg, Mend: "its files are listed by their imports only until it compiles"}
		if len(at) == 3 {
			problem.File = m.relative(at[0])
			problem.Line, _ = strconv.Atoi(at[1])
			problem.Column, _ = strconv.Atoi(at[2])
		}
		if !slices.ContainsFunc(c.problems, func(err error) bool { return err.Error() == problem.Error() }) { // of the package with its tests
			if !slices.ContainsFunc(c.problems, func(e error) bool { return e.Error() == problem.Error() }) { // a test variant has them again
				c.problems = append(c.problems, problem)
			}
		}
	}
	for _, file := range p.GoFiles {
		c.imports(t, m, file, "the package does not compile; call hotpb migrate again when it does")
	}
}

// imports lists the tool's imports of a file that has no types.
func (c *goCode) imports(t *tool, m *migration, path, do string) {
	name := m.relative(path)
	if !m.has(name) {
		return
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.ImportsOnly|parser.ParseComments)
	if file == nil || err != nil && len(file.Imports) == 0 || ast.IsGenerated(file) {
		return
	}
	for _, spec := range file.Imports {
		path := importPath(spec)
		if t.rule(path) == nil {
			continue
		}
		o := hand(do)
		if spec.Name != nil && spec.Name.Name == "_" { // such as the plugin in tools.go: types say no more of it
			o = t.blank(path)
		}
		at := fset.Position(spec.Path.Pos())
		if o.kind == byHand && c.stuck[path] == "" {
			c.stuck[path] = name + ":" + strconv.Itoa(at.Line)
		}
		c.found = append(c.found, finding{o.kind, name, at.Line, at.Column, "import " + spec.Path.Value, o.do})
	}
}

// keepNames leaves a use to the reader where a test of the package declares the name that an import would have: the types of the
// package without its tests do not show that.
func (c *goCode) keepNames(results []*result, loaded []*packages.Package) {
	declared := map[string]bool{} // folder and name
	for _, p := range loaded {
		if p.Types == nil {
			continue
		}
		for _, name := range p.Types.Scope().Names() {
			declared[p.Dir+" "+name] = true
		}
	}
	for _, r := range results {
		for i := range r.files {
			folder := filepath.Dir(r.files[i].name)
			for j := range r.files[i].uses {
				u := &r.files[i].uses[j]
				taken := slices.IndexFunc(u.imports, func(i imported) bool { return declared[folder+" "+i.name] })
				if u.kind == safe && taken >= 0 {
					u.outcome = outcome{kind: byHand, do: u.do + ", under another name: the package declares " + u.imports[taken].name, group: u.group}
				}
			}
		}
	}
}

// keepGroups leaves a group of uses to the reader where one of them cannot be rewritten.
func (c *goCode) keepGroups(m *migration, results []*result) {
	each := func(f func(*result, *judged)) {
		for _, r := range results {
			for i := range r.files {
				for j := range r.files[i].uses {
					f(r, &r.files[i].uses[j])
				}
			}
		}
	}
	each(func(r *result, u *judged) {
		at := r.fset.Position(u.pos)
		own := m.has(m.relative(at.Filename))
		if u.group != "" && c.stuck[u.group] == "" && (u.kind != safe || !own) {
			c.stuck[u.group] = m.relative(at.Filename) + ":" + strconv.Itoa(at.Line)
		}
	})
	each(func(_ *result, u *judged) {
		if at := c.stuck[u.group]; u.group != "" && at != "" && u.kind == safe {
			u.outcome = hand(u.do + ", together with " + at + ", which is not safe")
		}
	})
}

// collect turns results into findings and changed files.
func (c *goCode) collect(m *migration, results []*result) error {
	seen := map[string]bool{}
	for _, r := range results {
		for i := range r.files {
			f := &r.files[i]
			name := m.relative(f.name)
			if !m.has(name) || seen[name] {
				continue // a test variant has the files of its package again
			}
			seen[name] = true
			for _, u := range f.uses {
				at := r.fset.Position(u.pos)
				c.found = append(c.found, finding{u.kind, name, at.Line, at.Column, u.what, u.do})
			}
			changed, err := f.rewrite(r.fset)
			if err != nil {
				return fault.In(name, err.Error(), "change the file by hand")
			}
			if changed != nil {
				c.changes = append(c.changes, *changed)
			}
		}
	}
	slices.SortFunc(c.changes, func(a, b change) int { return cmp.Compare(a.name, b.name) })
	return nil
}

// roots are the modules that the changes import, apart from the runtime's.
var roots = []string{gogoPath, googlev1Path, grpcPath, connectPath}

// inGoMod finds the tool's plugins in a go.mod, and the modules that it needs for the changes below it.
func (c *goCode) inGoMod(t *tool, m *migration, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fault.IO(m.relative(path), err)
	}
	file, err := modfile.ParseLax(path, text, nil)
	if err != nil {
		return fault.In(m.relative(path), strings.ReplaceAll(err.Error(), "\n", " "), "correct the file")
	}
	if strict, err := modfile.Parse(path, text, nil); err == nil { // ParseLax leaves tools out
		for _, line := range strict.Tool {
			folder, command := filepath.Split(line.Path)
			if plugin, is := strings.CutPrefix(command, "protoc-gen-"); is && folder == t.plugins.source && t.plugins.names.MatchString(plugin) && !t.plugins.beside {
				at := line.Syntax.Start
				c.found = append(c.found, finding{byHand, m.relative(path), at.Line, at.LineRune, "tool " + line.Path, "becomes " + pluginPath + ", by `go get -tool`"})
			}
		}
	}
	var needs []string
	for _, change := range c.changes {
		for _, i := range change.imports {
			root := module
			if slices.Contains(roots, i) {
				root = i
			}
			has := slices.ContainsFunc(file.Require, func(r *modfile.Require) bool { return r.Mod.Path == root })
			if !has && !slices.Contains(needs, root) {
				needs = append(needs, root)
			}
		}
	}
	if len(needs) > 0 {
		slices.Sort(needs)
		c.found = append(c.found, finding{byHand, m.relative(path), 1, 1, "require", "first, `go get " + strings.Join(needs, " ") + "`"})
	}
	return nil
}

// generated finds the files that the tool's generator wrote and hotpb's replaces.
func (t *tool) generated(name, path string) ([]finding, error) {
	if !slices.ContainsFunc(t.delete, func(ending string) bool { return strings.HasSuffix(name, ending) }) {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fault.IO(name, err)
	}
	if !bytes.Contains(text, []byte("DO NOT EDIT")) || !bytes.Contains(text, []byte(t.mark)) {
		return nil, nil
	}
	return []finding{{byHand, name, 1, 1, filepath.Base(name), "delete it when hotpb's code is generated; " + t.guide + " says how"}}, nil
}
