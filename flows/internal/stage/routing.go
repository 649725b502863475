package stage

import (
	"fmt"
	"net/netip"

	"gopkg.in/yaml.v3"

	"github.com/hotpb/hotpb/flows/internal/routes"
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
		for _, p := range pairs {
			field, err := routes.ParseField(p.value)
			if err != nil {
				return nil, c.wrong(p.line, "column %s: %w", p.key, err)
			}
			o.Fields = o.Fields.With(field)
			r.columns = append(r.columns, routingColumn{supplied(p.key, r.file), field, p.line})
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

// bind binds the table to the columns of a group. It returns nil if it fills none of them.
func (r *routing) bind(g *group) finder {
	f := &routingFinder{routing: r, known: newCache[[]slotted](cachedRecords)}
	for _, column := range r.columns {
		if targets := g.targets(column.supply); len(targets) > 0 {
			f.bound = append(f.bound, boundField{column.field, targets})
		}
	}
	if len(f.bound) == 0 {
		return nil
	}
	return f
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

func (f *routingFinder) find(d draft, a netip.Addr, block netip.Prefix) (same bool) {
	f.counts.lookups.Add(1)
	route, found, same := f.Find(a, block)
	if !found {
		return same
	}
	f.counts.found.Add(1)
	k := key{low: uint64(route)}
	values := f.known.get(k)
	if values == nil {
		values = f.known.put(k, f.read(route))
	}
	for _, v := range *values {
		d.put(v.slot, v.value)
	}
	return same
}

// read reads the values of a route. What does not fit is counted and left out.
func (f *routingFinder) read(route uint32) (list []slotted) {
	for _, b := range f.bound {
		text := f.Text(route, b.field)
		if text == "" {
			continue
		}
		for _, t := range b.targets {
			v, err := t.parse(text)
			if err != nil {
				f.counts.fail(t.misfit(text, err))
				continue
			}
			list = append(list, slotted{t.slot, v})
		}
	}
	return list
}
