package stage

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
)

const ruleText = `
exporters:
  - when: name startsWith "th2-"
    set: {region: paris, tier: 1}
  - when: within(address, "198.51.100.0/24")
    set: {region: berlin}
  - compute: {role: 'capture(name, "-([a-z]+)[0-9]*\\.")'}
interfaces:
  - when: description startsWith "Transit:"
    set: {boundary: EXTERNAL, connectivity: transit}
    compute: {provider: 'lower(capture(description, "^Transit: *([^ ]+)"))'}
  - when: exporter.name startsWith "th2-" and speed >= 100000000000
    set: {connectivity: core}
  - set: {boundary: INTERNAL}
`

// ruled is a schema with columns for the rules, and files with tables and rules.
func ruled(t testing.TB, rules string) (*layout.Layout, Files) {
	columns := []string{
		"{name: way_in, number: 1, type: uint32, from: 10, deferred: true}", "{name: way_out, number: 2, type: uint32, from: 14, deferred: true}",
		"{name: exporter_region, number: 3, type: string}", "{name: exporter_role, number: 4, type: string}", "{name: exporter_tier, number: 5, type: uint32}",
		"{name: in_if_boundary, number: 6, type: Boundary}", "{name: out_if_boundary, number: 7, type: Boundary}",
		"{name: in_if_provider, number: 8, type: string}", "{name: out_if_connectivity, number: 9, type: string}", "{name: in_if_off, number: 10, type: string, off: true}",
	}
	text := "package: p\nmessage: M\nenums:\n  Boundary: {values: {UNDEFINED: 0, EXTERNAL: 1, INTERNAL: 2}}\ncolumns:\n  - " + strings.Join(columns, "\n  - ") + "\n"
	l, err := layout.Parse("schema.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	return l, Files{
		Exporters: writeFile(t, filepath.Join(folder, "exporters.csv"), "exporter,name\n192.0.2.1,th2-edge1.example.com\n198.51.100.1,fra-core2.example.com\n"),
		Interfaces: writeFile(t, filepath.Join(folder, "interfaces.csv"), "exporter,ifindex,name,description,speed\n192.0.2.1,1,xe0,Transit: Cogent 1-38,10000000000\n"+
			"192.0.2.1,2,et0,Core: to fra,100000000000\n198.51.100.1,1,xe0,Transit: Telia,1\n"),
		Enrichment: writeFile(t, filepath.Join(folder, "enrich.yaml"), rules),
	}
}

// verdictOf is what the columns are for a flow through interfaces of an exporter.
func verdictOf(t testing.TB, l *layout.Layout, e interface {
	Enrich(*schema.Record, netip.Addr)
}, exporter string, in, out uint64) string {
	t.Helper()
	s, r := l.File.Schema, l.Plan.NewRecord()
	r.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "way_in")), in)
	r.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "way_out")), out)
	e.Enrich(r, netip.MustParseAddr(exporter))
	row := l.Plan.NewRow()
	if err := row.Unmarshal(r.Encoded()); err != nil {
		t.Fatal(err)
	}
	text := func(name string) string { return row.String(must(schema.Lookup[schema.StringColumn](s.Message, name))) }
	return fmt.Sprint(text("exporter_region"), "/", text("exporter_role"), "/", row.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "exporter_tier"))), " ",
		row.Enum(must(schema.Lookup[schema.EnumColumn](s.Message, "in_if_boundary"))), "/", text("in_if_provider"), " ",
		row.Enum(must(schema.Lookup[schema.EnumColumn](s.Message, "out_if_boundary"))), "/", text("out_if_connectivity"))
}

func TestRulesFillColumnsOfExportersAndInterfaces(t *testing.T) {
	l, files := ruled(t, ruleText)
	stats := &Stats{}
	e := must(must(Load(files, stats)).Bind(l))
	for range 2 {
		for _, c := range []struct {
			exporter string
			in, out  uint64
			want     string
		}{
			{"192.0.2.1", 1, 2, "paris/edge/1 1/cogent 2/core"}, {"192.0.2.1", 2, 1, "paris/edge/1 2/ 1/transit"}, {"192.0.2.1", 9, 8, "paris/edge/1 2/ 2/"},
			{"198.51.100.1", 1, 2, "berlin/core/0 1/telia 2/"}, {"203.0.113.1", 1, 1, "//0 2/ 2/"},
		} {
			if got := verdictOf(t, l, e, c.exporter, c.in, c.out); got != c.want {
				t.Errorf("%s, from %d to %d: %q, want %q", c.exporter, c.in, c.out, got, c.want)
			}
		}
	}
	// Each exporter and each interface is classified once, though it is seen twice, as a way in and as a way out.
	if e, i := stats.exporterMisses.Load(), stats.interfaceMisses.Load(); e != 3 || i != 7 {
		t.Errorf("%d exporters and %d interfaces were classified", e, i)
	}
	transit := stats.sources[files.Enrichment+":9"]
	if transit == nil || transit.lookups.Load() != 7 || transit.found.Load() != 2 || transit.errors.Load() != 0 {
		t.Errorf("the rule in line 9: %+v", transit)
	}
}

// A rule that fails is counted by its name, and the rules after it are used.
func TestARuleThatFailsIsCountedByName(t *testing.T) {
	l, files := ruled(t, "interfaces:\n  - when: int(name) > 0\n    set: {boundary: EXTERNAL}\n  - compute: {boundary: name}\n  - set: {boundary: INTERNAL}\n")
	stats := &Stats{}
	e := must(must(Load(files, stats)).Bind(l))
	for range 5 {
		if got := verdictOf(t, l, e, "192.0.2.1", 1, 2); got != "//0 2/ 2/" {
			t.Error(got)
		}
	}
	faults := stats.Faults()
	if len(faults) != 2 || !strings.HasSuffix(faults[0].Source, "enrich.yaml:2") || faults[0].Number != 2 || !strings.HasPrefix(faults[0].Cause, "when: ") ||
		!strings.HasSuffix(faults[1].Source, "enrich.yaml:4") || !strings.Contains(faults[1].Cause, `"et0" does not fit into column`) {
		t.Errorf("%+v", faults)
	}
}

func TestATableTakesPrecedenceOverRules(t *testing.T) {
	l, files := ruled(t, ruleText)
	files.Interfaces = file(t, "exporter,ifindex,boundary,description\n192.0.2.1,1,INTERNAL,Transit: x\n192.0.2.1,2,,Transit: y\n")
	e := must(must(Load(files, nil)).Bind(l))
	if got := verdictOf(t, l, e, "192.0.2.1", 1, 2); got != "paris/edge/1 2/x 1/transit" {
		t.Error(got)
	}
}

func TestWhatIsWrongWithRulesIsReportedWithItsLine(t *testing.T) {
	for _, c := range []struct{ rules, want string }{
		{"interfaces:\n  - when: nam == \"\"\n    set: {boundary: EXTERNAL}", "enrich.yaml:2: when: unknown name nam, at character 1 of nam"},
		{"interfaces:\n  - set: {boundary: OUTSIDE}", `enrich.yaml:2: rule `},
		{"interfaces:\n  - set: {boundary: OUTSIDE}", `"OUTSIDE" does not fit into column in_if_boundary, which is Boundary: it is not a value of the enum`},
		{"interfaces:\n  - when: 'true'\n    set: {border: EXTERNAL}", "enrich.yaml:3: the schema schema.yaml has no column in_if_border or out_if_border"},
		{"exporters:\n  - set: {boundary: x}", "enrich.yaml:2: the schema schema.yaml has no column exporter_boundary"},
		{"exporters:\n  - compute:\n      region: capture(name, \"(\")", "enrich.yaml:3: column region: error parsing regexp"},
		{"exporters:\n  - when: index > 1\n    set: {region: x}", "enrich.yaml:2: when: unknown name index"},
		{"exporters:\n  - when: name\n    set: {region: x}", "enrich.yaml:2: when: expected bool"},
		{"exporters:\n  - when: 'true'", "enrich.yaml: rule 1 of exporters sets no column"},
		{"exporters:\n  - sets: {region: x}", `enrich.yaml:2: there is no key "sets" here`},
		{"exporters:\n  - set: {region: [x]}", "enrich.yaml:2: set: region must have one value"},
		{"exporters:\n  - set: {tier: 5000000000}", `"5000000000" does not fit into column exporter_tier, which is uint32: value out of range`},
		{"exporters: 5", "enrich.yaml:1: "},
	} {
		l, files := ruled(t, c.rules)
		tables, err := Load(files, nil)
		if err == nil {
			_, err = tables.Bind(l)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "enrich.yaml:") {
			t.Errorf("%s\n%v\nwant %s", c.rules, err, c.want)
		}
	}
	l, files := ruled(t, "interfaces:\n  - set: {off: x}")
	files.Interfaces, files.Exporters = "", ""
	if e, err := must(Load(files, nil)).Bind(l); e != nil || err != nil {
		t.Errorf("a column that is off: %v, %v", e, err)
	}
}
