package main

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/hotpb/hotpb/examples/flows/internal/collect"
	"github.com/hotpb/hotpb/examples/flows/internal/layout"
	"github.com/hotpb/hotpb/examples/flows/internal/stage"
)

// schemaOptions say where the schema is.
type schemaOptions struct {
	Schema string `help:"Schema file (YAML); by default the built-in schema." type:"path" placeholder:"FILE"`
}

// layout reads and compiles it.
func (o *schemaOptions) layout() (*layout.Layout, error) {
	if o.Schema == "" {
		return layout.Parse("flows.yaml", builtIn)
	}
	l, err := layout.Load(o.Schema)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &fileError{o.Schema, err}
	}
	return l, err
}

// setupOptions are all files that a reload reads.
type setupOptions struct {
	schemaOptions
	Prefixes   string `help:"Table of prefixes (CSV): names, countries, AS numbers." type:"path" placeholder:"FILE"`
	Interfaces string `help:"Table of the exporters' interfaces (CSV)." type:"path" placeholder:"FILE"`
}

// load reads the schema and the tables, and binds them.
func (o *setupOptions) load() (*collect.Setup, error) {
	l, err := o.layout()
	if err != nil {
		return nil, err
	}
	tables, err := stage.Load(stage.Files{Prefixes: o.Prefixes, Interfaces: o.Interfaces})
	if err != nil {
		return nil, err
	}
	enricher, err := tables.Bind(l)
	if err != nil {
		return nil, &fileError{l.Path, err}
	}
	return &collect.Setup{Layout: l, Enricher: enricher}, nil
}

// changed is a state of the files that differs after one of them has changed.
func (o *setupOptions) changed() string {
	var all strings.Builder
	for _, path := range []string{o.Schema, o.Prefixes, o.Interfaces} {
		if info, err := os.Stat(path); path != "" && err == nil {
			all.WriteString(info.ModTime().Format(time.RFC3339Nano))
			all.WriteByte(' ')
		}
	}
	return all.String()
}
