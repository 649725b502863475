package stage

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hotpb/hotpb/examples/flows/internal/flow"
	"github.com/hotpb/hotpb/examples/flows/internal/layout"
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
	e := &enricher{byPrefix: t.byPrefix, byPort: t.byPort}
	for i, name := range []string{"src_", "dst_"} {
		if fills := b.fills(t.prefixes, name, asElements[i]); len(fills) > 0 {
			e.ends = append(e.ends, end{read(&b, t.prefixes, name, b.layout.File.Schema.FindIP, addressElements[i]...), fills})
		}
	}
	for i, name := range []string{"in_if_", "out_if_"} {
		if fills := b.fills(t.interfaces, name, 0); len(fills) > 0 {
			e.ports = append(e.ports, way{read(&b, t.interfaces, name, b.layout.File.Schema.FindUint, portElements[i]), fills})
		}
	}
	if err := errors.Join(b.problems...); err != nil {
		return nil, err
	}
	if len(e.ends)+len(e.ports) == 0 {
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

// read finds the columns by which rows are found.
func read[C any](b *binding, t *table, name string, find func(string) (C, error), elements ...uint16) (list []C) {
	columns := b.from(elements...)
	if len(columns) == 0 {
		b.problems = append(b.problems, fmt.Errorf("%s: %s fills columns %s…, but no column that is on has element %v "+
			"to find the row by", b.layout.Path, t.path, name, elements))
	}
	for _, c := range columns {
		handle, err := find(c.Name)
		switch {
		case err != nil:
			b.located(err)
		case !c.Deferred:
			b.wrong(c, "must be deferred: "+t.path+" is searched for its value")
		default:
			list = append(list, handle)
		}
	}
	return list
}

// fills returns the fillers of the columns whose names consist of a prefix and the name of a table's column.
func (b *binding) fills(t *table, name string, as uint16) (list []filler) {
	if t == nil {
		return nil
	}
	for i := range t.columns {
		from := &t.columns[i]
		for _, c := range b.targets(name, from.name, as) {
			if f := b.filler(t, from, c); f != nil {
				list = append(list, f)
			}
		}
	}
	return list
}

func (b *binding) targets(name, column string, as uint16) []*schema.Column {
	if column == "as" && as != 0 {
		if list := b.from(as); len(list) > 0 {
			return list
		}
	}
	for i := range b.columns {
		if b.columns[i].Name == name+column {
			return []*schema.Column{&b.columns[i]}
		}
	}
	return nil
}
