package emit

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// wellKnown is where the code for one of Google's own files is.
type wellKnown struct {
	face    string // below RuntimePath: the faces that ship with the runtime; "" where users generate them, because few need them and they are large
	structs string // below google.golang.org/protobuf/types: the stock structs
}

var wellKnowns = map[string]wellKnown{
	"google/protobuf/any.proto":             {"wkt", "known/anypb"},
	"google/protobuf/api.proto":             {"", "known/apipb"},
	"google/protobuf/compiler/plugin.proto": {"", "pluginpb"},
	"google/protobuf/descriptor.proto":      {"", "descriptorpb"},
	"google/protobuf/duration.proto":        {"wkt", "known/durationpb"},
	"google/protobuf/empty.proto":           {"wkt", "known/emptypb"},
	"google/protobuf/field_mask.proto":      {"wkt", "known/fieldmaskpb"},
	"google/protobuf/source_context.proto":  {"wkt", "known/sourcecontextpb"},
	"google/protobuf/struct.proto":          {"wkt", "known/structpb"},
	"google/protobuf/timestamp.proto":       {"wkt", "known/timestamppb"},
	"google/protobuf/type.proto":            {"", "known/typepb"},
	"google/protobuf/wrappers.proto":        {"wkt", "known/wrapperspb"},
}

// wellKnownPackage is the package of the code for one of Google's files that another file imports, or nothing where the
// file and the M options decide as for any other one. Copies of these files say what they like: gogo's folder protobuf has
// them with go_package = "types", which its own users replace by M options.
func (o *Options) wellKnownPackage(file *plan.File, stock bool) (GoPackage, error) {
	known, isKnown := wellKnowns[file.Name]
	mapped, isMapped := o.Packages[file.Name]
	switch {
	case !isKnown:
	case !stock && o.hasNoCode(file):
		return GoPackage{}, &plan.Error{File: file.Name,
			Problem: "the runtime has no code for this file",
			Fix:     fmt.Sprintf("generate it into your own package: add %s to the files to generate, and pass M%[1]s=example.com/your/pkg to each run of this generator", file.Name)}
	case !stock && (!isMapped || hasNoFaces(mapped)):
		return GoPackage{RuntimePath + "/" + known.face, path.Base(known.face), known.face}, nil
	case !stock || isMapped || file.Requested || !o.Values && isImported(file.GoPackage):
	case o.StockRuntime().V1 && !o.Values:
		return GoPackage{}, &plan.Error{File: file.Name,
			Problem: fmt.Sprintf("the copy of the file that protoc has found says go_package = %q, which no code can import", file.GoPackage),
			Fix: fmt.Sprintf("pass M%s=%s, as to the generator of the structs, or leave out the -I of the folder with that copy (of gogo's, it is the folder protobuf)",
				file.Name, o.StockRuntime().wellKnownStructs(file.Name))}
	default:
		return GoPackage{googleTypes + known.structs, path.Base(known.structs), ""}, nil
	}
	return GoPackage{}, nil
}

// hasNoCode reports whether a file is one of Google's whose faces the runtime lacks, and no M option says where the user has them.
func (o *Options) hasNoCode(file *plan.File) bool {
	known, isKnown := wellKnowns[file.Name]
	mapped, isMapped := o.Packages[file.Name]
	return isKnown && known.face == "" && (!isMapped || hasNoFaces(mapped))
}

const googleTypes = "google.golang.org/protobuf/types/"

// hasNoFaces reports whether a package has structs of a stock runtime only: an option such as
// Mgoogle/protobuf/any.proto=github.com/gogo/protobuf/types is meant for the structs, and build tools pass it to all runs.
func hasNoFaces(importPath string) bool {
	return slices.ContainsFunc([]string{"google.golang.org/protobuf/", "github.com/golang/protobuf/", "github.com/gogo/protobuf/", "github.com/cosmos/gogoproto/"},
		func(module string) bool { return strings.HasPrefix(importPath, module) })
}

// isImported reports whether code elsewhere can import a go_package.
func isImported(goPackage string) bool {
	importPath, name, named := strings.Cut(goPackage, ";")
	return isImportPath(importPath, false) && (!named || name != "") && importPath[0] != '.'
}

// wellKnownStructs is the package with the runtime's structs of one of Google's files.
func (r *stockRuntime) wellKnownStructs(file string) string {
	if !r.Gogo {
		return googleTypes + wellKnowns[file].structs
	}
	return "github.com/gogo/protobuf/" + cmp.Or(map[string]string{
		"google/protobuf/descriptor.proto":      "protoc-gen-gogo/descriptor",
		"google/protobuf/compiler/plugin.proto": "protoc-gen-gogo/plugin",
	}[file], "types")
}
