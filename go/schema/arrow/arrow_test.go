package arrow_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/schema"
	schemaarrow "github.com/hotpb/hotpb/go/schema/arrow"
	"github.com/hotpb/hotpb/go/wire"
)

func TestEachColumnHasItsArrowType(t *testing.T) {
	s := schema.New("Flow", schema.Package("flows"))
	kind := s.NewEnum("Kind", schema.EnumValue{Name: "NONE"})
	label := s.NewMessage("Label")
	label.String("name", 1)
	want := map[string]string{}
	number := uint32(0)
	expect := func(name, kind string) (string, uint32) {
		want[name] = kind
		number++
		return name, number
	}
	for k, arrow := range map[wire.Kind]string{
		wire.Int32: "int32", wire.Sint32: "int32", wire.Sfixed32: "int32", wire.Int64: "int64", wire.Sint64: "int64", wire.Sfixed64: "int64",
		wire.Uint32: "uint32", wire.Fixed32: "uint32", wire.Uint64: "uint64", wire.Fixed64: "uint64",
		wire.Float: "float32", wire.Double: "float64", wire.Bool: "bool", wire.String: "utf8", wire.Bytes: "binary",
	} {
		name, n := expect("k"+string(rune('a'+k)), arrow)
		s.Add(schema.Column{Name: name, Number: n, Kind: k})
	}
	name, n := expect("ip", "fixed_size_binary[16]")
	s.IP(name, n)
	name, n = expect("mac", "uint64")
	s.MAC(name, n)
	name, n = expect("kind", "dictionary<values=utf8, indices=int32, ordered=false>")
	s.Enum(name, n, kind)
	for unit, suffix := range map[schema.Unit]string{schema.Seconds: "s", schema.Millis: "ms", schema.Micros: "us", schema.Nanos: "ns", schema.WellKnown: "ns"} {
		name, n = expect("at_"+unit.String(), "timestamp["+suffix+", tz=UTC]")
		s.Timestamp(name, n, unit)
		name, n = expect("took_"+unit.String(), "duration["+suffix+"]")
		s.Duration(name, n, unit)
	}
	name, n = expect("maybe", "uint32?")
	s.Uint32(name, n, schema.Optional)
	name, n = expect("path", "list<item: uint32>")
	s.Uint32s(name, n)
	name, n = expect("label", "struct<name: utf8>?")
	s.Nested(name, n, label)
	name, n = expect("labels", "list<item: struct<name: utf8>>")
	s.NestedList(name, n, label)
	name, n = expect("counts", "map<utf8, uint64, items_non_nullable>")
	s.Map(name, n, func(e *schema.Message) { e.String("key", 1); e.Uint64("value", 2) })
	s.Bool("off", number+1, schema.Disabled)

	plan, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	got, err := schemaarrow.Schema(plan)
	if err != nil {
		t.Fatal(err)
	}
	if got.NumFields() != len(want) {
		t.Errorf("%d fields, want %d", got.NumFields(), len(want))
	}
	for i, f := range got.Fields() {
		text := f.Type.String()
		if f.Nullable {
			text += "?"
		}
		w := want[f.Name]
		if strings.HasPrefix(f.Name, "at_wellknown") || strings.HasPrefix(f.Name, "took_wellknown") {
			w += "?" // a message may be absent
		}
		if id, _ := f.Metadata.GetValue("PARQUET:field_id"); text != w || id != fmt.Sprint(plan.Columns("flows.Flow")[i].Number) {
			t.Errorf("%s: %s (%s), want %s", f.Name, text, id, w)
		}
	}
}

func TestAMessageThatContainsItselfHasNoArrowType(t *testing.T) {
	s := schema.New("M")
	s.Nested("child", 1, s.Message)
	plan, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := schemaarrow.Schema(plan); err == nil || !strings.Contains(err.Error(), "M.child: M contains itself, which no Arrow type can") {
		t.Error(err)
	}
}

func TestSchemasThatWouldBeSpelledOutForEverAreRefused(t *testing.T) {
	s := schema.New("M")
	m := s.Message
	for i := range 60 {
		inner := s.NewMessage("M" + strings.Repeat("x", i+1))
		m.Nested("a", 1, inner)
		m.Nested("b", 2, inner)
		m = inner
	}
	m.Bool("end", 1)
	plan, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := schemaarrow.Schema(plan); err == nil || !strings.Contains(err.Error(), "more than 10000 fields") {
		t.Error(err)
	}
}
