package generate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
)

// project is hotpb.yaml. Its paths are relative to its folder.
type project struct {
	Schemas     []string `yaml:"schemas"`
	ImportPaths []string `yaml:"import_paths"`
	Generate    []job    `yaml:"generate"`
}

// job is the code of one language.
type job struct {
	Lang string `yaml:"lang"`
	Out  string `yaml:"out"`
	Opt  string `yaml:"opt"`
}

const shape = "it has schemas: [FILE], import_paths: [FOLDER] and generate: [{lang: go, out: FOLDER, opt: faces=pool}]"

func readProject(name string) (*project, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, fault.Usage("there is neither a FILE nor "+name, "name .proto files, or write "+name+"; "+shape)
		}
		return nil, fault.IO(name, err)
	}
	p := new(project)
	if err := yaml.UnmarshalWithOptions(text, p, yaml.Strict()); err != nil {
		wrong := &fault.Error{File: name, Offset: fault.NoOffset, Cause: err.Error(), Mend: shape}
		var place yaml.Error
		if errors.As(err, &place) {
			wrong.Cause = place.GetMessage()
			if at := place.GetToken(); at != nil && at.Position != nil {
				wrong.Line, wrong.Column = at.Position.Line, at.Position.Column
			}
		}
		return nil, wrong
	}
	if len(p.Schemas) == 0 || len(p.Generate) == 0 {
		return nil, fault.In(name, "schemas: and generate: are wanted, each with an entry", shape)
	}
	folder := filepath.Dir(name)
	relative := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(folder, path)
	}
	for i := range p.Schemas {
		p.Schemas[i] = relative(p.Schemas[i])
	}
	if len(p.ImportPaths) == 0 {
		p.ImportPaths = []string{"."}
	}
	for i := range p.ImportPaths {
		p.ImportPaths[i] = relative(p.ImportPaths[i])
	}
	for i, j := range p.Generate {
		if _, known := languages[j.Lang]; !known || j.Out == "" {
			return nil, fault.In(name, fmt.Sprintf("entry %d of generate: has lang %q and out %q", i+1, j.Lang, j.Out), "lang is go, rust or cpp; out is a folder")
		}
		p.Generate[i].Out = relative(j.Out)
	}
	return p, nil
}
