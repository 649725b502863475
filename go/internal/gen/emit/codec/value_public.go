package codec

import (
	"slices"

	"github.com/hotpb/hotpb/go/internal/gen/emit"
	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

// emitPublicImports writes aliases of the names in files of other packages that a file imports publicly, as gogo's
// generator does.
func emitPublicImports(f *emit.File) {
	if len(f.Plan.Descriptor.GetPublicDependency()) == 0 {
		return
	}
	for _, m := range f.Messages() {
		for _, wrapper := range f.WrapperNames(m) {
			f.Names.Taken[wrapper] = m.Name
		}
	}
	for _, imported := range f.Gen.Plan.AllFiles {
		at := slices.Index(f.Plan.Dependencies, imported.Name)
		public := &publicImport{f, imported}
		if at >= 0 && slices.Contains(f.Plan.Descriptor.GetPublicDependency(), int32(at)) && public.hasNames() {
			public.emit()
		}
	}
}

type publicImport struct {
	*emit.File
	imported *plan.File
}

func (p *publicImport) hasNames() bool {
	return len(p.Gen.SelectedOf(p.imported))+len(p.Gen.EnumsOf(p.imported)) > 0 && p.Gen.PackageOf(p.imported).Path != p.In.Path
}

// alias declares a name unless the package has it itself.
func (p *publicImport) alias(keyword, name string) bool {
	if p.Names.Taken[name] != "" {
		return false
	}
	p.Names.Taken[name] = "the public import " + p.imported.Name
	p.P(keyword, " ", name, " = ", p.Qualify(p.imported, name))
	return true
}

func (p *publicImport) emit() {
	names := p.Gen.NamesOf(p.imported)
	p.P("// The names of ", p.imported.Name, ", which ", p.Plan.Name, " imports publicly.\n")
	for _, m := range p.Gen.SelectedOf(p.imported) {
		if !p.alias("type", names.Messages[m]) {
			continue
		}
		for _, wrapper := range p.WrapperNames(m) {
			p.alias("type", wrapper)
		}
	}
	for _, enum := range p.Gen.EnumsOf(p.imported) {
		if !p.alias("type", names.Enums[enum]) {
			continue
		}
		for _, value := range enum.Values {
			p.alias("const", valueConstant(p.File, enum, value))
		}
		p.alias("var", names.Enums[enum]+"_name")
		p.alias("var", names.Enums[enum]+"_value")
	}
	p.P()
}
