package stage

import (
	"bytes"
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/osrg/gobgp/v4/pkg/packet/bgp"
	"github.com/osrg/gobgp/v4/pkg/packet/mrt"

	"github.com/hotpb/hotpb/go/schema"
)

// dumpFile writes an MRT dump with the path to each prefix, all with the same communities.
func dumpFile(t testing.TB, path string, routes map[string][]uint32) string {
	t.Helper()
	var dump bytes.Buffer
	add := func(subtype mrt.MRTSubTyper, body mrt.Body) {
		t.Helper()
		m, err := mrt.NewMRTMessage(time.Unix(1_700_000_000, 0), mrt.TABLE_DUMPv2, subtype, body)
		if err != nil {
			t.Fatal(err)
		}
		dump.Write(must(m.Serialize()))
	}
	peer := netip.MustParseAddr("192.0.2.1")
	add(mrt.PEER_INDEX_TABLE, mrt.NewPeerIndexTable(peer, "", []*mrt.Peer{mrt.NewPeer(peer, peer, 64496, true)}))
	for prefix, list := range routes {
		var segments []bgp.AsPathParamInterface // none for the peer's own routes
		if len(list) > 0 {
			segments = append(segments, bgp.NewAs4PathParam(bgp.BGP_ASPATH_ATTR_TYPE_SEQ, list))
		}
		attributes := []bgp.PathAttributeInterface{
			bgp.NewPathAttributeOrigin(0),
			bgp.NewPathAttributeAsPath(segments),
			bgp.NewPathAttributeCommunities([]uint32{64496<<16 | 100, 64496<<16 | 200}),
		}
		p := must(bgp.NewIPAddrPrefix(netip.MustParsePrefix(prefix)))
		add(mrt.RIB_IPV4_UNICAST, mrt.NewRib(0, bgp.RF_IPv4_UC, p, []*mrt.RibEntry{mrt.NewRibEntry(0, 1, 0, attributes, false)}))
	}
	return writeFile(t, path, dump.String())
}

const routesText = `
routes:
  - file: rib.mrt
    columns: {as: origin_as, as_path: as_path, communities: communities, path_length: path_length}
mmdb:
  - file: as.mmdb
    columns: {as: autonomous_system_number}
`

// A routing table fills AS numbers before databases do, and lists.
func TestRoutesFillColumns(t *testing.T) {
	l := schemaOf(t, destination, source, "{name: src_as, number: 3, type: uint32, from: 16, deferred: true}", "{name: peer, number: 4, type: uint32, from: 17, deferred: true}",
		"{name: dst_as_path, number: 5, type: repeated uint32}", "{name: dst_communities, number: 6, type: repeated string}", "{name: dst_path_length, number: 7, type: uint32}")
	config := geo(t, routesText)
	dumpFile(t, filepath.Join(filepath.Dir(config), "rib.mrt"), map[string][]uint32{
		"198.51.100.0/24": {64496, 64511, 64510}, "198.51.100.128/25": {64496, 64509}, "10.0.0.0/8": {},
	})
	s := l.File.Schema
	for _, c := range []struct {
		address, path, communities string
		as, length                 uint64
	}{
		{"198.51.100.1", "[64496 64511 64510]", "64496:100 64496:200", 64510, 3}, {"198.51.100.200", "[64496 64509]", "64496:100 64496:200", 64509, 2},
		{"192.0.2.1", "[]", "", 64496, 0}, {"10.1.1.1", "[]", "64496:100 64496:200", 0, 0},
	} {
		row := enriched(t, l, Files{Enrichment: config}, "192.0.2.1", func(s *schema.Schema, r *schema.Record) {
			r.IP(must(schema.Lookup[schema.IPColumn](s.Message, "from")), netip.MustParseAddr("198.51.100.1"))
			r.IP(must(schema.Lookup[schema.IPColumn](s.Message, "to")), netip.MustParseAddr(c.address))
		})
		path := fmt.Sprint(row.Uints(must(schema.Lookup[schema.UintList](s.Message, "dst_as_path"))))
		var communities []string
		for _, c := range row.Strings(must(schema.Lookup[schema.StringList](s.Message, "dst_communities"))).All() {
			communities = append(communities, c)
		}
		if path != c.path || strings.Join(communities, " ") != c.communities {
			t.Errorf("%s: path %s, communities %q", c.address, path, communities)
		}
		if as := row.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "peer"))); as != c.as || row.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "dst_path_length"))) != c.length {
			t.Errorf("%s: AS %d, length %d", c.address, as, row.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "dst_path_length"))))
		}
		if row.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "src_as"))) != 64510 {
			t.Errorf("%s: the source is in AS %d", c.address, row.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "src_as"))))
		}
	}
}

func TestWhatIsWrongWithRoutesIsReportedWithItsLine(t *testing.T) {
	l := schemaOf(t, source, "{name: src_as, number: 2, type: uint32, from: 16, deferred: true}")
	for _, c := range []struct{ config, want string }{
		{"routes:\n  - file: none.mrt\n    columns: {as: origin_as}", "enrich.yaml:2: open "},
		{"routes:\n  - file: city.mmdb\n    columns: {as: origin_as}", "record 1, at byte 0: has "},
		{"routes:\n  - file: rib.mrt\n    columns: {as: origin}", `enrich.yaml:3: column as: "origin" is not a value of routes; these are: [origin_as `},
		{"routes:\n  - file: rib.mrt\n    columns: {asn: origin_as}", "enrich.yaml:3: the schema schema.yaml has no column src_asn or dst_asn"},
		{"routes:\n  - file: rib.mrt\n    peer: router1\n    columns: {as: origin_as}", `enrich.yaml:3: peer: "router1" is not an address`},
		{"routes:\n  - file: rib.mrt\n    peer: 192.0.2.7\n    columns: {as: origin_as}", "has no routes of the peer 192.0.2.7; its peers are 192.0.2.1 (AS 64496)"},
		{"routes:\n  - file: rib.mrt", "enrich.yaml:2: rib.mrt fills no columns"},
		{"routes:\n  - columns: {as: origin_as}", "enrich.yaml: a table below routes has no file"},
	} {
		config := geo(t, c.config)
		dumpFile(t, filepath.Join(filepath.Dir(config), "rib.mrt"), map[string][]uint32{"10.0.0.0/8": {64496}})
		tables, err := Load(Files{Enrichment: config}, nil)
		if err == nil {
			_, err = tables.Bind(l)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n%v\nwant %s", c.config, err, c.want)
		}
	}
}

// A reload reads large files again only if they have changed, or if other values of them are needed.
func TestAReloadKeepsFilesThatHaveNotChanged(t *testing.T) {
	l := schemaOf(t, source, "{name: src_as, number: 2, type: uint32, from: 16, deferred: true}", "{name: src_peer, number: 3, type: uint32}")
	config := geo(t, "routes: [{file: rib.mrt, columns: {as: origin_as}}]\nmmdb: [{file: as.mmdb, columns: {as: autonomous_system_number}}]\n")
	dump := filepath.Join(filepath.Dir(config), "rib.mrt")
	dumpFile(t, dump, map[string][]uint32{"10.0.0.0/8": {64496}})
	stats := &Stats{}
	load := func() *Tables {
		t.Helper()
		tables := must(Load(Files{Enrichment: config}, stats))
		must(tables.Bind(l))
		return tables
	}
	first, second := load(), load()
	if first.routes[0].Table != second.routes[0].Table || first.databases[0].Database != second.databases[0].Database {
		t.Error("files that have not changed are read again")
	}
	dumpFile(t, dump, map[string][]uint32{"10.0.0.0/8": {64496}, "11.0.0.0/8": {64496}})
	third := load()
	if third.routes[0].Size() != 2 || third.databases[0].Database != first.databases[0].Database {
		t.Error("a file that has changed is not read again")
	}
	writeFile(t, config, "routes: [{file: rib.mrt, columns: {as: origin_as, peer: peer_as}}]\n")
	if fourth := load(); fourth.routes[0].Table == third.routes[0].Table {
		t.Error("a routing table is not read again for another value")
	}
}
