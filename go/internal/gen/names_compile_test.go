package gen

import (
	"fmt"
	"math/rand/v2"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
	"github.com/hotpb/hotpb/go/internal/typecheck"
	"github.com/hotpb/hotpb/go/test/staletest"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

const everyFace = "faces=view+edit+reencode+writer+rewrite+pool+canonical+reflect"

// Names that generated code makes of other names, as %s, and that users may have themselves.
var (
	aroundMessages = []string{
		"New%s", "%sWriter", "New%sWriter", "%sView", "%sEdit", "%sSlabs", "%sReencoder", "%sHotTable", "%sHotLayout", "hotTable%s", "hotLayout%s", "%s_", "%s_Inner", "%s_Ext",
		"E_%s", "%s_value", "%s_Value_Number", "%s_builder", "Canonical_names", "Reencoders_names", "Rewriters_names",
		"Writers_names", "Extensions_names", "slabsHot%s", "tableHot%s", "fieldsOf%s", "box0Hot%s", "guardHot_names",
	}
	aroundFields = []string{
		"%s", "get_%s", "set_%s", "has_%s", "clear_%s", "add_%s", "new_%s", "edit_%s", "put_%s", "delete_%s", "append_%s", "insert_%s",
		"remove_%s", "mutable_%s", "open_%s", "packed_%s", "which_%s", "%s_len", "%s_iter", "%s_at", "%s_message", "%s_parts", "%s_with",
		"%s_raw", "%s_into", "set_%s_parts", "set_%s_with", "set_%s_raw", "new_%s_into", "edit_%s_into", "%s_number", "%s_not_set_case", "_%s",
		"%s_", "%s_1", "%s_entry", "%s_bytes",
	}
	anyNames = []string{
		"x", "value", "order", "m", "b", "i", "d", "e", "s", "o", "v", "w", "n", "at", "tag", "key", "from", "start", "list", "raw", "slots", "ed",
		"type", "func", "range", "map", "chan", "go", "select", "var", "interface", "default", "package", "import", "return", "switch", "struct",
		"string", "len", "append", "copy", "error", "nil", "true", "int32", "uint64", "bool", "byte", "any", "min", "max", "new", "make", "iota",
		"size", "reset", "marshal", "unmarshal", "decode", "decode_with", "scan", "bytes", "unknown_fields", "end", "is_open", "append_raw", "view",
		"size_hot", "decode_at_hot", "decode_hot", "encode_hot", "marshal_append", "proto_message", "proto_reflect", "descriptor", "clone", "equal", "start_at",
		"hidden_hot", "table_hot", "unmarshal_view", "wire", "pool", "writer", "codec", "google", "math", "strconv", "handle", "count_hot",
		strings.Repeat("n", 63), strings.Repeat("long_", 23) + "x", strings.Repeat("n", 255), strings.Repeat("n", 600),
	}
)

// nameSchema makes schemas of names that meet.
type nameSchema struct {
	*rand.Rand
}

func (s *nameSchema) any() string { return anyNames[s.IntN(len(anyNames))] }

func (s *nameSchema) cased(name string) string {
	switch s.IntN(3) {
	case 0:
		return strings.ToUpper(name[:1]) + name[1:]
	case 1:
		return emit.GoCamelCase(name)
	}
	return name
}

// file is a schema in which every name is used once in its scope, as protoc wants it.
func (s *nameSchema) file() *descriptorpb.FileDescriptorProto {
	f := &descriptorpb.FileDescriptorProto{Name: proto.String("names.proto"), Package: proto.String("p"), Syntax: proto.String("proto2")}
	claimed := map[string]bool{}
	claim := func(name string) (string, bool) {
		if claimed[name] || strings.ContainsAny(name, "%") {
			return "", false
		}
		claimed[name] = true
		return name, true
	}
	stem := s.cased(s.any())
	names := []string{}
	add := func(name string) {
		if name, free := claim(name); free {
			names = append(names, name)
		}
	}
	add(stem)
	for range 5 {
		name := fmt.Sprintf(strings.ReplaceAll(aroundMessages[s.IntN(len(aroundMessages))], "_names", "_names%.0s"), stem)
		if s.IntN(3) == 0 {
			name = s.cased(s.any())
		}
		add(name)
	}
	if value := fmt.Sprintf("%s_%s", stem, s.any()); true {
		kind, free := claim("Kind" + s.cased(s.any()))
		value, valueFree := claim(value)
		if free && valueFree {
			f.EnumType = append(f.EnumType, &descriptorpb.EnumDescriptorProto{Name: &kind, Value: []*descriptorpb.EnumValueDescriptorProto{
				{Name: &value, Number: proto.Int32(0)}}})
		}
	}
	for n, name := range names {
		m := s.messageOf(f, name, names)
		if n == 0 { // one inside, and an enum, that may be called as another one outside
			if inner := s.messageOf(f, "Inner", names); s.IntN(2) == 0 {
				m.NestedType = append(m.NestedType, inner)
			}
			m.ExtensionRange = []*descriptorpb.DescriptorProto_ExtensionRange{{Start: proto.Int32(1000), End: proto.Int32(2000)}}
		}
		f.MessageType = append(f.MessageType, m)
	}
	for n := range 3 {
		if name, free := claim(fmt.Sprintf(aroundFields[s.IntN(len(aroundFields))], s.any())); free {
			x := s.fieldOf(f, name, int32(1000+n), names)
			x.Extendee = proto.String(".p." + names[0])
			f.Extension = append(f.Extension, x)
		}
	}
	return f
}

func (s *nameSchema) messageOf(f *descriptorpb.FileDescriptorProto, name string, names []string) *descriptorpb.DescriptorProto {
	m := &descriptorpb.DescriptorProto{Name: &name}
	claimed := map[string]bool{"Inner": true}
	stem := s.any()
	for number := int32(1); number < 9; number++ {
		name := fmt.Sprintf(aroundFields[s.IntN(len(aroundFields))], stem)
		if s.IntN(3) == 0 {
			name = s.cased(s.any())
		}
		if claimed[name] || len(name) > 700 {
			continue
		}
		claimed[name] = true
		field := s.fieldOf(f, name, number, names)
		if number > 6 {
			field.Label = descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()
			field.OneofIndex = proto.Int32(0)
		}
		m.Field = append(m.Field, field)
	}
	if len(m.Field) > 0 && m.Field[len(m.Field)-1].OneofIndex != nil {
		name := fmt.Sprintf(aroundFields[s.IntN(len(aroundFields))], stem)
		for claimed[name] {
			name += "_o"
		}
		m.OneofDecl = []*descriptorpb.OneofDescriptorProto{{Name: &name}}
	}
	return m
}

func (s *nameSchema) fieldOf(f *descriptorpb.FileDescriptorProto, name string, number int32, names []string) *descriptorpb.FieldDescriptorProto {
	labels := []descriptorpb.FieldDescriptorProto_Label{1, 1, 3}
	kinds := []descriptorpb.FieldDescriptorProto_Type{5, 9, 12, 11, 11, 8, 1}
	field := &descriptorpb.FieldDescriptorProto{Name: &name, Number: &number, Label: labels[s.IntN(len(labels))].Enum(), Type: kinds[s.IntN(len(kinds))].Enum()}
	switch {
	case field.GetType() == descriptorpb.FieldDescriptorProto_TYPE_MESSAGE:
		field.TypeName = proto.String(".p." + names[s.IntN(len(names))])
	case len(f.EnumType) > 0 && s.IntN(6) == 0:
		field.Type = descriptorpb.FieldDescriptorProto_TYPE_ENUM.Enum()
		field.TypeName = proto.String(".p." + f.EnumType[0].GetName())
	}
	return field
}

// generateInto generates in this process, and adds the files to packages.
func generateInto(t *testing.T, c *typecheck.Checker, set []*descriptorpb.FileDescriptorProto, parameter string) (packages []string) {
	t.Helper()
	var requested []string
	for _, file := range set {
		requested = append(requested, file.GetName())
	}
	p, err := plan.Build(set, requested)
	if err != nil {
		t.Fatal(err)
	}
	options, err := emit.ParseOptions(parameter)
	if err != nil {
		t.Fatal(err)
	}
	result, err := emit.Generate(p, options)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, output := range result.Outputs {
		folder, name := path.Split(output.Name)
		folder = path.Clean(folder)
		if err := c.Add(folder, name, string(output.Content)); err != nil {
			t.Fatal(err)
		}
		if !seen[folder] {
			seen[folder] = true
			packages = append(packages, folder)
		}
	}
	return packages
}

// Names that meet: messages, fields, oneofs, enums and extensions that are called as what generated code makes of each
// other's names, as words of Go, and as its own variables. All faces of all of them compile.
func TestGeneratedCodeCompilesWhateverNamesMeet(t *testing.T) {
	rounds := 60
	if testing.Short() || !staletest.Thorough() {
		rounds = 8
	}
	c := typecheck.New()
	tried, failures := 0, 0
	for seed := range uint64(rounds) {
		s := &nameSchema{Rand: rand.New(rand.NewPCG(seed, 15))}
		file := s.file()
		goPackage := fmt.Sprintf("example.com/names%d", seed)
		file.Options = &descriptorpb.FileOptions{GoPackage: proto.String(goPackage + ";names")}
		if _, err := protodesc.NewFile(file, nil); err != nil {
			continue // names that protoc refuses, too
		}
		tried++
		if failures += checkCompiles(t, c, generateInto(t, c, []*descriptorpb.FileDescriptorProto{file}, everyFace), file); failures > 3 {
			return
		}
	}
	if tried < rounds/2 {
		t.Errorf("only %d of %d schemas were good", tried, rounds)
	}
}

func checkCompiles(t *testing.T, c *typecheck.Checker, packages []string, file *descriptorpb.FileDescriptorProto) (failures int) {
	t.Helper()
	for _, name := range packages {
		problems, err := c.Check(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(problems) > 0 {
			failures++
			text, schema := strings.Join(problems, "\n"), file.String()
			t.Errorf("%s does not compile:\n%s\n%s", name, text[:min(len(text), 1000)], schema[:min(len(schema), 4000)])
		}
	}
	return failures
}

// Files beside the stock structs, too, as long as these compile by themselves.
func TestFastMethodsCompileWhateverNamesMeet(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds protoc-gen-go")
	}
	stock := filepath.Join(t.TempDir(), "protoc-gen-go")
	staletest.Build(t, stock, "google.golang.org/protobuf/cmd/protoc-gen-go")
	c := typecheck.New()
	rounds := 60
	if !staletest.Thorough() {
		rounds = 12
	}
	tried, failures := 0, 0
	for seed := range uint64(rounds) {
		s := &nameSchema{Rand: rand.New(rand.NewPCG(seed, 16))}
		file := s.file()
		options := "default_api_level=" + []string{"API_OPEN", "API_OPAQUE", "API_HYBRID"}[seed%3]
		alone := fmt.Sprintf("example.com/alone%d", seed)
		together := fmt.Sprintf("example.com/both%d", seed)
		file.Options = &descriptorpb.FileOptions{GoPackage: proto.String(together + ";names")}
		if _, err := protodesc.NewFile(file, nil); err != nil {
			continue
		}
		for _, f := range staletest.Generate(t, stock, options, file) {
			for _, in := range []string{alone, together} {
				if err := c.Add(in, f.Name, f.Content); err != nil {
					t.Fatal(err)
				}
			}
		}
		if problems, err := c.Check(alone); err != nil {
			t.Fatal(err)
		} else if len(problems) > 0 {
			continue
		}
		p, err := plan.Build([]*descriptorpb.FileDescriptorProto{file}, []string{"names.proto"})
		if err != nil {
			t.Fatal(err)
		}
		result, err := generateOne(t, p, "faces=codec,protomethods=true,compat=csproto+vtproto,pool=**,"+options)
		if err != nil {
			if strings.Contains(err.Error(), "which is also a method of the face codec") { // refused by name
				continue
			}
			t.Fatal(err)
		}
		for _, output := range result.Outputs {
			if err := c.Add(together, path.Base(output.Name), string(output.Content)); err != nil {
				t.Fatal(err)
			}
		}
		tried++
		if failures += checkCompiles(t, c, []string{together}, file); failures > 3 {
			return
		}
	}
	if tried < rounds/4 {
		t.Errorf("only %d schemas were tried", tried)
	}
}

// Messages of packages whose names are those of variables in generated functions, of types of Go, or of packages that
// generated code imports.
func TestFastMethodsCompileWhateverImportedPackagesAreCalled(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds protoc-gen-go")
	}
	stock := filepath.Join(t.TempDir(), "protoc-gen-go")
	staletest.Build(t, stock, "google.golang.org/protobuf/cmd/protoc-gen-go")
	c := typecheck.New()
	names := append(slices.Clone(emit.LocalNames), "box1", "has0", "v3", "string", "len", "int32", "error", "append", "nil", "uint64", "bool", "copy",
		"codec", "google", "wire", "binary", "math", "atomic", "sync")
	const folder = "example.com/called"
	var set []*descriptorpb.FileDescriptorProto
	imports, messages := "", ""
	for _, name := range names {
		if emit.GoCamelCase(name) == "ExtensionFields" || emit.GoCamelCase(name) == "UnknownFields" || emit.GoCamelCase(name) == "SizeCache" {
			continue // not in lower case, as packages are
		}
		child := planFile(t, fmt.Sprintf(`name: "%[1]s.proto" package: "of_%[1]s" options { go_package: "%[2]s/%[1]s;%[1]s" } message_type { name: "Child" }`, name, folder))
		for _, f := range staletest.Generate(t, stock, "", child) {
			if err := c.Add(folder+"/"+name, f.Name, f.Content); err != nil {
				t.Fatal(err)
			}
		}
		set = append(set, child)
		imports += fmt.Sprintf(" dependency: '%s.proto'", name)
		messages += fmt.Sprintf(` message_type { name: "M_%[1]s" extension_range { start: 100 end: 200 }
			field { name: "id" number: 1 label: LABEL_REQUIRED type: TYPE_INT32 }
			field { name: "one" number: 2 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".of_%[1]s.Child" }
			field { name: "many" number: 3 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".of_%[1]s.Child" }
			field { name: "texts" number: 4 label: LABEL_REPEATED type: TYPE_STRING }
			field { name: "packed" number: 5 label: LABEL_REPEATED type: TYPE_SINT64 options { packed: true } }
			field { name: "by_id" number: 7 label: LABEL_REPEATED type: TYPE_MESSAGE type_name: ".p.M_%[1]s.ByIdEntry" }
			field { name: "pick" number: 8 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".of_%[1]s.Child" oneof_index: 0 }
			oneof_decl { name: "o" }
			nested_type { name: "ByIdEntry" options { map_entry: true }
				field { name: "key" number: 1 label: LABEL_OPTIONAL type: TYPE_INT32 }
				field { name: "value" number: 2 label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".of_%[1]s.Child" } } }`, name)
	}
	main := planFile(t, `name: "main.proto" package: "p" syntax: "proto2" options { go_package: "`+folder+`;p" }`+imports+messages)
	set = append(set, main)
	for _, f := range staletest.Generate(t, stock, "", set...) {
		if err := c.Add(folder, f.Name, f.Content); err != nil {
			t.Fatal(err)
		}
	}
	p, err := plan.Build(set, []string{"main.proto"})
	if err != nil {
		t.Fatal(err)
	}
	result, err := generateOne(t, p, "faces=codec,protomethods=true")
	if err != nil {
		t.Fatal(err)
	}
	for _, output := range result.Outputs {
		if err := c.Add(folder, path.Base(output.Name), string(output.Content)); err != nil {
			t.Fatal(err)
		}
	}
	checkCompiles(t, c, []string{folder}, main)
}

func planFile(t *testing.T, text string) *descriptorpb.FileDescriptorProto {
	t.Helper()
	file := new(descriptorpb.FileDescriptorProto)
	if err := prototext.Unmarshal([]byte(text), file); err != nil {
		t.Fatal(err)
	}
	return file
}
