package migrate

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/tools/go/packages"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/progress"
)

// A checker reads the types of packages from their sources: of functions elsewhere only the signatures, and nothing is compiled. This
// costs a tenth of the export data for which the go command compiles everything that the packages and their tests import.
type checker struct {
	fset   *token.FileSet
	bodies map[*packages.Package]bool // packages whose functions are checked, too
	kept   map[*packages.Package]bool // packages whose syntax is needed, by which their files are parsed with comments
	nodes  map[*packages.Package]*node
	parsed sync.Map // *source by file name, of kept packages: a package and its test variant have files in common
	bar    *progress.Bar
	done   atomic.Int64
}

// node is a package in the graph of imports.
type node struct {
	ready chan struct{} // closed when the types are there
	types *types.Package
	info  *types.Info
	files []*ast.File
	errs  []packages.Error // of the package itself
	wrong error            // the first error of the package, or of one that it imports and that belongs to the code base
}

type source struct {
	once sync.Once
	file *ast.File
	err  error
}

// plan adds a package and all that it imports.
func (c *checker) plan(p *packages.Package) {
	if c.nodes[p] != nil {
		return
	}
	c.nodes[p] = &node{ready: make(chan struct{})}
	for _, imported := range p.Imports {
		c.plan(imported)
	}
}

// run checks all planned packages, each after those that it imports.
func (c *checker) run() {
	var all sync.WaitGroup
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	for p, n := range c.nodes {
		all.Add(1)
		go func() {
			defer all.Done()
			defer close(n.ready)
			for _, imported := range p.Imports {
				<-c.nodes[imported].ready
			}
			turns <- struct{}{}
			c.check(p, n)
			c.bar.At(c.done.Add(1))
			<-turns
		}()
	}
	all.Wait()
}

func (c *checker) check(p *packages.Package, n *node) {
	if p.PkgPath == "unsafe" {
		n.types = types.Unsafe
		return
	}
	n.errs = slices.Clone(p.Errors)
	for _, name := range p.GoFiles {
		file, err := c.parse(name, c.kept[p])
		if file != nil {
			n.files = append(n.files, file)
		}
		if list, ok := err.(scanner.ErrorList); ok {
			for _, e := range list {
				n.errs = append(n.errs, packages.Error{Pos: e.Pos.String(), Msg: e.Msg, Kind: packages.ParseError})
			}
		} else if err != nil {
			n.errs = append(n.errs, packages.Error{Pos: name + ":1:1", Msg: err.Error(), Kind: packages.ParseError})
		}
	}
	config := types.Config{
		IgnoreFuncBodies: !c.bodies[p], FakeImportC: true, Sizes: p.TypesSizes,
		Importer: importerFunc(func(path string) (*types.Package, error) {
			if path == "unsafe" {
				return types.Unsafe, nil
			}
			imported := p.Imports[path]
			if imported == nil {
				return nil, fmt.Errorf("the go command has no package %s", path)
			}
			if n := c.nodes[imported]; n.types != nil {
				return n.types, nil
			}
			return nil, fmt.Errorf("there is no package %s", path)
		}),
		Error: func(err error) {
			if e, ok := err.(types.Error); ok && !strings.Contains(e.Msg, "invalid type") { // which follows from an error elsewhere, or from cgo
				n.errs = append(n.errs, packages.Error{Pos: c.fset.Position(e.Pos).String(), Msg: e.Msg, Kind: packages.TypeError})
			}
		},
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	if c.bodies[p] {
		n.info = &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}
	}
	if len(n.files) > 0 {
		n.types, _ = config.Check(p.PkgPath, c.fset, n.files, n.info) // the errors are in n.errs
	}
	if !c.kept[p] {
		n.files = nil
	}
	if len(n.errs) > 0 {
		n.wrong = n.errs[0]
	}
	for _, imported := range p.Imports {
		if n.wrong == nil && imported.Module != nil && imported.Module.Main {
			n.wrong = c.nodes[imported].wrong
		}
	}
}

func (c *checker) parse(name string, keep bool) (*ast.File, error) {
	if !keep {
		return parser.ParseFile(c.fset, name, nil, parser.SkipObjectResolution)
	}
	loaded, _ := c.parsed.LoadOrStore(name, &source{})
	s := loaded.(*source)
	s.once.Do(func() {
		var text []byte
		if text, s.err = os.ReadFile(name); s.err == nil {
			s.file, s.err = parser.ParseFile(c.fset, name, text, parser.SkipObjectResolution|parser.ParseComments)
		}
	})
	return s.file, s.err
}

type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// isVariant reports whether a package is the one that tests of its own folder are compiled with: it has the files of the package, too.
func isVariant(p *packages.Package) bool {
	return p.ForTest != "" && p.PkgPath == p.ForTest && strings.HasSuffix(p.ID, ".test]")
}
