package migrate

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	proto "github.com/bufbuild/protocompile/ast"
	"golang.org/x/tools/go/analysis"
)

// tool is a tool that code moves away from.
type tool struct {
	name     string
	packages map[string]func(*use) outcome                        // by import path
	module   string                                               // the tool's, which has more packages
	other    func(*use) outcome                                   // judges the uses of those
	blank    func(path string) outcome                            // judges an import of one for its effect, in place of a name
	method   func(*use) (outcome, bool)                           // judges a selected method or field, and whether it is the tool's
	symbol   func(*use) (outcome, bool)                           // judges a symbol of another package, such as a generated one; nil for none
	helpers  *regexp.Regexp                                       // names of functions and errors in generated files that have none of them any more; nil for none
	options  map[string]option                                    // of .proto files, by their full names
	field    func(typ string, options []*proto.OptionNode) option // judges a field of a .proto, or a map by its values; nil for none
	plugins  pluginRules
	delete   []string // endings of generated files that hotpb's files replace
	mark     string   // what such a file says of its generator
	guide    string
}

// rule is how to judge the uses of a package, or nil if it is not the tool's.
func (t *tool) rule(path string) func(*use) outcome {
	if rule := t.packages[path]; rule != nil {
		return rule
	}
	if path == t.module || strings.HasPrefix(path, t.module+"/") {
		return t.other
	}
	return nil
}

// use is one place where code names a symbol of the tool.
type use struct {
	pass   *analysis.Pass
	stack  []ast.Node // from the file to sel
	sel    *ast.SelectorExpr
	object types.Object
}

// outcome is what happens to a use.
type outcome struct {
	kind    kind
	do      string
	edits   []analysis.TextEdit
	imports []imported
	group   string // if one use of a group cannot be rewritten, none is: their types belong together
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

// name is the symbol as the code writes it.
func (u *use) name() string { return types.ExprString(u.sel) }

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
	scope := u.pass.Pkg.Scope().Innermost(u.sel.Pos())
	if scope == nil {
		return false
	}
	_, other := scope.LookupParent(i.name, u.sel.Pos())
	if other == nil {
		return true
	}
	name, ok := other.(*types.PkgName)
	return ok && name.Imported().Path() == i.path
}

// becomes replaces an expression by text that names packages of these imports.
func (u *use) becomes(old ast.Node, text string, imports ...imported) outcome {
	for _, i := range imports {
		if i.name != "_" && !u.free(i) {
			return hand(text + " of " + strconv.Quote(i.path) + ", under another name: here " + i.name + " is something else")
		}
	}
	return outcome{kind: safe, do: text, imports: imports, edits: []analysis.TextEdit{{Pos: old.Pos(), End: old.End(), NewText: []byte(text)}}}
}

// judged is one use with its outcome.
type judged struct {
	what string
	pos  token.Pos
	outcome
}

// result is what the analyzer found in a package.
type result struct {
	fset  *token.FileSet
	files []fileResult
}

type fileResult struct {
	name  string
	file  *ast.File
	uses  []judged
	specs []*ast.ImportSpec       // of the tool
	left  map[*ast.ImportSpec]int // uses of each import of the file
	pkgs  map[ast.Expr]*ast.ImportSpec
}

// analyzer reports every use of the tool's packages in a package's files, except generated ones, with its rewrite.
func (t *tool) analyzer() *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "migrate" + t.name, Doc: "reports uses of " + t.name + " and rewrites the safe ones to hotpb",
		Run: t.run, ResultType: reflect.TypeFor[*result](),
	}
}

func (t *tool) run(pass *analysis.Pass) (any, error) {
	r := &result{fset: pass.Fset}
	for _, file := range pass.Files {
		if ast.IsGenerated(file) {
			continue
		}
		found := t.inFile(pass, file)
		for _, u := range found.uses {
			d := analysis.Diagnostic{Pos: u.pos, Category: string(u.kind), Message: u.what + ": " + u.do}
			if u.kind == safe {
				d.SuggestedFixes = []analysis.SuggestedFix{{Message: u.do, TextEdits: u.edits}}
			}
			pass.Report(d)
		}
		r.files = append(r.files, found)
	}
	return r, nil
}

func (t *tool) inFile(pass *analysis.Pass, file *ast.File) fileResult {
	f := fileResult{name: pass.Fset.Position(file.FileStart).Filename, file: file, left: map[*ast.ImportSpec]int{}, pkgs: map[ast.Expr]*ast.ImportSpec{}}
	specs := map[types.Object]*ast.ImportSpec{}
	for _, spec := range file.Imports {
		path := importPath(spec)
		ours := t.rule(path) != nil
		if ours {
			f.specs = append(f.specs, spec)
		}
		if name := pass.TypesInfo.PkgNameOf(spec); name != nil {
			specs[name] = spec
		}
		switch {
		case !ours || spec.Name == nil:
		case spec.Name.Name == "_":
			f.uses = append(f.uses, judged{"import _ " + spec.Path.Value, spec.Pos(), t.blank(path)})
		case spec.Name.Name == ".":
			o := hand("name the package where it is used, or remove the import")
			o.group = path // its types stay, and whatever meets them
			f.uses = append(f.uses, judged{"import . " + spec.Path.Value, spec.Pos(), o})
		}
	}
	var stack []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		if ident, ok := n.(*ast.Ident); ok && t.isHelper(pass, ident) {
			f.uses = append(f.uses, judged{ident.Name, ident.Pos(), hand("hotpb's code has no such helper: use package " + wirePath + ", or the message's methods")})
		}
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		u := &use{pass: pass, stack: append([]ast.Node(nil), stack...), sel: sel, object: pass.TypesInfo.Uses[sel.Sel]}
		if x, ok := sel.X.(*ast.Ident); ok {
			if name, ok := pass.TypesInfo.Uses[x].(*types.PkgName); ok {
				f.left[specs[name]]++
				f.pkgs[x] = specs[name]
				if rule := t.rule(name.Imported().Path()); rule != nil && u.object != nil {
					f.uses = append(f.uses, judged{u.name(), sel.Pos(), rule(u)})
				} else if t.symbol != nil && u.object != nil {
					if o, ok := t.symbol(u); ok {
						f.uses = append(f.uses, judged{u.name(), sel.Pos(), o})
					}
				}
				return true
			}
		}
		if u.object != nil && t.method != nil {
			if o, ok := t.method(u); ok {
				f.uses = append(f.uses, judged{u.name(), sel.Sel.Pos(), o})
			}
		}
		return true
	})
	return f
}

// isHelper reports whether a name is that of a helper in a generated file of the same package.
func (t *tool) isHelper(pass *analysis.Pass, ident *ast.Ident) bool {
	object := pass.TypesInfo.Uses[ident]
	if t.helpers == nil || object == nil || object.Parent() != pass.Pkg.Scope() || !t.helpers.MatchString(object.Name()) {
		return false
	}
	return slices.ContainsFunc(pass.Files, func(file *ast.File) bool {
		return file.FileStart <= object.Pos() && object.Pos() < file.FileEnd && ast.IsGenerated(file)
	})
}

func importPath(spec *ast.ImportSpec) string {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil { // the parser refuses such imports
		return ""
	}
	return path
}
