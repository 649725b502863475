package schema_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/internal/schematest"
	"github.com/hotpb/hotpb/go/wire"
)

// flowSchema has one column of each type, and what a .proto says beside columns.
func flowSchema() *schema.Schema { return schematest.Flows("flows.v1") }

const flowsText = `syntax = "proto3";

package flows.v1;

import "google/protobuf/duration.proto";
import "google/protobuf/timestamp.proto";

// One flow, as the router saw it.
// Sampled.
message FlowMessage {
  message Label {
    string name = 1;
    double weight = 2;
    repeated FlowMessage.Label parts = 3;
  }

  enum Kind {
    option allow_alias = true;
    KIND_UNKNOWN = 0;
    // sFlow v5
    KIND_SFLOW = 5;
    KIND_OTHER = -1;
    KIND_NETFLOW = 5;
  }

  reserved 20, 40 to 42, 1000 to max;
  reserved "gone", "src_mac";

  FlowMessage.Kind kind = 1;
  int64 received = 2;
  bytes src_addr = 5;
  // Bytes on the wire.
  uint64 bytes = 9;
  repeated uint32 as_path = 21;
  repeated sint32 offsets = 22 [packed = false];
  .google.protobuf.Timestamp at = 23;
  .google.protobuf.Duration took = 24;
  optional bool forwarded = 25;
  string exporter = 26;
  repeated FlowMessage.Label labels = 27;
  map<string, uint64> counts = 28;
  map<fixed32, FlowMessage.Label> by_id = 29;
  oneof port {
    uint32 tcp_port = 30;
    FlowMessage.Label other_port = 33;
  }
  float rate = 31;
}
`

// SCH-5, SCH-40, SCH-102.
func TestProtoTextIsThisForAFlow(t *testing.T) {
	got, err := compile(t, flowSchema()).Proto()
	if err != nil || got != flowsText {
		t.Errorf("%v\n%s", err, got)
	}
	if second, _ := compile(t, flowSchema()).Proto(); second != got {
		t.Error("two runs give two texts")
	}
}

// runProtoc compiles texts by file name, and returns their descriptors, without comments.
func runProtoc(t *testing.T, texts map[string]string) *descriptorpb.FileDescriptorSet {
	t.Helper()
	compiler, err := filepath.Abs("../../build/tools/protoc/bin/protoc")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(compiler); err != nil {
		t.Skip("protoc is not there; tools/setup protoc brings it")
	}
	folder := t.TempDir()
	arguments := []string{"--descriptor_set_out=set", "--include_imports", "-I.", "-I" + filepath.Join(filepath.Dir(filepath.Dir(compiler)), "include")}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		arguments = append(arguments, name)
	}
	command := exec.Command(compiler, arguments...)
	command.Dir = folder
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("protoc: %v\n%s", err, output)
	} else if len(bytes.TrimSpace(output)) > 0 && !strings.Contains(string(output), "is unused") {
		t.Logf("protoc: %s", output)
	}
	b, err := os.ReadFile(filepath.Join(folder, "set"))
	if err != nil {
		t.Fatal(err)
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(b, &set); err != nil {
		t.Fatal(err)
	}
	return &set
}

// descriptorOf is a plan's own descriptor, checked to be valid with those it comes with.
func descriptorOf(t *testing.T, plan *schema.Plan) *descriptorpb.FileDescriptorProto {
	t.Helper()
	b, err := plan.FileDescriptorSet()
	if err != nil {
		t.Fatal(err)
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(b, &set); err != nil {
		t.Fatal(err)
	}
	if _, err := protodesc.NewFiles(&set); err != nil {
		t.Error(err)
	}
	return set.File[len(set.File)-1]
}

// unsaid is the part of a column's lock that a .proto does not have.
var unsaid = regexp.MustCompile(`(?m)^(  [0-9]+ .*)( ip| mac| (?:timestamp|duration) (?:seconds|millis|micros|nanos))\b`)

// sameAsProtoc compares the descriptors of plans with protoc's for their texts.
func sameAsProtoc(t *testing.T, plans ...*schema.Plan) {
	t.Helper()
	texts, own := map[string]string{}, map[string]*descriptorpb.FileDescriptorProto{}
	for i, plan := range plans {
		text, err := plan.Proto()
		if err != nil {
			t.Fatalf("plan %d: %v", i, err)
		}
		d := descriptorOf(t, plan)
		texts[d.GetName()], own[d.GetName()] = text, d
	}
	if len(texts) != len(plans) {
		t.Fatal("two plans have one file name")
	}
	set := runProtoc(t, texts)
	encoded, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, f := range set.File {
		d := own[f.GetName()]
		if d == nil {
			continue // a well-known type
		}
		compared++
		if !proto.Equal(f, d) {
			t.Errorf("protoc: %v\nours: %v\n%s", f, d, texts[f.GetName()])
		}
	}
	if compared != len(plans) {
		t.Errorf("%d of %d files compared", compared, len(plans))
	}
	for _, plan := range plans {
		root := plan.Root()
		s, err := schema.FromDescriptorSet(encoded, root)
		if err != nil {
			t.Fatal(err)
		}
		reimported := compile(t, s)
		if reimported.WireHash() != plan.WireHash() || reimported.FullText() != unsaid.ReplaceAllString(plan.FullText(), "$1") {
			t.Errorf("what protoc compiled is\n%s\nof\n%s", reimported.FullText(), plan.FullText())
		}
	}
}

// SCH-106.
func TestProtocCompilesTheTextToTheSameDescriptor(t *testing.T) {
	old := schema.New("Old", schema.Package("old"))
	state := old.AddEnum(schema.Enum{Name: "old.State", Closed: true, Values: []schema.EnumValue{{Name: "UP", Number: 1}, {Name: "DOWN", Number: 2}}})
	old.Enum("state", 1, state, schema.Optional)
	old.Message.Enums("states", 2, state)
	inner := old.NewMessage("string") // a name that has to be written with a dot in front
	inner.Int32("id", 1, required)
	old.Group("item", 3, inner)
	old.Add(schema.Column{Name: "items", Number: 4, Kind: wire.Group, Message: inner, Repeated: true})
	old.String("checked", 5, schema.CheckUTF8)
	old.Strings("unchecked", 6)
	old.Map("names", 7, func(e *schema.Message) { e.String("key", 1); e.String("value", 2, schema.CheckUTF8) })
	old.Map("bags", 8, func(e *schema.Message) { e.String("key", 1); e.Bytes("value", 2) })
	old.Doubles("rates", 9, schema.Unpacked)
	old.Uint32("gone", 10, schema.Disabled)
	old.Int64("needed", 11, required)
	old.Int64("maybe", 12, schema.Optional)
	old.Uint32("a", 13, schema.InOneof("choice"))
	old.Nested("b", 14, inner, schema.InOneof("choice"))

	defaults := schema.New("Defaults", schema.Package("defaults"))
	state = defaults.AddEnum(schema.Enum{Name: "defaults.State", Closed: true, Values: []schema.EnumValue{{Name: "UP", Number: 1}, {Name: "DOWN", Number: 2}}})
	for i, c := range []schema.Column{
		{Kind: wire.Int32, Default: "-2147483648"}, {Kind: wire.Uint64, Default: "0018446744073709551615"}, {Kind: wire.Sint64, Default: "-0"},
		{Kind: wire.Fixed32, Default: "0"}, {Kind: wire.Bool, Default: "true"}, {Kind: wire.Bool, Default: "false"},
		{Kind: wire.Enum, Enum: state, Default: "DOWN"},
		{Kind: wire.String, Default: "tab\t \"quoted\" \\ back 'ü'\n\x00?"}, {Kind: wire.Bytes, Default: `\x00\xffa\n"'?\101\\`},
		{Kind: wire.Float, Default: ".1"}, {Kind: wire.Float, Default: "16777216"}, {Kind: wire.Float, Default: "3.4028235e38"},
		{Kind: wire.Float, Default: "1e-45"}, {Kind: wire.Float, Default: "1e99"}, {Kind: wire.Float, Default: "1e6"}, {Kind: wire.Float, Default: "nan"},
		{Kind: wire.Double, Default: "0.1"}, {Kind: wire.Double, Default: "0.30000000000000004"}, {Kind: wire.Double, Default: "1e15"},
		{Kind: wire.Double, Default: "100000"}, {Kind: wire.Double, Default: "-0"}, {Kind: wire.Double, Default: "5e-324"},
		{Kind: wire.Double, Default: "-inf"}, {Kind: wire.Double, Default: "inf"}, {Kind: wire.Double, Default: "-nan"},
		{Kind: wire.Int64, Default: "7", Oneof: "o"}, {Kind: wire.Int64, Default: "8", Presence: schema.LegacyRequired},
	} {
		c.Name, c.Number = fmt.Sprintf("d%d", i), uint32(i+1)
		if c.Presence == schema.Implicit {
			c.Presence = schema.Explicit
		}
		defaults.Add(c)
	}

	// A field hides the message that another one is of.
	hidden := schema.New("M")
	label := hidden.NewMessage("label")
	holder := hidden.NewMessage("Outer.Inner") // Outer is created for it
	holder.Nested("label", 1, label)
	hidden.Nested("holder", 1, holder)
	hidden.Bool("_x", 2, schema.Optional)
	hidden.Bool("x", 3, schema.Optional)
	hidden.Bool("Xx", 4, schema.Optional)

	sameAsProtoc(t, compile(t, flowSchema()), compile(t, schematest.Flows("all"), schema.On("src_mac")), compile(t, old),
		compile(t, defaults), compile(t, hidden))
}

func required(c *schema.Column) { c.Presence = schema.LegacyRequired }

func TestProtocCompilesTheTextOfRandomSchemasToTheSameDescriptors(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	var plans []*schema.Plan
	for i := range 200 {
		plans = append(plans, compile(t, schematest.Random(r, fmt.Sprintf("p%d", i))))
	}
	sameAsProtoc(t, plans...)
}

// SCH-40 to SCH-42, SCH-106.
// Schemas that others wrote, of all syntaxes, are exported to the descriptors that they were imported from.
func TestProtocCompilesTheTextOfImportedSchemasToTheSameSchemas(t *testing.T) {
	sets, err := filepath.Glob("../../vectors/plans/*.fds")
	if err != nil || len(sets) == 0 {
		t.Fatal(err, "no descriptor sets")
	}
	exported := 0
	for _, path := range sets {
		encoded, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var set descriptorpb.FileDescriptorSet
		if err := proto.Unmarshal(encoded, &set); err != nil {
			t.Fatal(err)
		}
		for _, f := range set.File {
			for _, m := range f.MessageType {
				name := strings.TrimPrefix(f.GetPackage()+"."+m.GetName(), ".")
				s, err := schema.FromDescriptorSet(encoded, name)
				if err != nil {
					t.Errorf("%s: %v", path, err)
					continue
				}
				plan := compile(t, s)
				if _, err := plan.Proto(); err != nil {
					for _, line := range strings.Split(err.Error(), "\n") {
						if !strings.Contains(line, "in JSON") && !strings.Contains(line, "package") {
							t.Errorf("%s: %s", filepath.Base(path), line)
						}
					}
					continue
				}
				sameAsProtoc(t, plan)
				exported++
			}
		}
	}
	if exported < 50 {
		t.Errorf("only %d schemas could be exported", exported)
	}
}

// SCH-104.
func TestWhatAProtoCannotSayIsRefusedWithPlaceAndReason(t *testing.T) {
	enum := func(s *schema.Schema, name string, values ...string) *schema.Enum {
		e := schema.Enum{Name: name}
		for i, v := range values {
			e.Values = append(e.Values, schema.EnumValue{Name: v, Number: int32(i)})
		}
		return s.AddEnum(e)
	}
	for want, build := range map[string]func(*schema.Schema){
		"p.M.fooBar: has the name fooBar in JSON, as foo_bar has": func(s *schema.Schema) {
			s.Bool("foo_bar", 1)
			s.Bool("fooBar", 2)
		},
		"p.A: a value of p.F and a value of p.E have this name, which a .proto does not allow": func(s *schema.Schema) {
			s.Enum("e", 1, enum(s, "p.E", "A"))
			s.Enum("f", 2, enum(s, "p.F", "A"))
		},
		"p.M.label: a message and a column have this name, which a .proto does not allow": func(s *schema.Schema) {
			s.Nested("label", 1, s.NewMessage("M.label"))
		},
		"p.E: a value must not be called option in a .proto": func(s *schema.Schema) {
			s.Enum("e", 1, enum(s, "p.E", "E_A", "option"))
		},
		"p.MyE: MY_E_A and A are the same name without the enum's name": func(s *schema.Schema) {
			s.Enum("e", 1, enum(s, "p.MyE", "MY_E_A", "A"))
		},
		"q.Other: is not in the package p, and a .proto has only one package": func(s *schema.Schema) {
			s.Nested("o", 1, s.AddMessage("q.Other"))
		},
		"p.M.e: p.E is closed, and a column of a closed enum must have explicit presence in a .proto (Optional)": func(s *schema.Schema) {
			s.Enum("e", 1, s.AddEnum(schema.Enum{Name: "p.E", Closed: true, Values: []schema.EnumValue{{Name: "A", Number: 1}}}))
		},
		"google.protobuf.Timestamp: differs from protobuf's own type (1 seconds int64, 2 nanos int32)": func(s *schema.Schema) {
			m := s.AddMessage("google.protobuf.Timestamp")
			m.Int64("seconds", 1)
			s.Nested("at", 1, m)
		},
	} {
		s := schema.New("M", schema.Package("p"))
		build(s)
		_, err := compile(t, s).Proto()
		if !errors.Is(err, wire.InvalidSchema) || !strings.Contains(fmt.Sprint(err), "InvalidSchema: "+want) {
			t.Errorf("want %s, got %v", want, err)
		}
		if _, err := compile(t, s).FileDescriptorSet(); err == nil {
			t.Errorf("%s: there is a descriptor", want)
		}
	}
}
