// Command sbom writes what a release's programs were built from, as CycloneDX 1.6 in JSON.
//
//	sbom -version 1.2.3 -cargo METADATA -out FILE PROGRAM…
//
// METADATA is what `cargo metadata` printed for protoc-gen-hotpb-rs; each PROGRAM is a Go program, whose build information names
// its modules. -toolchain PROGRAM:NAME=VERSION adds what another program has in it of its compiler's libraries.
//
// It also prints a line for each component: KIND NAME VERSION LICENSE (the last for crates).
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

const self = "github.com/hotpb/hotpb/"

func main() {
	version := flag.String("version", "", "the version, as 1.2.3")
	cargo := flag.String("cargo", "", "a file with the output of cargo metadata")
	out := flag.String("out", "", "where to write the document")
	var toolchain []string
	flag.Func("toolchain", "PROGRAM:NAME=VERSION, a library that the compiler linked", func(s string) error {
		if program, _, number := splitLibrary(s); program == "" || number == "" {
			return errors.New("it has to be PROGRAM:NAME=VERSION")
		}
		toolchain = append(toolchain, s)
		return nil
	})
	flag.Parse()
	if err := run(*version, *cargo, *out, toolchain, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// parts collects components, each once, and which program has which.
type parts struct {
	components map[string]cdx.Component
	needs      map[string]map[string]bool
}

func (p *parts) add(c cdx.Component, users ...string) {
	p.components[c.BOMRef] = c
	for _, user := range users {
		if p.needs[user] == nil {
			p.needs[user] = map[string]bool{}
		}
		p.needs[user][c.BOMRef] = true
	}
}

func run(version, cargo, out string, toolchain, programs []string) error {
	all := parts{map[string]cdx.Component{}, map[string]map[string]bool{}}
	root := application("hotpb", version, "pkg:github/hotpb/hotpb@v"+version)
	for _, file := range programs {
		if err := all.goProgram(file, version, root.BOMRef); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	if err := all.rust(cargo, version, root.BOMRef); err != nil {
		return fmt.Errorf("%s: %w", cargo, err)
	}
	cpp := application("protoc-gen-hotpb-cpp", version, "pkg:generic/protoc-gen-hotpb-cpp@"+version)
	all.add(cpp, root.BOMRef)
	for _, tool := range toolchain {
		program, name, number := splitLibrary(tool)
		user := ""
		for ref, c := range all.components {
			if c.Name == program {
				user = ref
			}
		}
		if user == "" {
			return fmt.Errorf("-toolchain=%s: no program of that name", tool)
		}
		all.add(library(name, number, "pkg:generic/"+name+"@"+number, ""), user)
	}

	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &root}
	var refs []string
	for ref := range all.components {
		refs = append(refs, ref)
	}
	sort.Strings(refs)
	var components []cdx.Component
	var dependencies []cdx.Dependency
	for _, ref := range append([]string{root.BOMRef}, refs...) {
		if c, ok := all.components[ref]; ok {
			components = append(components, c)
			license := "-"
			if c.Licenses != nil {
				license = (*c.Licenses)[0].Expression
			}
			fmt.Println(strings.SplitN(strings.TrimPrefix(ref, "pkg:"), "/", 2)[0], c.Name, c.Version, license)
		}
		var needs []string
		for need := range all.needs[ref] {
			needs = append(needs, need)
		}
		sort.Strings(needs)
		dependencies = append(dependencies, cdx.Dependency{Ref: ref, Dependencies: &needs})
	}
	bom.Components, bom.Dependencies = &components, &dependencies

	file, err := os.Create(out)
	if err != nil {
		return err
	}
	err = cdx.NewBOMEncoder(file, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6)
	return errors.Join(err, file.Close())
}

// splitLibrary splits PROGRAM:NAME=VERSION.
func splitLibrary(s string) (program, name, number string) {
	program, rest, _ := strings.Cut(s, ":")
	name, number, _ = strings.Cut(rest, "=")
	return program, name, number
}

func application(name, version, purl string) cdx.Component {
	c := library(name, version, purl, "Apache-2.0")
	c.Type = cdx.ComponentTypeApplication
	return c
}

func library(name, version, purl, license string) cdx.Component {
	c := cdx.Component{BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: name, Version: version, PackageURL: purl}
	if license != "" {
		c.Licenses = &cdx.Licenses{{Expression: license}}
	}
	return c
}

// goProgram adds a program and the modules that its build information names.
func (p *parts) goProgram(file, version, root string) error {
	info, err := buildinfo.ReadFile(file)
	if err != nil {
		return err
	}
	if info.Main.Version != "v"+version {
		return fmt.Errorf("it was built as version %s, not v%s", info.Main.Version, version)
	}
	name := filepath.Base(info.Path)
	program := application(name, version, "pkg:golang/"+info.Path+"@"+info.Main.Version)
	p.add(program, root)
	p.add(library("stdlib", strings.TrimPrefix(info.GoVersion, "go"), "pkg:golang/std@"+strings.TrimPrefix(info.GoVersion, "go"), "BSD-3-Clause"), program.BOMRef)
	for _, module := range info.Deps {
		if module.Replace != nil {
			return fmt.Errorf("%s was replaced", module.Path)
		}
		license := ""
		if strings.HasPrefix(module.Path, self) {
			license = "Apache-2.0"
		}
		p.add(library(module.Path, module.Version, "pkg:golang/"+module.Path+"@"+module.Version, license), program.BOMRef)
	}
	return nil
}

// What `cargo metadata` says, as far as it is needed here.
type metadata struct {
	Packages []struct {
		ID, Name, Version, License string
	}
	Resolve struct {
		Nodes []struct {
			ID   string
			Deps []struct {
				Pkg  string
				Kind []struct{ Kind *string } `json:"dep_kinds"`
			}
		}
	}
}

// rust adds protoc-gen-hotpb-rs and what it is built from: not what only its tests need.
func (p *parts) rust(file, version, root string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var read metadata
	if err := json.Unmarshal(content, &read); err != nil {
		return err
	}
	byID := map[string]cdx.Component{}
	start := ""
	for _, pkg := range read.Packages {
		if pkg.Name == "protoc-gen-hotpb-rs" {
			start = pkg.ID
			byID[pkg.ID] = application(pkg.Name, pkg.Version, "pkg:cargo/"+pkg.Name+"@"+pkg.Version)
			continue
		}
		byID[pkg.ID] = library(pkg.Name, pkg.Version, "pkg:cargo/"+pkg.Name+"@"+pkg.Version, pkg.License)
	}
	if start == "" || byID[start].Version != version {
		return fmt.Errorf("no protoc-gen-hotpb-rs %s in it", version)
	}
	p.add(byID[start], root)
	seen := map[string]bool{start: true}
	for waiting := []string{start}; len(waiting) > 0; {
		id := waiting[0]
		waiting = waiting[1:]
		for _, node := range read.Resolve.Nodes {
			if node.ID != id {
				continue
			}
			for _, dependency := range node.Deps {
				built := false
				for _, kind := range dependency.Kind {
					built = built || kind.Kind == nil || *kind.Kind == "build"
				}
				if !built {
					continue
				}
				p.add(byID[dependency.Pkg], byID[id].BOMRef)
				if !seen[dependency.Pkg] {
					seen[dependency.Pkg] = true
					waiting = append(waiting, dependency.Pkg)
				}
			}
		}
	}
	return nil
}
