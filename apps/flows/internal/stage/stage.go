// Package stage fills columns from tables of the operator: which network an address belongs to, what an interface
// is called.
//
// The tables are CSV files whose first line names their columns. Lines that start with # are comments. The table
// of prefixes has a column "prefix", that of exporters "exporter", that of interfaces "exporter" and "ifindex". Any
// other column X fills these columns of the schema, if the schema has them and they are on:
//
//	src_X, dst_X       from the row of the longest prefix that has the flow's source or destination
//	exporter_X         from the row of the exporter
//	in_if_X, out_if_X  from the row of the exporter and the interface through which the flow came in or went out
//
// So one more enrichment is a column in the table and one in the schema. The column "as" of the prefixes fills the
// columns of AS numbers, elements 16 and 17, whatever their names are. Addresses and interfaces are found by their
// elements, too.
//
// An empty field fills nothing. A value from the exporter takes precedence over a table unless it is zero. For a
// column whose name ends in "!", as in "as!", the table takes precedence.
//
// Another file (Files.Enrichment) names further sources, which are asked after the tables: rules, what exporters say
// by SNMP, routers' routes, routing tables, databases. The first source that has a value for a column counts. Answers are kept in
// bounded caches, by address or network, by exporter and by interface.
package stage

import (
	"errors"
	"net/netip"
	"slices"

	"github.com/gaissmai/bart"

	"github.com/hotpb/hotpb/apps/flows/internal/bmp"
	"github.com/hotpb/hotpb/apps/flows/internal/classify"
	"github.com/hotpb/hotpb/apps/flows/internal/snmp"
)

// Files are the paths of the tables; "" for a table that does not exist.
type Files struct {
	Prefixes   string
	Exporters  string
	Interfaces string
	Enrichment string // further sources (YAML)
}

// Tables have been read and checked. They do not change, and any number of goroutines may use them.
type Tables struct {
	prefixes   *table
	byPrefix   *bart.Fast[uint32] // the row
	exporters  *table
	byExporter map[netip.Addr]uint32
	interfaces *table
	byPort     map[port]uint32
	config     *config
	databases  []*database
	routes     []*routing
	live       *liveRoutes   // nil without a section bmp
	receiver   *bmp.Server   // nil for none
	exporting  *rules        // for exporters
	porting    *rules        // for interfaces
	asking     *snmp.Options // nil without SNMP
	secrets    []string      // files
	poller     *snmp.Poller  // nil for none
	stats      *Stats
}

// port is an interface of an exporter.
type port struct {
	exporter netip.Addr
	index    uint64
}

// Load reads the tables. An error lists all faults, each with file and line. Stats go on where they are: those of a
// reload are those of its predecessor; nil for none.
func Load(f Files, s *Stats) (t *Tables, err error) {
	if s == nil {
		s = &Stats{}
	}
	t = &Tables{byPrefix: &bart.Fast[uint32]{}, byExporter: map[netip.Addr]uint32{}, byPort: map[port]uint32{}, stats: s}
	t.prefixes, err = load(f.Prefixes, func(keys []string) (netip.Prefix, error) { return parsePrefix(keys[0]) },
		t.byPrefix.Get, t.byPrefix.Insert, netip.Prefix.String, "prefix")
	if err != nil {
		return nil, err
	}
	t.exporters, err = load(f.Exporters, func(keys []string) (netip.Addr, error) { return parseAddr(keys[0]) },
		getter(t.byExporter), putter(t.byExporter), netip.Addr.String, "exporter")
	if err != nil {
		return nil, err
	}
	t.interfaces, err = load(f.Interfaces, func(keys []string) (port, error) { return parsePort(keys[0], keys[1]) },
		getter(t.byPort), putter(t.byPort), port.String, "exporter", "ifindex")
	if err != nil {
		return nil, err
	}
	if t.config, err = readConfig(f.Enrichment); err != nil {
		return nil, err
	}
	var wrong error
	t.databases, err = t.config.openDatabases(s)
	t.routes, wrong = t.config.openRoutes(s)
	err = errors.Join(err, wrong)
	t.live, wrong = t.config.liveRoutes(s)
	err = errors.Join(err, wrong)
	t.exporting, wrong = t.config.compile("exporters", t.config.Exporters, classify.Exporter{}, s)
	err = errors.Join(err, wrong)
	t.porting, wrong = t.config.compile("interfaces", t.config.Interfaces, classify.Interface{}, s)
	err = errors.Join(err, wrong)
	t.asking, t.secrets, wrong = t.config.snmpOptions()
	if err = errors.Join(err, wrong); err != nil {
		return nil, err
	}
	return t, nil
}

// Poll makes what Bind creates use the names that a poller finds out.
func (t *Tables) Poll(p *snmp.Poller) { t.poller = p }

// Configure makes a poller ask as the configuration says: nobody, without a section snmp.
func (t *Tables) Configure(p *snmp.Poller) {
	if t.asking != nil {
		p.Configure(*t.asking)
	} else {
		p.Configure(snmp.Defaults())
	}
}

// Receive makes what Bind creates use the routes that a server receives.
func (t *Tables) Receive(s *bmp.Server) { t.receiver = s }

// Listen makes a server listen as the configuration says: to nobody, without a section bmp.
func (t *Tables) Listen(s *bmp.Server) error {
	if t.live == nil {
		return s.Configure(bmp.Options{}, func(error) {})
	}
	if err := s.Configure(t.live.options, t.live.counts.fail); err != nil {
		return t.config.wrong(t.live.line, "%w", err)
	}
	return nil
}

// Files are the files that the configuration names, and which were read with it.
func (t *Tables) Files() (list []string) {
	for _, d := range t.databases {
		list = append(list, d.file)
	}
	for _, r := range t.routes {
		list = append(list, r.file)
	}
	return append(list, t.secrets...)
}

// load reads a table, whose rows are found by some of its columns.
func load[K any](path string, parse func(keys []string) (K, error), get func(K) (uint32, bool), put func(K, uint32),
	show func(K) string, keys ...string) (*table, error) {
	if path == "" {
		return nil, nil
	}
	r, err := open(path, keys...)
	if err != nil {
		return nil, err
	}
	t := r.rows(func(texts []string, row uint32) {
		k, err := parse(texts)
		if err != nil {
			r.wrong("%v", err)
		} else if first, twice := get(k); twice {
			r.wrong("%s is also in line %d", show(k), r.lines[first])
		} else {
			put(k, row)
		}
	})
	return t, r.err()
}

func getter[K comparable](m map[K]uint32) func(K) (uint32, bool) {
	return func(k K) (uint32, bool) { row, ok := m[k]; return row, ok }
}

func putter[K comparable](m map[K]uint32) func(K, uint32) {
	return func(k K, row uint32) { m[k] = row }
}

// sources are the names of all that has counts.
func (t *Tables) sources() []string {
	list := []string{snmpSource}
	for _, d := range t.databases {
		list = append(list, d.file)
	}
	for _, r := range t.routes {
		list = append(list, r.file)
	}
	if t.live != nil {
		list = append(list, bmpSource)
	}
	for _, r := range slices.Concat(t.exporting.list, t.porting.list) {
		list = append(list, r.name)
	}
	return list
}

// networkFinders are what finds values by address, by precedence.
func (t *Tables) networkFinders(g *group) (list []finder) {
	if fills := g.fills(t.prefixes); len(fills) > 0 {
		list = append(list, &prefixes{t.byPrefix, fills})
	}
	if f := t.live.bind(g, t.receiver); f != nil {
		list = append(list, f)
	}
	for _, r := range t.routes {
		if f := r.bind(g); f != nil {
			list = append(list, f)
		}
	}
	for _, d := range t.databases {
		if f := d.bind(g, t.config); f != nil {
			list = append(list, f)
		}
	}
	return list
}

// exporterFinders are what finds values by exporter.
func (t *Tables) exporterFinders(g *group) (list []exporterFinder) {
	if fills := g.fills(t.exporters); len(fills) > 0 {
		list = append(list, &exporterTable{t.byExporter, fills})
	}
	if to := t.exporting.bind(g, t.config); to != nil {
		list = append(list, &exporterRules{t.exporting, to})
	}
	t.exporting.check(g.binding, t.config, "exporter_")
	if t.asking != nil {
		if targets, used := t.config.deviceTargets(g, deviceNames); used {
			list = append(list, &devices{targets, t.stats.source(snmpSource)})
		}
	}
	return list
}

// portFinders are what finds values by interface, for the columns of both ways.
func (t *Tables) portFinders(g *[2]*group) (list []portFinder) {
	if in, out := g[0].fills(t.interfaces), g[1].fills(t.interfaces); len(in)+len(out) > 0 {
		list = append(list, &portTable{t.byPort, [2][]fill{in, out}})
	}
	if in, out := t.porting.bind(g[0], t.config), t.porting.bind(g[1], t.config); in != nil || out != nil {
		list = append(list, &portRules{t.porting, facts{t}, [2]outlets{in, out}})
	}
	t.porting.check(g[0].binding, t.config, "in_if_", "out_if_")
	if t.asking != nil {
		in, comes := t.config.deviceTargets(g[0], portNames)
		out, goes := t.config.deviceTargets(g[1], portNames)
		if comes || goes {
			list = append(list, &devicePorts{[2][][]*target{in, out}, t.stats.source(snmpSource)})
		}
	}
	return list
}
