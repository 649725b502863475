package schema_test

import (
	"fmt"

	"github.com/hotpb/hotpb/go/schema"
)

func ExamplePlan_Proto() {
	s := schema.New("Flow", schema.Package("flows"))
	kind := s.NewEnum("Kind", schema.EnumValue{Name: "UNKNOWN"}, schema.EnumValue{Name: "SFLOW", Number: 5, Comment: "sFlow v5"})
	s.Enum("kind", 1, kind)
	s.IP("src_addr", 5, schema.Comment("Who sent it."))
	s.MAC("src_mac", 20, schema.Disabled)
	plan, err := s.Compile()
	if err != nil {
		panic(err)
	}
	text, err := plan.Proto()
	fmt.Print(text, err)
	// Output:
	// syntax = "proto3";
	//
	// package flows;
	//
	// message Flow {
	//   reserved 20;
	//   reserved "src_mac";
	//
	//   Kind kind = 1;
	//   // Who sent it.
	//   bytes src_addr = 5;
	// }
	//
	// enum Kind {
	//   UNKNOWN = 0;
	//   // sFlow v5
	//   SFLOW = 5;
	// }
	// <nil>
}

// What a change means to those who have the old schema.
func ExamplePlan_Compatible() {
	build := func(columns func(*schema.Schema)) *schema.Plan {
		s := schema.New("Flow")
		columns(s)
		plan, err := s.Compile()
		if err != nil {
			panic(err)
		}
		return plan
	}
	old := build(func(s *schema.Schema) {
		s.Uint32("bytes", 1)
		s.String("exporter", 2)
		s.Uint32("port", 3)
	})
	now := build(func(s *schema.Schema) {
		s.Uint64("bytes", 1)
		s.String("source", 2)
		s.Uint32("port", 4)
		s.Bool("sampled", 5)
	})
	verdict := now.Compatible(old)
	fmt.Println(verdict)
	fmt.Println(verdict.Level())
	// Output:
	// risky: Flow.bytes: retyped: was uint32, is uint64: numbers that the other type cannot hold are cut or change their sign
	// renaming: Flow.source: renamed: was exporter
	// breaking: Flow.port: renumbered: was 3, is 4
	// compatible: Flow.sampled: added: 5 bool
	// breaking
}

// A schema is checked against what has been promised, before it is changed for good.
func ExamplePlan_Check() {
	s := schema.New("Flow")
	s.Uint64("bytes", 1)
	s.String("exporter", 2)
	plan, err := s.Compile()
	if err != nil {
		panic(err)
	}
	text := plan.Lock().String() // kept in a file
	fmt.Print(text)

	s = schema.New("Flow")
	s.Uint64("bytes", 1)
	if plan, err = s.Compile(); err != nil {
		panic(err)
	}
	lock, err := schema.ParseLock(text)
	if err != nil {
		panic(err)
	}
	fmt.Println(plan.Check(lock))
	// Output:
	// hotpb lock 1
	// root Flow
	// message Flow
	//   1 bytes uint64
	//   2 exporter string
	// risky: Flow.exporter: removed: its number 2 has to be reserved, so that it does not get another meaning
}
