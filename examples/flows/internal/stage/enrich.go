package stage

import (
	"net/netip"

	"github.com/gaissmai/bart"

	"github.com/hotpb/hotpb/go/schema"
)

// enricher is tables bound to a layout.
type enricher struct {
	byPrefix *bart.Fast[uint32]
	byPort   map[port]uint32
	ends     []end
	ports    []way
}

// end is the source or the destination of a flow.
type end struct {
	addresses []schema.IPColumn // the first that has a value counts
	fills     []filler
}

// way is how a flow came in or went out.
type way struct {
	indexes []schema.UintColumn
	fills   []filler
}

// Enrich fills the columns that are not filled yet or must be overridden.
func (e *enricher) Enrich(r *schema.Record, exporter netip.Addr) {
	for i := range e.ends {
		x := &e.ends[i]
		for _, c := range x.addresses {
			if address, ok := r.GetIP(c); ok {
				if row, ok := e.byPrefix.Lookup(address.Unmap()); ok {
					fillAll(r, x.fills, row)
				}
				break
			}
		}
	}
	if len(e.ports) == 0 {
		return
	}
	exporter = exporter.Unmap()
	for i := range e.ports {
		x := &e.ports[i]
		for _, c := range x.indexes {
			if index, ok := r.GetUint(c); ok {
				if row, ok := e.byPort[port{exporter, index}]; ok {
					fillAll(r, x.fills, row)
				}
				break
			}
		}
	}
}

func fillAll(r *schema.Record, fills []filler, row uint32) {
	for _, f := range fills {
		f.fill(r, row)
	}
}

// filler sets one column from one column of a table.
type filler interface {
	fill(r *schema.Record, row uint32)
}

// typed is a filler for columns of one type of handle.
type typed[C, V any] struct {
	column C
	set    func(*schema.Record, C, V)
	filled func(*schema.Record, C) bool // of the exporter; nil if that does not matter
	ids    []uint32                     // by row: index in values
	values []V                          // the first means no value
}

func (f *typed[C, V]) fill(r *schema.Record, row uint32) {
	id := f.ids[row]
	if id == 0 || f.filled != nil && f.filled(r, f.column) {
		return
	}
	f.set(r, f.column, f.values[id])
}
