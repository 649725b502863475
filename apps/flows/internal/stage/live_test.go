package stage

import (
	"encoding/binary"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/bmp"
	"github.com/hotpb/hotpb/apps/flows/internal/routes"
	"github.com/hotpb/hotpb/go/schema"
)

const liveText = `
bmp:
  listen: "127.0.0.1:0"
  from: [192.0.2.0/24]
  routers: {203.0.113.9: 192.0.2.1}
  columns: {as: origin_as, as_path: as_path}
routes:
  - file: rib.mrt
    columns: {as: origin_as}
`

// change is an UPDATE that announces prefixes with a path, or withdraws them without one.
func change(t testing.TB, l *liveRoutes, path []uint32, prefixes ...string) *routes.Update {
	t.Helper()
	var list []byte
	for _, text := range prefixes {
		p := netip.MustParsePrefix(text)
		list = append(append(list, byte(p.Bits())), p.Addr().AsSlice()[:(p.Bits()+7)/8]...)
	}
	var b []byte
	if path == nil {
		b = append(binary.BigEndian.AppendUint16(b, uint16(len(list))), list...)
		b = append(b, 0, 0)
	} else {
		b = append(b, 0, 0, 0, byte(5+4*len(path)), 0x40, 2, byte(2+4*len(path)), 2, byte(len(path)))
		for _, as := range path {
			b = binary.BigEndian.AppendUint32(b, as)
		}
		b = append(b, list...)
	}
	u := &routes.Update{}
	if err := u.Read(b, 0, routes.Encoding{}, l.options.Fields); err != nil {
		t.Fatal(err)
	}
	return u
}

// Routers' routes fill columns before dumps do, for each exporter those of its router. An answer that is cached does not
// outlive its route.
func TestLiveRoutesFillColumnsUntilTheyChange(t *testing.T) {
	l := schemaOf(t, source, "{name: src_as, number: 3, type: uint32, from: 16, deferred: true}", "{name: src_as_path, number: 5, type: string}")
	config := geo(t, liveText)
	dumpFile(t, strings.TrimSuffix(config, "enrich.yaml")+"rib.mrt", map[string][]uint32{"203.0.113.0/24": {64999}, "198.51.100.0/24": {64998}})
	tables := must(Load(Files{Enrichment: config}, nil))
	server := bmp.New(slog.New(slog.DiscardHandler), routes.LiveLimits)
	tables.Receive(server)
	e := must(tables.Bind(l))
	s := l.File.Schema
	from, as, path := must(schema.Lookup[schema.IPColumn](s.Message, "from")), must(schema.Lookup[schema.UintColumn](s.Message, "src_as")), must(schema.Lookup[schema.StringColumn](s.Message, "src_as_path"))
	r, row := l.Plan.NewRecord(), l.Plan.NewRow()
	see := func(exporter, address, want string) {
		t.Helper()
		for range 2 { // the second answer comes from the cache
			r.Reset()
			r.IP(from, netip.MustParseAddr(address))
			e.Enrich(r, netip.MustParseAddr(exporter))
			if err := row.Unmarshal(r.Encoded()); err != nil {
				t.Fatal(err)
			}
			if got := row.String(path); got != want {
				t.Errorf("%s, of %s: %q instead of %q", address, exporter, got, want)
			}
			if origin := row.Uint(as); want != "" && !strings.HasSuffix(want, fmt.Sprint(origin)) || want == "" && origin != 0 && origin < 64998 {
				t.Errorf("%s, of %s: %q, and AS %d", address, exporter, want, origin)
			}
		}
	}
	table := func(router string, path []uint32, prefixes ...string) (*routes.Router, *routes.Peer) {
		t.Helper()
		x, p := server.NewRouter(netip.MustParseAddr(router)), &routes.Peer{}
		if err := x.Announce(p, routes.PrePolicy, &change(t, tables.live, path, prefixes...).Announced[0]); err != nil {
			t.Fatal(err)
		}
		server.Use(x)
		return x, p
	}
	see("192.0.2.1", "198.51.100.1", "")
	first, p := table("192.0.2.1", []uint32{64500, 64501}, "198.51.100.0/24")
	table("192.0.2.2", []uint32{64510}, "198.51.100.0/24", "10.0.0.0/8")
	see("192.0.2.1", "198.51.100.1", "64500 64501")
	see("203.0.113.9", "198.51.100.1", "64500 64501") // by the table
	see("::ffff:192.0.2.1", "198.51.100.1", "64500 64501")
	see("192.0.2.2", "198.51.100.1", "64510")
	see("192.0.2.7", "198.51.100.1", "64510") // the shortest
	see("192.0.2.1", "10.0.0.1", "")
	see("192.0.2.7", "10.0.0.1", "64510")
	see("192.0.2.1", "203.0.113.1", "") // and the AS of the dump

	for _, c := range []struct {
		path              []uint32
		prefix            string
		low, high, second string
	}{
		{[]uint32{64502}, "198.51.100.0/24", "64502", "64502", "64510"},
		{[]uint32{64503}, "198.51.100.128/25", "64502", "64503", "64510"},
		{nil, "198.51.100.128/25", "64502", "64502", "64510"},
		{[]uint32{64504}, "198.0.0.0/8", "64502", "64502", "64510"},
		{nil, "198.51.100.0/24", "64504", "64504", "64510"},
		{[]uint32{64505}, "0.0.0.0/0", "64504", "64504", "64510"},
		{nil, "198.0.0.0/8", "64505", "64505", "64510"},
	} {
		u := change(t, tables.live, c.path, c.prefix)
		if err := first.Withdraw(p, routes.PrePolicy, u.Withdrawn); err != nil {
			t.Fatal(err)
		}
		if err := first.Announce(p, routes.PrePolicy, &u.Announced[0]); err != nil {
			t.Fatal(err)
		}
		see("192.0.2.1", "198.51.100.1", c.low)
		see("192.0.2.1", "198.51.100.200", c.high)
		see("192.0.2.2", "198.51.100.1", c.second)
	}
	table("192.0.2.1", []uint32{64520}, "198.51.100.0/24") // it has connected once more
	see("192.0.2.1", "198.51.100.1", "64520")
	see("192.0.2.1", "10.0.0.1", "")
	server.Remove(server.Router(netip.MustParseAddr("192.0.2.1")))
	see("192.0.2.1", "198.51.100.1", "64510")

	if n := testing.AllocsPerRun(500, func() {
		r.Reset()
		r.IP(from, netip.MustParseAddr("198.51.100.1"))
		e.Enrich(r, netip.MustParseAddr("192.0.2.2"))
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if c := tables.live.counts; c.errors.Load() != 0 || c.found.Load() == 0 {
		t.Errorf("%d errors, %d found", c.errors.Load(), c.found.Load())
	}
}

func TestWhatIsWrongWithBMPIsReportedWithItsLine(t *testing.T) {
	l := schemaOf(t, source, "{name: src_as, number: 2, type: uint32, from: 16, deferred: true}")
	const listen = "bmp:\n  listen: \":10179\"\n"
	for _, c := range []struct{ config, want string }{
		{"bmp:\n  from: [192.0.2.0/24]\n  columns: {as: origin_as}", "enrich.yaml: bmp has no address to listen on"},
		{"bmp:\n  listen: 10179\n  from: [192.0.2.0/24]\n  columns: {as: origin_as}", `enrich.yaml:2: listen: "10179" is not an address`},
		{"bmp:\n  listen: \":99999\"\n  from: [192.0.2.0/24]\n  columns: {as: origin_as}", `enrich.yaml:2: listen: ":99999" is not an address`},
		{listen + "  columns: {as: origin_as}", "enrich.yaml:2: bmp has no routers"},
		{listen + "  from:\n    - 192.0.2.0/24\n    - 192.0.2.0/33\n  columns: {as: origin_as}", `enrich.yaml:5: from: "192.0.2.0/33" is not a prefix`},
		{listen + "  from: [192.0.2.0/24]", "enrich.yaml:2: :10179 fills no columns"},
		{listen + "  from: [192.0.2.0/24]\n  expire: 1ms\n  columns: {as: origin_as}", "enrich.yaml:2: expire is 1ms; it must be 1s or more"},
		{listen + "  from: [192.0.2.0/24]\n  columns: {as: origin}", `enrich.yaml:4: column as: "origin" is not a value of routes`},
		{listen + "  from: [192.0.2.0/24]\n  columns: {asn: origin_as}", "enrich.yaml:4: the schema schema.yaml has no column src_asn or dst_asn"},
		{listen + "  from: [192.0.2.0/24]\n  routers: {core1: 192.0.2.1}\n  columns: {as: origin_as}", `enrich.yaml:4: routers: "core1" is not an address`},
		{listen + "  from: [192.0.2.0/24]\n  routers: {192.0.2.1: core1}\n  columns: {as: origin_as}", `enrich.yaml:4: routers: "core1" is not an address`},
	} {
		tables, err := Load(Files{Enrichment: geo(t, c.config)}, nil)
		if err == nil {
			_, err = tables.Bind(l)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n%v\nwant %s", c.config, err, c.want)
		}
	}
}

// Nobody listens where flows are only replayed; the columns are empty.
func TestWithoutAServerNoRoutesCome(t *testing.T) {
	l := schemaOf(t, source, "{name: src_as, number: 3, type: uint32, from: 16, deferred: true}")
	config := geo(t, "bmp: {listen: \"127.0.0.1:0\", from: [192.0.2.0/24], columns: {as: origin_as}}\n")
	row := enriched(t, l, Files{Enrichment: config}, "192.0.2.1", func(s *schema.Schema, r *schema.Record) {
		r.IP(must(schema.Lookup[schema.IPColumn](s.Message, "from")), netip.MustParseAddr("198.51.100.1"))
	})
	if as := row.Uint(must(schema.Lookup[schema.UintColumn](l.File.Schema.Message, "src_as"))); as != 0 {
		t.Errorf("AS %d", as)
	}
}
