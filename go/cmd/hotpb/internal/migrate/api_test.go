package migrate

import (
	"flag"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

var update = flag.Bool("update", false, "write the API's files and the goldens")

// The symbols that rewrites may name exist with these types.
func TestTheAPIsAreThoseOfThePackages(t *testing.T) {
	for file, path := range map[string]string{"api/hotpb.txt": module, "api/lazyproto.txt": lazyPath, "api/wire.txt": wirePath} {
		loaded, err := packages.Load(&packages.Config{Mode: packages.NeedTypes | packages.NeedImports | packages.NeedDeps | packages.NeedName}, path)
		if err != nil || len(loaded) != 1 || len(loaded[0].Errors) > 0 {
			t.Fatal(path, err, loaded)
		}
		want := strings.Join(exported(loaded[0].Types), "\n") + "\n"
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is not the API of %s; go test -run API -update ./internal/migrate writes it:\n%s", file, path, want)
		}
	}
}

func exported(p *types.Package) (lines []string) {
	qualifier := types.RelativeTo(p)
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !token.IsExported(name) {
			continue
		}
		lines = append(lines, describe(o, name, qualifier))
		named, ok := o.Type().(*types.Named)
		if _, is := o.(*types.TypeName); !is || !ok {
			continue
		}
		for m := range named.Methods() {
			if m.Exported() {
				lines = append(lines, describe(m, m.Name(), qualifier))
			}
		}
	}
	slices.Sort(lines)
	return lines
}
