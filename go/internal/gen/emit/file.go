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

// File is one Go file being written. Emitters append to it with P and get every
// name that is not their own from it.
type File struct {
	Plan    *plan.File
	Options *Options

	Gen     *Generator
	In      GoPackage
	Names   *Names
	Body    bytes.Buffer
	Imports map[string]string // import path -> name in this file
	variant variant
	Part    outputPart
	Views   map[any]any // what the view face has written, by message and extension: its extras need the names
	shared  shared
	encodes bool
}

// Encodes notes that the file has encoders in which each step stores the buffer for the next one. Staticcheck would report
// the last step.
func (f *File) Encodes() { f.encodes = true }

// P writes its arguments one after the other, and a line end.
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
		// What the Go scanner refuses even in comments.
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
			line = " " + line // never a directive such as //go:linkname
		}
		if strings.HasPrefix(line, "\t") {
			line = " " + line
		}
		f.P("//", line)
	}
}

// Import makes a package usable and gives the name to qualify its identifiers with.
func (f *File) Import(importPath string) string {
	if name := f.Imports[importPath]; name != "" {
		return name
	}
	wanted := cleanPackageName(path.Base(importPath))
	if known := f.Gen.PackageNames[importPath]; known != "" {
		wanted = known
	}
	if isLocalName(wanted) {
		wanted = "pkg_" + wanted // a number alone would make another variable's name
	}
	name := wanted
	for i := 1; f.importTaken(name); i++ {
		name = wanted + strconv.Itoa(i)
	}
	f.Imports[importPath] = name
	return name
}

// LocalNames are variables of generated functions, in which a package of that name could not be used. Packages of faces
// end in hot; those of stock structs have any name.
var LocalNames = strings.Fields(`at b before begin both box d dest e end ended entries entry err extensionFields first from hot
	i j k key keys levels list m n next o one p path raw records row s size sizeCache slot start state tag unknownFields v
	value values w wrapper written x`)

// isLocalName tells the names of such variables, numbered ones too, and what Go declares itself.
func isLocalName(name string) bool {
	if slices.Contains(LocalNames, name) || types.Universe.Lookup(name) != nil {
		return true
	}
	stem := strings.TrimRight(name, "0123456789")
	switch stem {
	case "box", "has", "v":
		return stem != name
	}
	of, has := strings.CutPrefix(name, "has") // of a field
	return has && of != "" && 'A' <= of[0] && of[0] <= 'Z'
}

func (f *File) importTaken(name string) bool {
	if f.Names.Taken[name] != "" || token.IsKeyword(name) || isLocalName(name) {
		return true
	}
	for _, other := range f.Imports {
		if other == name {
			return true
		}
	}
	return false
}

// Ident gives an identifier of another package, qualified.
func (f *File) Ident(importPath, name string) string { return f.Import(importPath) + "." + name }

// Wire gives an identifier of the runtime's package wire, View of its package view.
func (f *File) Wire(name string) string { return f.Ident(RuntimePath+"/wire", name) }

// View gives an identifier of the runtime's package view, Pool of its package pool.
func (f *File) View(name string) string { return f.Ident(RuntimePath+"/view", name) }

// Writer gives an identifier of the runtime's package writer.
func (f *File) Writer(name string) string { return f.Ident(RuntimePath+"/writer", name) }

// Pool gives an identifier of the runtime's package pool.
func (f *File) Pool(name string) string { return f.Ident(RuntimePath+"/pool", name) }

// IsSelected tells whether a message or map entry is generated.
func (f *File) IsSelected(m *plan.Message) bool { return f.Gen.isSelected(m) }

func (g *Generator) isSelected(m *plan.Message) bool {
	return g.Selected.All || g.Selected.messages[m]
}

// Messages gives the messages that this file of code is for, without map entries.
func (f *File) Messages() []*plan.Message {
	if f.Part.Message != nil {
		return []*plan.Message{f.Part.Message}
	}
	return f.Gen.SelectedOf(f.Plan)
}

// Enums gives the enums of the file that the selected messages use; all without a selection.
func (f *File) Enums() []*plan.Enum {
	var selected []*plan.Enum
	for _, enum := range f.Plan.Enums {
		if f.Gen.Selected.All || f.Gen.Selected.enums[enum] {
			selected = append(selected, enum)
		}
	}
	return selected
}

// Extensions gives the extensions declared in the file whose extendee is
// selected; all without a selection.
func (f *File) Extensions() []*plan.Field {
	var selected []*plan.Field
	for _, extension := range f.Plan.Extensions {
		if f.Gen.Selected.All || f.Gen.Selected.messages[extension.Extendee] {
			selected = append(selected, extension)
		}
	}
	return selected
}

// MessageName gives the plain Go name of a message, unqualified: the stem of
// names that the file keeps for itself.
func (f *File) MessageName(m *plan.Message) string {
	return f.Gen.NamesOf(m.File).Messages[m]
}

// TypeName gives a name that a face declares for a message (Face.TypeSuffixes), qualified where needed.
func (f *File) TypeName(m *plan.Message, suffix string) string {
	name := f.Gen.NamesOf(m.File).Derived[DerivedName{m, suffix}]
	if name == "" {
		panic(fmt.Sprintf("gen: no face declares the suffix %q for %s", suffix, m.Name))
	}
	return f.Qualify(m.File, name)
}

// PlainName is a TypeName without its package.
func (f *File) PlainName(m *plan.Message, suffix string) string {
	return f.Gen.NamesOf(m.File).Derived[DerivedName{m, suffix}]
}

// EnumName gives the Go type of an enum, qualified where needed.
func (f *File) EnumName(e *plan.Enum) string {
	return f.Qualify(e.File, f.Gen.NamesOf(e.File).Enums[e])
}

// ValueName gives the Go constant of an enum value, qualified where needed.
func (f *File) ValueName(e *plan.Enum, v *plan.EnumValue) string {
	return f.Qualify(e.File, f.Gen.NamesOf(e.File).Values[v])
}

// ExtensionName gives the Go name of an extension's handle, qualified where needed.
func (f *File) ExtensionName(x *plan.Field) string {
	return f.Qualify(x.File, f.Gen.NamesOf(x.File).Extensions[x])
}

// Claim takes a package-level name that only this file uses. It ends in the
// name of the .proto file: other files of the Go package may be generated by
// runs of their own.
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

// isInPackage tells whether a file's code is in the same Go package as this one's.
func (f *File) isInPackage(file *plan.File) bool { return f.Gen.PackageOf(file).Path == f.In.Path }

// Members names the fields and oneofs of a message for a face. fieldMethods and
// oneofMethods give the methods that the face makes from a Go name; reserved are
// the face's own methods. A name that would meet another gets a trailing
// underscore, which is reported.
func (f *File) Members(m *plan.Message, reserved []string,
	fieldMethods func(field *plan.Field, goName string) []string,
	oneofMethods func(oneof *plan.Oneof, goName string) []string,
) (map[*plan.Field]string, map[*plan.Oneof]string) {
	taken := MemberNames{Taken: map[string]string{}, Tried: map[string]int{}, Warn: f.Gen.Warn}
	for _, method := range reserved {
		taken.Taken[method] = "a method of every message"
	}
	fields := make(map[*plan.Field]string, len(m.Fields))
	for _, field := range m.Fields {
		fields[field] = taken.Claim(GoCamelCase(field.Name), "field "+m.Name+"."+field.Name, func(goName string) []string {
			return fieldMethods(field, goName)
		})
	}
	oneofs := make(map[*plan.Oneof]string, len(m.Oneofs))
	for _, oneof := range m.Oneofs {
		oneofs[oneof] = taken.Claim(GoCamelCase(oneof.Name), "oneof "+m.Name+"."+oneof.Name, func(goName string) []string {
			return oneofMethods(oneof, goName)
		})
	}
	return fields, oneofs
}

// content gives the finished, formatted file.
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
	var std, other []string
	for importPath, name := range f.Imports {
		spec := strconv.Quote(importPath)
		if name != path.Base(importPath) {
			spec = name + " " + spec
		}
		if first, _, _ := strings.Cut(importPath, "/"); strings.Contains(first, ".") {
			other = append(other, spec)
		} else {
			std = append(std, spec)
		}
	}
	sort.Strings(std)
	sort.Strings(other)
	if len(std)+len(other) > 0 {
		fmt.Fprintf(&out, "import (\n%s\n\n%s\n)\n\n", strings.Join(std, "\n"), strings.Join(other, "\n"))
	}
	out.Write(f.Body.Bytes())
	formatted, err := format.Source(out.Bytes())
	if err == nil { // again: comments are formatted that begin their line, which the first time sees to
		formatted, err = format.Source(formatted)
	}
	if err != nil {
		return nil, fmt.Errorf("hotpb: the code generated for %s is not Go (%w): this is a fault of the generator, please report it", f.Plan.Name, err)
	}
	return formatted, nil
}
