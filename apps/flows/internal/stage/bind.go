package stage

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/apps/flows/internal/routes"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// The elements whose columns are read: of both ends of a flow, and of its ways in and out.
var (
	addressElements = [2][]uint16{{8, 27}, {12, 28}}
	asElements      = [2]uint16{16, 17}
	portElements    = [2]uint16{10, 14}
)

// Bind decides which columns of a layout are filled from which of the tables. It returns nil if nothing is to be
// filled. Its errors, about the layout or about values for it, have file and line.
func (t *Tables) Bind(l *layout.Layout) (flow.Enricher, error) {
	b := binding{layout: l, columns: l.Plan.Columns(l.Plan.Root())}
	e := &enricher{stats: t.stats}
	var live *routes.Live
	if t.live != nil && t.receiver != nil {
		live = t.receiver.Live
		e.live = &receiving{live, t.live.routers}
	}
	for i, name := range []string{"src_", "dst_"} {
		g := &group{binding: &b, prefix: name, as: asElements[i]}
		finders := t.networkFinders(g)
		if len(finders) > 0 {
			addresses := read[schema.IPColumn](g, addressElements[i]...)
			e.ends = append(e.ends, newEnd(addresses, finders, g.slots(), newRows(l.Plan), live))
		}
	}
	for _, d := range t.databases {
		for _, column := range d.columns {
			t.config.check(&b, column.line, column.name, "src_", "dst_")
		}
	}
	columns := slices.Clone(t.live.filled())
	for _, r := range t.routes {
		columns = append(columns, r.columns...)
	}
	for _, column := range columns {
		t.config.check(&b, column.line, column.name, "src_", "dst_")
	}
	t.bindExporters(&b, &e.exporters)
	b.misspelt(t.prefixes, "src_", "dst_")
	b.misspelt(t.interfaces, "in_if_", "out_if_")
	b.misspelt(t.exporters, "exporter_")
	if err := errors.Join(b.problems[:min(len(b.problems), maxProblems)]...); err != nil {
		return nil, err
	}
	t.stats.retain(t)
	if len(e.ends) == 0 && !e.exporters.used() {
		return nil, nil
	}
	return e, nil
}

// binding is the state of Bind.
type binding struct {
	layout   *layout.Layout
	columns  []schema.Column // that are on
	problems []error
}

// wrong records an error in a column of the schema, at its line.
func (b *binding) wrong(c *schema.Column, reason string) {
	b.located(&schema.Error{Code: wire.InvalidSchema, Where: b.layout.Plan.Root() + "." + c.Name, Reason: reason})
}

func (b *binding) located(err error) {
	b.problems = append(b.problems, fmt.Errorf("%s: %w", b.layout.Path, b.layout.File.Locate(err)))
}

// from returns the columns that have one of the elements among their sources.
func (b *binding) from(elements ...uint16) (list []*schema.Column) {
	for i := range b.columns {
		for _, s := range b.columns[i].Sources {
			if s.Enterprise == 0 && slices.Contains(elements, s.Element) {
				list = append(list, &b.columns[i])
				break
			}
		}
	}
	return list
}

// group is the columns that are filled by the same key: of a source, for instance.
type group struct {
	*binding
	prefix string // of the names of its columns
	as     uint16 // the element of AS numbers; 0 for none
	filled []*schema.Column
	from   string // a file that fills one of them
}

func (g *group) slots() int { return len(g.filled) }

// targets are the columns that a source fills by this name.
func (g *group) targets(s supply) (list []*target) {
	for _, c := range g.called(s.name) {
		slot := slices.Index(g.filled, c)
		if slot < 0 {
			slot = len(g.filled)
			g.filled = append(g.filled, c)
		}
		g.from = s.from
		if t := g.target(s, c, slot); t != nil {
			list = append(list, t)
		}
	}
	return list
}

// called returns the columns with this name after the prefix.
func (g *group) called(name string) []*schema.Column {
	if name == "as" && g.as != 0 {
		if list := g.binding.from(g.as); len(list) > 0 {
			return list
		}
	}
	for i := range g.columns {
		if g.columns[i].Name == g.prefix+name {
			return []*schema.Column{&g.columns[i]}
		}
	}
	return nil
}

// read finds the columns by whose values the group's values are found.
func read[C ~struct{ schema.Handle }](g *group, elements ...uint16) (list []C) {
	columns := g.binding.from(elements...)
	if len(columns) == 0 {
		g.problems = append(g.problems, fmt.Errorf("%s: %s fills columns %s…, but no column that is on has element %v "+
			"to find the row by", g.layout.Path, g.from, g.prefix, elements))
	}
	for _, c := range columns {
		handle, err := schema.Lookup[C](g.layout.File.Schema.Message, c.Name)
		switch {
		case err != nil:
			g.located(err)
		case !c.Deferred:
			g.wrong(c, "must be deferred: "+g.from+" is searched for its value")
		default:
			list = append(list, handle)
		}
	}
	return list
}

// fill is a column of a table that fills a column of the schema.
type fill struct {
	slot   int
	ids    []uint32 // by row: index in values
	values []value  // the first is nil and means no value
}

// fills binds a table.
func (g *group) fills(t *table) (list []fill) {
	if t == nil {
		return nil
	}
	for i := range t.columns {
		from := &t.columns[i]
		for _, to := range g.targets(supply{from.name, t.path, from.override}) {
			list = append(list, g.fill(t, from, to))
		}
	}
	return list
}

// fill parses the values of a table's column.
func (g *group) fill(t *table, from *column, to *target) fill {
	f := fill{slot: to.slot, ids: from.ids, values: make([]value, 1, len(from.values))}
	for i, text := range from.values[1:] {
		v, err := to.parse(text)
		if err != nil {
			g.problems = append(g.problems, fmt.Errorf("%s:%d: %w", t.path, from.lines[i+1], to.misfit(text, err)))
			if len(g.problems) >= maxProblems {
				break
			}
		}
		f.values = append(f.values, v)
	}
	return f
}
