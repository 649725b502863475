package stage

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/go/schema"
)

// text is the value of column src_x, written as tables have it.
func text(s *schema.Schema, row *schema.Row, kind string) string {
	switch kind {
	case "uint32", "uint64", "fixed32":
		return fmt.Sprint(row.Uint(must(schema.Lookup[schema.UintColumn](s.Message, "src_x"))))
	case "int32", "sint64":
		return fmt.Sprint(row.Int(must(schema.Lookup[schema.IntColumn](s.Message, "src_x"))))
	case "bool":
		return fmt.Sprint(row.Bool(must(schema.Lookup[schema.BoolColumn](s.Message, "src_x"))))
	case "double":
		return fmt.Sprint(row.Float(must(schema.Lookup[schema.FloatColumn](s.Message, "src_x"))))
	case "ip":
		return row.IP(must(schema.Lookup[schema.IPColumn](s.Message, "src_x"))).String()
	case "mac":
		v := row.MAC(must(schema.Lookup[schema.MACColumn](s.Message, "src_x")))
		return net.HardwareAddr{byte(v >> 40), byte(v >> 32), byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}.String()
	case "Kind":
		if row.Enum(must(schema.Lookup[schema.EnumColumn](s.Message, "src_x"))) == 3 {
			return "HOME"
		}
		return ""
	}
	return row.String(must(schema.Lookup[schema.StringColumn](s.Message, "src_x")))
}

func TestWhatIsWrongWithATableIsToldWithItsLine(t *testing.T) {
	for _, c := range []struct{ table, want string }{
		{"", ":1: is empty"},
		{"# nothing\n", ":1: is empty"},
		{"prefix\n192.0.2.0/33\n", `:2: "192.0.2.0/33" is not a prefix`},
		{"prefix,as\n192.0.2.0/24,1\n# comment\n\n192.0.2.1/24,2\n", ":5: 192.0.2.1/24 has bits set after its length; use 192.0.2.0/24"},
		{"prefix,as\n192.0.2.0/24,1\n192.0.2.0/24,2\n", ":3: 192.0.2.0/24 is also in line 2"},
		{"prefix,as\n192.0.2.0/24,1\n::ffff:192.0.2.0/120,2\n", ":3: 192.0.2.0/24 is also in line 2"},
		{"prefix,as\n192.0.2.0/24\n", ":2: wrong number of fields"},
		{"prefix,as\n192.0.2.0/24,\"1\n", `:2: extraneous or missing " in quoted-field`},
		{"prefix,as,as!\n", ":1: there are two columns as"},
		{"as,name\n", ":1: there is no column prefix"},
		{"prefix,a b\n", `:1: column 2 is called "a b"`},
		{"prefix,\n", `:1: column 2 is called ""`},
		{"prefix" + strings.Repeat(",x", 100) + "\n", ":1: has 101 columns"},
		{"prefix\nfe80::1%eth0\n", `:2: "fe80::1%eth0" is not an address`},
	} {
		if _, err := Load(Files{Prefixes: file(t, c.table)}, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.table, err, c.want)
		}
	}
	for _, c := range []struct{ table, want string }{
		{"exporter,name\n", ":1: there is no column ifindex"},
		{"exporter,ifindex\n192.0.2.1,eth0\n", `:2: "eth0" is not the number of an interface`},
		{"exporter,ifindex\nhost,1\n", `:2: "host" is not an address`},
		{"exporter,ifindex\n192.0.2.1,1\n192.0.2.1,01\n", ":3: interface 1 of 192.0.2.1 is also in line 2"},
	} {
		if _, err := Load(Files{Interfaces: file(t, c.table)}, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.table, err, c.want)
		}
	}
	many := "prefix\n" + strings.Repeat("nonsense\n", 1000)
	if _, err := Load(Files{Prefixes: file(t, many)}, nil); err == nil || strings.Count(err.Error(), "\n") != maxProblems-1 {
		t.Errorf("of a thousand problems these are told: %v", err)
	}
	if _, err := Load(Files{Prefixes: "no such file"}, nil); !os.IsNotExist(err) {
		t.Error(err)
	}
}

func TestATableLargerThanTheBoundIsRefusedUnread(t *testing.T) {
	path := file(t, "")
	if err := os.Truncate(path, maxBytes+1); err != nil {
		t.Skip("the file system has no room for a file that large, nor files with holes:", err)
	}
	if _, err := Load(Files{Prefixes: path}, nil); err == nil || !strings.Contains(err.Error(), "at most 268435456 are allowed") {
		t.Error(err)
	}
}

func TestWhatDoesNotFitTheSchemaIsToldWithItsLine(t *testing.T) {
	for _, c := range []struct{ columns, table, want string }{
		{"{name: a, number: 1, type: ip, from: 8}\n  - {name: src_x, number: 2, type: string}", "prefix,x\n", "schema.yaml: line 6: p.M.a: must be deferred"},
		{source + "\n  - {name: src_as, number: 2, type: uint32, from: 16}", "prefix,as\n", "schema.yaml: line 7: p.M.src_as: must be deferred"},
		{source + "\n  - {name: src_as, number: 2, type: uint32, keep: first}", "prefix,as!\n", "line 7: p.M.src_as: keeps its first value"},
		{source + "\n  - {name: src_x, number: 2, type: repeated double}", "prefix,x\n", "line 7: p.M.src_x: is repeated double"},
		{source + "\n  - {name: src_x, number: 2, type: bytes}", "prefix,x\n", "line 7: p.M.src_x: is bytes"},
		{source + "\n  - {name: src_x, number: 2, type: timestamp(millis)}", "prefix,x\n", "line 7: p.M.src_x: is timestamp(millis)"},
		{"{name: src_x, number: 2, type: string}", "prefix,x\n", "no column that is on has element [8 27]"},
		{"{name: a, number: 1, type: bytes, from: 8, deferred: true}\n  - {name: src_x, number: 2, type: string}", "prefix,x\n", "line 6: p.M.a: is BytesColumn"},
		{source + "\n  - {name: src_x, number: 2, type: uint32}", "prefix,x\n192.0.2.0/24,4294967296\n",
			`table.csv:2: "4294967296" does not fit into column src_x, which is uint32: value out of range`},
		{source + "\n  - {name: src_x, number: 2, type: bool}", "prefix,x\n192.0.2.0/24,maybe\n", `table.csv:2: "maybe" does not fit`},
		{source + "\n  - {name: src_x, number: 2, type: Kind}", "prefix,x\n192.0.2.0/24,AWAY\n", "it is not a value of the enum"},
		{source + "\n  - {name: src_x, number: 2, type: mac}", "prefix,x\n192.0.2.0/24,5\n", "it is not an address of 6 bytes"},
		{source + "\n  - {name: src_x, number: 2, type: string, utf8: true}", "prefix,x\n192.0.2.0/24,\xff\n", "it is not UTF-8"},
	} {
		tables, err := Load(Files{Prefixes: file(t, c.table)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if e, err := tables.Bind(schemaOf(t, c.columns)); err == nil || !strings.Contains(err.Error(), c.want) || e != nil {
			t.Errorf("%s, %q: %v, want %s", c.columns, c.table, err, c.want)
		}
	}
}

func TestThereIsNoEnricherWhenNothingIsToBeFilled(t *testing.T) {
	for name, f := range map[string]Files{
		"no tables": {}, "no such columns": {Prefixes: file(t, "prefix,other\n192.0.2.0/24,x\n")}, "columns that are off": {Prefixes: file(t, "prefix,off\n")},
	} {
		tables, err := Load(f, nil)
		if err != nil {
			t.Fatal(err)
		}
		if e, err := tables.Bind(schemaOf(t, source, "{name: src_off, number: 2, type: string, off: true}")); e != nil || err != nil {
			t.Error(name, e, err)
		}
	}
}

// repository is the tables and the layout that are committed.
func repository(t testing.TB) (*layout.Layout, *Tables) {
	l, err := layout.Load("../../flows.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := Load(Files{Prefixes: "../../prefixes.csv", Interfaces: "../../interfaces.csv"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l, tables
}

func TestNothingIsAllocatedPerRecord(t *testing.T) {
	l, tables := repository(t)
	e, err := tables.Bind(l)
	if err != nil || e == nil {
		t.Fatal(e, err)
	}
	r := l.Plan.NewRecord()
	run := flowOf(l)
	if n := testing.AllocsPerRun(1000, func() { run(r); e.Enrich(r, theExporter); r.Encoded(); r.Reset() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

var theExporter, theLoopback = netip.MustParseAddr("198.19.0.1"), netip.MustParseAddr("127.0.0.1")

// flowOf sets what the tables are searched for.
func flowOf(l *layout.Layout) func(*schema.Record) {
	s := l.File.Schema
	src, dst := must(schema.Lookup[schema.IPColumn](s.Message, "src_addr")), must(schema.Lookup[schema.IPColumn](s.Message, "dst_addr"))
	in, out := must(schema.Lookup[schema.UintColumn](s.Message, "in_if")), must(schema.Lookup[schema.UintColumn](s.Message, "out_if"))
	a, b := netip.MustParseAddr("198.18.3.4"), netip.MustParseAddr("2001:db8:2::7")
	return func(r *schema.Record) {
		r.IP(src, a)
		r.IP(dst, b)
		r.Uint(in, 1)
		r.Uint(out, 3)
	}
}

func BenchmarkEnrich(b *testing.B) {
	l, tables := repository(b)
	e := must(tables.Bind(l))
	r := l.Plan.NewRecord()
	run := flowOf(l)
	for _, withTables := range []bool{false, true} {
		b.Run(fmt.Sprint(withTables), func(b *testing.B) {
			for b.Loop() {
				run(r)
				if withTables {
					e.Enrich(r, theExporter)
				}
				r.Encoded()
				r.Reset()
			}
		})
	}
}

// Whatever stands in a table, it is read within bounds or refused.
func FuzzTables(f *testing.F) {
	f.Add("prefix,as,name\n192.0.2.0/24,1,x\n", "exporter,ifindex,name\n192.0.2.1,1,x\n")
	l := must(layout.Load("../../flows.yaml"))
	f.Fuzz(func(t *testing.T, prefixes, interfaces string) {
		tables, err := Load(Files{Prefixes: file(t, prefixes), Interfaces: file(t, interfaces)}, nil)
		if err != nil {
			return
		}
		e, err := tables.Bind(l)
		if err != nil || e == nil {
			return
		}
		r := l.Plan.NewRecord()
		flowOf(l)(r)
		e.Enrich(r, theExporter)
		if err := l.Plan.NewRow().Unmarshal(r.Encoded()); err != nil {
			t.Fatal(err)
		}
	})
}
