package migrate

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// Packages that verdicts name, by the module of the repository that has them among its dependencies.
var namedPackages = map[string][]string{
	"go": {module, wirePath, lazyPath, module + "/prototest", module + "/codec", "slices", "errors", "time", "encoding/binary", "google.golang.org/protobuf/proto", "google.golang.org/protobuf/encoding/protojson",
		"google.golang.org/protobuf/encoding/prototext", "google.golang.org/protobuf/encoding/protowire", "google.golang.org/protobuf/encoding/protodelim", "google.golang.org/protobuf/reflect/protoregistry",
		"google.golang.org/protobuf/reflect/protoreflect", "google.golang.org/protobuf/reflect/protodesc", "google.golang.org/protobuf/compiler/protogen", "google.golang.org/protobuf/types/descriptorpb", "google.golang.org/protobuf/types/pluginpb",
		"google.golang.org/protobuf/types/known/timestamppb", "google.golang.org/protobuf/types/known/durationpb", "google.golang.org/protobuf/types/known/anypb",
		"google.golang.org/protobuf/types/known/emptypb", "google.golang.org/protobuf/types/known/fieldmaskpb", "google.golang.org/protobuf/types/known/structpb", "google.golang.org/protobuf/types/known/wrapperspb",
		"google.golang.org/protobuf/types/known/apipb", "google.golang.org/protobuf/types/known/typepb", "google.golang.org/protobuf/types/known/sourcecontextpb"},
	"go/grpccodec":    {grpcPath},
	"go/connectcodec": {connectPath},
}

// load returns packages with the types that they export.
func load(t *testing.T, folder string, paths ...string) map[string]*types.Package {
	t.Helper()
	root, err := filepath.Abs("../../../../..")
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.NeedTypes | packages.NeedName, Dir: filepath.Join(root, folder)}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*types.Package{}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			t.Fatal(p.PkgPath, p.Errors)
		}
		all[p.PkgPath] = p.Types
	}
	return all
}

// standIn is a package of testdata/standin that imports these packages.
func standIn(t *testing.T, name, as string, imports map[string]*types.Package) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "testdata/standin/"+name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{IgnoreFuncBodies: true, Importer: importerFunc(func(path string) (*types.Package, error) {
		if p := imports[path]; p != nil {
			return p, nil
		}
		return importer.ForCompiler(fset, "source", nil).Import(path)
	})}
	p, err := config.Check(as, fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// known has the packages that verdicts name, by path and by name.
func known(t *testing.T) map[string]*types.Package {
	all := map[string]*types.Package{}
	for folder, paths := range namedPackages {
		for path, p := range load(t, folder, paths...) {
			all[path], all[p.Name()] = p, p
		}
	}
	return all
}

// values are the variables that verdicts name, with their types.
var values = map[string]string{"ts": "timestamppb.Timestamp", "d": "durationpb.Duration", "a": "anypb.Any", "m": "protoreflect.ProtoMessage"}

var (
	qualified = regexp.MustCompile(`\b([a-z]\w*)\.([A-Z]\w*)(?:\.([A-Z]\w*))?`)
	listed    = regexp.MustCompile(`\b([A-Z]\w*)(?: (?:and|or) ([A-Z]\w*))? of ((?:google\.golang\.org|github\.com/hotpb)/[\w./-]+\w)`)
	sameOf    = regexp.MustCompile(`\bthe same of ([\w./-]*\w)`)
)

// absent returns the names in a verdict that do not exist.
func absent(all map[string]*types.Package, o types.Object, do string) (names []string) {
	look := func(in, name, member string) {
		p := all[in]
		if p == nil {
			names = append(names, in)
			return
		}
		symbol := p.Scope().Lookup(name)
		if symbol == nil {
			names = append(names, in+"."+name)
		} else if member != "" {
			if found, _, _ := types.LookupFieldOrMethod(symbol.Type(), true, p, member); found == nil {
				names = append(names, in+"."+name+"."+member)
			}
		}
	}
	for _, m := range qualified.FindAllStringSubmatch(do, -1) {
		if typ := values[m[1]]; typ != "" {
			in, name, _ := strings.Cut(typ, ".")
			look(in, name, m[2])
		} else if m[1] != "go" { // of github.com/…/go.Something there is none
			look(m[1], m[2], m[3])
		}
	}
	for _, m := range listed.FindAllStringSubmatch(do, -1) {
		for _, name := range m[1:3] {
			if name != "" && name != "Register" {
				look(m[3], name, "")
			}
		}
	}
	for _, m := range sameOf.FindAllStringSubmatch(do, -1) {
		if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
			look(m[1], strings.TrimPrefix(types.TypeString(f.Signature().Recv().Type(), types.RelativeTo(o.Pkg())), "*"), o.Name())
		} else {
			look(m[1], o.Name(), "")
		}
	}
	return names
}

// verdict is the tool's verdict on a symbol that code names, outside of calls.
func verdict(t *tool, o types.Object) (outcome, bool) {
	x, sel := ast.NewIdent(o.Pkg().Name()), ast.NewIdent(o.Name())
	u := &use{unit: &unit{code: &goCode{tool: t}, fset: token.NewFileSet(), pkg: types.NewPackage("example.com/x", "x"), info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}}, sel: &ast.SelectorExpr{X: x, Sel: sel}, object: o}
	u.stack = []ast.Node{u.sel}
	if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
		if t.method == nil {
			return outcome{}, false
		}
		return t.method(u)
	}
	return t.rule(o.Pkg().Path())(u), true
}

// hasMethod reports whether one of Google's structs of the same name has the method, too.
func hasMethod(all map[string]*types.Package, o types.Object) bool {
	receiver := strings.TrimPrefix(types.TypeString(o.(*types.Func).Signature().Recv().Type(), types.RelativeTo(o.Pkg())), "*")
	for _, p := range all {
		if typ := p.Scope().Lookup(receiver); typ != nil && strings.HasPrefix(p.Path(), "google.golang.org/protobuf/types/") {
			if found, _, _ := types.LookupFieldOrMethod(typ.Type(), true, p, o.Name()); found != nil {
				return true
			}
		}
	}
	return false
}

// symbols are the exported symbols of a package, and the exported methods of its types.
func symbols(p *types.Package) (all []types.Object) {
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		all = append(all, o)
		if typ, ok := o.(*types.TypeName); ok && !typ.IsAlias() {
			if named, ok := typ.Type().(*types.Named); ok {
				for m := range named.Methods() {
					if m.Exported() {
						all = append(all, m)
					}
				}
			}
		}
	}
	return all
}

// Whatever a verdict names exists, for every exported symbol of the tools' packages. No verdict says that there is no such symbol where
// hotpb has one.
func TestVerdictsNameOnlyWhatExists(t *testing.T) {
	all := known(t)
	old := load(t, "go/gogo", gogoProto, gogoModule+"/types", gogoModule+"/jsonpb", gogoModule+"/io", gogoModule+"/sortkeys", gogoModule+"/gogoproto", gogoModule+"/protoc-gen-gogo/descriptor",
		gogoModule+"/protoc-gen-gogo/plugin", gogoModule+"/protoc-gen-gogo/generator", gogoModule+"/protoc-gen-gogo/grpc")
	maps.Copy(old, load(t, "go/test/vtproto", vtprotoPath+"/codec/grpc", vtprotoPath+"/codec/drpc", vtprotoPath+"/vtproto", vtprotoPath+"/types/known/timestamppb"))
	old[csprotoPath] = standIn(t, "csproto/csproto.go", csprotoPath, all)
	old[csprotoLazyPath] = standIn(t, "csproto/lazyproto/lazyproto.go", csprotoLazyPath, old)
	for _, tool := range []*tool{gogo, gogoValue, vtproto, csproto} {
		seen := 0
		for _, in := range slices.Sorted(maps.Keys(old)) {
			if tool.rule(in) == nil {
				continue
			}
			for _, o := range symbols(old[in]) {
				result, ok := verdict(tool, o)
				if !ok {
					continue
				}
				seen++
				if names := absent(all, o, result.do); names != nil {
					t.Errorf("%s %s.%s: %q names %v, which do not exist", tool.name, path.Base(in), o.Name(), result.do, names)
				}
				if strings.HasPrefix(result.do, "Google's struct has the ") && !hasMethod(all, o) {
					t.Errorf("%s %s: %q, but it has not", tool.name, o, result.do)
				}
				if _, see, is := strings.Cut(result.do, "no counterpart of this name in hotpb; see "); is && all[see] != nil && all[see].Scope().Lookup(o.Name()) != nil {
					t.Errorf("%s %s.%s: %q, but it is there", tool.name, path.Base(in), o.Name(), result.do)
				}
				if strings.Contains(result.do, "no such symbol") && all["hotpb"].Scope().Lookup(o.Name()) != nil {
					t.Errorf("%s %s.%s: %q, but hotpb has one", tool.name, path.Base(in), o.Name(), result.do)
				}
			}
		}
		if seen < 20 {
			t.Errorf("%s: only %d symbols", tool.name, seen)
		}
	}
}

// A symbol that hotpb has with another type is described by the difference, and so is a method of package lazyproto.
func TestAnotherTypeIsTheDifference(t *testing.T) {
	all := load(t, "go", module, lazyPath)
	for from, in := range map[string]string{csprotoPath: module, csprotoLazyPath: lazyPath} {
		theirs := types.NewPackage(from, path.Base(from))
		count := 0
		for _, o := range symbols(all[in]) {
			f, ok := o.(*types.Func)
			if !ok || from == csprotoPath && (f.Signature().Recv() != nil || csprotoHints[o.Name()] != "") {
				continue
			}
			count++
			var receiver *types.Var
			if r := f.Signature().Recv(); r != nil {
				named := types.Unalias(r.Type())
				pointer, is := named.(*types.Pointer)
				if is {
					named = pointer.Elem()
				}
				typ := types.Type(types.NewNamed(types.NewTypeName(token.NoPos, theirs, named.(*types.Named).Obj().Name(), nil), types.NewStruct(nil, nil), nil))
				if is {
					typ = types.NewPointer(typ)
				}
				receiver = types.NewParam(token.NoPos, theirs, "", typ)
			}
			changed := types.NewFunc(token.NoPos, theirs, o.Name(), types.NewSignatureType(receiver, nil, nil, nil, types.NewTuple(types.NewParam(0, nil, "", types.Typ[types.Complex64])), false))
			result, _ := verdict(csproto, changed)
			if result.kind != byHand || !strings.Contains(result.do, "."+o.Name()+" is a func") || !strings.Contains(result.do, "where the old one is a func() complex64") {
				t.Errorf("%s: %q", o.Name(), result.do)
			}
		}
		if count < 10 {
			t.Errorf("%s: only %d symbols", in, count)
		}
		result, _ := verdict(csproto, types.NewFunc(token.NoPos, theirs, "Nothing", types.NewSignatureType(nil, nil, nil, nil, nil, false)))
		if result.do != "hotpb has no such symbol; see "+csprotoGuide {
			t.Error(result.do)
		}
	}
}

// The names in the tables for csproto's symbols exist.
func TestTheHintsForCsprotoNameWhatExists(t *testing.T) {
	all := known(t)
	for name, do := range csprotoHints {
		if names := absent(all, nil, do); names != nil {
			t.Errorf("%s: %q names %v, which do not exist", name, do, names)
		}
	}
	for name := range csprotoCalls {
		if all["hotpb"].Scope().Lookup(name) == nil {
			t.Errorf("hotpb has no %s", name)
		}
	}
}
