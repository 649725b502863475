package stage

import (
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/maxmind/mmdbwriter"
	"github.com/maxmind/mmdbwriter/mmdbtype"

	"github.com/hotpb/hotpb/go/schema"
)

// databaseFile writes a database in a folder.
func databaseFile(t testing.TB, folder, name string, ipVersion int, networks map[string]mmdbtype.DataType) string {
	t.Helper()
	tree, err := mmdbwriter.New(mmdbwriter.Options{
		DatabaseType: "Test", IPVersion: ipVersion, RecordSize: 24, BuildEpoch: 1_700_000_000, IncludeReservedNetworks: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	prefixes := slices.SortedFunc(maps.Keys(networks), func(a, b string) int { // what is inserted later replaces what was there
		return netip.MustParsePrefix(a).Bits() - netip.MustParsePrefix(b).Bits()
	})
	for _, prefix := range prefixes {
		_, network, err := net.ParseCIDR(prefix)
		if err == nil {
			err = tree.Insert(network, networks[prefix])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Create(filepath.Join(folder, name))
	if err == nil {
		_, err = tree.WriteTo(f)
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// city is a record like those of GeoLite2.
func city(country, name string) mmdbtype.Map {
	return mmdbtype.Map{
		"country":      mmdbtype.Map{"iso_code": mmdbtype.String(country), "geoname_id": mmdbtype.Uint32(7)},
		"city":         mmdbtype.Map{"names": mmdbtype.Map{"en": mmdbtype.String(name)}},
		"location":     mmdbtype.Map{"latitude": mmdbtype.Float64(47.5), "accuracy_radius": mmdbtype.Uint16(20)},
		"traits":       mmdbtype.Map{"is_anycast": mmdbtype.Bool(true)},
		"subdivisions": mmdbtype.Slice{mmdbtype.Map{"iso_code": mmdbtype.String("ZH")}},
	}
}

func organization(as uint32, name string) mmdbtype.Map {
	return mmdbtype.Map{
		"autonomous_system_number": mmdbtype.Uint32(as), "autonomous_system_organization": mmdbtype.String(name),
	}
}

// geo is a folder with databases and a configuration.
func geo(t testing.TB, config string) string {
	folder := t.TempDir()
	databaseFile(t, folder, "city.mmdb", 6, map[string]mmdbtype.DataType{
		"192.0.2.0/24": city("CH", "Zürich"), "192.0.2.128/25": city("DE", "Jena"), "198.51.0.0/16": city("FR", "Lyon"),
		"2001:db8::/32": city("IS", "Akureyri"), "2001:db8:0:8000::/49": city("NO", "Bodø"),
	})
	databaseFile(t, folder, "as.mmdb", 6, map[string]mmdbtype.DataType{
		"192.0.2.0/24": organization(64496, "Example"), "198.51.100.0/24": organization(64497, "Other"), "2001:db8::/32": organization(65538, "Six"),
	})
	databaseFile(t, folder, "four.mmdb", 4, map[string]mmdbtype.DataType{"192.0.2.0/24": city("AT", "Graz")})
	return writeFile(t, filepath.Join(folder, "enrich.yaml"), config)
}

func writeFile(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const bothDatabases = `
mmdb:
  - file: city.mmdb
    columns: {country: country.iso_code, city: city.names.en, canton: subdivisions.0.iso_code, latitude: location.latitude, anycast: traits.is_anycast}
  - file: as.mmdb
    columns: {as: autonomous_system_number, as_name: autonomous_system_organization}
`

// found is the values of the columns src_X as text, by X, of a flow from an address.
func found(t testing.TB, e interface {
	Enrich(*schema.Record, netip.Addr)
}, s *schema.Schema, plan *schema.Plan, address string) string {
	t.Helper()
	r := plan.NewRecord()
	r.IP(must(schema.Lookup[schema.IPColumn](s.Message, "from")), netip.MustParseAddr(address))
	e.Enrich(r, theExporter)
	row := plan.NewRow()
	if err := row.Unmarshal(r.Encoded()); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(row.String(must(schema.Lookup[schema.StringColumn](s.Message, "src_country"))), " ", row.String(must(schema.Lookup[schema.StringColumn](s.Message, "src_city"))), " ",
		row.String(must(schema.Lookup[schema.StringColumn](s.Message, "src_canton"))), " ", row.Float(must(schema.Lookup[schema.FloatColumn](s.Message, "src_latitude"))), " ", row.Bool(must(schema.Lookup[schema.BoolColumn](s.Message, "src_anycast"))),
		" ", row.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "peer"))), " ", row.String(must(schema.Lookup[schema.StringColumn](s.Message, "src_as_name"))))
}

var geoColumns = []string{
	source, "{name: src_country, number: 2, type: string}", "{name: src_city, number: 3, type: string}", "{name: src_canton, number: 4, type: string}",
	"{name: src_latitude, number: 5, type: double}", "{name: src_anycast, number: 6, type: bool}",
	"{name: peer, number: 7, type: uint32, from: 16, deferred: true}", "{name: src_as_name, number: 8, type: string}",
}

func TestDatabasesFillColumnsByTheirPaths(t *testing.T) {
	l := schemaOf(t, geoColumns...)
	stats := &Stats{}
	tables, err := Load(Files{Enrichment: geo(t, bothDatabases)}, stats)
	if err != nil {
		t.Fatal(err)
	}
	e, err := tables.Bind(l)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 { // from the databases, and then from the cache
		for address, want := range map[string]string{
			"192.0.2.1": "CH Zürich ZH 47.5 true 64496 Example", "192.0.2.127": "CH Zürich ZH 47.5 true 64496 Example",
			"192.0.2.128": "DE Jena ZH 47.5 true 64496 Example", "192.0.2.129": "DE Jena ZH 47.5 true 64496 Example",
			"198.51.100.9": "FR Lyon ZH 47.5 true 64497 Other", "198.51.7.9": "FR Lyon ZH 47.5 true 0 ", "198.51.7.10": "FR Lyon ZH 47.5 true 0 ", "203.0.113.1": "   0 false 0 ",
			"2001:db8::1": "IS Akureyri ZH 47.5 true 65538 Six", "2001:db8:0:8000::1": "NO Bodø ZH 47.5 true 65538 Six",
			"::ffff:192.0.2.200": "DE Jena ZH 47.5 true 64496 Example", "fe80::1": "   0 false 0 ",
		} {
			if got := found(t, e, l.File.Schema, l.Plan, address); got != want {
				t.Errorf("%s has %q, want %q", address, got, want)
			}
		}
	}
	if n := stats.addressMisses.Load(); n != 11 { // 12 addresses, of which two are in a /24 whose addresses have the same values
		t.Errorf("%d misses", n)
	}
	for name, c := range stats.sources {
		if c.errors.Load() != 0 || c.lookups.Load() != stats.addressMisses.Load() {
			t.Errorf("%s: %d errors, %d lookups", name, c.errors.Load(), c.lookups.Load())
		}
	}
}

// The table of prefixes is asked before databases, the first database before the second, and the exporter before all,
// unless it is overridden.
func TestWhichSourceTakesPrecedence(t *testing.T) {
	l := schemaOf(t, source, "{name: src_country, number: 2, type: string}", "{name: peer, number: 3, type: uint32, from: 16, deferred: true}")
	table := file(t, "prefix,country\n192.0.2.0/28,LI\n192.0.2.16/28,\n")
	two := "mmdb:\n  - {file: four.mmdb, columns: {country: country.iso_code}}\n  - {file: city.mmdb, columns: {country: country.iso_code}}\n" +
		"  - {file: as.mmdb, columns: {%s: autonomous_system_number}}\n"
	for _, c := range []struct {
		as, address, country string
		sent, peer           uint64
	}{
		{"as", "192.0.2.1", "LI", 0, 64496}, {"as", "192.0.2.17", "AT", 9, 9}, {"as!", "192.0.2.200", "AT", 9, 64496}, {"as", "198.51.100.1", "FR", 0, 64497},
		{"as", "2001:db8::1", "IS", 0, 65538},
	} {
		row := enriched(t, l, Files{Prefixes: table, Enrichment: geo(t, fmt.Sprintf(two, c.as))}, "192.0.2.1", func(s *schema.Schema, r *schema.Record) {
			r.IP(must(schema.Lookup[schema.IPColumn](s.Message, "from")), netip.MustParseAddr(c.address))
			r.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "peer")), c.sent)
		})
		country, peer := row.String(must(schema.Lookup[schema.StringColumn](l.File.Schema.Message, "src_country"))), row.Uint(must(schema.Lookup[schema.UintColumn](l.File.Schema.Message, "peer")))
		if country != c.country || peer != c.peer {
			t.Errorf("%s: %s and %d, want %s and %d", c.address, country, peer, c.country, c.peer)
		}
	}
}

func TestWhatIsWrongWithDatabasesIsReportedWithItsLine(t *testing.T) {
	l := schemaOf(t, source, "{name: src_country, number: 2, type: string}", "{name: src_id, number: 3, type: uint32}", "{name: src_off, number: 4, type: string, off: true}")
	for _, c := range []struct{ config, want string }{
		{"mmdb: [{file: none.mmdb, columns: {country: a}}]", "enrich.yaml:1: open "},
		{"mmdb:\n  - columns: {country: a}", "enrich.yaml: a database below mmdb has no file"},
		{"mmdb:\n  - file: city.mmdb\n", "enrich.yaml:2: city.mmdb fills no columns"},
		{"mmdb:\n  - file: enrich.yaml\n    columns: {country: a}", "is not a MaxMind database"},
		{"mmdb:\n  - file: city.mmdb\n    columns: {country: a..b}", `enrich.yaml:3: column country: "a..b" is not a path`},
		{"mmdb:\n  - file: city.mmdb\n    columns: {country: country.isocode}", "enrich.yaml:3: column country, path country.isocode: none of the first 21 networks of "},
		{"mmdb:\n  - file: city.mmdb\n    columns: {country: country.isocode}", "they have city.names.en, country.geoname_id, country.iso_code, location.accuracy_radius"},
		{"mmdb:\n  - file: city.mmdb\n    columns: {country: country}", "it is not a single value"},
		{"mmdb:\n  - file: city.mmdb\n    columns:\n      id: country.iso_code", `enrich.yaml:4: column id, path country.iso_code: "`},
		{"mmdb:\n  - file: city.mmdb\n    columns:\n      land: country.iso_code", "enrich.yaml:4: the schema schema.yaml has no column src_land or dst_land"},
		{"mmdb:\n  - file: city.mmdb\n    columns: {country: a, country: b}", "enrich.yaml:3: country is also in line 3"},
		{"mmdb:\n  - file: city.mmdb\n    column: {country: a}", `enrich.yaml:3: there is no key "column" here`},
		{"mmdb:\n  - file: city.mmdb\n    columns: [a]", "enrich.yaml:3: columns must be lines of NAME: VALUE"},
		{"mmdb: {", "enrich.yaml:1: "},
		{"geo: 1", `enrich.yaml:1: there is no key "geo" here`},
	} {
		tables, err := Load(Files{Enrichment: geo(t, c.config)}, nil)
		if err == nil {
			_, err = tables.Bind(l)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n%v\nwant %s", c.config, err, c.want)
		}
	}
	tables, err := Load(Files{Enrichment: geo(t, "mmdb:\n  - file: city.mmdb\n    columns: {off: country.iso_code}")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := tables.Bind(l); e != nil || err != nil {
		t.Errorf("a column that is off: %v, %v", e, err)
	}
}

// A value that does not fit is counted, and the flow goes on.
func TestAValueThatDoesNotFitIsCounted(t *testing.T) {
	l := schemaOf(t, source, "{name: src_id, number: 3, type: uint32}")
	folder := t.TempDir()
	databaseFile(t, folder, "ids.mmdb", 6, map[string]mmdbtype.DataType{
		"1.0.0.0/8": mmdbtype.Map{"id": mmdbtype.Uint32(5)}, "2.0.0.0/8": mmdbtype.Map{"id": mmdbtype.Uint64(1 << 40)}, "3.0.0.0/8": mmdbtype.Map{"id": mmdbtype.Map{}},
	})
	stats := &Stats{}
	tables := must(Load(Files{Enrichment: writeFile(t, filepath.Join(folder, "e.yaml"), "mmdb: [{file: ids.mmdb, columns: {id: id}}]")}, stats))
	e := must(tables.Bind(l))
	for address, want := range map[string]uint64{"1.2.3.4": 5, "2.2.3.4": 0, "3.2.3.4": 0} {
		r := l.Plan.NewRecord()
		r.IP(must(schema.Lookup[schema.IPColumn](l.File.Schema.Message, "from")), netip.MustParseAddr(address))
		e.Enrich(r, theExporter)
		row := l.Plan.NewRow()
		if err := row.Unmarshal(r.Encoded()); err != nil || row.Uint(must(schema.Lookup[schema.UintColumn](l.File.Schema.Message, "src_id"))) != want {
			t.Errorf("%s: %v, %v", address, row, err)
		}
	}
	faults := stats.Faults()
	if len(faults) != 1 || faults[0].Number != 2 || stats.Faults() != nil {
		t.Errorf("%+v", faults)
	}
}

// A damaged database is refused, or its faults are errors of lookups: nothing else happens.
func FuzzDatabase(f *testing.F) {
	folder := f.TempDir()
	good, err := os.ReadFile(databaseFile(f, folder, "good.mmdb", 6, map[string]mmdbtype.DataType{"192.0.2.0/24": city("CH", "Bern"), "2001:db8::/32": city("IS", "Vik")}))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good, 0, byte(0))
	for at := 0; at < len(good); at += 37 {
		f.Add(good, at, byte(0xff))
	}
	l := schemaOf(f, source, "{name: src_country, number: 2, type: string}")
	f.Fuzz(func(t *testing.T, database []byte, at int, change byte) {
		if len(database) > 0 {
			database = append([]byte(nil), database...)
			database[uint(at)%uint(len(database))] ^= change
		}
		folder := t.TempDir()
		writeFile(t, filepath.Join(folder, "d.mmdb"), string(database))
		tables, err := Load(Files{Enrichment: writeFile(t, filepath.Join(folder, "e.yaml"), "mmdb: [{file: d.mmdb, columns: {country: country.iso_code}}]")}, nil)
		if err != nil {
			return
		}
		e, err := tables.Bind(l)
		if err != nil || e == nil {
			return
		}
		for _, address := range []string{"192.0.2.1", "2001:db8::1", "203.0.113.1"} {
			r := l.Plan.NewRecord()
			r.IP(must(schema.Lookup[schema.IPColumn](l.File.Schema.Message, "from")), netip.MustParseAddr(address))
			e.Enrich(r, theExporter)
		}
	})
}
