package codec

import (
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

func valueFileName(f *emit.File) string {
	return f.Claim("fileHot", "the descriptor of "+f.Plan.Name)
}

// emitValueFile writes the parts that the structs of a file share: its enums and its descriptor.
func emitValueFile(f *emit.File, types []*codecType) {
	for _, enum := range f.Enums() {
		emitValueEnum(f, enum)
	}
	emitPublicImports(f)
	if len(types) == 0 {
		return
	}
	name := valueFileName(f)
	f.P("// ", name, " is the descriptor of ", f.Plan.Name, ", for reflection. It is read when a message is first asked for it.")
	f.P("var ", name, " = ", CodecRuntime(f, "File"), "{\nRaw: ", rawDescriptor(f.Plan.Descriptor), ",")
	var imports []string
	needed, known := needs{}, map[*plan.File]bool{f.Plan: true}
	for _, c := range types {
		for _, field := range c.StockFields {
			element := field.Field
			if field.Map != nil {
				element = field.Map.Value
			}
			if element.Message == nil || f.Options.StockRuntime().CustomOf(field.Field).IsForeign() {
				needed.add(element)
				continue
			}
			if known[element.Message.File] {
				continue
			}
			known[element.Message.File] = true
			imports = append(imports, "func() "+f.Ident("google.golang.org/protobuf/reflect/protoreflect", "MessageDescriptor")+
				" { return (*"+c.structName(element.Message)+")(nil).ProtoReflect().Descriptor() },")
		}
	}
	if len(imports) > 0 {
		f.P("Imports: []func() ", f.Ident("google.golang.org/protobuf/reflect/protoreflect", "MessageDescriptor"), "{")
		for _, line := range imports {
			f.P(line)
		}
		f.P("},")
	}
	var others []string
	for _, imported := range withImports(f.Gen.Plan, f.Plan) {
		if needed[imported] && !known[imported] && !slices.Contains(linkedFiles, imported.Name) {
			others = append(others, rawDescriptor(imported.Descriptor)+",")
		}
	}
	if len(others) > 0 {
		f.P("Others: []string{")
		for _, raw := range others {
			f.P(raw)
		}
		f.P("},")
	}
	f.P("}\n")
}

// withImports returns a file and all files that it imports, each after its own imports.
func withImports(p *plan.Plan, file *plan.File) (files []*plan.File) {
	byName := map[string]*plan.File{}
	for _, listed := range p.AllFiles {
		byName[listed.Name] = listed
	}
	var add func(imported *plan.File)
	add = func(imported *plan.File) {
		if imported == nil || byName[imported.Name] == nil { // it was added before
			return
		}
		delete(byName, imported.Name)
		for _, name := range imported.Dependencies {
			add(byName[name])
		}
		files = append(files, imported)
	}
	add(file)
	return files
}

// linkedFiles are the files whose descriptors package value links.
var linkedFiles = []string{"google/protobuf/descriptor.proto", "google/protobuf/duration.proto", "google/protobuf/timestamp.proto", "google/protobuf/wrappers.proto"}

// needs are the files of the types of fields, and of the fields of these.
type needs map[*plan.File]bool

func (n needs) add(fields ...*plan.Field) {
	seen := map[*plan.Message]bool{}
	for len(fields) > 0 {
		field := fields[0]
		fields = fields[1:]
		if field.Enum != nil {
			n[field.Enum.File] = true
		}
		if m := field.Message; m != nil && !seen[m] {
			seen[m], n[m.File] = true, true
			fields = append(fields, m.Fields...)
		}
		if field.Map != nil {
			fields = append(fields, field.Map.Value)
		}
	}
}

// rawDescriptor is the expression of a descriptor, without the positions in the source.
func rawDescriptor(file *descriptorpb.FileDescriptorProto) string {
	file = proto.Clone(file).(*descriptorpb.FileDescriptorProto)
	file.SourceCodeInfo = nil
	raw, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(file)
	if err != nil {
		panic("gen: a descriptor that was read cannot be written: " + err.Error())
	}
	expression := `""`
	for part := range slices.Chunk(raw, 60) {
		expression += " +\n" + strconv.Quote(string(part))
	}
	return expression
}

// emitValueEnum writes an enum as gogo's generator does.
func emitValueEnum(f *emit.File, enum *plan.Enum) {
	name := f.EnumName(enum)
	if enum.GogoBool(plan.GogoEnumDecl, true) {
		comment := enum.Comment
		if comment == "" {
			comment = name + " is the enum " + enum.Name + "."
		}
		f.Comment(comment)
		f.P("type ", name, " int32\n\nconst (")
		for _, value := range enum.Values {
			f.Comment(value.Comment)
			f.P(valueConstant(f, enum, value), " ", name, " = ", value.Number)
		}
		f.P(")\n")
	}
	f.P("var ", name, "_name = map[int32]string{")
	seen := map[int32]bool{}
	for _, value := range enum.Values {
		if !seen[value.Number] {
			seen[value.Number] = true
			f.Printf("%d: %q,\n", value.Number, value.Name)
		}
	}
	f.P("}\n\nvar ", name, "_value = map[string]int32{")
	for _, value := range enum.Values {
		f.Printf("%q: %d,\n", value.Name, value.Number)
	}
	f.P("}\n")
	if enum.File.Syntax == "proto2" {
		f.P("// Enum returns a pointer to a new variable with the value.")
		f.P("func (x ", name, ") Enum() *", name, " { return &x }\n")
		f.P("// UnmarshalJSON reads a name or a number.")
		f.P("func (x *", name, ") UnmarshalJSON(b []byte) error { return ", CodecRuntime(f, "EnumFromJSON"), "(x, b, ", name, "_value) }\n")
	}
	if enum.GogoBool(plan.GogoEnumStringer, true) || enum.GogoBool(plan.GogoOwnEnumStringer, false) {
		f.P("// String returns the name of the value, or its number if the schema has no name for it.")
		f.P("func (x ", name, ") String() string { return ", CodecRuntime(f, "EnumName"), "(x, ", name, "_name) }\n")
	}
}

// valueConstant is the name of an enum's value in its package. Options of gogo change it.
func valueConstant(f *emit.File, enum *plan.Enum, value *plan.EnumValue) string {
	name, own := f.Gen.NamesOf(enum.File).Values[value], value.GogoOptions.Text(plan.GogoValueCustomName)
	if enum.GogoBool(plan.GogoEnumPrefix, true) && own == "" {
		return name
	}
	prefix := ""
	if enum.GogoBool(plan.GogoEnumPrefix, true) {
		prefix = name[:len(name)-len(value.Name)]
	}
	if own == "" {
		own = value.Name
	}
	return prefix + own
}
