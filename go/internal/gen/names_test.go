package gen

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/types/descriptorpb"
)

// planText plans files given as text, all requested.
func planText(t testing.TB, files ...string) *plan.Plan {
	t.Helper()
	var set []*descriptorpb.FileDescriptorProto
	var requested []string
	for i, text := range files {
		file := new(descriptorpb.FileDescriptorProto)
		if !strings.Contains(text, "name:") || !strings.HasPrefix(text, "name:") {
			text = fmt.Sprintf("name: 'd/f%d.proto' ", i) + text
		}
		if err := prototext.Unmarshal([]byte(text), file); err != nil {
			t.Fatal(err)
		}
		set = append(set, file)
		requested = append(requested, file.GetName())
	}
	p, err := plan.Build(set, requested)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestGoNamesFollowTheRuleOfGoGenerators(t *testing.T) {
	for name, want := range map[string]string{
		"foo_bar": "FooBar", "foo": "Foo", "Foo": "Foo", "fooBar": "FooBar", "FOO_BAR": "FOO_BAR", "_foo": "XFoo", "foo_": "Foo_",
		"foo__bar": "Foo_Bar", "foo_1": "Foo_1", "foo1bar": "Foo1Bar", "Outer.Inner": "Outer_Inner", "outer.inner": "OuterInner",
		"Outer._inner": "Outer_XInner", "_": "X", "a_b_c": "ABC", "type": "Type",
	} {
		if got := emit.GoCamelCase(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func viewNames(*plan.Message) []string { return []string{"View"} }

// FCE-14
func TestNameOfTheUsersOwnWinsOverAGeneratedOneAndIsReported(t *testing.T) {
	withFaces(t, emit.Face{Name: "view", TypeSuffixes: viewNames, Emit: nothing})
	p := planText(t, `package: "p" syntax: "proto3"
		message_type { name: "Foo" nested_type { name: "Bar" } nested_type { name: "baz" } }
		message_type { name: "FooView" }
		message_type { name: "Foo_Bar" }
		enum_type { name: "FooViewView" value { name: "A" number: 0 } }`)
	var warnings []string
	n := emit.NewNames(p.AllFiles, false, func(text string) { warnings = append(warnings, text) })
	var got []string
	for _, message := range p.Messages {
		got = append(got, n.Messages[message]+" "+n.Derived[emit.DerivedName{Message: message, Suffix: "View"}])
	}
	want := []string{"Foo FooView_", "Foo_Bar Foo_BarView", "FooBaz FooBazView", "FooView FooViewView_", "Foo_Bar_ Foo_Bar_View"}
	if !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	wantWarnings := []string{
		"message p.Foo_Bar is called Foo_Bar_ in Go, because message p.Foo.Bar has the name Foo_Bar",
		"the view of message p.Foo is called FooView_ in Go, because message p.FooView has the name FooView",
		"the view of message p.FooView is called FooViewView_ in Go, because enum p.FooViewView has the name FooViewView",
	}
	if !slices.Equal(warnings, wantWarnings) {
		t.Errorf("warnings %q", warnings)
	}
}

func TestEnumValuesStandInTheScopeAroundTheirEnum(t *testing.T) {
	withFaces(t)
	p := planText(t, `package: "p" enum_type { name: "Kind" value { name: "KIND_A" number: 0 } }
		message_type { name: "M" enum_type { name: "Kind" value { name: "a" number: 0 } } extension_range { start: 1 end: 9 } }
		extension { name: "some_ext" number: 1 label: LABEL_OPTIONAL type: TYPE_BOOL extendee: ".p.M" }`)
	n := emit.NewNames(p.AllFiles, false, func(text string) { t.Error(text) })
	var got []string
	for _, enum := range p.Enums {
		got = append(got, n.Enums[enum], n.Values[enum.Values[0]])
	}
	got = append(got, n.Extensions[p.Extensions[0].Fields[0]])
	if want := "Kind Kind_KIND_A M_Kind M_a E_SomeExt"; strings.Join(got, " ") != want {
		t.Errorf("names %q, want %q", got, want)
	}
}

func TestMethodsOfOneMessageDoNotMeet(t *testing.T) {
	p := planText(t, `package: "p" syntax: "proto3" message_type { name: "M"
		field { name: "bytes" number: 1 type: TYPE_BOOL }
		field { name: "x" number: 2 type: TYPE_BOOL }
		field { name: "has_x" number: 3 type: TYPE_BOOL }
		field { name: "Has_x" number: 4 type: TYPE_BOOL }
		field { name: "which_o" number: 5 type: TYPE_BOOL }
		field { name: "member" number: 6 type: TYPE_BOOL oneof_index: 0 }
		oneof_decl { name: "o" } }`)
	var warnings []string
	f := &emit.File{Gen: &emit.Generator{Warned: map[string]bool{}}}
	fields, oneofs := f.Members(p.Messages[0], []string{"Bytes"},
		func(_ *plan.Field, name string) []string { return []string{name, "Has" + name} },
		func(_ *plan.Oneof, name string) []string { return []string{"Which" + name} })
	warnings = f.Gen.Warnings
	var got []string
	for _, field := range p.Messages[0].Fields {
		got = append(got, fields[field])
	}
	got = append(got, oneofs[p.Messages[0].Oneofs[0]])
	if want := "Bytes_ X HasX_ HasX__ WhichO Member O_"; strings.Join(got, " ") != want {
		t.Errorf("names %q, want %q", got, want)
	}
	if len(warnings) != 4 {
		t.Errorf("warnings %q", warnings)
	}
}

func TestPackageIsASubfolderOfTheStockOne(t *testing.T) {
	for _, c := range []struct {
		options, file, goPackage string
		path, name, output       string // output "" is an error
	}{
		{"", "foo/foo.proto", "example.com/foo;foo", "example.com/foo/foohot", "foohot", "example.com/foo/foohot/foo.hot.go"},
		{"", "foo/foo.proto", "example.com/foo/v1;foov1", "example.com/foo/v1/foov1hot", "foov1hot", "example.com/foo/v1/foov1hot/foo.hot.go"},
		{"", "foo/foo.proto", "example.com/foo-bar", "example.com/foo-bar/foo_barhot", "foo_barhot", "example.com/foo-bar/foo_barhot/foo.hot.go"},
		{"", "foo.proto", "example.com/1st", "example.com/1st/_1sthot", "_1sthot", "example.com/1st/_1sthot/foo.hot.go"},
		{"paths=source_relative", "dir/foo.proto", "example.com/foo", "example.com/foo/foohot", "foohot", "dir/foohot/foo.hot.go"},
		{"module=example.com/foo", "dir/foo.proto", "example.com/foo/bar", "example.com/foo/bar/barhot", "barhot", "bar/barhot/foo.hot.go"},
		{"module=example.com/foo", "dir/foo.proto", "", "example.com/foo/dir/dirhot", "dirhot", "dir/dirhot/foo.hot.go"},
		{"module=example.com/foo", "foo.proto", "", "example.com/foo/foohot", "foohot", "foohot/foo.hot.go"},
		{"Mfoo.proto=example.com/bar", "foo.proto", "example.com/foo", "example.com/bar/barhot", "barhot", "example.com/bar/barhot/foo.hot.go"},
		{"", "google/protobuf/any.proto", "google.golang.org/protobuf/types/known/anypb", emit.RuntimePath + "/wkt", "wkt", emit.RuntimePath + "/wkt/any.hot.go"},
		{"module=" + emit.RuntimePath, "google/protobuf/any.proto", "x.y/z", emit.RuntimePath + "/wkt", "wkt", "wkt/any.hot.go"},
		{"", "google/protobuf/descriptor.proto", "google.golang.org/protobuf/types/descriptorpb", "", "", ""},
		{"module=example.com/you,Mgoogle/protobuf/descriptor.proto=example.com/you/pb", "google/protobuf/descriptor.proto", "", "example.com/you/pb/pbhot", "pbhot", "pb/pbhot/descriptor.hot.go"},
		{"", "foo.proto", "", "", "", ""},
		{"", "foo.proto", "foo", "", "", ""},
		{"", "foo.proto", ";foo", "", "", ""},
		{"", "foo.proto", "../foo", "", "", ""},
		{"", "foo.proto", "/abs/foo", "", "", ""},
		{"", "foo.proto", "example.com/a b", "", "", ""},
		{"", "foo.proto", "example.com/a\";import \"os", "", "", ""},
		{"", "foo\n.proto", "example.com/foo", "", "", ""},
		{"module=example.com/other", "foo.proto", "example.com/foo", "", "", ""},
		{"paths=source_relative", "../foo.proto", "example.com/foo", "", "", ""},
		{"paths=source_relative", "/foo.proto", "example.com/foo", "", "", ""},
	} {
		withFaces(t, full)
		o, err := emit.ParseOptions(c.options)
		if err != nil {
			t.Fatal(err)
		}
		file := &plan.File{Name: c.file, GoPackage: c.goPackage}
		var output string
		in, err := o.PackageOf(file, false)
		if err == nil {
			output, err = o.OutputName(file, in, ".hot.go")
		}
		if (err != nil) != (c.output == "") {
			t.Errorf("%+v: error %v", c, err)
		}
		if c.output != "" && (in.Path != c.path || in.Name != c.name || output != c.output) {
			t.Errorf("%+v: %+v %s", c, in, output)
		}
	}
}

// COD-130: what the generators of the stock structs make of go_package.
func TestFastMethodsAreWhereTheirGeneratorsPutTheStructs(t *testing.T) {
	for _, c := range []struct {
		options, file, goPackage string
		name, output             string // "" and "": refused
	}{
		{"", "d/foo.proto", "example.com/foo", "foo", "example.com/foo/foo.hot.go"},
		{"", "d/foo.proto", "./pb", "pb", "pb/foo.hot.go"},
		{"", "d/foo.proto", "/pb", "pb", "pb/foo.hot.go"},
		{"", "d/foo.proto", "./", "__", "foo.hot.go"},
		{"", "d/foo.proto", "./;pb", "pb", "foo.hot.go"},
		{"", "d/foo.proto", ".;pb", "pb", "foo.hot.go"},
		{"", "d/foo.proto", "example.com/foo/", "foo", "example.com/foo/foo.hot.go"},
		{"paths=source_relative", "d/foo.proto", "./pb", "pb", "d/foo.hot.go"},
		{"", "d/foo.proto", "pb", "", ""},
		{"", "d/foo.proto", "../pb", "", ""},
		{"", "d/foo.proto", "//pb", "", ""},
		{"module=example.com/other", "d/foo.proto", "./pb", "", ""},
		{"runtime=gogofaster", "d/foo.proto", "prompb", "prompb", "d/foo.hot.go"},
		{"runtime=v1", "foo.proto", "foo.v1", "foo_v1", "foo.hot.go"},
		{"structs=value,paths=source_relative", "d/foo.proto", "prompb", "prompb", "d/foo.hot.go"},
		{"runtime=gogo", "d/foo.proto", "./pb", "pb", "pb/foo.hot.go"},
		{"runtime=gogo", "d/foo.proto", "", "raft_pb", "d/foo.hot.go"}, // of package raft.pb
		{"runtime=gogo,module=example.com/x", "d/foo.proto", "", "d", "d/foo.hot.go"},
		{"", "d/foo.proto", "", "", ""},
		{"runtime=gogo,Md/foo.proto=pb", "d/foo.proto", "prompb", "", ""},
	} {
		o, err := emit.ParseOptions("faces=codec," + c.options)
		if err != nil {
			t.Fatal(err)
		}
		file := &plan.File{Name: c.file, Package: "raft.pb", GoPackage: c.goPackage}
		var output string
		in, err := o.PackageOf(file, true)
		if err == nil {
			output, err = o.OutputName(file, in, ".hot.go")
		}
		if (err != nil) != (c.output == "") || c.output != "" && (in.Name != c.name || output != c.output) {
			t.Errorf("%+v: package %s in %s, %v", c, in.Name, output, err)
		}
	}
}

func TestManyCollisionsStayCheapAndShort(t *testing.T) {
	n := &emit.Names{Taken: map[string]string{}, Tried: map[string]int{}, Warn: func(string) {}}
	seen := map[string]bool{}
	for i := range 50000 {
		name := n.Claim("Foo", "test")
		if seen[name] || len(name) > len("Foo____")+5 {
			t.Fatalf("claim %d gives %s", i, name)
		}
		seen[name] = true
	}
}
