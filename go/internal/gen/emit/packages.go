package emit

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// GoPackage is where the generated code of a .proto file lives.
type GoPackage struct {
	Path   string // import path
	Name   string
	folder string // below that of the stock structs
}

// Below returns the face's own package below p. Without a name it returns p.
func (in GoPackage) Below(name string) GoPackage {
	if name == "" {
		return in
	}
	name = in.Name + name
	return GoPackage{in.Path + "/" + name, name, in.folder + "/" + name}
}

const RuntimePath = "github.com/hotpb/hotpb/go"

// PackageOf finds the package of a file's generated code: the package of the stock structs, or a sub-folder of it,
// so that both can be used side by side. The generators of gogo and golang/protobuf take a go_package without a path, or
// without it the package of the .proto, for the name of a package in the folder of the .proto.
func (o *Options) PackageOf(file *plan.File, stock bool) (GoPackage, error) {
	if strings.ContainsFunc(file.Name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return GoPackage{}, &plan.Error{File: fmt.Sprintf("%q", file.Name), Problem: "the file's name has control characters", Fix: "rename the file"}
	}
	declared, isMapped := o.Packages[file.Name]
	if in, err := o.wellKnownPackage(file, stock); in.Path != "" || err != nil {
		return in, err
	}
	if !isMapped {
		declared = file.GoPackage
	}
	if stock && !isMapped && o.StockRuntime().V1 && !strings.ContainsAny(declared, "/;") && (declared != "" || o.Module == "") {
		name := cmp.Or(declared, file.Package, strings.TrimSuffix(path.Base(file.Name), ".proto"))
		return GoPackage{path.Dir(file.Name), cleanPackageName(name), ""}, nil
	}
	if declared == "" {
		if o.Module == "" {
			return GoPackage{}, &plan.Error{File: file.Name,
				Problem: "its Go package is not known",
				Fix:     fmt.Sprintf(`add option go_package = "example.com/your/pkg"; to the file, or pass M%s=example.com/your/pkg`, file.Name)}
		}
		// Folders below the module are packages, as usual in Go.
		declared = path.Join(o.Module, path.Dir(file.Name))
	}
	importPath, name, named := strings.Cut(declared, ";")
	if !named {
		name = path.Base(importPath)
	}
	if name == "" || !isImportPath(importPath, stock) {
		return GoPackage{}, &plan.Error{File: file.Name,
			Problem: fmt.Sprintf("%q is not a Go package", declared),
			Fix:     `write "example.com/your/pkg" or "example.com/your/pkg;name"`}
	}
	if stock {
		// As in protoc-gen-go, an M option without a package name leaves the name to go_package.
		if optionPath, own, ownNamed := strings.Cut(file.GoPackage, ";"); !named && ownNamed {
			name = own
		} else if !named && optionPath != "" {
			name = path.Base(optionPath)
		}
		if name = cleanPackageName(name); name == "_" {
			name = "__" // of "./"
		}
		return GoPackage{importPath, name, ""}, nil
	}
	name = cleanPackageName(name) + "hot"
	return GoPackage{importPath + "/" + name, name, name}, nil
}

func isImportPath(importPath string, stock bool) bool {
	clean := importPath
	if stock { // protoc-gen-go accepts "./pb" and "/pb": a folder below the output folder
		clean = path.Clean(strings.TrimPrefix(importPath, "/"))
	}
	return strings.ContainsAny(importPath, "./") && path.Clean(clean) == clean &&
		!strings.ContainsFunc(importPath, notInImportPath) && filepath.IsLocal(clean)
}

// notInImportPath are the characters that the Go specification lets compilers reject.
func notInImportPath(r rune) bool {
	return r <= ' ' || r == 0x7f || strings.ContainsRune("!\"#$%&'()*,:;<=>?[\\]^`{|}\uFFFD", r)
}

// OutputName returns the name of the file to write, below the output folder.
func (o *Options) OutputName(file *plan.File, in GoPackage, suffix string) (string, error) {
	base := Buildable(strings.TrimSuffix(path.Base(file.Name), ".proto")) + suffix
	name := strings.TrimPrefix(path.Join(in.Path, base), "/")
	if o.SourceRelative {
		name = path.Join(path.Dir(file.Name), in.folder, base)
	}
	if o.Module != "" {
		var inside bool
		if name, inside = strings.CutPrefix(name, o.Module+"/"); !inside {
			return "", &OptionError{"module", o.Module, fmt.Sprintf("the Go package %s of %s is not in that module", in.Path, file.Name)}
		}
	}
	if !filepath.IsLocal(name) {
		return "", &plan.Error{File: file.Name, Problem: fmt.Sprintf("its output %q would lie outside the output folder", name), Fix: "rename the file"}
	}
	return name, nil
}
