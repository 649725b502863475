package stage

import (
	"fmt"
	"net"
	"net/netip"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/hotpb/hotpb/apps/flows/internal/bmp"
	"github.com/hotpb/hotpb/apps/flows/internal/routes"
)

// bmpSource is the name of the routers' routes among the sources that are counted.
const bmpSource = "bmp"

// bmpConfig says which routers may send their routes, and which values of them fill which columns.
type bmpConfig struct {
	Listen  located       `yaml:"listen"`
	From    []located     `yaml:"from"`
	Routers yaml.Node     `yaml:"routers"`
	Expire  time.Duration `yaml:"expire"`
	Columns yaml.Node     `yaml:"columns"`
}

// liveRoutes is the routes that routers send.
type liveRoutes struct {
	options bmp.Options
	routers map[netip.Addr]netip.Addr // by exporters with another address
	columns []routingColumn
	counts  *sourceCounts
	line    int
}

// liveRoutes reads the section bmp; nil if there is none.
func (c *config) liveRoutes(s *Stats) (*liveRoutes, error) {
	if c.BMP == nil {
		return nil, nil
	}
	from := c.BMP
	l := &liveRoutes{options: bmp.Defaults(), routers: map[netip.Addr]netip.Addr{}, line: from.Listen.line}
	if from.Listen.value == "" {
		return nil, fmt.Errorf("%s: bmp has no address to listen on: add listen: \":10179\", for instance", c.path)
	}
	_, port, err := net.SplitHostPort(from.Listen.value)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return nil, c.wrong(l.line, "listen: %q is not an address: write HOST:PORT, or :PORT for all addresses of the machine", from.Listen.value)
	}
	l.options.Listen = from.Listen.value
	if len(from.From) == 0 {
		return nil, c.wrong(l.line, "bmp has no routers: add from: [192.0.2.0/24], for instance")
	}
	for _, text := range from.From {
		p, err := parsePrefix(text.value)
		if err != nil {
			return nil, c.wrong(text.line, "from: %w", err)
		}
		l.options.From = append(l.options.From, p)
	}
	if from.Expire != 0 {
		if from.Expire < time.Second {
			return nil, c.wrong(l.line, "expire is %v; it must be 1s or more", from.Expire)
		}
		l.options.Expire = from.Expire
	}
	pairs, err := c.pairs(&from.Routers, "routers")
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		exporter, err := parseAddr(p.key)
		if err != nil {
			return nil, c.wrong(p.line, "routers: %w", err)
		}
		if l.routers[exporter], err = parseAddr(p.value); err != nil {
			return nil, c.wrong(p.line, "routers: %w", err)
		}
	}
	pairs, err = c.fills(from.Listen, &from.Columns, "bmp", "as: origin_as")
	if err != nil {
		return nil, err
	}
	if l.columns, l.options.Fields, err = c.routeColumns(pairs, "bmp in "+c.path); err != nil {
		return nil, err
	}
	l.counts = s.source(bmpSource)
	return l, nil
}

// filled are the columns that the routes fill.
func (l *liveRoutes) filled() []routingColumn {
	if l == nil {
		return nil
	}
	return l.columns
}

// bind binds the routes to the columns of a group. It returns nil if they fill none of them, or nobody receives any.
func (l *liveRoutes) bind(g *group, from *bmp.Server) finder {
	if l == nil {
		return nil
	}
	bound := g.routes(l.columns)
	if len(bound) == 0 || from == nil {
		return nil
	}
	return &liveFinder{l, from.Live, bound, newCache[[]slotted](cachedRecords)}
}

// liveFinder finds values in the routes.
type liveFinder struct {
	*liveRoutes
	table *routes.Live
	bound []boundField
	known *cache[[]slotted] // by the number of the route
}

func (f *liveFinder) find(d draft, q question) (same bool) {
	f.counts.lookups.Add(1)
	route, same := f.table.Find(q.router, q.address, q.block)
	if route == nil {
		return same
	}
	f.counts.found.Add(1)
	k := key{low: route.Number()}
	values := f.known.get(k)
	if values == nil {
		values = f.known.put(k, readRoute(f.bound, route.Text, f.counts))
	}
	for _, v := range *values {
		d.put(v.slot, v.value)
	}
	return same
}

// receiving is the routes that count for an exporter.
type receiving struct {
	*routes.Live
	routers map[netip.Addr]netip.Addr
}

// router is the table of an exporter; nil if it has none.
func (r *receiving) router(exporter netip.Addr) *routes.Router {
	if r == nil {
		return nil
	}
	if a, ok := r.routers[exporter]; ok {
		exporter = a
	}
	return r.Router(exporter)
}
