package stage

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
)

// file writes a table.
func file(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// schemaOf is a layout of these lines of columns.
func schemaOf(t testing.TB, columns ...string) *layout.Layout {
	t.Helper()
	text := "package: p\nmessage: M\nenums:\n  Kind: {values: {NONE: 0, HOME: 3}}\ncolumns:\n  - " + strings.Join(columns, "\n  - ") + "\n"
	l, err := layout.Parse("schema.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// enriched fills a record, has it enriched and reads the result; keys and values of set are columns.
func enriched(t testing.TB, l *layout.Layout, f Files, exporter string, set func(s *schema.Schema, r *schema.Record)) *schema.Row {
	t.Helper()
	tables, err := Load(f, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := tables.Bind(l)
	if err != nil {
		t.Fatal(err)
	}
	r := l.Plan.NewRecord()
	set(l.File.Schema, r)
	if e != nil {
		e.Enrich(r, netip.MustParseAddr(exporter))
	}
	row := l.Plan.NewRow()
	if err := row.Unmarshal(r.Encoded()); err != nil {
		t.Fatal(err)
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return row
}

func must[C any](c C, err error) C {
	if err != nil {
		panic(err)
	}
	return c
}

const (
	source      = "{name: from, number: 1, type: ip, from: [8, 27], deferred: true}"
	destination = "{name: to, number: 2, type: ip, from: [12, 28], deferred: true}"
)

func TestTheLongestPrefixCounts(t *testing.T) {
	l := schemaOf(t, source, "{name: src_name, number: 3, type: string}", destination, "{name: dst_name, number: 4, type: string}")
	table := file(t, "prefix,name\n0.0.0.0/0,all four\n192.0.2.0/24,wide\n192.0.2.128/25,narrow\n192.0.2.129,one\n"+
		"::ffff:198.51.100.0/120,mapped\n::/0,all six\n2001:db8::/32,six\n2001:db8:1::/48,\n")
	for address, want := range map[string]string{
		"192.0.2.1": "wide", "192.0.2.128": "narrow", "192.0.2.129": "one", "::ffff:192.0.2.1": "wide", "203.0.113.9": "all four",
		"198.51.100.7": "mapped", "2001:db8::1": "six", "fe80::1": "all six",
		"2001:db8:1::1": "", // whose row has no name, and it is that row that counts
	} {
		row := enriched(t, l, Files{Prefixes: table}, "192.0.2.1", func(s *schema.Schema, r *schema.Record) {
			r.IP(must(schema.Lookup[schema.IPColumn](s.Message, "from")), netip.MustParseAddr(address))
			r.IP(must(schema.Lookup[schema.IPColumn](s.Message, "to")), netip.MustParseAddr("192.0.2.129"))
		})
		if got := row.String(must(schema.Lookup[schema.StringColumn](l.File.Schema.Message, "src_name"))); got != want {
			t.Errorf("%s is in %q, want %q", address, got, want)
		}
		if got := row.String(must(schema.Lookup[schema.StringColumn](l.File.Schema.Message, "dst_name"))); got != "one" {
			t.Errorf("the destination is in %q", got)
		}
	}
	none := enriched(t, l, Files{Prefixes: table}, "192.0.2.1", func(*schema.Schema, *schema.Record) {})
	if got := none.String(must(schema.Lookup[schema.StringColumn](l.File.Schema.Message, "src_name"))); got != "" {
		t.Errorf("a flow without a source is in %q", got)
	}
}

func TestWhatTheExporterHasSentGoesFirstUnlessOverridden(t *testing.T) {
	for _, c := range []struct {
		header, column string
		sent, want     uint64
	}{
		{"as", "deferred: true", 0, 64496}, {"as", "deferred: true", 7, 7}, {"as!", "deferred: true", 7, 64496},
		{"as", "keep: first", 0, 64496}, {"as", "keep: first", 7, 7}, {"as!", "", 7, 64496},
	} {
		l := schemaOf(t, source, "{name: peer, number: 3, type: uint32, from: 16, "+c.column+"}")
		row := enriched(t, l, Files{Prefixes: file(t, "as_name,prefix,"+c.header+"\nx,192.0.2.0/24,64496\n")}, "192.0.2.1",
			func(s *schema.Schema, r *schema.Record) {
				r.IP(must(schema.Lookup[schema.IPColumn](s.Message, "from")), netip.MustParseAddr("192.0.2.1"))
				r.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "peer")), c.sent)
			})
		if got := row.Uint(must(schema.Lookup[schema.UintColumn](l.File.Schema.Message, "peer"))); got != c.want {
			t.Errorf("%s, %s: %d sent, %d read, want %d", c.header, c.column, c.sent, got, c.want)
		}
	}
}

func TestInterfacesAreFoundByExporterAndNumber(t *testing.T) {
	l := schemaOf(t, "{name: way_in, number: 1, type: uint32, from: 10, deferred: true}", "{name: way_out, number: 2, type: uint64, from: 14, deferred: true}",
		"{name: in_if_speed, number: 3, type: uint64}", "{name: out_if_speed, number: 4, type: uint64}", "{name: out_if_up, number: 5, type: bool}")
	table := file(t, "exporter,ifindex,speed,up\n192.0.2.1,1,1000,true\n192.0.2.1,2,40000000000,true\n2001:db8::1,1,10,false\n")
	for _, exporter := range []string{"192.0.2.1", "::ffff:192.0.2.1"} {
		row := enriched(t, l, Files{Interfaces: table}, exporter, func(s *schema.Schema, r *schema.Record) {
			r.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "way_in")), 1)
			r.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "way_out")), 2)
		})
		s := l.File.Schema
		if in, out := row.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "in_if_speed"))), row.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "out_if_speed"))); in != 1000 || out != 40000000000 {
			t.Errorf("%s: %d and %d", exporter, in, out)
		}
		if !row.Bool(must(schema.Lookup[schema.BoolColumn](s.Message, "out_if_up"))) {
			t.Error("out_if_up is false")
		}
	}
	port := enriched(t, l, Files{Interfaces: table}, "192.0.2.9", func(s *schema.Schema, r *schema.Record) {
		r.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "way_in")), 1)
	})
	if got := port.Uint(must(schema.Lookup[schema.UintColumn](l.File.Schema.Message, "in_if_speed"))); got != 0 {
		t.Errorf("the interface of another exporter has %d", got)
	}
}

func TestEveryTypeOfValueIsFilled(t *testing.T) {
	values := map[string]string{ // type, and what is to be read as what
		"uint32": "4294967295", "uint64": "18446744073709551615", "int32": "-5", "sint64": "-6", "fixed32": "7", "bool": "true", "double": "0.5",
		"string": "a", "ip": "192.0.2.7", "mac": "00:00:5e:00:53:01", "Kind": "HOME",
	}
	for kind, value := range values {
		for _, from := range []string{"", ", from: 999, deferred: true", ", deferred: true"} {
			l := schemaOf(t, source, "{name: src_x, number: 3, type: "+kind+from+"}")
			row := enriched(t, l, Files{Prefixes: file(t, "prefix,x\n0.0.0.0/0,"+value+"\n")}, "192.0.2.1",
				func(s *schema.Schema, r *schema.Record) {
					r.IP(must(schema.Lookup[schema.IPColumn](s.Message, "from")), netip.MustParseAddr("192.0.2.1"))
				})
			if got := text(l.File.Schema, row, kind); got != value {
				t.Errorf("%s: %s%s: %q", value, kind, from, got)
			}
		}
	}
}

// The tables that are committed fill each of their columns of the layout that is.
func TestTheTablesOfTheRepositoryFillItsLayout(t *testing.T) {
	l, tables := repository(t)
	e, err := tables.Bind(l)
	if err != nil {
		t.Fatal(err)
	}
	r := l.Plan.NewRecord()
	flowOf(l)(r)
	e.Enrich(r, theExporter)
	row := l.Plan.NewRow()
	if err := row.Unmarshal(r.Encoded()); err != nil {
		t.Fatal(err)
	}
	s := l.File.Schema
	for column, want := range map[string]string{
		"src_name": "Benchmark Access", "src_country": "FR", "dst_name": "Example Six Server 2", "dst_country": "DE",
		"in_if_name": "uplink1", "out_if_name": "customer3",
	} {
		if got := row.String(must(schema.Lookup[schema.StringColumn](s.Message, column))); got != want {
			t.Errorf("%s is %q, want %q", column, got, want)
		}
	}
	if src, dst := row.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "src_as"))), row.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "dst_as"))); src != 64500 || dst != 65538 {
		t.Errorf("AS %d and %d", src, dst)
	}
}
