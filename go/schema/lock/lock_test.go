package lock_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/internal/schematest"
	"github.com/hotpb/hotpb/go/schema/lock"
	"github.com/hotpb/hotpb/go/wire"
)

const flowLock = `hotpb lock 1
root flows.v1.FlowMessage
message flows.v1.FlowMessage
  1 kind enum flows.v1.FlowMessage.Kind
  2 received int64 timestamp seconds
  5 src_addr bytes ip
  9 bytes uint64
  20 src_mac uint64 mac
  21 as_path repeated uint32
  22 offsets repeated sint32 unpacked
  23 at message google.protobuf.Timestamp
  24 took message google.protobuf.Duration
  25 forwarded bool optional
  26 exporter string
  27 labels repeated message flows.v1.FlowMessage.Label
  28 counts map message flows.v1.FlowMessage.CountsEntry
  29 by_id map message flows.v1.FlowMessage.ByIdEntry
  30 tcp_port uint32 oneof port
  31 rate float
  33 other_port message flows.v1.FlowMessage.Label oneof port
  reserved 40 to 42
  reserved 1000 to 536870911
  reserved "gone"
message flows.v1.FlowMessage.ByIdEntry
  1 key fixed32
  2 value message flows.v1.FlowMessage.Label
message flows.v1.FlowMessage.CountsEntry
  1 key string
  2 value uint64
message flows.v1.FlowMessage.Label
  1 name string
  2 weight double
  3 parts repeated message flows.v1.FlowMessage.Label
message google.protobuf.Duration
  1 seconds int64
  2 nanos int32
message google.protobuf.Timestamp
  1 seconds int64
  2 nanos int32
enum flows.v1.FlowMessage.Kind open
  -1 KIND_OTHER
  0 KIND_UNKNOWN
  5 KIND_NETFLOW
  5 KIND_SFLOW
`

// The hashes are the same on every machine and in every version: topics are named after them.
const (
	flowWireHash = "40cdc58e1d8762679defc3459a68909ab8f1c5b6cbfd3002fed974dc21637a46"
	flowFullHash = "e295b6a8ccaccb9a5bc7f66297e12d3463765feb502786852356942e09fac36d"
)

// SCH-41 to SCH-43, SCH-111, SCH-112, SCH-113.
func TestLockAndHashesOfAFlowAreThese(t *testing.T) {
	plan := schematest.Compile(t, schematest.Flows("flows.v1"))
	if got := lock.Of(plan).String(); got != flowLock {
		t.Error(got)
	}
	if got := plan.WireHash(); got != flowWireHash {
		t.Errorf("wire hash %s of\n%s", got, plan.WireText())
	}
	if got := plan.FullHash(); got != flowFullHash {
		t.Errorf("full hash %s of\n%s", got, plan.FullText())
	}
	if got := plan.WireHash()[:16]; got != flowWireHash[:16] {
		t.Error(got)
	}
}

// SCH-43.
func TestALockIsReadAsItWasWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	for i := range 200 {
		plan := schematest.Compile(t, schematest.Random(r, fmt.Sprintf("p%d", i)))
		text := lock.Of(plan).String()
		promised, err := lock.Parse("# kept by hotpb\n\n" + text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if got := promised.String(); got != text {
			t.Fatalf("%s\nfrom\n%s", got, text)
		}
		if v := promised.Check(plan); len(v.Changes) > 0 {
			t.Fatalf("%v\n%s", v, text)
		}
		if v := lock.Compare(plan, plan); len(v.Changes) > 0 {
			t.Fatal(v)
		}
	}
}

func TestWhatIsNoLockIsRefusedWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     `line 1: a lock must start with "hotpb lock 1"; this one is empty`,
		"hotpb lock 2\n":                       `line 1: a lock must start with "hotpb lock 1"`,
		"hotpb lock 1\nroot a\nmessage a\n  x": `line 4: "x" is no line of a lock`,
		"hotpb lock 1\nroot a\nmessage a\n  0 x bool":                 "line 4",
		"hotpb lock 1\nroot a\nmessage a\n  1 x boole":                "line 4",
		"hotpb lock 1\nroot a\nmessage a\n  1 x bool z":               "line 4",
		"hotpb lock 1\nroot a\nmessage a\n  1 x message b":            "a.x: b is not in the lock",
		"hotpb lock 1\nroot a\nmessage a\nmessage a":                  "a: is in the lock twice",
		"hotpb lock 1\nroot a\nmessage a\n1 x bool\n1 y bool":         "a: the number 1 is in the lock twice",
		"hotpb lock 1\nroot a\nmessage a\n reserved 5 to 4":           "line 4",
		"hotpb lock 1\nroot a\nenum a half":                           "line 3",
		"hotpb lock 1\nroot a\nmessage a\n1 x int64 timestamp":        "line 4",
		"hotpb lock 1\nroot a\nmessage a\n1 x int64 timestamp years":  "line 4",
		"hotpb lock 1\nroot a\nmessage a\n1 x int64 ip mac":           "line 4",
		"hotpb lock 1\nroot a\nmessage a\n1 x int64 default 5":        "line 4",
		"hotpb lock 1\nroot a\nmessage a\n1 x int64 \"5\"":            "line 4",
		"hotpb lock 1\nroot a\nmessage a\n1 x int64 default \"5":      "line 4",
		"hotpb lock 1\nroot a\nmessage a\n1 x int64 default \"5\" ip": "line 4",
		"hotpb lock 1\nroot a\nmessage a\n1 x int64 default \"\"":     "line 4",
		"hotpb lock 1\nroot a\nenum a open\n 4294967296 A":            "line 4",
	} {
		if _, err := lock.Parse(text); !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// compileBoth builds two schemas from the same base.
func compileBoth(t *testing.T, old, now func(*schema.Schema)) (a, b *schema.Plan) {
	t.Helper()
	build := func(change func(*schema.Schema)) *schema.Plan {
		s := schema.New("M", schema.Package("p"))
		s.Uint64("base", 1)
		change(s)
		return schematest.Compile(t, s)
	}
	return build(old), build(now)
}

type edit struct {
	name     string
	old, now func(*schema.Schema)
	level    lock.Level
	want     string // the changes
	sameWire bool   // the wire hash
}

func column(c schema.Column) func(*schema.Schema) { return func(s *schema.Schema) { s.Add(c) } }

func enumOf(name string, closed bool, values ...schema.EnumValue) func(*schema.Schema) {
	return func(s *schema.Schema) {
		s.Enum("e", 2, s.AddEnum(schema.Enum{Name: name, Closed: closed, Values: values}), schema.Optional)
	}
}

func nothing(*schema.Schema) {}

var edits = []edit{
	{"added", nothing, column(schema.Column{Name: "x", Number: 2, Kind: wire.Bool}), lock.Compatible, "compatible: p.M.x: added: 2 bool", false},
	{"removed and reserved", column(schema.Column{Name: "x", Number: 2, Kind: wire.Bool}), func(s *schema.Schema) { s.Reserve(2, 2) },
		lock.Compatible, "compatible: p.M.x: removed: its number 2 is reserved", false},
	{"removed", column(schema.Column{Name: "x", Number: 2, Kind: wire.Bool}), nothing, lock.Risky,
		"risky: p.M.x: removed: its number 2 must be reserved, so that it does not get another meaning", false},
	{"a reserved number used", func(s *schema.Schema) { s.Reserve(2, 2) }, column(schema.Column{Name: "x", Number: 2, Kind: wire.Bool}),
		lock.Breaking, "breaking: p.M.x: added: its number 2 was reserved", false},
	{"a reserved name used", func(s *schema.Schema) { s.ReserveNames("x") }, column(schema.Column{Name: "x", Number: 2, Kind: wire.Bool}),
		lock.Renaming, "renaming: p.M.x: added: its name was reserved", false},
	{"renamed", column(schema.Column{Name: "x", Number: 2, Kind: wire.Bool}), column(schema.Column{Name: "y", Number: 2, Kind: wire.Bool}),
		lock.Renaming, "renaming: p.M.y: renamed: was x", true},
	{"renumbered", column(schema.Column{Name: "x", Number: 2, Kind: wire.Bool}), column(schema.Column{Name: "x", Number: 3, Kind: wire.Bool}),
		lock.Breaking, "breaking: p.M.x: renumbered: was 2, is 3", false},
	{"exchanged", func(s *schema.Schema) { s.Bool("x", 2); s.Bool("y", 3) }, func(s *schema.Schema) { s.Bool("x", 3); s.Bool("y", 2) },
		lock.Breaking, "breaking: p.M.x: renumbered: was 2, is 3, and 2 is y\nbreaking: p.M.y: renumbered: was 3, is 2, and 3 is x", true},
	{"widened", column(schema.Column{Name: "x", Number: 2, Kind: wire.Uint32}), column(schema.Column{Name: "x", Number: 2, Kind: wire.Uint64}),
		lock.Risky, "risky: p.M.x: retyped: was uint32, is uint64: numbers that the other type cannot hold are cut or change their sign", false},
	{"signed otherwise", column(schema.Column{Name: "x", Number: 2, Kind: wire.Int32}), column(schema.Column{Name: "x", Number: 2, Kind: wire.Sint32}),
		lock.Breaking, "breaking: p.M.x: retyped: was int32, is sint32: the encodings differ", false},
	{"fixed", column(schema.Column{Name: "x", Number: 2, Kind: wire.Fixed32}), column(schema.Column{Name: "x", Number: 2, Kind: wire.Float}),
		lock.Breaking, "breaking: p.M.x: retyped: was fixed32, is float: the encodings differ", false},
	{"text", column(schema.Column{Name: "x", Number: 2, Kind: wire.String}), column(schema.Column{Name: "x", Number: 2, Kind: wire.Bytes}),
		lock.Risky, "risky: p.M.x: retyped: was string, is bytes: the same if the bytes are UTF-8", false},
	{"message as bytes", func(s *schema.Schema) { s.Nested("x", 2, s.NewMessage("N")) }, column(schema.Column{Name: "x", Number: 2, Kind: wire.Bytes}),
		lock.Risky, "risky: p.M.x: retyped: was message p.N, is bytes: the same if the bytes are an encoded message\n" +
			"compatible: p.M.x: presence: only one side distinguishes zero and absent", false},
	{"message as group", func(s *schema.Schema) { s.Nested("x", 2, s.NewMessage("N")) }, func(s *schema.Schema) { s.Group("x", 2, s.NewMessage("N")) },
		lock.Breaking, "breaking: p.M.x: retyped: was message p.N, is group p.N: the encodings differ", false},
	{"message renamed", func(s *schema.Schema) { s.Nested("x", 2, s.NewMessage("N")) }, func(s *schema.Schema) { s.Nested("x", 2, s.NewMessage("O")) },
		lock.Renaming, "renaming: p.O: renamed: was p.N", true},
	{"a column of a nested message", func(s *schema.Schema) { s.Nested("x", 2, s.NewMessage("N")) }, func(s *schema.Schema) {
		n := s.NewMessage("N")
		n.Bool("y", 1)
		s.Nested("x", 2, n)
	}, lock.Compatible, "compatible: p.N.y: added: 1 bool", false},
	{"repeated", column(schema.Column{Name: "x", Number: 2, Kind: wire.String}), column(schema.Column{Name: "x", Number: 2, Kind: wire.String, Repeated: true}),
		lock.Risky, "risky: p.M.x: retyped: was string, is repeated string: of several values, one side keeps only the last", false},
	{"repeated and packed", column(schema.Column{Name: "x", Number: 2, Kind: wire.Bool}), column(schema.Column{Name: "x", Number: 2, Kind: wire.Bool, Repeated: true}),
		lock.Breaking, "breaking: p.M.x: retyped: was bool, is repeated bool: packed elements are not a value for a column that is not repeated", false},
	{"unpacked", column(schema.Column{Name: "x", Number: 2, Kind: wire.Bool, Repeated: true}),
		column(schema.Column{Name: "x", Number: 2, Kind: wire.Bool, Repeated: true, Unpacked: true}),
		lock.Compatible, "compatible: p.M.x: repacked: readers take elements packed or not", true},
	{"optional", column(schema.Column{Name: "x", Number: 2, Kind: wire.Bool}), column(schema.Column{Name: "x", Number: 2, Kind: wire.Bool, Presence: schema.Explicit}),
		lock.Compatible, "compatible: p.M.x: presence: only one side distinguishes zero and absent", true},
	{"required", column(schema.Column{Name: "x", Number: 2, Kind: wire.Bool}), column(schema.Column{Name: "x", Number: 2, Kind: wire.Bool, Presence: schema.LegacyRequired}),
		lock.Breaking, "breaking: p.M.x: presence: required on one side only: messages without it are refused there", false},
	{"into a oneof", func(s *schema.Schema) { s.Bool("x", 2, schema.Optional); s.Bool("y", 3, schema.InOneof("o")) },
		func(s *schema.Schema) { s.Bool("x", 2, schema.InOneof("o")); s.Bool("y", 3, schema.InOneof("o")) }, lock.Risky,
		"risky: p.M.x: oneof: it shares a oneof with other columns than before: setting one clears the others\n" +
			"risky: p.M.y: oneof: it shares a oneof with other columns than before: setting one clears the others", false},
	{"into a oneof of its own", func(s *schema.Schema) { s.Bool("x", 2, schema.Optional) }, func(s *schema.Schema) { s.Bool("x", 2, schema.InOneof("o")) },
		lock.Compatible, "compatible: p.M.x: oneof: the oneof has none of its earlier other columns", true},
	{"added and required", nothing, column(schema.Column{Name: "x", Number: 2, Kind: wire.Bool, Presence: schema.LegacyRequired}), lock.Breaking,
		"compatible: p.M.x: added: 2 bool required\nbreaking: p.M.x: presence: is required: older messages do not have it", false},
	{"removed and was required", column(schema.Column{Name: "x", Number: 2, Kind: wire.Bool, Presence: schema.LegacyRequired}),
		func(s *schema.Schema) { s.Reserve(2, 2) }, lock.Breaking,
		"compatible: p.M.x: removed: its number 2 is reserved\nbreaking: p.M.x: presence: was required: older readers refuse messages without it", false},
	{"the oneof renamed", func(s *schema.Schema) { s.Bool("x", 2, schema.InOneof("o")) }, func(s *schema.Schema) { s.Bool("x", 2, schema.InOneof("q")) },
		lock.Renaming, "renaming: p.M.x: renamed: the oneof q was o", true},
	{"enum as number", enumOf("p.E", false, schema.EnumValue{Name: "A"}),
		column(schema.Column{Name: "e", Number: 2, Kind: wire.Int32, Presence: schema.Explicit}),
		lock.Compatible, "compatible: p.M.e: retyped: was enum p.E, is int32: the same numbers", false},
	{"closed enum as number", enumOf("p.E", true, schema.EnumValue{Name: "A"}),
		column(schema.Column{Name: "e", Number: 2, Kind: wire.Int32, Presence: schema.Explicit}),
		lock.Risky, "risky: p.M.e: retyped: was enum p.E, is int32: the same numbers", false},
	{"map as entries", func(s *schema.Schema) {
		s.Map("x", 2, func(e *schema.Message) { e.Bool("key", 1); e.Bool("value", 2) })
	},
		func(s *schema.Schema) {
			e := s.AddMessage("p.M.XEntry")
			e.Bool("key", 1)
			e.Bool("value", 2)
			s.NestedList("x", 2, e)
		}, lock.Risky,
		"risky: p.M.x: retyped: was map message p.M.XEntry, is repeated message p.M.XEntry: of several entries with one key, a map keeps the last", false},
	{"enum value added", enumOf("p.E", false, schema.EnumValue{Name: "A"}), enumOf("p.E", false, schema.EnumValue{Name: "A"}, schema.EnumValue{Name: "B", Number: 1}),
		lock.Compatible, "compatible: p.E: enum: B = 1 is new", true},
	{"closed enum value removed", enumOf("p.E", true, schema.EnumValue{Name: "A"}, schema.EnumValue{Name: "B", Number: 1}), enumOf("p.E", true, schema.EnumValue{Name: "A"}),
		lock.Risky, "risky: p.E: enum: B = 1 is gone, and where the enum is closed the number is an unknown field", false},
	{"enum value renumbered", enumOf("p.E", false, schema.EnumValue{Name: "A"}, schema.EnumValue{Name: "B", Number: 1}),
		enumOf("p.E", false, schema.EnumValue{Name: "A"}, schema.EnumValue{Name: "B", Number: 2}), lock.Breaking, "breaking: p.E: renumbered: B was 1, is 2", true},
	{"enum value renamed", enumOf("p.E", false, schema.EnumValue{Name: "A"}), enumOf("p.E", false, schema.EnumValue{Name: "B"}),
		lock.Renaming, "renaming: p.E: renamed: the name A of 0 is gone\nrenaming: p.E: renamed: 0 is also called B", true},
	{"enum closed", enumOf("p.E", false, schema.EnumValue{Name: "A"}), enumOf("p.E", true, schema.EnumValue{Name: "A"}),
		lock.Risky, "risky: p.E: enum: closed on one side only: other numbers are unknown fields there", false},
	{"another unit", func(s *schema.Schema) { s.Timestamp("x", 2, schema.Seconds) }, func(s *schema.Schema) { s.Timestamp("x", 2, schema.Nanos) },
		lock.Risky, "risky: p.M.x: logical type: was timestamp seconds, is timestamp nanos: one value means one thing here and another there", true},
	{"a span", func(s *schema.Schema) { s.Timestamp("x", 2, schema.Millis) }, func(s *schema.Schema) { s.Duration("x", 2, schema.Millis) },
		lock.Risky, "risky: p.M.x: logical type: was timestamp millis, is duration millis: one value means one thing here and another there", true},
	{"a hardware address", func(s *schema.Schema) { s.Uint64("x", 2) }, func(s *schema.Schema) { s.MAC("x", 2) },
		lock.Risky, "risky: p.M.x: logical type: was plain, is mac: one value means one thing here and another there", true},
	{"no address", func(s *schema.Schema) { s.IP("x", 2) }, func(s *schema.Schema) { s.Bytes("x", 2) },
		lock.Risky, "risky: p.M.x: logical type: was ip, is plain: one value means one thing here and another there", true},
	{"a time as a message", func(s *schema.Schema) { s.Timestamp("x", 2, schema.Seconds) }, func(s *schema.Schema) { s.Timestamp("x", 2, schema.WellKnown) },
		lock.Breaking, "breaking: p.M.x: retyped: was int64, is message google.protobuf.Timestamp: the encodings differ\n" +
			"compatible: p.M.x: presence: only one side distinguishes zero and absent", false},
	{"a default", column(schema.Column{Name: "x", Number: 2, Kind: wire.Int32, Presence: schema.Explicit}),
		column(schema.Column{Name: "x", Number: 2, Kind: wire.Int32, Presence: schema.Explicit, Default: "-5"}),
		lock.Risky, `risky: p.M.x: default: was none, is "-5": absent, it reads as one value here and as another there`, true},
	{"another default", column(schema.Column{Name: "x", Number: 2, Kind: wire.String, Presence: schema.Explicit, Default: "a \"b\" ü\n"}),
		column(schema.Column{Name: "x", Number: 2, Kind: wire.String, Presence: schema.Explicit, Default: "c"}),
		lock.Risky, `risky: p.M.x: default: was "a \"b\" ü\n", is "c": absent, it reads as one value here and as another there`, true},
}

// SCH-44, SCH-114, SCH-115, SCH-116, SCH-117, SCH-118, SCH-119.
func TestEachChangeHasItsVerdict(t *testing.T) {
	for _, e := range edits {
		t.Run(e.name, func(t *testing.T) {
			old, now := compileBoth(t, e.old, e.now)
			promised, err := lock.Parse(lock.Of(old).String())
			if err != nil {
				t.Fatal(err)
			}
			for subject, v := range map[string]lock.Verdict{"plans": lock.Compare(old, now), "lock": promised.Check(now)} {
				if v.String() != e.want || v.Level() != e.level {
					t.Errorf("%s: %v\n%s\nwant\n%s", subject, v.Level(), v, e.want)
				}
			}
			if same := old.WireHash() == now.WireHash(); same != e.sameWire {
				t.Errorf("the same wire hash: %v\n%s\n%s", same, old.WireText(), now.WireText())
			}
			if old.FullHash() == now.FullHash() {
				t.Error("the same full hash")
			}
		})
	}
}

func TestAColumnThatIsSwitchedOffKeepsItsPlaceInTheLock(t *testing.T) {
	s := schematest.Flows("flows.v1")
	on, off := schematest.Compile(t, s, schema.On("src_mac")), schematest.Compile(t, s)
	if lock.Of(on).String() != lock.Of(off).String() || len(lock.Of(off).Check(on).Changes) > 0 {
		t.Error("the lock knows what is off")
	}
	if got := lock.Compare(on, off).String(); got != "compatible: flows.v1.FlowMessage.src_mac: switched off: its number 20 is reserved" {
		t.Error(got)
	}
	if got := lock.Compare(off, on).String(); got != "compatible: flows.v1.FlowMessage.src_mac: switched on: 20 uint64 mac" {
		t.Error(got)
	}
	if on.WireHash() == off.WireHash() {
		t.Error("the wire hash does not know what is off")
	}
}

// A lock that is read is written as it was read, and a plan can be checked against it.
func FuzzParse(f *testing.F) {
	f.Add(flowLock)
	f.Add("hotpb lock 1\nroot a\nmessage a\n  1 x enum E required oneof o default \"A\"\n  2 y int64 duration micros\n  reserved \"b c\"\nenum E closed\n  0 A\n")
	s := schematest.Flows("flows.v1")
	plan, err := s.Compile()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read, err := lock.Parse(text)
		if err != nil {
			return
		}
		reparsed, err := lock.Parse(read.String())
		if err != nil || reparsed.String() != read.String() {
			t.Fatalf("%v\n%s\n%s", err, read, reparsed)
		}
		_ = read.Check(plan).String()
	})
}
