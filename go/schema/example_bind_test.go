package schema_test

import (
	"fmt"
	"net/netip"

	"github.com/hotpb/hotpb/go/schema"
)

func ExampleBind() {
	type flow struct {
		SrcAddr netip.Addr `hotpb:"src_addr,5"`
		Bytes   uint64     `hotpb:"bytes,9"`
	}
	s, err := schema.FromStruct[flow]("Flow", schema.Package("flows"))
	if err != nil {
		panic(err)
	}
	plan, err := s.Compile()
	if err != nil {
		panic(err)
	}
	b, err := schema.Bind[flow](plan)
	if err != nil {
		panic(err)
	}
	out, err := b.AppendDelimited(nil, &flow{netip.MustParseAddr("192.0.2.1"), 1500})
	fmt.Printf("%x %v\n", out, err)
	// Output: 152a1000000000000000000000ffffc000020148dc0b <nil>
}
