package template_test

import (
	"fmt"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/template"
)

func ExampleBind() {
	s := schema.New("Flow")
	s.IP("src_addr", 5, schema.From(schema.Source{Element: 8}, schema.Source{Element: 27}))
	s.Uint64("bytes", 9, schema.From(schema.Source{Element: 1}))
	plan, err := s.Compile()
	if err != nil {
		panic(err)
	}
	t, err := template.Bind(plan, []template.Field{{Element: 8, Length: 4}, {Element: 1, Length: 4}})
	if err != nil {
		panic(err)
	}
	set := []byte{192, 0, 2, 1, 0, 0, 5, 0xdc, 192, 0, 2, 2, 0, 0, 0, 40}
	out, records, err := t.AppendSet(nil, set, template.Clock{})
	fmt.Printf("%x\n%d records, %v\n", out, records, err)
	// Output:
	// 152a1000000000000000000000ffffc000020148dc0b142a1000000000000000000000ffffc00002024828
	// 2 records, <nil>
}
