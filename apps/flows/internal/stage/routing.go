package stage

import (
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/hotpb/hotpb/apps/flows/internal/routes"
)

// routesConfig is a routing table, and which of its values fill which columns.
type routesConfig struct {
	File    located   `yaml:"file"`
	Peer    located   `yaml:"peer"`
	Columns yaml.Node `yaml:"columns"`
}

// routing is a routing table, and the values of it that fill columns.
type routing struct {
	*routes.Table
	file    string
	read    stamp
	options routes.Options
	columns []routingColumn
	counts  *sourceCounts
}

type routingColumn struct {
	supply
	field routes.Field
	line  int
}

// openRoutes reads the routing tables of the configuration.
func (c *config) openRoutes(s *Stats) (all []*routing, err error) {
	for i := range c.Routes {
		section := &c.Routes[i]
		pairs, err := c.fills(section.File, &section.Columns, "a table below routes", "as: origin_as")
		if err != nil {
			return nil, err
		}
		r := &routing{file: c.file(section.File)}
		o := routes.Options{}
		if r.columns, o.Fields, err = c.routeColumns(pairs, r.file); err != nil {
			return nil, err
		}
		if section.Peer.value != "" {
			if o.Peer, err = parseAddr(section.Peer.value); err != nil {
				return nil, c.wrong(section.Peer.line, "peer: %w", err)
			}
		}
		r.read, r.options = stampOf(r.file), o
		for _, before := range s.tables().routes {
			if before.read == r.read && before.options == o && r.read.path != "" {
				r.Table = before.Table
			}
		}
		if r.Table == nil {
			if r.Table, err = routes.Open(r.file, o); err != nil {
				return nil, c.wrong(section.File.line, "%w", err)
			}
		}
		r.counts = s.source(r.file)
		r.counts.data.Store(r.Made.Unix())
		if r.Skipped > 0 {
			r.counts.fail(fmt.Errorf("%d routes are skipped; the first: %w", r.Skipped, r.Cause))
		}
		all = append(all, r)
	}
	return all, nil
}

// routeColumns reads which values of routes fill which columns.
func (c *config) routeColumns(pairs []pair, from string) (list []routingColumn, all routes.Fields, err error) {
	for _, p := range pairs {
		field, err := routes.ParseField(p.value)
		if err != nil {
			return nil, 0, c.wrong(p.line, "column %s: %w", p.key, err)
		}
		all = all.With(field)
		list = append(list, routingColumn{supplied(p.key, from), field, p.line})
	}
	return list, all, nil
}

// bind binds the table to the columns of a group. It returns nil if it fills none of them.
func (r *routing) bind(g *group) finder {
	f := &routingFinder{routing: r, bound: g.routes(r.columns), known: newCache[[]slotted](cachedRecords)}
	if len(f.bound) == 0 {
		return nil
	}
	return f
}

// routes binds the values of routes.
func (g *group) routes(columns []routingColumn) (list []boundField) {
	for _, column := range columns {
		if targets := g.targets(column.supply); len(targets) > 0 {
			list = append(list, boundField{column.field, targets})
		}
	}
	return list
}

// routingFinder finds values in a routing table.
type routingFinder struct {
	*routing
	bound []boundField
	known *cache[[]slotted] // by the number of the route
}

type boundField struct {
	field   routes.Field
	targets []*target
}

func (f *routingFinder) find(d draft, q question) (same bool) {
	f.counts.lookups.Add(1)
	route, found, same := f.Find(q.address, q.block)
	if !found {
		return same
	}
	f.counts.found.Add(1)
	k := key{low: uint64(route)}
	values := f.known.get(k)
	if values == nil {
		values = f.known.put(k, readRoute(f.bound, func(field routes.Field) string { return f.Text(route, field) }, f.counts))
	}
	for _, v := range *values {
		d.put(v.slot, v.value)
	}
	return same
}

// readRoute reads the values of a route. What does not fit is counted and left out.
func readRoute(bound []boundField, read func(routes.Field) string, counts *sourceCounts) (list []slotted) {
	for _, b := range bound {
		text := read(b.field)
		if text == "" {
			continue
		}
		for _, t := range b.targets {
			v, err := t.parse(text)
			if err != nil {
				counts.fail(t.misfit(text, err))
				continue
			}
			list = append(list, slotted{t.slot, v})
		}
	}
	return list
}
