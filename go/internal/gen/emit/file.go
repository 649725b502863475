package emit

import (
	"bytes"
	"fmt"
	"go/format"
	"go/token"
	"go/types"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// File is a Go file that is being written. Emitters append to it with P, and get all names from it that are not
// their own.
type File struct {
	Plan    *plan.File
	Options *Options

	Gen     *Generator
	In      GoPackage
	Names   *Names
	Body    bytes.Buffer
	Imports map[string]string // import path -> its name in this file
	variant variant
	Part    outputPart
	Views   map[any]any // the output of the view face, by message and extension: its extras need the names
	shared  shared
	encodes bool
}

// Encodes notes that the file has encoders in which each step stores the buffer for the next one. Staticcheck
// would report the last step.
func (f *File) Encodes() { f.encodes = true }

// P writes its arguments one after the other, and a newline.
func (f *File) P(parts ...any) {
	for _, part := range parts {
		fmt.Fprint(&f.Body, part)
	}
	f.Body.WriteByte('\n')
}

// Printf writes formatted text as it is; indentation is gofmt's job.
func (f *File) Printf(text string, args ...any) { fmt.Fprintf(&f.Body, text, args...) }

// Comment writes a .proto comment as Go comment lines.
func (f *File) Comment(text string) {
	text = strings.Map(func(r rune) rune {
		// The Go scanner rejects these even in comments.
		if r == 0 || r == '\uFEFF' || r == '\r' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	if strings.TrimSpace(text) == "" {
		return
	}
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, " \t")
		if line != "" && line[0] != ' ' && line[0] != '\t' {
			line = " " + line // so that it is never a directive such as //go:linkname
		}
		if strings.HasPrefix(line, "\t") {
			line = " " + line
		}
		f.P("//", line)
	}
}

// Import adds an import of a package and returns the name that qualifies its identifiers.
func (f *File) Import(importPath string) string {
	if name := f.Imports[importPath]; name != "" {
		return name
	}
	wanted := cleanPackageName(path.Base(importPath))
	if known := f.Gen.PackageNames[importPath]; known != "" {
		wanted = known
	}
	if isLocalName(wanted) {
		wanted = "pkg_" + wanted // a plain number could yield the name of another variable
	}
	name := wanted
	for i := 1; f.importTaken(name); i++ {
		name = wanted + strconv.Itoa(i)
	}
	f.Imports[importPath] = name
	return name
}

// LocalNames are variables of generated functions. A package with such a name could not be used there. Packages of
// faces end in hot; packages of stock structs may have any name.
var LocalNames = strings.Fields(`at b before begin box d dest e elem end ended entries entry err extensionFields first fresh from hot
	i j k key keys levels list m n next o p pair partial path raw records room row s size sizeCache slot start state tag unknownFields v
	value values w was wrapper written x`)

// isLocalName reports whether a name is such a variable, perhaps with a number, or is predeclared in Go.
func isLocalName(name string) bool {
	if slices.Contains(LocalNames, name) || types.Universe.Lookup(name) != nil {
		return true
	}
	stem := strings.TrimRight(name, "0123456789")
	switch stem {
	case "box", "has", "v":
		return stem != name
	}
	field, has := strings.CutPrefix(name, "has") // of a field
	return has && field != "" && 'A' <= field[0] && field[0] <= 'Z'
}

func (f *File) importTaken(name string) bool {
	if f.Names.Taken[name] != "" || token.IsKeyword(name) || isLocalName(name) {
		return true
	}
	for _, imported := range f.Imports {
		if imported == name {
			return true
		}
	}
	return false
}

// Ident returns a qualified identifier of another package.
func (f *File) Ident(importPath, name string) string { return f.Import(importPath) + "." + name }

// Wire returns an identifier of the runtime's package wire.
func (f *File) Wire(name string) string { return f.Ident(RuntimePath+"/rt/wire", name) }

// View returns an identifier of the runtime's package view.
func (f *File) View(name string) string { return f.Ident(RuntimePath+"/rt/view", name) }

// Writer returns an identifier of the runtime's package writer.
func (f *File) Writer(name string) string { return f.Ident(RuntimePath+"/rt/writer", name) }

// Pool returns an identifier of the runtime's package pool.
func (f *File) Pool(name string) string { return f.Ident(RuntimePath+"/rt/pool", name) }

// IsSelected reports whether a message or map entry is generated.
func (f *File) IsSelected(m *plan.Message) bool { return f.Gen.isSelected(m) }

func (g *Generator) isSelected(m *plan.Message) bool {
	return g.Selected.All || g.Selected.messages[m]
}

// Messages returns the messages that this file of code covers, without map entries.
func (f *File) Messages() []*plan.Message {
	if f.Part.Message != nil {
		return []*plan.Message{f.Part.Message}
	}
	return f.Gen.SelectedOf(f.Plan)
}

// Enums returns the enums of the file that the selected messages use, or all if there is no selection.
func (f *File) Enums() []*plan.Enum { return f.Gen.EnumsOf(f.Plan) }

// EnumsOf is Enums for any file.
func (g *Generator) EnumsOf(file *plan.File) []*plan.Enum {
	var selected []*plan.Enum
	for _, enum := range file.Enums {
		if g.Selected.All || g.Selected.enums[enum] {
			selected = append(selected, enum)
		}
	}
	return selected
}

// Extensions returns the extensions that the file declares whose extendee is selected, or all if there is no
// selection. Extensions of options are left out where there is no code for descriptor.proto.
func (f *File) Extensions() []*plan.Field {
	var selected []*plan.Field
	for _, extension := range f.Plan.Extensions {
		if (f.Gen.Selected.All || f.Gen.Selected.messages[extension.Extendee]) && (f.Gen.Stock || !f.Gen.Options.hasNoCode(extension.Extendee.File)) {
			selected = append(selected, extension)
		}
	}
	return selected
}

// MessageName returns the plain Go name of a message, unqualified. The file derives its private names from it.
func (f *File) MessageName(m *plan.Message) string {
	return f.Gen.NamesOf(m.File).Messages[m]
}

// TypeName returns a name that a face declares for a message (Face.TypeSuffixes), qualified where needed.
func (f *File) TypeName(m *plan.Message, suffix string) string {
	name := f.Gen.NamesOf(m.File).Derived[DerivedName{m, suffix}]
	if name == "" {
		panic(fmt.Sprintf("gen: no face declares the suffix %q for %s", suffix, m.Name))
	}
	return f.Qualify(m.File, name)
}

// PlainName is TypeName without the package.
func (f *File) PlainName(m *plan.Message, suffix string) string {
	return f.Gen.NamesOf(m.File).Derived[DerivedName{m, suffix}]
}

// EnumName returns the Go type of an enum, qualified where needed.
func (f *File) EnumName(e *plan.Enum) string {
	return f.Qualify(e.File, f.Gen.NamesOf(e.File).Enums[e])
}

// ValueName returns the Go constant of an enum value, qualified where needed.
func (f *File) ValueName(e *plan.Enum, v *plan.EnumValue) string {
	return f.Qualify(e.File, f.Gen.NamesOf(e.File).Values[v])
}

// ExtensionName returns the Go name of an extension's handle, qualified where needed.
func (f *File) ExtensionName(x *plan.Field) string {
	return f.Qualify(x.File, f.Gen.NamesOf(x.File).Extensions[x])
}

// Claim reserves a package-level name that only this file uses. The name ends in the name of the .proto file,
// because other runs may generate other files of the Go package.
func (f *File) Claim(name, owner string) string {
	name += "_" + cleanPackageName(strings.TrimSuffix(path.Base(f.Plan.Name), ".proto"))
	if f.Names.Taken[name] == owner { // for the other build tag
		return name
	}
	return f.Names.Claim(name, owner)
}

func (f *File) Qualify(file *plan.File, name string) string {
	if f.isInPackage(file) {
		return name
	}
	return f.Ident(f.Gen.PackageOf(file).Path, name)
}

// isInPackage reports whether a file's code is in the same Go package as the code of this file.
func (f *File) isInPackage(file *plan.File) bool { return f.Gen.PackageOf(file).Path == f.In.Path }

// Members names the fields and oneofs of a message for a face. fieldMethods and oneofMethods return the methods
// that the face derives from a Go name. reserved are the face's own methods. A name that would collide with
// another gets a trailing underscore, and a warning says so.
func (f *File) Members(m *plan.Message, reserved []string,
	fieldMethods func(field *plan.Field, goName string) []string,
	oneofMethods func(oneof *plan.Oneof, goName string) []string,
) (map[*plan.Field]string, map[*plan.Oneof]string) {
	members := MemberNames{Taken: map[string]string{}, Tried: map[string]int{}, Warn: f.Gen.Warn}
	for _, method := range reserved {
		members.Taken[method] = "a method of every message"
	}
	fields := make(map[*plan.Field]string, len(m.Fields))
	for _, field := range m.Fields {
		fields[field] = members.Claim(GoCamelCase(field.Name), "field "+m.Name+"."+field.Name, func(goName string) []string {
			return fieldMethods(field, goName)
		})
	}
	oneofs := make(map[*plan.Oneof]string, len(m.Oneofs))
	for _, oneof := range m.Oneofs {
		oneofs[oneof] = members.Claim(GoCamelCase(oneof.Name), "oneof "+m.Name+"."+oneof.Name, func(goName string) []string {
			return oneofMethods(oneof, goName)
		})
	}
	return fields, oneofs
}

// content returns the complete, formatted file.
func (f *File) content() ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "// Code generated by protoc-gen-go-hotpb. DO NOT EDIT.\n")
	fmt.Fprintf(&out, "// source: %s\n// generator: hotpb %s\n\n", f.Plan.Name, Version)
	if f.encodes {
		fmt.Fprintf(&out, "//lint:file-ignore SA4006 each step stores the buffer for the next one\n\n")
	}
	if f.variant.build != "" {
		fmt.Fprintf(&out, "//go:build %s\n\n", f.variant.build)
	}
	fmt.Fprintf(&out, "package %s\n\n", f.In.Name)
	var std, external []string
	for importPath, name := range f.Imports {
		spec := strconv.Quote(importPath)
		if name != path.Base(importPath) {
			spec = name + " " + spec
		}
		if first, _, _ := strings.Cut(importPath, "/"); strings.Contains(first, ".") {
			external = append(external, spec)
		} else {
			std = append(std, spec)
		}
	}
	sort.Strings(std)
	sort.Strings(external)
	if len(std)+len(external) > 0 {
		fmt.Fprintf(&out, "import (\n%s\n\n%s\n)\n\n", strings.Join(std, "\n"), strings.Join(external, "\n"))
	}
	out.Write(f.Body.Bytes())
	formatted, err := format.Source(out.Bytes())
	if err == nil { // the second time formats comments at the beginning of a line, where the first time has put them
		formatted, err = format.Source(formatted)
	}
	if err != nil {
		return nil, fmt.Errorf("hotpb: the code generated for %s is not valid Go (%w): this is a bug of the generator; please report it", f.Plan.Name, err)
	}
	return formatted, nil
}
