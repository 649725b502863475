package stage

import (
	"net/netip"
	"slices"
	"sync"

	"github.com/hotpb/hotpb/go/schema"
)

// enricher is everything that fills columns of a layout.
type enricher struct {
	ends      []end
	live      *receiving // nil without routers that send their routes
	exporters exporters
	stats     *Stats
}

// Enrich fills the columns that are not filled yet or must be overridden.
func (e *enricher) Enrich(r *schema.Record, exporter netip.Addr) {
	exporter = exporter.Unmap()
	router := e.live.router(exporter)
	for i := range e.ends {
		x := &e.ends[i]
		for _, c := range x.addresses {
			if address, ok := r.GetIP(c); ok {
				values := x.values(address.Unmap(), router, e.stats)
				values.set(r)
				break
			}
		}
	}
	if e.exporters.used() {
		e.exporters.enrich(r, exporter, e.stats)
	}
}

// row is the values that are set together.
type row struct {
	encoded schema.Fragment // of columns whose values count whatever the record has
	values  []value         // of the others
}

func (w *row) set(r *schema.Record) {
	r.Put(&w.encoded)
	for _, v := range w.values {
		v.set(r)
	}
}

// draft is a row under construction: by slot, values of which the first one counts, since sources are asked in order
// of precedence.
type draft []value

func (d draft) put(slot int, v value) {
	if d[slot] == nil {
		d[slot] = v
	}
}

// rows makes rows of drafts.
type rows struct {
	records sync.Pool // of *schema.Record
}

func newRows(p *schema.Plan) *rows {
	return &rows{sync.Pool{New: func() any { return p.NewRecord() }}}
}

func (m *rows) row(d draft) (w row) {
	r := m.records.Get().(*schema.Record)
	defer m.records.Put(r)
	r.Reset()
	for _, v := range d {
		switch {
		case v == nil:
		case v.plain():
			v.set(r)
		default:
			w.values = append(w.values, v)
		}
	}
	encoded, err := r.Fragment()
	if err != nil { // a value that its column refuses: records count it
		return row{values: slices.DeleteFunc(slices.Clone(d), func(v value) bool { return v == nil })}
	}
	w.encoded = encoded
	return w
}

// fillAll puts the values of a table's row into a draft.
func fillAll(d draft, fills []fill, row uint32) {
	for i := range fills {
		d.put(fills[i].slot, fills[i].values[fills[i].ids[row]])
	}
}
