// Package schematest is shared by the tests of the schema face and of its exports.
package schematest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// Compile returns the plan of a schema that must be valid.
func Compile(t testing.TB, s *schema.Schema, options ...schema.CompileOption) *schema.Plan {
	t.Helper()
	plan, err := s.Compile(options...)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// Doubling has two columns of a message with two columns of a message, and so on: few lines, and 2^levels columns.
func Doubling(levels int) *schema.Schema {
	s := schema.New("M")
	m := s.Message
	for i := range levels {
		inner := s.NewMessage("M" + strings.Repeat("x", i+1))
		m.Nested("a", 1, inner)
		m.Nested("b", 2, inner)
		m = inner
	}
	m.Bool("end", 1)
	return s
}

// Flows has one column of each type, and everything else that a .proto can say.
func Flows(pkg string) *schema.Schema {
	s := schema.New("FlowMessage", schema.Package(pkg))
	s.Message.Comment = "One flow, as the router saw it.\nSampled."
	s.Reserve(40, 41)
	s.Reserve(42, 42)
	s.Reserve(1000, wire.MaxNumber)
	s.ReserveNames("gone")
	s.Uint64("bytes", 9, schema.Comment("Bytes on the wire."))
	s.Timestamp("received", 2, schema.Seconds)
	s.IP("src_addr", 5)
	s.MAC("src_mac", 20, schema.Disabled)
	s.Uint32s("as_path", 21)
	s.Sint32s("offsets", 22, schema.Unpacked)
	s.Timestamp("at", 23, schema.WellKnown)
	s.Duration("took", 24, schema.WellKnown)
	kind := s.NewEnum("FlowMessage.Kind", schema.EnumValue{Name: "KIND_UNKNOWN"},
		schema.EnumValue{Name: "KIND_SFLOW", Number: 5, Comment: "sFlow v5"}, schema.EnumValue{Name: "KIND_OTHER", Number: -1},
		schema.EnumValue{Name: "KIND_NETFLOW", Number: 5})
	s.Enum("kind", 1, kind)
	s.Bool("forwarded", 25, schema.Optional)
	s.String("exporter", 26, schema.CheckUTF8)
	label := s.NewMessage("FlowMessage.Label")
	label.String("name", 1)
	label.Double("weight", 2)
	label.NestedList("parts", 3, label)
	s.NestedList("labels", 27, label)
	s.Map("counts", 28, func(e *schema.Message) { e.String("key", 1); e.Uint64("value", 2) })
	s.Map("by_id", 29, func(e *schema.Message) { e.Fixed32("key", 1); e.Nested("value", 2, label) })
	s.Uint32("tcp_port", 30, schema.InOneof("port"))
	s.Nested("other_port", 33, label, schema.InOneof("port"))
	s.Float("rate", 31)
	return s
}

// Random has messages, enums and columns of all kinds, in a package of its own.
func Random(r *rand.Rand, pkg string) *schema.Schema {
	s := schema.New("Root", schema.Package(pkg))
	editions := r.IntN(2) == 0
	// Messages, some within others, and enums.
	messages, names := []*schema.Message{s.Message}, []string{"Root"}
	for i := range r.IntN(4) {
		name := fmt.Sprintf("M%d", i)
		if r.IntN(2) == 0 {
			name = names[r.IntN(len(names))] + "." + name
		}
		names, messages = append(names, name), append(messages, s.NewMessage(name))
	}
	var enums []*schema.Enum
	for i := range 1 + r.IntN(2) {
		values := []schema.EnumValue{{Name: fmt.Sprintf("E%d_ZERO", i)}}
		for v := range r.IntN(5) {
			values = append(values, schema.EnumValue{Name: fmt.Sprintf("E%d_%c", i, 'A'+v), Number: int32(r.IntN(9) - 4)})
		}
		enums = append(enums, s.AddEnum(schema.Enum{Name: fmt.Sprintf("%s.E%d", pkg, i), Values: values, Closed: editions && r.IntN(2) == 0}))
	}
	// Columns, of which some lead to them.
	for _, m := range messages {
		number := uint32(0)
		for i := range r.IntN(12) {
			number += 1 + uint32(r.IntN(40))
			c := schema.Column{Name: fmt.Sprintf("c_%d_%c", i, 'a'+r.IntN(26)), Number: number, Kind: wire.Kind(1 + r.IntN(int(wire.Group)))}
			if c.Kind == wire.Group && !editions {
				c.Kind = wire.Message
			}
			packable := true
			switch c.Kind {
			case wire.Enum:
				c.Enum = enums[r.IntN(len(enums))]
			case wire.Message, wire.Group:
				c.Message, packable = messages[r.IntN(len(messages))], false
			case wire.String:
				c.CheckUTF8, packable = r.IntN(2) == 0, false
			case wire.Bytes:
				packable = false
			}
			switch {
			case r.IntN(3) == 0:
				c.Repeated, c.Unpacked = true, packable && r.IntN(3) == 0
			case r.IntN(5) == 0:
				c.Oneof, c.Presence = fmt.Sprintf("one_%d", r.IntN(2)), schema.Explicit
			case editions && r.IntN(6) == 0:
				c.Presence = schema.LegacyRequired
			case r.IntN(3) == 0 || c.Message != nil || c.Enum != nil && c.Enum.Closed:
				c.Presence = schema.Explicit
			}
			c.Disabled = r.IntN(6) == 0
			if editions && c.Presence != schema.Implicit && r.IntN(3) == 0 {
				c.Default = map[wire.Kind]string{wire.String: "a b", wire.Bytes: "\\000", wire.Bool: "true", wire.Float: "0.5", wire.Int32: "-1", wire.Fixed64: "9"}[c.Kind]
			}
			m.Add(c)
		}
		if r.IntN(2) == 0 {
			m.Map("of_"+strings.ToLower(pkg), number+1, func(e *schema.Message) {
				e.Add(schema.Column{Name: "key", Number: 1, Kind: []wire.Kind{wire.Bool, wire.String, wire.Sint64, wire.Fixed32}[r.IntN(4)]})
				e.Nested("value", 2, messages[r.IntN(len(messages))])
			})
		}
	}
	return s
}
