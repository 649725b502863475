//go:build unix

package main

import (
	"bytes"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"
	"github.com/osrg/gobgp/v4/pkg/packet/bgp"
	"github.com/osrg/gobgp/v4/pkg/packet/mrt"

	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/apps/flows/internal/stage"
)

var enrichmentOfDocs = regexp.MustCompile("(?s)<!-- flows test enrichment( columns)? -->\n```yaml\n(.*?)```")

// The sources that docs/guide.md shows are one file, which fills the columns that it shows.
func TestTheEnrichmentOfTheDocumentation(t *testing.T) {
	docs, err := os.ReadFile("docs/guide.md")
	if err != nil {
		t.Fatal(err)
	}
	var columns, enrichment []byte
	for _, block := range enrichmentOfDocs.FindAllSubmatch(docs, -1) {
		if len(block[1]) > 0 {
			columns = append(columns, block[2]...)
		} else {
			enrichment = append(enrichment, block[2]...)
		}
	}
	l, err := layout.Parse("my.yaml", bytes.Replace(builtIn, []byte("columns:\n"), append([]byte("columns:\n"), columns...), 1))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	text := mmdbtype.String("x")
	databaseOf(t, filepath.Join(folder, "GeoLite2-City.mmdb"), mmdbtype.Map{
		"country": mmdbtype.Map{"iso_code": text}, "city": mmdbtype.Map{"names": mmdbtype.Map{"en": text}},
	})
	databaseOf(t, filepath.Join(folder, "GeoLite2-ASN.mmdb"), mmdbtype.Map{
		"autonomous_system_number": mmdbtype.Uint32(64496), "autonomous_system_organization": text,
	})
	routesOf(t, filepath.Join(folder, "rib.mrt.gz"))
	for _, secret := range []string{"snmp-community", "snmp-auth", "snmp-privacy"} {
		write(t, filepath.Join(folder, secret), "a secret\n")
	}
	tables, err := stage.Load(stage.Files{Enrichment: write(t, filepath.Join(folder, "enrich.yaml"), string(enrichment))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := tables.Bind(l); e == nil || err != nil {
		t.Fatal(e, err)
	}
}

// databaseOf writes a database in which the generator's sources have a record. It replaces the file at once.
func databaseOf(t *testing.T, path string, record mmdbtype.Map) {
	t.Helper()
	tree, err := mmdbwriter.New(mmdbwriter.Options{DatabaseType: "Test", IncludeReservedNetworks: true})
	if err != nil {
		t.Fatal(err)
	}
	_, network, _ := net.ParseCIDR("198.18.0.0/15")
	if err := tree.Insert(network, record); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := tree.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(write(t, path+".new", file.String()), path); err != nil {
		t.Fatal(err)
	}
}

// routesOf writes a routing table with one route, of peer 192.0.2.1.
func routesOf(t *testing.T, path string) {
	t.Helper()
	var dump bytes.Buffer
	add := func(subtype mrt.MRTSubTyper, body mrt.Body) {
		t.Helper()
		m, err := mrt.NewMRTMessage(time.Unix(1_700_000_000, 0), mrt.TABLE_DUMPv2, subtype, body)
		if err != nil {
			t.Fatal(err)
		}
		b, err := m.Serialize()
		if err != nil {
			t.Fatal(err)
		}
		dump.Write(b)
	}
	peer := netip.MustParseAddr("192.0.2.1")
	add(mrt.PEER_INDEX_TABLE, mrt.NewPeerIndexTable(peer, "", []*mrt.Peer{mrt.NewPeer(peer, peer, 64496, true)}))
	prefix, err := bgp.NewIPAddrPrefix(netip.MustParsePrefix("198.18.0.0/15"))
	if err != nil {
		t.Fatal(err)
	}
	attributes := []bgp.PathAttributeInterface{bgp.NewPathAttributeAsPath([]bgp.AsPathParamInterface{bgp.NewAs4PathParam(bgp.BGP_ASPATH_ATTR_TYPE_SEQ, []uint32{64496, 64500})})}
	add(mrt.RIB_IPV4_UNICAST, mrt.NewRib(0, bgp.RF_IPv4_UC, prefix, []*mrt.RibEntry{mrt.NewRibEntry(0, 1, 0, attributes, false)}))
	write(t, path, dump.String())
}
