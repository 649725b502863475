package clickhouse_test

import (
	"bytes"
	"encoding/json"
	"math"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/clickhouse"
	"github.com/hotpb/hotpb/go/schema/internal/schematest"
	"github.com/hotpb/hotpb/go/wire"
)

// inClickHouse executes statements one after the other; go/check-all.sh chdb says where the Python with chdb is.
func inClickHouse(t *testing.T, folder string, statements ...string) (results []string, errors []string) {
	t.Helper()
	python := os.Getenv("HOTPB_CHDB_PYTHON")
	if python == "" {
		t.Skip("go/check-all.sh chdb brings an embedded ClickHouse")
	}
	input, err := json.Marshal(statements)
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("../../../tools/clickhouse.py")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(python, script, folder)
	command.Stdin, command.Stderr = bytes.NewReader(input), os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answers [][2]string
	if err := json.Unmarshal(output, &answers); err != nil || len(answers) != len(statements) {
		t.Fatalf("%v: %s", err, output)
	}
	for _, a := range answers {
		results, errors = append(results, a[0]), append(errors, a[1])
	}
	return results, errors
}

// everything has a column of each type that ClickHouse has one for, and what is to be read from it, as JSON.
func everything(editions bool) (s *schema.Schema, write func(*schema.Record), want string) {
	s = schema.New("Row", schema.Package("everything"))
	kind := s.NewEnum("Kind", schema.EnumValue{Name: "NONE"}, schema.EnumValue{Name: "SFLOW", Number: 5}, schema.EnumValue{Name: "ALSO_SFLOW", Number: 5},
		schema.EnumValue{Name: "BELOW", Number: -1})
	var writers []func(*schema.Record)
	var expected []string
	number := uint32(0)
	next := func() uint32 { number++; return number }
	add := func(w func(*schema.Record), json string) {
		writers, expected = append(writers, w), append(expected, json)
	}

	ints := func(name string, c schema.IntColumn, v int64, json string) {
		add(func(r *schema.Record) { r.Int(c, v) }, `"`+name+`":`+json)
	}
	ints("i32", s.Int32("i32", next()), math.MinInt32, `-2147483648`)
	ints("i64", s.Int64("i64", next()), math.MinInt64, `"-9223372036854775808"`)
	ints("s32", s.Sint32("s32", next()), -7, `-7`)
	ints("s64", s.Sint64("s64", next()), math.MaxInt64, `"9223372036854775807"`)
	ints("sf32", s.Sfixed32("sf32", next()), -8, `-8`)
	ints("sf64", s.Sfixed64("sf64", next()), -9, `"-9"`)
	uints := func(name string, c schema.UintColumn, v uint64, json string) {
		add(func(r *schema.Record) { r.Uint(c, v) }, `"`+name+`":`+json)
	}
	uints("u32", s.Uint32("u32", next()), math.MaxUint32, `4294967295`)
	uints("u64", s.Uint64("u64", next()), math.MaxUint64, `"18446744073709551615"`)
	uints("f32", s.Fixed32("f32", next()), 10, `10`)
	uints("f64", s.Fixed64("f64", next()), 11, `"11"`)
	uints("zero", s.Uint32("zero", next()), 0, `0`)
	uints("masked", s.Uint32("masked", next(), schema.OnMisfit(schema.Mask)), 1<<40|3, `3`)
	uints("dropped", s.Uint32("dropped", next(), schema.OnMisfit(schema.Drop)), 1<<40, `0`)
	uints("narrow", s.Uint64("narrow", next(), schema.ClickHouseType("UInt16")), 12, `12`)
	const narrow = "UInt16 CODEC(T64, ZSTD(1))"
	uints("fits", s.Uint32("fits", next(), schema.ClickHouseType(narrow)), 65535, `65535`)
	uints("too_large", s.Uint32("too_large", next(), schema.ClickHouseType(narrow)), 70_000, `0`)
	ints("negative", s.Int32("negative", next(), schema.ClickHouseType("UInt8")), -1, `0`)
	uints("null", s.Uint32("null", next(), schema.Optional, schema.ClickHouseType("Nullable(UInt8)")), 256, `null`)
	float, double := s.Float("float", next()), s.Double("double", next())
	add(func(r *schema.Record) { r.Float(float, 1.5) }, `"float":1.5`)
	add(func(r *schema.Record) { r.Float(double, -0.25) }, `"double":-0.25`)
	boolean := s.Bool("boolean", next())
	add(func(r *schema.Record) { r.Bool(boolean, true) }, `"boolean":true`)
	text, low, raw := s.String("text", next()), s.String("low", next(), schema.ClickHouseType("LowCardinality(String)")), s.Bytes("raw", next())
	add(func(r *schema.Record) { r.String(text, "Käse'") }, `"text":"Käse'"`)
	add(func(r *schema.Record) { r.String(low, "eth0") }, `"low":"eth0"`)
	add(func(r *schema.Record) { r.Bytes(raw, []byte{1, 0, 2}) }, `"raw":"\u0001\u0000\u0002"`)
	unchecked := s.String("not_utf8", next(), schema.CheckUTF8)
	add(func(r *schema.Record) { r.String(unchecked, "\xff") }, `"not_utf8":""`)
	known, unknown, typed := s.Enum("known", next(), kind), s.Enum("unknown", next(), kind),
		s.Enum("typed", next(), kind, schema.ClickHouseType("Enum8('NONE' = 0, 'SFLOW' = 5)"))
	add(func(r *schema.Record) { r.Enum(known, 5) }, `"known":"SFLOW"`)
	add(func(r *schema.Record) { r.Enum(unknown, 77) }, `"unknown":"77"`)
	add(func(r *schema.Record) { r.Enum(typed, 5) }, `"typed":"SFLOW"`)
	v4, v6 := s.IP("v4", next()), s.IP("v6", next())
	add(func(r *schema.Record) { r.IP(v4, netip.MustParseAddr("192.0.2.1")) }, `"v4":"::ffff:192.0.2.1"`)
	add(func(r *schema.Record) { r.IP(v6, netip.MustParseAddr("2001:db8::1")) }, `"v6":"2001:db8::1"`)
	mac := s.MAC("mac", next())
	add(func(r *schema.Record) { r.MAC(mac, 0xabcdef012345) }, `"mac":"188900966474565"`)
	at := time.Date(2026, 11, 22, 10, 0, 1, 123456789, time.UTC)
	times := func(name string, u schema.Unit, json string, options ...schema.Option) {
		c := s.Timestamp(name, next(), u, options...)
		add(func(r *schema.Record) { r.Time(c, at) }, `"`+name+`":"2026-11-22 10:00:01`+json+`"`)
	}
	times("seconds", schema.Seconds, "")
	times("millis", schema.Millis, ".123")
	times("micros", schema.Micros, ".123456")
	times("nanos", schema.Nanos, ".123456789")
	times("known_at", schema.WellKnown, ".123456789")
	times("coarse", schema.Millis, "", schema.ClickHouseType("DateTime('UTC')"))
	early := s.Timestamp("early", next(), schema.Seconds)
	add(func(r *schema.Record) { r.Time(early, time.Unix(-5, 0)) }, `"early":"1970-01-01 00:00:00"`)
	took, exact := s.Duration("took", next(), schema.Millis), s.Duration("exact", next(), schema.WellKnown)
	add(func(r *schema.Record) { r.Duration(took, 1500*time.Millisecond) }, `"took":"1500"`)
	add(func(r *schema.Record) { r.Duration(exact, -1500*time.Millisecond) }, `"exact":"-1500000000"`)
	set, unset := s.Uint32("opt_set", next(), schema.Optional), s.Uint32("opt_unset", next(), schema.Optional)
	add(func(r *schema.Record) { r.Uint(set, 0) }, `"opt_set":0`)
	add(func(*schema.Record) { _ = unset }, `"opt_unset":null`)
	optional := s.Enum("opt_kind", next(), kind, schema.Optional)
	add(func(*schema.Record) { _ = optional }, `"opt_kind":null`)
	port := s.Uint32("port", next(), schema.InOneof("which"))
	add(func(r *schema.Record) { r.Uint(port, 53) }, `"port":53`)
	s.String("service", next(), schema.InOneof("which"))
	expected = append(expected, `"service":null`)
	path, unpacked := s.Uint32s("as_path", next()), s.Sint64s("unpacked", next(), schema.Unpacked)
	add(func(r *schema.Record) { r.AddUint(path, 1, 0, 300) }, `"as_path":[1,0,300]`)
	add(func(r *schema.Record) { r.AddInt(unpacked, -1, 0) }, `"unpacked":["-1","0"]`)
	flags, doubles, names := s.Bools("flags", next()), s.Doubles("doubles", next()), s.Strings("names", next())
	add(func(r *schema.Record) { r.AddBool(flags, true); r.AddBool(flags, false) }, `"flags":[true,false]`)
	add(func(r *schema.Record) { r.AddFloat(doubles, 0, 2.5) }, `"doubles":[0,2.5]`)
	add(func(r *schema.Record) { r.AddString(names, "a", "") }, `"names":["a",""]`)
	kinds, hops := s.Message.Enums("kinds", next(), kind), s.IPs("hops", next())
	add(func(r *schema.Record) { r.AddEnum(kinds, -1); r.AddEnum(kinds, 9) }, `"kinds":["BELOW","9"]`)
	add(func(r *schema.Record) { r.AddIP(hops, netip.MustParseAddr("::1")) }, `"hops":["::1"]`)
	counts := s.NewMessage("Counts")
	kindColumn, many, when := counts.Enum("of", 1, kind), counts.Uint64s("many", 2), counts.Timestamp("when", 3, schema.Millis)
	nested, list := s.Nested("nested", next(), counts), s.NestedList("list", next(), counts)
	fill := func(r *schema.Record) {
		r.Enum(kindColumn, 5)
		r.AddUint(many, 0, 1)
		r.Time(when, at)
		r.End()
	}
	const filled = `{"of":"SFLOW","many":["0","1"],"when":"2026-11-22 10:00:01.123"}`
	const empty = `{"of":"NONE","many":[],"when":"1970-01-01 00:00:00.000"}`
	add(func(r *schema.Record) { r.Begin(nested); fill(r) }, `"nested":`+filled)
	add(func(r *schema.Record) { r.BeginItem(list); fill(r); r.BeginItem(list); r.End() }, `"list":[`+filled+`,`+empty+`]`)
	var key schema.StringColumn
	var value schema.UintColumn
	labels := s.Map("labels", next(), func(e *schema.Message) { key, value = e.String("key", 1), e.Uint64("value", 2) })
	add(func(r *schema.Record) { r.BeginEntry(labels); r.String(key, "k"); r.Uint(value, 7); r.End() }, `"labels":{"k":"7"}`)
	var id schema.UintColumn
	var to schema.MessageColumn
	byID := s.Map("by_id", next(), func(e *schema.Message) { id, to = e.Uint32("key", 1), e.Nested("value", 2, counts) })
	add(func(r *schema.Record) { r.BeginEntry(byID); r.Uint(id, 3); r.Begin(to); fill(r); r.End() }, `"by_id":{"3":`+filled+`}`)
	stamps := schema.Column{Name: "x1", Number: next(), Kind: wire.Int64, Logical: schema.Timestamp, Unit: schema.Millis, Repeated: true}
	s.Add(stamps)
	numbers, err := schema.Lookup[schema.IntList](s.Message, "x1")
	if err != nil {
		panic(err)
	}
	add(func(r *schema.Record) { r.AddInt(numbers, at.UnixMilli(), 0) }, `"x1":["2026-11-22 10:00:01.123","1970-01-01 00:00:00.000"]`)
	var name schema.StringColumn
	var protocol schema.EnumColumn
	byName := s.Map("by_name", next(), func(e *schema.Message) { name, protocol = e.String("key", 1), e.Enum("value", 2, kind) })
	add(func(r *schema.Record) { r.BeginEntry(byName); r.String(name, "a"); r.Enum(protocol, 5); r.End() }, `"by_name":{"a":"SFLOW"}`)
	var yes schema.BoolColumn
	var less schema.IntColumn
	byBool := s.Map("by_bool", next(), func(e *schema.Message) { yes, less = e.Bool("key", 1), e.Sint64("value", 2) })
	add(func(r *schema.Record) { r.BeginEntry(byBool); r.Bool(yes, true); r.Int(less, -4); r.End() }, `"by_bool":{"true":"-4"}`)
	optIP, noIP := s.IP("opt_ip", next(), schema.Optional), s.IP("no_ip", next(), schema.Optional)
	add(func(r *schema.Record) { r.IP(optIP, netip.MustParseAddr("::2")) }, `"opt_ip":"::2"`)
	add(func(*schema.Record) { _ = noIP }, `"no_ip":null`)
	optAt, noAt := s.Timestamp("opt_at", next(), schema.Micros, schema.Optional), s.Timestamp("no_at", next(), schema.Seconds, schema.Optional)
	add(func(r *schema.Record) { r.Time(optAt, at) }, `"opt_at":"2026-11-22 10:00:01.123456"`)
	add(func(*schema.Record) { _ = noAt }, `"no_at":null`)
	kept := s.Uint64("deferred", next(), schema.Deferred)
	add(func(r *schema.Record) { r.Uint(kept, 1); r.Uint(kept, 8) }, `"deferred":"8"`)
	off := s.Uint64("switched_off", next(), schema.Disabled)
	add(func(r *schema.Record) { r.Uint(off, 1) }, "")
	if editions {
		closed := s.AddEnum(schema.Enum{Name: "everything.Closed", Closed: true, Values: []schema.EnumValue{{Name: "UP", Number: 1}, {Name: "DOWN", Number: 2}}})
		state, bad, group := s.Enum("state", next(), closed, schema.Optional), s.Enum("bad_state", next(), closed, schema.Optional), s.Group("grouped", next(), counts)
		add(func(r *schema.Record) { r.Enum(state, 2) }, `"state":"DOWN"`)
		add(func(r *schema.Record) { r.Enum(bad, 3) }, `"bad_state":null`)
		add(func(r *schema.Record) { r.Begin(group); fill(r) }, `"grouped":`+filled)
	}
	return s, func(r *schema.Record) {
		for _, w := range writers {
			w(r)
		}
	}, "{" + strings.Trim(strings.ReplaceAll(strings.Join(expected, ","), ",,", ","), ",") + "}"
}

var (
	queueColumns = regexp.MustCompile(`(?s)^CREATE TABLE IF NOT EXISTS \S+ \(\n(.*)\n\)\nENGINE = Kafka\nSETTINGS\n.*$`)
	asJSON       = " SETTINGS output_format_json_quote_64bit_integers = 1, output_format_json_named_tuples_as_objects = 1"
)

// SCH-45. A record's output, misfits under mask and drop among it, is read by the exported schema into the
// exported tables: a memory table stands for the one that reads from Kafka, whose statement is executed, too.
func TestClickHouseReadsEveryColumnTypeBack(t *testing.T) {
	for name, editions := range map[string]bool{"proto3": false, "edition 2023": true} {
		t.Run(name, func(t *testing.T) {
			s, write, want := everything(editions)
			plan := schematest.Compile(t, s)
			folder := t.TempDir()
			text, err := plan.Proto()
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(text, "edition") != editions {
				t.Fatal(text)
			}
			r := plan.NewRecord()
			write(r)
			stream, err := r.AppendDelimited(nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Reset()
			stream = append(stream, r.Delimited()...) // an empty message
			for file, content := range map[string][]byte{"row.proto": []byte(text), "stream": stream} {
				if err := os.WriteFile(filepath.Join(folder, file), content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.CopyFS(filepath.Join(folder, "google"), os.DirFS("../../../build/tools/protoc/include/google")); err != nil {
				t.Fatal(err)
			}
			tables, err := clickhouse.TablesFor(plan, clickhouse.Options{Table: "flows", Brokers: "localhost:1", Topic: "flows", Group: "test", Schema: "row.proto", Consumers: 1})
			if err != nil {
				t.Fatal(err)
			}
			columns := queueColumns.FindStringSubmatch(tables.Queue)
			if columns == nil {
				t.Fatal(tables.Queue)
			}
			structure := strings.ReplaceAll(strings.ReplaceAll(columns[1], `\`, `\\`), `'`, `\'`)
			memory := "CREATE TABLE flows_queue (" + columns[1] +
				", _topic String, _partition UInt64, _offset UInt64, _raw_message String, _error String) ENGINE = Memory"
			statements := []string{
				"CREATE DATABASE d", "USE d",
				tables.Queue, "SHOW CREATE TABLE flows_queue", "DROP TABLE flows_queue",
				memory, tables.Target, tables.Errors, tables.View,
				"INSERT INTO flows_queue SELECT *, 'flows', 0, 1, '', '' FROM file('stream', 'Protobuf', '" + structure + "') SETTINGS format_schema = 'row.proto:Row'",
				"INSERT INTO flows_queue (_topic, _partition, _offset, _raw_message, _error) VALUES ('flows', 3, 4, 'rubbish', 'it was')",
				"SELECT * FROM flows LIMIT 1" + asJSON,
				"SELECT count() AS count FROM flows",
				"SELECT topic, partition, offset, raw, error FROM flows_errors",
			}
			results, errors := inClickHouse(t, folder, statements...)
			for i, e := range errors {
				// The statement creates the table, which cannot start to consume: there is no broker in the embedded server.
				if e != "" && !(statements[i] == tables.Queue && strings.Contains(e, "Shutdown was called")) {
					t.Fatalf("%s\n%s", statements[i], e)
				}
			}
			if got := results[3]; !strings.Contains(got, "ENGINE = Kafka") || !strings.Contains(got, "kafka_schema = 'row.proto:Row'") && !strings.Contains(got, `kafka_schema = \'row.proto:Row\'`) {
				t.Error(got)
			}
			if got := strings.TrimSpace(results[11]); got != want {
				t.Errorf("got\n%s, want\n%s", got, want)
			}
			if got := strings.TrimSpace(results[12]); got != `{"count":2}` && got != `{"count":"2"}` {
				t.Error(got)
			}
			const wantErrors = `{"topic":"flows","partition":3,"offset":4,"raw":"rubbish","error":"it was"}`
			if got := strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(results[13], `"3"`, `3`), `"4"`, `4`)); got != wantErrors {
				t.Error(got)
			}
		})
	}
}
