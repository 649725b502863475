package schema_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// SCH-3.
func TestWhatIsWrongWithASchemaIsToldWithItsPlace(t *testing.T) {
	foreign := schema.New("Foreign")
	for _, test := range []struct {
		want  string // in the message of the error
		build func(*schema.Schema)
	}{
		{"Root.b: has the number 1, as a has", func(s *schema.Schema) { s.Bool("a", 1); s.Bool("b", 1) }},
		{"Root.a: two columns have this name", func(s *schema.Schema) { s.Bool("a", 1); s.Bool("a", 2) }},
		{"Root.a: 0 is not a field number", func(s *schema.Schema) { s.Bool("a", 0) }},
		{"Root.a: 536870912 is not a field number", func(s *schema.Schema) { s.Bool("a", 1<<29) }},
		{"Root.a: the numbers from 19000 to 19999", func(s *schema.Schema) { s.Bool("a", 19500) }},
		{"Root.a b: is not a name of a column", func(s *schema.Schema) { s.Bool("a b", 1) }},
		{"Root.1a: is not a name of a column", func(s *schema.Schema) { s.Bool("1a", 1) }},
		{"Root.a: the number 5 is reserved", func(s *schema.Schema) { s.Reserve(4, 6); s.Bool("a", 5) }},
		{"Root.a: the name is reserved", func(s *schema.Schema) { s.ReserveNames("a"); s.Bool("a", 5) }},
		{"Root: 6 to 4 is not a range of field numbers", func(s *schema.Schema) { s.Reserve(6, 4) }},
		{"Root.a: its message type belongs to another schema", func(s *schema.Schema) { s.Nested("a", 1, foreign.Message) }},
		{"Root.a: its message type belongs to another schema", func(s *schema.Schema) { s.Nested("a", 1, nil) }},
		{"Root.a: its enum belongs to another schema", func(s *schema.Schema) { s.Enum("a", 1, nil) }},
		{"Open: the first value of an open enum must be 0", func(s *schema.Schema) { s.NewEnum("Open", schema.EnumValue{Name: "A", Number: 1}) }},
		{"Open: has no values", func(s *schema.Schema) { s.NewEnum("Open") }},
		{"Open: two values are called A", func(s *schema.Schema) {
			s.NewEnum("Open", schema.EnumValue{Name: "A"}, schema.EnumValue{Name: "A", Number: 1})
		}},
		{"Root: two types have this name", func(s *schema.Schema) { s.NewMessage("Root") }},
		{"Root.a: only repeated numbers can be packed or not", func(s *schema.Schema) { s.Strings("a", 1, schema.Unpacked) }},
		{"Root.a: a repeated column cannot have presence", func(s *schema.Schema) { s.Bools("a", 1, schema.Optional) }},
		{"Root.a: a repeated column cannot keep the first value", func(s *schema.Schema) { s.Bools("a", 1, schema.KeepFirst) }},
		{"Root.a: a repeated column cannot be in a oneof", func(s *schema.Schema) { s.Bools("a", 1, schema.InOneof("o")) }},
		{"Root.o: a oneof and a column have this name", func(s *schema.Schema) { s.Bool("o", 1, schema.InOneof("o")) }},
		{"Root.a: only strings can be checked as UTF-8", func(s *schema.Schema) { s.Bytes("a", 1, schema.CheckUTF8) }},
		{"Root.a: only columns of the root", func(s *schema.Schema) { s.Bools("a", 1, schema.Deferred) }},
		{"Node.a: only columns of the root", func(s *schema.Schema) { s.NewMessage("Node").Bool("a", 1, schema.Deferred) }},
		{"Root.a: a column of a oneof cannot be deferred", func(s *schema.Schema) { s.Bool("a", 1, schema.InOneof("o"), schema.Deferred) }},
		{"Root: \"a b\" is not a name to reserve", func(s *schema.Schema) { s.ReserveNames("a b") }},
		{"and there are more errors", func(s *schema.Schema) {
			for range 1000 {
				s.Bool("a", 0)
			}
		}},
		{"Root.b: either all columns of a oneof keep the first value, or none", func(s *schema.Schema) {
			s.Bool("a", 1, schema.InOneof("o"), schema.KeepFirst)
			s.Bool("b", 2, schema.InOneof("o"))
		}},
		{"Root.a: a message cannot be deferred", func(s *schema.Schema) { s.Nested("a", 1, s.Message, schema.Deferred) }},
		{"Root.AEntry: an entry must have the columns key = 1 and value = 2", func(s *schema.Schema) { s.Map("a", 1, func(*schema.Message) {}) }},
		{"Root.AEntry.key: a key must be an integer, a bool or a string", func(s *schema.Schema) {
			s.Map("a", 1, func(e *schema.Message) { e.Double("key", 1); e.Bool("value", 2) })
		}},
		{"Root.AEntry.value: is the key or value of a map", func(s *schema.Schema) {
			s.Map("a", 1, func(e *schema.Message) { e.Bool("key", 1); e.Bools("value", 2) })
		}},
		{"Root.AEntry.value: only values with explicit presence can have a default, and not in maps", func(s *schema.Schema) {
			s.Map("a", 1, func(e *schema.Message) {
				e.Bool("key", 1)
				e.Add(schema.Column{Name: "value", Number: 2, Kind: wire.Int32, Default: "5"})
			})
		}},
		{"Root.a: has no kind", func(s *schema.Schema) { s.Add(schema.Column{Name: "a", Number: 1}) }},
		{"Root.a: an IP must be of kind bytes", func(s *schema.Schema) {
			s.Add(schema.Column{Name: "a", Number: 1, Kind: wire.Int32, Logical: schema.IP})
		}},
		{"Root.a: google.protobuf.Timestamp has the columns int64 seconds = 1 and int32 nanos = 2", func(s *schema.Schema) {
			s.AddMessage("google.protobuf.Timestamp").String("x", 1)
			s.Timestamp("a", 1, schema.WellKnown)
		}},
		{"Root.a: google.protobuf.Duration has the columns", func(s *schema.Schema) {
			m := s.AddMessage("google.protobuf.Duration")
			m.Int64("seconds", 1)
			m.Int64("nanos", 2)
			s.Duration("a", 1, schema.WellKnown)
		}},
	} {
		s := schema.New("Root")
		test.build(s)
		_, err := s.Compile()
		var single *schema.Error
		if !errors.Is(err, wire.InvalidSchema) || !errors.As(err, &single) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

func TestAllThatIsWrongIsToldAtOnce(t *testing.T) {
	s := schema.New("Root", schema.Package("1"))
	s.Bool("a", 0)
	s.Bool("a", 0)
	_, err := s.Compile()
	if err == nil || strings.Count(err.Error(), "\n") < 3 {
		t.Errorf("got %v", err)
	}
}

func TestHandlesFoundByNameAreOfTheirColumnsType(t *testing.T) {
	s := schema.New("Root")
	node := s.NewMessage("Node")
	name := node.String("name", 1)
	s.NestedList("nodes", 2, node)
	s.Map("tags", 3, func(e *schema.Message) { e.String("key", 1); e.Uint32("value", 2) })
	s.MAC("mac", 4)
	if h, err := schema.Lookup[schema.StringColumn](s.Message, "nodes.name"); err != nil || h != name {
		t.Errorf("nodes.name: %v, %v", h, err)
	}
	if _, err := schema.Lookup[schema.UintColumn](s.Message, "tags.value"); err != nil {
		t.Error(err)
	}
	if _, err := schema.Lookup[schema.MapColumn](s.Message, "tags"); err != nil {
		t.Error(err)
	}
	_, err := schema.Lookup[schema.UintColumn](s.Message, "mac")
	if !errors.Is(err, wire.TypeMismatch) || !strings.Contains(err.Error(), "Root.mac: is MACColumn, not UintColumn") {
		t.Errorf("mac: %v", err)
	}
	if _, err := schema.Lookup[schema.MessageColumn](s.Message, "nodes"); !errors.Is(err, wire.TypeMismatch) {
		t.Errorf("nodes: %v", err)
	}
	for _, path := range []string{"none", "nodes.none", "mac.name", ""} {
		if _, err := schema.Lookup[schema.StringColumn](s.Message, path); !errors.Is(err, wire.InvalidSchema) {
			t.Errorf("%q: %v", path, err)
		}
	}
}
