package migrate

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strconv"

	proto "github.com/bufbuild/protocompile/ast"
)

// tool is a tool that code moves away from.
type tool struct {
	name     string
	packages map[string]func(*use) outcome                        // by import path
	module   string                                               // the tool's, which has more packages
	fallback func(*use) outcome                                   // judges the uses of those
	blank    func(path string) outcome                            // judges an import of one for its effect, in place of a name
	method   func(*use) (outcome, bool)                           // judges a selected method or field, and whether it is the tool's
	symbol   func(*use) (outcome, bool)                           // judges a symbol of another package, such as a generated one; nil for none
	helpers  *regexp.Regexp                                       // names of functions and errors in generated files that have none of them any more; nil for none
	options  map[string]option                                    // of .proto files, by their full names
	field    func(typ string, options []*proto.OptionNode) option // judges a field of a .proto, or a map by its values; nil for none
	plugins  pluginRules
	delete   []string       // endings of generated files that hotpb's files replace
	mark     *regexp.Regexp // what such a file says of its generator; nil for none
	foreign  option         // what happens to files of other generators that import the tool's packages
	guide    string
}

// regenerate is for tools whose packages go.
var regenerate = option{byHand, "generated, and imports what goes: run its generator again after the move", ""}

// rule is how to judge the uses of a package, or nil if its path is not of the tool's module.
func (t *tool) rule(path string) func(*use) outcome {
	if rule := t.packages[path]; rule != nil {
		return rule
	}
	if isWithin(path, t.module) {
		return t.fallback
	}
	return nil
}

// unit is a package with its types.
type unit struct {
	code   *goCode
	folder string
	fset   *token.FileSet
	pkg    *types.Package
	info   *types.Info
	files  []*ast.File
	found  []fileResult
}

// use is one place where code names a symbol of the tool.
type use struct {
	*unit
	stack  []ast.Node // from the file to sel
	sel    *ast.SelectorExpr
	object types.Object
}

// outcome is the treatment of a use.
type outcome struct {
	kind    kind
	do      string
	edits   []edit
	imports []imported
}

// edit replaces a part of a file.
type edit struct {
	from, to token.Pos
	text     string
}

// imported is an import that new code needs.
type imported struct{ name, path string }

// parent returns the n-th node around the selector.
func (u *use) parent(n int) ast.Node {
	if n >= len(u.stack) {
		return nil
	}
	return u.stack[len(u.stack)-1-n]
}

// symbol is the same for all places that use it, whatever they call the package: proto.Marshal, jsonpb.Marshaler.MarshalToString, or
// "method MarshalVT" of messages.
func (u *use) symbol() string {
	o := u.object
	owner := func(typ types.Type) string {
		if p, ok := types.Unalias(typ).(*types.Pointer); ok {
			typ = p.Elem()
		}
		if named, ok := types.Unalias(typ).(*types.Named); ok && named.Obj().Pkg() != nil && u.code.rule(named.Obj().Pkg().Path()) != nil {
			return shortName(named.Obj().Pkg()) + "." + named.Obj().Name() + "."
		}
		return ""
	}
	switch o := o.(type) {
	case *types.Func:
		if r := o.Signature().Recv(); r != nil {
			if receiver := owner(r.Type()); receiver != "" {
				return receiver + o.Name()
			}
			return "method " + o.Name()
		}
	case *types.Var:
		if o.IsField() {
			if receiver := owner(u.info.TypeOf(u.sel.X)); receiver != "" {
				return receiver + o.Name()
			}
			return "field " + o.Name()
		}
	}
	if o.Pkg() == nil {
		return o.Name()
	}
	return shortName(o.Pkg()) + "." + o.Name()
}

// shortName is the name of a package, with the folder above it where other packages are better known by this name.
func shortName(p *types.Package) string {
	if name := p.Name(); name != "io" && name != "grpc" {
		return name
	}
	return path.Base(path.Dir(p.Path())) + "/" + p.Name()
}

// calls reports the call in which the selector is the function.
func (u *use) call() *ast.CallExpr {
	call, ok := u.parent(1).(*ast.CallExpr)
	if !ok || ast.Unparen(call.Fun) != u.sel {
		return nil
	}
	return call
}

func hand(do string) outcome { return outcome{kind: byHand, do: do} }
func stay(do string) outcome { return outcome{kind: stays, do: do} }

// free reports whether the use can name an import so: nothing else has the name there.
func (u *use) free(i imported) bool {
	scope := u.pkg.Scope().Innermost(u.sel.Pos())
	if scope == nil {
		return false
	}
	_, declared := scope.LookupParent(i.name, u.sel.Pos())
	if declared == nil {
		return true
	}
	name, ok := declared.(*types.PkgName)
	return ok && name.Imported().Path() == i.path
}

// becomes replaces an expression by text that names packages of these imports.
func (u *use) becomes(old ast.Node, text string, imports ...imported) outcome {
	for _, i := range imports {
		if i.name != "_" && !u.free(i) {
			return hand(text + " of " + strconv.Quote(i.path) + ", under another name: here " + i.name + " is something else")
		}
	}
	return outcome{kind: safe, do: text, imports: imports, edits: []edit{{old.Pos(), old.End(), text}}}
}

// judged is one use with its outcome.
type judged struct {
	subject string
	pos     token.Pos
	outcome
}

type fileResult struct {
	name  string
	file  *ast.File
	uses  []judged
	specs []*ast.ImportSpec       // of the tool
	left  map[*ast.ImportSpec]int // uses of each import of the file
	pkgs  map[ast.Expr]*ast.ImportSpec
}

// inspect finds every use of the tool's packages in the files, except generated ones.
func (u *unit) inspect() {
	for _, file := range u.files {
		name := u.fset.Position(file.FileStart).Filename
		if !isGenerated(name, file) {
			u.found = append(u.found, u.inFile(name, file))
		}
	}
}

func (u *unit) inFile(name string, file *ast.File) fileResult {
	t := u.code.tool
	f := fileResult{name: name, file: file, left: map[*ast.ImportSpec]int{}, pkgs: map[ast.Expr]*ast.ImportSpec{}}
	specs := map[types.Object]*ast.ImportSpec{}
	for _, spec := range file.Imports {
		path := importPath(spec)
		ruled := u.code.rule(path) != nil
		if ruled {
			f.specs = append(f.specs, spec)
		}
		if name := u.info.PkgNameOf(spec); name != nil {
			specs[name] = spec
		}
		switch {
		case !ruled || spec.Name == nil:
		case spec.Name.Name == "_":
			f.uses = append(f.uses, judged{"import _ " + spec.Path.Value, spec.Pos(), t.blank(path)})
		case spec.Name.Name == ".":
			f.uses = append(f.uses, judged{"import . " + spec.Path.Value, spec.Pos(), hand("name the package where it is used, or remove the import")})
		}
	}
	var stack []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		if ident, ok := n.(*ast.Ident); ok && u.isHelper(ident) {
			f.uses = append(f.uses, judged{ident.Name, ident.Pos(), hand("hotpb's code has no such helper: use package " + wirePath + ", or the message's methods")})
		}
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		u := &use{unit: u, stack: slices.Clone(stack), sel: sel, object: u.info.Uses[sel.Sel]}
		if x, ok := sel.X.(*ast.Ident); ok {
			if name, ok := u.info.Uses[x].(*types.PkgName); ok {
				f.left[specs[name]]++
				f.pkgs[x] = specs[name]
				if rule := u.code.rule(name.Imported().Path()); rule != nil && u.object != nil {
					f.uses = append(f.uses, judged{u.symbol(), sel.Pos(), rule(u)})
				} else if t.symbol != nil && u.object != nil {
					if o, ok := t.symbol(u); ok {
						f.uses = append(f.uses, judged{u.symbol(), sel.Pos(), o})
					}
				}
				return true
			}
		}
		if u.object != nil && t.method != nil {
			if o, ok := t.method(u); ok {
				f.uses = append(f.uses, judged{u.symbol(), sel.Sel.Pos(), o})
			}
		}
		return true
	})
	return f
}

// isHelper reports whether a name is that of a helper in a generated file of the same package.
func (u *unit) isHelper(ident *ast.Ident) bool {
	object, helpers := u.info.Uses[ident], u.code.tool.helpers
	if helpers == nil || object == nil || object.Parent() != u.pkg.Scope() || !helpers.MatchString(object.Name()) {
		return false
	}
	return slices.ContainsFunc(u.files, func(file *ast.File) bool {
		return file.FileStart <= object.Pos() && object.Pos() < file.FileEnd && isGenerated(u.fset.Position(file.FileStart).Filename, file)
	})
}

func importPath(spec *ast.ImportSpec) string {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil { // the parser refuses such imports
		return ""
	}
	return path
}
