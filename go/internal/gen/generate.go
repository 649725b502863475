package gen

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// Version is the version of this generator.
const Version = "0.1.0"

// Output is one file to write, by its name below the output folder.
type Output struct {
	Name    string
	Content []byte
}

// Result is what a run of the generator gives.
type Result struct {
	Outputs  []Output
	Warnings []string
}

// generator writes the faces that live in one sort of package: beside the stock structs, or in packages of their own.
type generator struct {
	plan         *plan.Plan
	options      *Options
	faces        []*Face
	stock        bool // into the packages of the stock structs
	selected     *selection
	packages     map[*plan.File]goPackage
	failed       error // the first file whose package is wanted and not known
	packageNames map[string]string
	names        map[string]*names // by import path
	reach        *reach
	warnings     []string
	warned       map[string]bool
}

// Generate emits the faces asked for, for the requested files of the plan.
func Generate(p *plan.Plan, options *Options) (*Result, error) {
	result := &Result{}
	if len(options.Faces) == 0 {
		return result, nil
	}
	selected, err := options.selectFrom(p)
	if err != nil {
		return nil, err
	}
	warned := map[string]bool{}
	writtenFor := map[string]string{}
	for _, stock := range []bool{false, true} {
		g := &generator{
			plan:         p,
			options:      options,
			stock:        stock,
			selected:     selected,
			packages:     map[*plan.File]goPackage{},
			packageNames: map[string]string{},
			names:        map[string]*names{},
			warned:       warned,
		}
		for _, face := range options.Faces {
			if face.Stock == stock {
				g.faces = append(g.faces, face)
			}
		}
		if len(g.faces) == 0 {
			continue
		}
		if err := g.generate(result, writtenFor); err != nil {
			return nil, err
		}
		result.Warnings = append(result.Warnings, g.warnings...)
	}
	return result, nil
}

func (g *generator) generate(result *Result, writtenFor map[string]string) error {
	g.checkMapped()
	g.reach = newReach(g.plan.AllFiles, &g.selected.fieldSelection, g.selected.byTable)
	if err := g.findPackages(); err != nil {
		return err
	}
	for _, file := range g.plan.Files {
		for _, suffix := range g.suffixes() {
			for _, variant := range g.variants(file) {
				for _, part := range g.parts(file) {
					output, err := g.emit(file, suffix, variant, part)
					if err != nil {
						return err
					}
					key := part.key(output.Name)
					if other := writtenFor[key]; other != "" {
						return part.collision(file, output.Name, other)
					}
					writtenFor[key] = part.describe(file)
					result.Outputs = append(result.Outputs, output)
				}
			}
		}
	}
	return nil
}

// checkMapped reports M options that name a file nobody has. They are no error:
// build tools pass one list to all runs.
func (g *generator) checkMapped() {
	for _, name := range slices.Sorted(maps.Keys(g.options.Packages)) {
		if !slices.ContainsFunc(g.plan.AllFiles, func(f *plan.File) bool {
			return f.Name == name || slices.Contains(f.OptionDependencies, name)
		}) {
			g.warn(fmt.Sprintf("option M%s=%s: the file is not in the descriptor set", name, g.options.Packages[name]))
		}
	}
}

// suffixes are the endings of the files to write for each .proto file.
func (g *generator) suffixes() []string {
	var suffixes []string
	for _, face := range g.faces {
		if !slices.Contains(suffixes, face.Suffix) {
			suffixes = append(suffixes, face.Suffix)
		}
	}
	return suffixes
}

// subPackage ends the name of the package that files with this suffix go into, below that of the others.
func (g *generator) subPackage(suffix string) string {
	for _, face := range g.faces {
		if face.Suffix == suffix {
			return face.Package
		}
	}
	return ""
}

// findPackages finds the Go packages of all files; those that are not requested may have none until they are used.
func (g *generator) findPackages() error {
	for _, file := range g.plan.AllFiles {
		in, err := g.options.packageOf(file, g.stock)
		if err != nil {
			if file.Requested {
				return err
			}
			continue
		}
		g.packageNames[in.path] = in.name
		g.packages[file] = in
	}
	return nil
}

func (g *generator) packageOf(file *plan.File) goPackage {
	in, known := g.packages[file]
	if !known && g.failed == nil {
		_, g.failed = g.options.packageOf(file, g.stock)
	}
	return in
}

// namesOf gives the names of the package that a file belongs to.
func (g *generator) namesOf(file *plan.File) *names {
	in := g.packageOf(file)
	if g.names[in.path] == nil {
		var files []*plan.File
		requested := false
		for _, other := range g.plan.AllFiles {
			if g.packages[other].path == in.path {
				files = append(files, other)
				requested = requested || other.Requested
			}
		}
		warn := g.warn
		if !requested { // its own run reports them
			warn = func(string) {}
		}
		g.names[in.path] = newNames(files, g.stock, warn)
	}
	return g.names[in.path]
}

// namesIn gives the names of the package that a face writes a file into. One that it has for itself
// has only what the face declares.
func (g *generator) namesIn(in goPackage, file *plan.File) *names {
	if in == g.packages[file] {
		return g.namesOf(file)
	}
	if g.names[in.path] == nil {
		g.names[in.path] = newNames(nil, false, g.warn)
	}
	return g.names[in.path]
}

func (g *generator) warn(text string) {
	if !g.warned[text] {
		g.warned[text] = true
		g.warnings = append(g.warnings, text)
	}
}

func (g *generator) emit(file *plan.File, suffix string, v variant, part outputPart) (Output, error) {
	in := g.packages[file].below(g.subPackage(suffix))
	name, err := g.options.outputName(file, in, v.suffix+part.suffix(file)+suffix)
	if err != nil {
		return Output{}, err
	}
	f := &File{Plan: file, Options: g.options, gen: g, in: in, names: g.namesIn(in, file), imports: map[string]string{}, views: map[any]*viewType{}, variant: v, part: part}
	for _, face := range g.faces {
		if face.Suffix == suffix {
			if err := face.Emit(f); err != nil {
				return Output{}, err
			}
		}
	}
	if g.failed != nil {
		return Output{}, g.failed
	}
	content, err := f.content()
	return Output{Name: name, Content: content}, err
}
