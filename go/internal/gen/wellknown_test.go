package gen

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/apipb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/sourcecontextpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/typepb"
	"google.golang.org/protobuf/types/known/wrapperspb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"github.com/hotpb/hotpb/go/internal/typecheck"
)

// googlesFiles are the files that come with protoc, each with all that it imports.
var googlesFiles = []protoreflect.FileDescriptor{
	anypb.File_google_protobuf_any_proto, durationpb.File_google_protobuf_duration_proto, emptypb.File_google_protobuf_empty_proto,
	fieldmaskpb.File_google_protobuf_field_mask_proto, sourcecontextpb.File_google_protobuf_source_context_proto,
	structpb.File_google_protobuf_struct_proto, timestamppb.File_google_protobuf_timestamp_proto, typepb.File_google_protobuf_type_proto,
	apipb.File_google_protobuf_api_proto, wrapperspb.File_google_protobuf_wrappers_proto,
	descriptorpb.File_google_protobuf_descriptor_proto, pluginpb.File_google_protobuf_compiler_plugin_proto,
}

// usersGenerate are those whose faces do not come with the runtime.
var usersGenerate = map[string]bool{
	"google/protobuf/api.proto": true, "google/protobuf/compiler/plugin.proto": true, "google/protobuf/descriptor.proto": true, "google/protobuf/type.proto": true,
}

const (
	googles = "google.golang.org/protobuf/types/"
	gogos   = "github.com/gogo/protobuf/types"
)

// usesGooglesFile is a file with a field of each kind whose type is in one of Google's files, in a copy that says go_package. A
// second file that is not requested makes it importable.
func usesGooglesFile(t *testing.T, dependency protoreflect.FileDescriptor, goPackage string) *plan.Plan {
	t.Helper()
	var set []*descriptorpb.FileDescriptorProto
	for _, file := range googlesFiles {
		copied := protodesc.ToFileDescriptorProto(file)
		copied.Options = &descriptorpb.FileOptions{}
		if goPackage != "" {
			copied.Options.GoPackage = proto.String(goPackage)
		}
		set = append(set, copied)
	}
	slices.SortStableFunc(set, func(a, b *descriptorpb.FileDescriptorProto) int { return len(a.Dependency) - len(b.Dependency) })
	name := "." + string(dependency.Messages().Get(0).FullName())
	user := planFile(t, fmt.Sprintf(`name: "user.proto" package: "user" syntax: "proto3" options { go_package: "example.com/user" } dependency: %q
		message_type { name: "M"
			field { name: "one" number: 1 type: TYPE_MESSAGE type_name: %[2]q label: LABEL_OPTIONAL }
			field { name: "list" number: 2 type: TYPE_MESSAGE type_name: %[2]q label: LABEL_REPEATED }
			field { name: "by_id" number: 3 type: TYPE_MESSAGE type_name: ".user.M.ByIdEntry" label: LABEL_REPEATED }
			field { name: "pick" number: 4 type: TYPE_MESSAGE type_name: %[2]q label: LABEL_OPTIONAL oneof_index: 0 } oneof_decl { name: "choice" }
			nested_type { name: "ByIdEntry" options { map_entry: true }
				field { name: "key" number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
				field { name: "value" number: 2 type: TYPE_MESSAGE type_name: %[2]q label: LABEL_OPTIONAL } } }`, dependency.Path(), name))
	p, err := plan.Build(append(set, user), []string{"user.proto"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// importsOf are the imports of generated code that are not of the runtime itself.
func importsOf(t *testing.T, outputs []emit.Output) (imports []string) {
	t.Helper()
	for _, output := range outputs {
		code, err := parser.ParseFile(token.NewFileSet(), output.Name, output.Content, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range code.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if strings.HasPrefix(imported, googles) || strings.HasPrefix(imported, emit.RuntimePath+"/wkt") || !strings.HasPrefix(imported, emit.RuntimePath) &&
				!strings.HasPrefix(imported, "google.golang.org/protobuf/") && strings.Contains(imported, "/") && imported != "encoding/binary" {
				imports = append(imports, imported)
			}
		}
	}
	slices.Sort(imports)
	return slices.Compact(imports)
}

// Copies of Google's files, such as those in gogo's folder protobuf, say what they like about their Go package.
func TestGooglesFilesHaveGooglesStructsWhateverTheirCopySays(t *testing.T) {
	for _, file := range googlesFiles {
		own := file.Options().(*descriptorpb.FileOptions).GetGoPackage()
		structs, _, _ := strings.Cut(own, ";")
		for _, goPackage := range []string{"types", "types;x", "descriptor", "x;y", ";y", "./types", "/types", "", own} {
			p := usesGooglesFile(t, file, goPackage)
			for options, want := range map[string]string{
				"structs=value":                              structs,
				"structs=value,runtime=gogo":                 structs,
				"structs=value,runtime=gogofaster":           structs,
				"structs=value,module=example.com":           structs,
				"runtime=google":                             structs,
				"compat=csproto+vtproto":                     structs,
				"default_api_level=API_OPAQUE":               structs,
				"runtime=v1":                                 "M" + file.Path() + "=" + structs,
				"runtime=gogo":                               "M" + file.Path() + "=github.com/gogo/protobuf/",
				"runtime=gogofaster,module=example.com":      "M" + file.Path() + "=github.com/gogo/protobuf/",
				"runtime=gogo,M" + file.Path() + "=" + gogos: gogos,
			} {
				result, err := generateOne(t, p, "faces=codec,"+options)
				if strings.HasPrefix(want, "M") && goPackage != own {
					if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "-I") || !strings.Contains(err.Error(), file.Path()) {
						t.Errorf("%s with go_package %q, %s: the error is %v, not one with %s and -I", file.Path(), goPackage, options, err, want)
					}
					continue
				}
				if strings.HasPrefix(want, "M") {
					want = structs
				}
				if err != nil {
					t.Errorf("%s with go_package %q, %s: %v", file.Path(), goPackage, options, err)
				} else if got := importsOf(t, result.Outputs); !slices.Equal(got, []string{want}) {
					t.Errorf("%s with go_package %q, %s: it imports %q, not %s", file.Path(), goPackage, options, got, want)
				}
			}
			for _, face := range []string{"view", "view+edit", "pool", "writer"} {
				for _, mapped := range []string{"", ",M" + file.Path() + "=" + gogos, ",M" + file.Path() + "=" + own} {
					result, err := generateOne(t, p, "faces="+face+mapped)
					if usersGenerate[file.Path()] {
						if err == nil || !strings.Contains(err.Error(), "pass M"+file.Path()+"=example.com/your/pkg") {
							t.Errorf("%s with go_package %q, face %s%s: the error is %v", file.Path(), goPackage, face, mapped, err)
						}
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					if got := importsOf(t, result.Outputs); len(got) > 1 || len(got) == 1 && !strings.HasPrefix(got[0], emit.RuntimePath+"/wkt") || len(got) == 0 && face != "writer" {
						t.Errorf("%s with go_package %q, face %s%s: it imports %q", file.Path(), goPackage, face, mapped, got)
					}
				}
			}
		}
	}
}

// Any option that names a package that code can import is meant.
func TestPackagesForGooglesFilesThatAreMeant(t *testing.T) {
	const mine = "example.com/mine/types"
	timestamp := timestamppb.File_google_protobuf_timestamp_proto
	option := "Mgoogle/protobuf/timestamp.proto=" + mine
	for _, c := range []struct{ goPackage, options, want string }{
		{mine, "faces=codec", mine},                                        // protoc-gen-go's structs are there
		{mine, "faces=codec,runtime=gogo", mine},                           // and gogo's
		{mine, "faces=codec,structs=value", googles + "known/timestamppb"}, // those that this generator writes are Google's
		{"types", "faces=codec," + option, mine},
		{"types", "faces=codec,structs=value," + option, mine},
		{"types", "faces=codec,runtime=gogo," + option, mine},
		{"types", "faces=pool," + option, mine + "/typeshot"},
	} {
		result, err := generateOne(t, usesGooglesFile(t, timestamp, c.goPackage), c.options)
		if err != nil {
			t.Fatal(err)
		}
		if got := importsOf(t, result.Outputs); !slices.Equal(got, []string{c.want}) {
			t.Errorf("go_package %q, %s: it imports %q, not %s", c.goPackage, c.options, got, c.want)
		}
	}
}

// Who uses messages of descriptor.proto has the code for them in a package of the own module.
func TestFacesOfDescriptorsAreTheUsers(t *testing.T) {
	for _, file := range googlesFiles {
		if !usersGenerate[file.Path()] {
			continue
		}
		var set []*descriptorpb.FileDescriptorProto
		for _, google := range googlesFiles {
			set = append(set, protodesc.ToFileDescriptorProto(google))
		}
		slices.SortStableFunc(set, func(a, b *descriptorpb.FileDescriptorProto) int { return len(a.Dependency) - len(b.Dependency) })
		name := string(file.Messages().Get(0).FullName())
		set = append(set, planFile(t, fmt.Sprintf(`name: "user.proto" package: "user" syntax: "proto3" options { go_package: "example.com/user" } dependency: %q
			message_type { name: "M"
				field { name: "one" number: 1 type: TYPE_MESSAGE type_name: ".%[2]s" label: LABEL_OPTIONAL }
				field { name: "list" number: 2 type: TYPE_MESSAGE type_name: ".%[2]s" label: LABEL_REPEATED } }
			extension { name: "unit" number: 50001 type: TYPE_STRING label: LABEL_OPTIONAL extendee: ".google.protobuf.FieldOptions" }`, file.Path(), name)))
		set[len(set)-1].Dependency = slices.Compact([]string{file.Path(), "google/protobuf/descriptor.proto"})
		files, options := []string{"user.proto"}, "faces=view+edit+writer+pool+reflect,module=example.com/user"
		for google := range usersGenerate {
			files, options = append(files, google), options+",M"+google+"=example.com/user/google"
		}
		p, err := plan.Build(set, files)
		if err != nil {
			t.Fatal(err)
		}
		result, err := generateOne(t, p, options)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(result.Outputs, func(output emit.Output) bool { return bytes.Contains(output.Content, []byte("E_Unit.")) }) {
			t.Errorf("%s: no handle of an extension of FieldOptions", file.Path())
		}
		c, folders := typecheck.New(), map[string]bool{}
		for _, output := range result.Outputs {
			folder := path.Join("example.com/user", path.Dir(output.Name))
			folders[folder] = true
			if err := c.Add(folder, path.Base(output.Name), string(output.Content)); err != nil {
				t.Fatal(err)
			}
		}
		for folder := range folders {
			if problems, err := c.Check(folder); err != nil || len(problems) > 0 {
				t.Errorf("%s: %v, %s", folder, err, strings.Join(problems, "\n"))
			}
		}
	}
}

// A file that extends options names messages of descriptor.proto, and uses none.
func TestExtensionsOfOptionsNeedNoFacesOfDescriptors(t *testing.T) {
	user := planFile(t, `name: "user.proto" package: "user" syntax: "proto2" options { go_package: "example.com/user" } dependency: "google/protobuf/descriptor.proto"
		message_type { name: "Note" field { name: "text" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL } }
		extension { name: "unit" number: 50001 type: TYPE_STRING label: LABEL_OPTIONAL extendee: ".google.protobuf.FieldOptions" }
		extension { name: "marks" number: 50002 type: TYPE_INT32 label: LABEL_REPEATED extendee: ".google.protobuf.FieldOptions" }
		extension { name: "note" number: 50001 type: TYPE_MESSAGE type_name: ".user.Note" label: LABEL_OPTIONAL extendee: ".google.protobuf.MessageOptions" }`)
	p, err := plan.Build([]*descriptorpb.FileDescriptorProto{protodesc.ToFileDescriptorProto(descriptorpb.File_google_protobuf_descriptor_proto), user}, []string{"user.proto"})
	if err != nil {
		t.Fatal(err)
	}
	for _, faces := range []string{"view", "view+edit", "writer", "pool", "view+edit+writer+pool+reflect"} {
		result, err := generateOne(t, p, "faces="+faces+",module=example.com/user")
		if err != nil {
			t.Errorf("%s: %v", faces, err)
			continue
		}
		if slices.ContainsFunc(result.Outputs, func(output emit.Output) bool { return bytes.Contains(output.Content, []byte("E_Unit")) }) {
			t.Errorf("%s: it has the handle of an extension of a message without code", faces)
		}
		if got := importsOf(t, result.Outputs); slices.ContainsFunc(got, func(path string) bool { return strings.Contains(path, "descriptor") }) {
			t.Errorf("%s: it imports %q", faces, got)
		}
	}
}

func TestStructsWithGooglesFilesOfGogosFolderCompile(t *testing.T) {
	c := typecheck.New()
	for _, file := range googlesFiles {
		result, err := generateOne(t, usesGooglesFile(t, file, "types"), "faces=codec,structs=value")
		if err != nil {
			t.Fatal(err)
		}
		folder := "example.com/user/" + strings.TrimSuffix(path.Base(file.Path()), ".proto")
		for _, output := range result.Outputs {
			if err := c.Add(folder, path.Base(output.Name), string(output.Content)); err != nil {
				t.Fatal(err)
			}
		}
		if problems, err := c.Check(folder); err != nil || len(problems) > 0 {
			t.Errorf("%s: %v, %s", file.Path(), err, strings.Join(problems, "\n"))
		}
	}
}
