// Package schematest has what tests of the schema face and of its exports share.
package schematest

import (
	"testing"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// Compile makes the plan of a schema that has to have one.
func Compile(t testing.TB, s *schema.Schema, options ...schema.CompileOption) *schema.Plan {
	t.Helper()
	plan, err := s.Compile(options...)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// Flows has one column of each type, and what a .proto says beside columns.
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
