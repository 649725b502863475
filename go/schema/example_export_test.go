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
