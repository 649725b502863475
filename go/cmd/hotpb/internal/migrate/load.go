package migrate

import (
	"cmp"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/packages"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
)

// goCode is the code of one module, and the tool's findings in it.
type goCode struct {
	tool     *tool
	main     []string          // paths of the module, and of others of its workspace
	modules  map[string]string // the module of each package that is compiled in or imported; "" for those of main
	mixed    string            // messages of more than Google's runtime that are compiled in; "" for none
	found    []finding
	changes  []change
	problems []error
}

// rule is how to judge the uses of a package, or nil if it does not belong to the tool. A module whose path begins with the tool's is
// another one.
func (c *goCode) rule(path string) func(*use) outcome {
	module, known := c.modules[path]
	own := func(main string) bool { return isWithin(path, main) }
	if known && module != c.tool.module || !known && slices.ContainsFunc(c.main, own) {
		return nil
	}
	return c.tool.rule(path)
}

// isWithin reports whether an import path is the other one, or below it.
func isWithin(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }

// inModule reads the packages of the module in a folder, with their tests. It reads the types of those that depend on the tool.
func (t *tool) inModule(m *migration, folder string) (*goCode, error) {
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedForTest | packages.NeedTypesSizes,
		Dir:  folder, Tests: true, Env: os.Environ(),
	}
	if m.Tags != "" {
		config.BuildFlags = []string{"-tags=" + m.Tags}
	}
	m.progress.Phase("go list ./... in " + m.relative(folder))
	roots, err := packages.Load(config, "./...")
	if err != nil {
		return nil, fault.In(m.relative(folder), strings.TrimSpace(err.Error()), "`go list ./...` has to work there")
	}
	if len(roots) == 1 && roots[0].ID == "./..." && len(roots[0].Errors) > 0 { // the pattern itself, in place of packages
		return nil, fault.In(m.relative(folder), roots[0].Errors[0].Msg, "`go list ./...` has to work there; is there a go.mod?")
	}
	code := &goCode{tool: t, modules: map[string]string{}}
	packages.Visit(roots, nil, func(p *packages.Package) {
		switch {
		case p.Module == nil:
		case p.Module.Main:
			code.modules[p.PkgPath] = ""
			if !slices.Contains(code.main, p.Module.Path) {
				code.main = append(code.main, p.Module.Path)
			}
		default:
			code.modules[p.PkgPath] = p.Module.Path
		}
		if p.Module != nil && p.Module.Path != t.module && code.mixed == "" {
			code.mixed = otherMessages(p)
		}
	})
	roots = slices.DeleteFunc(roots, func(p *packages.Package) bool {
		return strings.HasSuffix(p.PkgPath, ".test") && p.Name == "main" // the program that go test writes
	})
	for _, p := range roots {
		for _, file := range p.IgnoredFiles {
			code.imports(m, file, "the build constraints leave the file out; --tags lists it, or change it by hand")
		}
	}
	dependent := map[*packages.Package]bool{}
	roots = slices.DeleteFunc(roots, func(p *packages.Package) bool {
		return len(p.Errors) == 0 && !code.depends(p, dependent) // with errors, imports may be missing
	})
	if len(roots) == 0 {
		return code, nil
	}
	units := code.check(m, roots)
	code.keepNames(units)
	return code, code.collect(m, units)
}

// otherMessages says which messages of more than Google's runtime a package may have.
func otherMessages(p *packages.Package) string {
	for path, imported := range p.Imports {
		switch {
		case path == gogoProto:
			return "messages of gogo"
		case path == googleV1Proto && imported.Module != nil && semver.Compare(cmp.Or(imported.Module.Replace, imported.Module).Version, "v1.4.0") < 0:
			return "messages of golang/protobuf before 1.4"
		case isWithin(path, vtprotoPath):
			return "methods of vtprotobuf"
		}
	}
	if slices.ContainsFunc(p.GoFiles, func(name string) bool { return strings.HasSuffix(name, "_vtproto.pb.go") }) {
		return "methods of vtprotobuf"
	}
	return ""
}

// depends reports whether a package is or imports, however far away, one of the tool's packages or one with generated code of the tool.
func (c *goCode) depends(p *packages.Package, known map[*packages.Package]bool) bool {
	if is, ok := known[p]; ok {
		return is
	}
	is := c.rule(p.PkgPath) != nil || slices.ContainsFunc(p.GoFiles, func(name string) bool {
		return slices.ContainsFunc(c.tool.delete, func(ending string) bool { return strings.HasSuffix(name, ending) })
	})
	known[p] = is
	for path, imported := range p.Imports {
		if is || c.rule(path) != nil || c.depends(imported, known) {
			known[p] = true
			break
		}
	}
	return known[p]
}

// check reads the types of packages. Those that do not compile are reported, and listed by their imports.
func (c *goCode) check(m *migration, roots []*packages.Package) (units []*unit) {
	read := func(roots, bodies []*packages.Package) *checker {
		k := &checker{bar: m.progress, fset: token.NewFileSet(), bodies: map[*packages.Package]bool{}, kept: map[*packages.Package]bool{}, nodes: map[*packages.Package]*node{}}
		for _, p := range roots {
			k.plan(p)
			k.kept[p] = true
		}
		for _, p := range bodies {
			k.bodies[p] = true
		}
		m.progress.Phase("types")
		m.progress.Of(int64(len(k.nodes)))
		k.run()
		return k
	}
	var whole, covered []*packages.Package // a variant for tests has all files of its package
	for _, p := range roots {
		if slices.ContainsFunc(roots, func(v *packages.Package) bool { return v != p && isVariant(v) && v.ForTest == p.PkgPath }) && p.ForTest == "" {
			covered = append(covered, p)
		} else {
			whole = append(whole, p)
		}
	}
	k := read(roots, whole)
	sound := map[string]bool{} // files
	add := func(k *checker, p *packages.Package) bool {
		n := k.nodes[p]
		if n.wrong != nil {
			return false
		}
		for _, file := range p.GoFiles {
			sound[file] = true
		}
		units = append(units, &unit{code: c, fset: k.fset, folder: p.Dir, pkg: n.types, info: n.info, files: n.files})
		return true
	}
	var broken []*packages.Package
	retried := covered[:0]
	for _, p := range whole {
		if !add(k, p) {
			broken = append(broken, p)
			if isVariant(p) {
				retried = append(retried, slices.DeleteFunc(slices.Clone(roots), func(r *packages.Package) bool { return r.ForTest != "" || r.PkgPath != p.PkgPath })...)
			}
		}
	}
	if len(retried) > 0 { // perhaps only their tests do not compile
		k2 := read(retried, retried)
		for _, p := range retried {
			if !add(k2, p) {
				broken = append(broken, p)
				k.nodes[p] = k2.nodes[p]
			}
		}
	}
	for _, p := range broken {
		c.broken(m, p, k.nodes[p], sound)
	}
	return units
}

// broken lists the imports of a package that does not compile: without types no rewrite is certain.
func (c *goCode) broken(m *migration, p *packages.Package, n *node, sound map[string]bool) {
	errs := n.errs
	if e, ok := n.wrong.(packages.Error); ok && len(errs) == 0 { // of a package that it imports
		errs = []packages.Error{e}
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
			c.problems = append(c.problems, problem)
		}
	}
	for _, file := range p.GoFiles {
		if !sound[file] {
			c.imports(m, file, "the package does not compile; call hotpb migrate again when it does")
		}
	}
}

// imports lists the tool's imports of a file that has no types.
func (c *goCode) imports(m *migration, path, do string) {
	name := m.relative(path)
	if !m.has(name) {
		return
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.ImportsOnly|parser.ParseComments)
	if file == nil || err != nil && len(file.Imports) == 0 || isGenerated(path, file) {
		return
	}
	for _, spec := range file.Imports {
		path := importPath(spec)
		if c.rule(path) == nil {
			continue
		}
		o := hand(do)
		if spec.Name != nil && spec.Name.Name == "_" { // such as the plugin in tools.go: types say no more of it
			o = c.tool.blank(path)
		}
		at := fset.Position(spec.Path.Pos())
		c.found = append(c.found, finding{o.kind, name, at.Line, at.Column, "import " + spec.Path.Value, o.do})
	}
}

// keepNames leaves a use to the reader where a test of the package declares the name that an import would have: the types of the
// package without its tests do not show that.
func (c *goCode) keepNames(units []*unit) {
	declared := map[string]bool{} // folder and name
	for _, u := range units {
		for _, name := range u.pkg.Scope().Names() {
			declared[u.folder+" "+name] = true
		}
	}
	for _, unit := range units {
		unit.inspect()
		for i := range unit.found {
			for j := range unit.found[i].uses {
				u := &unit.found[i].uses[j]
				clash := slices.IndexFunc(u.imports, func(i imported) bool { return declared[unit.folder+" "+i.name] })
				if u.kind == safe && clash >= 0 {
					u.outcome = hand(u.do + ", under another name: the package declares " + u.imports[clash].name)
				}
			}
		}
	}
}

// collect turns the uses into findings and changed files.
func (c *goCode) collect(m *migration, units []*unit) error {
	seen := map[string]bool{}
	for _, unit := range units {
		for i := range unit.found {
			f := &unit.found[i]
			name := m.relative(f.name)
			if !m.has(name) || seen[name] {
				continue // a test variant has the files of its package again
			}
			seen[name] = true
			for _, u := range f.uses {
				at := unit.fset.Position(u.pos)
				c.found = append(c.found, finding{u.kind, name, at.Line, at.Column, u.subject, u.do})
			}
			changed, err := f.rewrite(unit.fset)
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
