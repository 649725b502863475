package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hotpb/hotpb/apps/flows/internal/bmp"
	"github.com/hotpb/hotpb/apps/flows/internal/collect"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/apps/flows/internal/snmp"
	"github.com/hotpb/hotpb/apps/flows/internal/stage"
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
	var place *fs.PathError
	switch {
	case errors.As(err, &place):
		return nil, fmt.Errorf("--schema: %w", place)
	case err != nil:
		return nil, &fileError{o.Schema, err}
	}
	return l, nil
}

// setupOptions are all files that a reload reads.
type setupOptions struct {
	schemaOptions
	lockOptions
	Prefixes   string `help:"Table of prefixes (CSV): names, countries, AS numbers." type:"path" placeholder:"FILE"`
	Exporters  string `help:"Table of the exporters (CSV)." type:"path" placeholder:"FILE"`
	Interfaces string `help:"Table of the exporters' interfaces (CSV)." type:"path" placeholder:"FILE"`
	Enrichment string `help:"Further sources of names and places (YAML): rules, SNMP, routers' routes by BMP, routing tables, databases of MaxMind's format." type:"path" placeholder:"FILE"`

	stats  stage.Stats
	nested []string     // files that the file of --enrichment names
	poller *snmp.Poller // nil if nobody is asked by SNMP
	routes *bmp.Server  // nil if no router sends its routes
}

// load reads the schema and the tables, and binds them. It refuses a schema that breaks its lock; locked says whether
// there is one.
func (o *setupOptions) load() (setup *collect.Setup, locked bool, err error) {
	l, err := o.layout()
	if err != nil {
		return nil, false, err
	}
	promised, err := o.promised(o.Schema)
	if err != nil {
		return nil, false, err
	}
	if promised != nil {
		if err := o.permit(promised.Check(l.Plan), l.Path, o.lockOf(o.Schema)); err != nil {
			return nil, false, err
		}
	}
	tables, err := stage.Load(stage.Files{
		Prefixes: o.Prefixes, Exporters: o.Exporters, Interfaces: o.Interfaces, Enrichment: o.Enrichment,
	}, &o.stats)
	if err != nil {
		return nil, false, o.named(err)
	}
	o.nested = tables.Files()
	tables.Poll(o.poller)
	tables.Receive(o.routes)
	enricher, err := tables.Bind(l)
	if err != nil {
		return nil, false, &fileError{l.Path, err}
	}
	if o.poller != nil {
		tables.Configure(o.poller)
	}
	if o.routes != nil {
		if err := tables.Listen(o.routes); err != nil {
			return nil, false, err
		}
	}
	return &collect.Setup{Layout: l, Enricher: enricher}, promised != nil, nil
}

// named puts the option that names a file before the reason why the file cannot be opened.
func (o *setupOptions) named(err error) error {
	var place *fs.PathError
	if !errors.As(err, &place) {
		return err
	}
	for _, option := range [...]struct{ name, path string }{
		{"prefixes", o.Prefixes}, {"exporters", o.Exporters}, {"interfaces", o.Interfaces}, {"enrichment", o.Enrichment},
	} {
		if option.path == place.Path {
			return fmt.Errorf("--%s: %w", option.name, place)
		}
	}
	return err
}

// metrics are those of the sources of names and places.
func (o *setupOptions) metrics() []prometheus.Collector {
	list := []prometheus.Collector{&o.stats}
	if o.poller != nil {
		list = append(list, o.poller)
	}
	if o.routes != nil {
		list = append(list, o.routes)
	}
	return list
}

// changed is a state of the files that differs after one of them has changed.
func (o *setupOptions) changed() string {
	var all strings.Builder
	for _, path := range append([]string{o.Schema, o.lockOf(o.Schema), o.Prefixes, o.Exporters, o.Interfaces, o.Enrichment}, o.nested...) {
		if info, err := os.Stat(path); path != "" && err == nil {
			all.WriteString(info.ModTime().Format(time.RFC3339Nano))
			all.WriteByte(' ')
		}
	}
	return all.String()
}
