package emit

import (
	"slices"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// Version is the version of this generator.
const Version = "0.1.0"

// Output is a file to write, with its name below the output folder.
type Output struct {
	Name    string
	Content []byte
}

// Result is the result of a run of the generator.
type Result struct {
	Outputs  []Output
	Warnings []string
}

// Generator writes the faces whose packages are of one kind: the packages of the stock structs, or packages of
// their own.
type Generator struct {
	Plan         *plan.Plan
	Options      *Options
	faces        []*Face
	Stock        bool // into the packages of the stock structs
	Selected     *Selection
	Packages     map[*plan.File]GoPackage
	failed       error // the first file whose package is needed and unknown
	PackageNames map[string]string
	Names        map[string]*Names // by import path
	reach        *reach
	Warnings     []string
	Warned       map[string]bool
}

// Generate generates the faces that are asked for, for the requested files of the plan.
func Generate(p *plan.Plan, options *Options) (*Result, error) {
	result := &Result{}
	if len(options.Faces) == 0 {
		return result, nil
	}
	selected, err := options.selectFrom(p)
	if err != nil {
		return nil, err
	}
	if err := options.checkMapped(p); err != nil {
		return nil, err
	}
	result.Warnings = options.largeFiles(p)
	warned := map[string]bool{}
	writtenFor := map[string]string{}
	for _, stock := range []bool{false, true} {
		g := &Generator{
			Plan:         p,
			Options:      options,
			Stock:        stock,
			Selected:     selected,
			Packages:     map[*plan.File]GoPackage{},
			PackageNames: map[string]string{},
			Names:        map[string]*Names{},
			Warned:       warned,
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
		result.Warnings = append(result.Warnings, g.Warnings...)
	}
	return result, nil
}

func (g *Generator) generate(result *Result, writtenFor map[string]string) error {
	g.reach = NewReach(g.Plan.AllFiles, &g.Selected.FieldSelection)
	if err := g.FindPackages(); err != nil {
		return err
	}
	for _, file := range g.Plan.Files {
		for _, suffix := range g.suffixes() {
			for _, variant := range g.variants(file) {
				for _, part := range g.parts(file) {
					output, err := g.emit(file, suffix, variant, part)
					if err != nil {
						return err
					}
					key := part.key(output.Name)
					if earlier := writtenFor[key]; earlier != "" {
						return part.collision(file, output.Name, earlier)
					}
					writtenFor[key] = part.describe(file)
					result.Outputs = append(result.Outputs, output)
				}
			}
		}
	}
	return nil
}

// suffixes are the endings of the files that are written for each .proto file.
func (g *Generator) suffixes() []string {
	var suffixes []string
	for _, face := range g.faces {
		if !slices.Contains(suffixes, face.Suffix) {
			suffixes = append(suffixes, face.Suffix)
		}
	}
	return suffixes
}

// subPackage ends the name of the package for files with this suffix, below the package of the others.
func (g *Generator) subPackage(suffix string) string {
	for _, face := range g.faces {
		if face.Suffix == suffix {
			return face.Package
		}
	}
	return ""
}

// FindPackages finds the Go packages of all files. A file that is not requested needs one only if its code is
// used.
func (g *Generator) FindPackages() error {
	for _, file := range g.Plan.AllFiles {
		in, err := g.Options.PackageOf(file, g.Stock)
		if err != nil {
			if file.Requested {
				return err
			}
			continue
		}
		g.PackageNames[in.Path] = in.Name
		g.Packages[file] = in
	}
	return nil
}

func (g *Generator) PackageOf(file *plan.File) GoPackage {
	in, known := g.Packages[file]
	if !known && g.failed == nil {
		_, g.failed = g.Options.PackageOf(file, g.Stock)
	}
	return in
}

// NamesOf returns the names of the package that a file belongs to.
func (g *Generator) NamesOf(file *plan.File) *Names {
	in := g.PackageOf(file)
	if g.Names[in.Path] == nil {
		var files []*plan.File
		requested := false
		for _, candidate := range g.Plan.AllFiles {
			if g.Packages[candidate].Path == in.Path {
				files = append(files, candidate)
				requested = requested || candidate.Requested
			}
		}
		warn := g.Warn
		if !requested { // their own run reports them
			warn = func(string) {}
		}
		g.Names[in.Path] = NewNames(files, g.Stock, warn)
	}
	return g.Names[in.Path]
}

// namesIn returns the names of the package that a face writes a file into. A package of the face's own has only
// the names that the face declares.
func (g *Generator) namesIn(in GoPackage, file *plan.File) *Names {
	if in == g.Packages[file] {
		return g.NamesOf(file)
	}
	if g.Names[in.Path] == nil {
		g.Names[in.Path] = NewNames(nil, false, g.Warn)
	}
	return g.Names[in.Path]
}

func (g *Generator) Warn(text string) {
	if !g.Warned[text] {
		g.Warned[text] = true
		g.Warnings = append(g.Warnings, text)
	}
}

func (g *Generator) emit(file *plan.File, suffix string, v variant, part outputPart) (Output, error) {
	in := g.Packages[file].Below(g.subPackage(suffix))
	name, err := g.Options.OutputName(file, in, v.suffix+part.suffix(file)+suffix)
	if err != nil {
		return Output{}, err
	}
	f := &File{Plan: file, Options: g.Options, Gen: g, In: in, Names: g.namesIn(in, file), Imports: map[string]string{}, Views: map[any]any{}, variant: v, Part: part}
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
