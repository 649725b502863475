package stage

import (
	"net/netip"
	"sync/atomic"

	"github.com/hotpb/hotpb/apps/flows/internal/classify"
	"github.com/hotpb/hotpb/apps/flows/internal/snmp"
	"github.com/hotpb/hotpb/go/schema"
)

// exporters fills columns by exporter, and by its interfaces.
type exporters struct {
	slots   int
	finders []exporterFinder // by precedence
	facts   facts
	ports   ports
	rows    *rows
	known   *cache[exporter]
	next    atomic.Uint64 // number of an exporter
}

// exporter is what is known of one.
type exporter struct {
	address netip.Addr
	number  uint64 // by which its interfaces are found; another one after what is known of it has changed
	facts   classify.Exporter
	device  *snmp.Device // nil if it is not asked
	answer  *snmp.Facts  // of the device, when the values were found
	values  row
}

// ports fills columns by the interfaces through which a flow came in and went out.
type ports struct {
	ways    [2]way
	finders []portFinder
	known   *cache[[2]row]
}

// way is how a flow came in or went out.
type way struct {
	indexes []schema.UintColumn // the first that has a value counts
	slots   int
}

// exporterFinder finds values by exporter.
type exporterFinder interface{ find(d draft, e *exporter) }

// portFinder finds values by the exporter's interface, as one of flows that come in and as one of those that go out.
type portFinder interface {
	find(d *[2]draft, e *exporter, index uint64)
}

// The bounds of the caches.
const (
	cachedExporters = 1 << 14
	cachedPorts     = 1 << 15
)

func (x *exporters) used() bool { return len(x.finders)+len(x.ports.finders) > 0 }

// bindExporters decides what is filled by exporter and by interface.
func (t *Tables) bindExporters(b *binding, x *exporters) {
	x.facts = facts{t}
	g := &group{binding: b, prefix: "exporter_"}
	x.finders = t.exporterFinders(g)
	x.slots = g.slots()
	ends := [2]*group{{binding: b, prefix: "in_if_"}, {binding: b, prefix: "out_if_"}}
	x.ports.finders = t.portFinders(&ends)
	for i, g := range ends {
		if w := &x.ports.ways[i]; g.slots() > 0 {
			w.indexes, w.slots = read[schema.UintColumn](g, portElements[i]), g.slots()
		}
	}
	if x.used() {
		x.rows = newRows(b.layout.Plan)
		x.known = newCache[exporter](cachedExporters)
		x.ports.known = newCache[[2]row](cachedPorts)
	}
}

func (x *exporters) enrich(r *schema.Record, address netip.Addr, s *Stats) {
	e := x.known.get(addressKey(address))
	if e == nil || e.device != nil && e.device.Facts() != e.answer {
		e = x.look(address, s)
	}
	e.values.set(r)
	for i := range x.ports.ways {
		for _, c := range x.ports.ways[i].indexes {
			if index, ok := r.GetUint(c); ok {
				x.portValues(e, index, s)[i].set(r)
				break
			}
		}
	}
}

// look finds out what is known of an exporter.
func (x *exporters) look(address netip.Addr, s *Stats) *exporter {
	s.exporterMisses.Add(1)
	e := exporter{address: address, number: x.next.Add(1)}
	if e.device = x.facts.poller.Device(address); e.device != nil {
		e.answer = e.device.Facts()
	}
	e.facts = x.facts.exporter(&e)
	d := make(draft, x.slots)
	for _, f := range x.finders {
		f.find(d, &e)
	}
	e.values = x.rows.row(d)
	return x.known.put(addressKey(address), e)
}

// portValues are those of an exporter's interface.
func (x *exporters) portValues(e *exporter, index uint64, s *Stats) *[2]row {
	k := key{high: e.number, low: index}
	if values := x.ports.known.get(k); values != nil {
		return values
	}
	s.interfaceMisses.Add(1)
	d := [2]draft{make(draft, x.ports.ways[0].slots), make(draft, x.ports.ways[1].slots)}
	for _, f := range x.ports.finders {
		f.find(&d, e, index)
	}
	return x.ports.known.put(k, [2]row{x.rows.row(d[0]), x.rows.row(d[1])})
}

// exporterTable is the table of exporters, bound.
type exporterTable struct {
	rows  map[netip.Addr]uint32
	fills []fill
}

func (t *exporterTable) find(d draft, e *exporter) {
	if row, ok := t.rows[e.address]; ok {
		fillAll(d, t.fills, row)
	}
}

// portTable is the table of interfaces, bound.
type portTable struct {
	rows  map[port]uint32
	fills [2][]fill
}

func (t *portTable) find(d *[2]draft, e *exporter, index uint64) {
	if row, ok := t.rows[port{e.address, index}]; ok {
		fillAll(d[0], t.fills[0], row)
		fillAll(d[1], t.fills[1], row)
	}
}
