package yaml_test

import (
	"encoding/hex"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/clickhouse"
	"github.com/hotpb/hotpb/go/schema/lock"
	schemayaml "github.com/hotpb/hotpb/go/schema/yaml"
	"github.com/hotpb/hotpb/go/wire"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestASchemaFileIsReadToThisProto(t *testing.T) {
	file, err := schemayaml.Parse(read(t, "flows.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := file.Compile()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := plan.Proto(); err != nil || got != string(read(t, "flows.proto")) {
		t.Errorf("%v\n%s", err, got)
	}
	c, _, _ := file.Schema.Find("bytes")
	if len(c.Sources) != 2 || c.Sources[0] != (schema.Source{Element: 1}) || c.Sources[1] != (schema.Source{Enterprise: 6871, Element: 30}) {
		t.Error(c.Sources)
	}
	c, _, _ = file.Schema.Find("exporter")
	if !c.KeepFirst || c.Misfit != schema.Refuse || !c.Deferred || !c.CheckUTF8 || c.ClickHouse != "LowCardinality(String)" {
		t.Errorf("%+v", c)
	}
	if c, _, _ = file.Schema.Find("src_mac"); !c.Disabled || c.Group != "l2" || c.Logical != schema.MAC {
		t.Errorf("%+v", c)
	}
	if p, err := file.Compile(schema.OnGroup("l2")); err != nil || len(p.ColumnsOff("flows.FlowMessage")) != 0 {
		t.Error(err)
	}
}

func TestConstantsAreSet(t *testing.T) {
	file, err := schemayaml.Parse([]byte(`
message: M
columns:
  - {name: u, number: 1, type: uint32, constant: 300}
  - {name: i, number: 2, type: sint32, constant: -1}
  - {name: f, number: 3, type: float, constant: 1.5}
  - {name: b, number: 4, type: bool, constant: true}
  - {name: s, number: 5, type: string, constant: eth0}
  - {name: e, number: 6, type: E, constant: ONE}
  - {name: n, number: 7, type: E, constant: 7}
  - {name: a, number: 8, type: ip, constant: 192.0.2.1}
  - {name: m, number: 9, type: mac, constant: "00:00:00:00:00:ff"}
enums: {E: {values: {ZERO: 0, ONE: 1}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := file.Compile()
	if err != nil {
		t.Fatal(err)
	}
	r := plan.NewRecord()
	file.SetConstants(r)
	const want = "08ac02" + "1001" + "1d0000c03f" + "2001" + "2a0465746830" + "3001" + "3807" + "421000000000000000000000ffffc0000201" + "48ff01"
	if got := hex.EncodeToString(r.Encoded()); got != want || r.Err() != nil {
		t.Errorf("%s, want %s (%v)", got, want, r.Err())
	}
}

func TestWhatIsWrongIsToldWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "a schema file must be one document with a mapping",
		"- a":                          "line 1: a schema file is a mapping",
		"a: [":                         "line 1: ",
		"colums: []":                   `line 1: a schema file has no "colums"; did you mean columns?`,
		"message: M\ncolumns: 5":       "line 2: M: columns is a list",
		"message: M\ncolumns:\n  - {}": "line 3: M: a column has no name",
		"message: M\ncolumns:\n  - {name: a, type: bool}":                                                                    "line 3: M.a: has no number",
		"message: M\ncolumns:\n  - name: a\n    number: 1":                                                                   "line 3: M.a: has no type",
		"message: M\ncolumns:\n  - name: a\n    number: 0\n    type: bool":                                                   "line 4: M.a: a number must be from 1 to 536870911",
		"message: M\ncolumns:\n  - name: a\n    number: 1\n    type: boole":                                                  `line 5: M.a: "boole" is not a type; did you mean bool?`,
		"message: M\ncolumns:\n  - {name: a, number: 1, type: timestamp(hours)}":                                             `line 3: M.a: "hours" is not a unit`,
		"message: M\ncolumns:\n  - {name: a, number: 1, type: \"map<string>\"}":                                              `line 3: M.a: "map<string>" is not a type: write map<KEY, VALUE>`,
		"message: M\ncolumns:\n  - {name: a, number: 1, type: bool, from: [70000]}":                                          "line 3: M.a: an element must be from 0 to 65535",
		"message: M\ncolumns:\n  - {name: a, number: 1, type: bool, from: [x]}":                                              `line 3: M.a: "x" is not an element`,
		"message: M\ncolumns:\n  - {name: a, number: 1, type: ip, from: sourceIpv4Adress}":                                   `"sourceIpv4Adress" is not an element; did you mean sourceIPv4Address?`,
		"message: M\ncolumns:\n  - {name: a, number: 1, type: bool, misfit: error}":                                          "line 3: M.a: misfit must be one of drop, mask, refuse",
		"message: M\ncolumns:\n  - {name: a, number: 1, type: bool, off: 1}":                                                 "line 3: M.a: off must be true or false",
		"message: M\ncolumns:\n  - {name: a, number: 1, type: bool, constant: 1}":                                            "line 3: M.a: the constant must be true or false",
		"message: M\ncolumns:\n  - {name: a, number: 1, type: bytes, constant: 1}":                                           "line 3: M.a: columns of this type cannot have constants",
		"message: M\ncolumns:\n  - {name: a, number: 1, type: E, constant: B}\nenums: {E: {values: {A: 0}}}":                 "line 3: M.a: the enum has no value B",
		"message: M\ncolumns:\n  - {name: a, number: 1, type: uint32, constant: 4294967296}":                                 "line 3: M.a: the constant must be from 0 to 4294967295",
		"message: M\ncolumns:\n  - {name: a, number: 1, type: fixed32, constant: 4294967296}":                                "line 3: M.a: the constant must be from 0 to 4294967295",
		"message: M\ncolumns:\n  - {name: a, number: 1, type: sint32, constant: -2147483649}":                                "line 3: M.a: the constant must be from -2147483648 to 2147483647",
		"message: M\ncolumns:\n  - {name: a, number: 1, type: uint64, constant: -1}":                                         "line 3: M.a: the constant must be a number that is not negative",
		"message: M\nreserved: [5 to 4]":                                                                                     `line 2: M: "5 to 4" is not a range of numbers`,
		"message: M\nenums:\n  M:\n    values: {A: 0}":                                                                       "line 3: M: two types have this name",
		"message: M\nenums:\n  E:\n    values: {A: 99999999999}":                                                             "line 4: E: a value must be from -2147483648 to 2147483647",
		"message: M\nmessages:\n  M: {}":                                                                                     "line 3: two messages are called M",
		"message: M\nmessage: N":                                                                                             "line 2: ",
		"a: " + strings.Repeat("[", 100):                                                                                     "line 1: more than 64 brackets are open",
		"a: " + strings.Repeat("x", 5000):                                                                                    "line 1: a line must not have more than 4096 bytes",
		strings.Repeat("#\n", 1<<20):                                                                                         "a schema file must not have more than 1048576 bytes",
		"message: M\ncontents: []":                                                                                           `line 2: a schema file has no "contents"; it may have columns, comment, enums, message, messages, package, reserved`,
		"message: M\ncolumns:\n  - {name: a, number 3, type: bool}":                                                          `line 3: M.a: there is no colon after "number": write number: 3`,
		"message: M\ncolumns # all\n\n  # first\n  - {name: a, number: 1, type: bool}\n  - {name: b, number: 2, type: bool}": `line 2: there is no colon after "columns"`,
		"message: M\ncolumns:\n  - {name: a, number: 1, type: timestamp}":                                                    `line 3: M.a: "timestamp" is not a type: write timestamp(millis), with its unit: seconds, millis`,
		"message: M\ncolumns:\n  - {name: a, number: 1, type: timestmp(millis)}":                                             `"timestmp(millis)" is not a type; did you mean timestamp(millis)?`,
		"message: M\ncolumns:\n  - {name: a, number: 1, type: timestmp(nanos)}":                                              `"timestmp(nanos)" is not a type; did you mean timestamp(millis)?`,
		"message: M\ncolumns:\n  - {name: a, number: 1, type: int}":                                                          `"int" is not a type: write int64`,
		"message: M\ncolumns:\n  - {name: a, number: 1, type: FlwType}\nenums: {FlowType: {values: {A: 0}}}":                 `"FlwType" is not a type; did you mean FlowType?`,
		"message: M\ncolumns:\n  - {name: a, number: 1, type: nothing}":                                                      `"nothing" is not a type: types are the scalars of protobuf, ip, mac`,
		"message: M\ncolumns:\n  - {name: a, number: 1, type: string, clickhouse: LowCardinalty(String)}":                    `line 3: M.a: clickhouse: LowCardinalty(String): ClickHouse has no type LowCardinalty; did you mean LowCardinality?`,
		"message: M\ncolumns:\n  - {name: a, number: 1, type: string, clickhouse: LowCardinality(Sting)}":                    `no type Sting; did you mean String?`,
		"message: M\ncolumns:\n  - {name: a, number: 1, type: string, clickhouse: string}":                                   `no type string; did you mean String?`,
		"message: M\ncolumns:\n  - {name: a, number: 1, type: string, clickhouse: Nullable(String}":                          `its brackets do not match`,
		"message: M\nenums:\n  E:\n    values: {0: UNDEFINED}":                                                               "line 4: E: the name of a value comes first: write NAME: 0",
		// Faults that only Compile finds.
		"message: M\ncolumns:\n  - name: a\n    number: 1\n    type: bool\n  - name: b\n    number: 1\n    type: bool":       "line 6: M.b: has the number 1, as a has",
		"message: M\ncolumns:\n  - {name: a, number: 19500, type: bool}":                                                     "line 3: M.a: the numbers from 19000 to 19999 are protobuf's own",
		"message: M\nreserved: [1, b]\ncolumns:\n  - {name: a, number: 1, type: bool}\n  - {name: b, number: 2, type: bool}": "line 4: M.a: the number 1 is reserved\nline 5: M.b: the name is reserved",
		"message: M\nenums:\n  E:\n    values: {A: 1}":                                                                       "line 3: E: the first value of an open enum must be 0",
	} {
		file, err := schemayaml.Parse([]byte(text))
		if err == nil {
			_, err = file.Compile()
		}
		if !errors.Is(err, wire.InvalidSchema) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.200q: %v, want %s", text, err, want)
		}
	}
}

func TestElementsHaveNames(t *testing.T) {
	file, err := schemayaml.Parse([]byte("message: M\ncolumns:\n  - {name: a, number: 1, type: ip, from: [sourceIPv4Address, 27, 6871/5]}\n" +
		"  - {name: b, number: 2, type: uint32, from: bgpDestinationCommunityList}"))
	if err != nil {
		t.Fatal(err)
	}
	a, _, _ := file.Schema.Find("a")
	b, _, _ := file.Schema.Find("b")
	if want := []schema.Source{{Element: 8}, {Element: 27}, {Enterprise: 6871, Element: 5}}; !slices.Equal(a.Sources, want) || b.Sources[0].Element != 485 {
		t.Errorf("%v %v", a.Sources, b.Sources)
	}
}

// Types of ClickHouse that are right, or that only ClickHouse can judge, are not refused.
func TestTypesOfClickHouseAreLeftToIt(t *testing.T) {
	for _, kind := range []string{
		"LowCardinality(Nullable(String))", "Array(UInt32)", "Map(LowCardinality(String), UInt64)", "DateTime64(3, 'UTC')", "varchar", "Text", "datetime",
		"Enum8('a(' = 1)", "FixedString(16)", "UInt16 CODEC(T64, ZSTD(1))", "AggregateFunction(sum, UInt64)", "Tuple(string String)", "SomethingNew(5)",
	} {
		if _, err := schemayaml.Parse([]byte("message: M\ncolumns:\n  - {name: a, number: 1, type: string, clickhouse: \"" + kind + "\"}")); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// unsaid is the part of a column's full text that a .proto does not have.
var unsaid = regexp.MustCompile(`(?m)^(  [0-9]+ .*)( ip| mac| (?:timestamp|duration) (?:seconds|millis|micros|nanos))\b`)

// A schema that is read and compiled is exported, or refused with a reason; nothing panics.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"flows.yaml"} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("message: M\ncolumns:\n  - {name: a, number: 1, type: \"map<string, M>\", constant: 5}\nenums: {E: {values: {A: 0}}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := schemayaml.Parse(text)
		if err != nil {
			if !errors.Is(err, wire.InvalidSchema) {
				t.Fatal(err)
			}
			return
		}
		plan, err := file.Compile()
		if err != nil {
			if !errors.Is(err, wire.InvalidSchema) {
				t.Fatal(err)
			}
			return
		}
		r := plan.NewRecord()
		file.SetConstants(r)
		promised, err := lock.Parse(lock.Of(plan).String())
		if err != nil {
			t.Fatal(err)
		}
		if v := promised.Check(plan); len(v.Changes) > 0 {
			t.Fatal(v)
		}
		if encoded, err := plan.FileDescriptorSet(); err == nil {
			imported, err := schema.FromDescriptorSet(encoded, plan.Root())
			if err != nil {
				t.Fatal(err)
			}
			if p, err := imported.Compile(); err != nil || p.FullText() != unsaid.ReplaceAllString(plan.FullText(), "$1") || p.WireHash() != plan.WireHash() {
				t.Fatal(err)
			}
		}
		_, _ = clickhouse.TablesFor(plan, clickhouse.Options{Table: "t"})
	})
}

// A column whose type cannot hold what IANA says of its element is refused where it stands, with the types that can.
func TestTypesThatCannotHoldAnElementAreRefused(t *testing.T) {
	columns := []string{
		"int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32", "sfixed64", "float", "double", "bool",
		"string", "bytes", "ip", "mac", "timestamp(millis)", "timestamp(wellknown)", "duration(seconds)", "Kind", "Part", "repeated uint32",
		"repeated ip", "repeated string",
	}
	const unsigned, signed, time = " uint32 uint64 fixed32 fixed64 Kind bytes duration(seconds) repeated uint32 ",
		" int32 int64 sint32 sint64 sfixed32 sfixed64 Kind bytes ", " timestamp(millis) timestamp(wellknown) bytes uint64 fixed64 "
	for element, fitting := range map[string]string{
		"4": unsigned + "bool ", "10": unsigned, "7": unsigned, "1": unsigned, "434": signed, "311": " float double bytes ",
		"276": " bool uint32 uint64 fixed32 fixed64 Kind bytes repeated uint32 ", "56": " mac uint64 fixed64 bytes ",
		"8": " ip repeated ip uint32 uint64 fixed32 fixed64 bytes repeated uint32 ", "27": " ip repeated ip bytes ",
		"82": " string bytes repeated string ", "95": " bytes string uint32 uint64 fixed32 fixed64 repeated uint32 repeated string ",
		"150": time + "uint32 fixed32 Kind repeated uint32 ", "152": time, "154": time, "156": time,
		"22":           " timestamp(millis) timestamp(wellknown) uint32 uint64 fixed32 fixed64 Kind bytes repeated uint32 ",
		"4294967294/4": unsigned + "bool ", "29305/27": " ip repeated ip bytes ",
	} {
		for _, column := range columns {
			text := "message: M\ncolumns:\n  - {name: a, number: 1, type: uint32}\n  - {name: b, number: 2, from: [40000, " + element + "], type: \"" + column + "\"}\n" +
				"messages:\n  Part:\n    columns: [{name: c, number: 1, type: bool}]\nenums:\n  Kind:\n    values: {NONE: 0}\n"
			_, err := schemayaml.Parse([]byte(text))
			if strings.Contains(fitting, " "+column+" ") {
				if err != nil {
					t.Errorf("%s of %s: %v", column, element, err)
				}
				continue
			}
			want := "line 4: M.b: " + column + " cannot hold element " + element + " ("
			if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), ": write ") {
				t.Errorf("%s of %s: %v", column, element, err)
			}
		}
	}
	for _, free := range []string{"40000", "9/1", "4294967295/1"} { // nobody says what these are
		if _, err := schemayaml.Parse([]byte("message: M\ncolumns: [{name: b, number: 2, type: ip, from: " + free + "}]")); err != nil {
			t.Error(err)
		}
	}
}

func TestAZeroMayBeAValue(t *testing.T) {
	for text, want := range map[string]bool{"": false, ", zero: value": true, ", zero: none": false} {
		f, err := schemayaml.Parse([]byte("message: M\ncolumns: [{name: b, number: 2, type: uint32, from: [1, 23]" + text + "}]"))
		if err != nil {
			t.Fatal(err)
		}
		if c, _, _ := f.Schema.Find("b"); c.CountZero != want {
			t.Errorf("%q: %v", text, c.CountZero)
		}
	}
	if _, err := schemayaml.Parse([]byte("message: M\ncolumns: [{name: b, number: 2, type: uint32, zero: maybe}]")); err == nil || !strings.Contains(err.Error(), "zero must be one of none, value") {
		t.Error(err)
	}
}
