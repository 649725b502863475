package lock_test

import (
	"fmt"

	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/schema/lock"
)

// The effect of a change on readers and writers with the old schema.
func ExampleCompare() {
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
	verdict := lock.Compare(old, now)
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
func ExampleLock_Check() {
	s := schema.New("Flow")
	s.Uint64("bytes", 1)
	s.String("exporter", 2)
	plan, err := s.Compile()
	if err != nil {
		panic(err)
	}
	text := lock.Of(plan).String() // kept in a file
	fmt.Print(text)

	s = schema.New("Flow")
	s.Uint64("bytes", 1)
	if plan, err = s.Compile(); err != nil {
		panic(err)
	}
	promised, err := lock.Parse(text)
	if err != nil {
		panic(err)
	}
	fmt.Println(promised.Check(plan))
	// Output:
	// hotpb lock 1
	// root Flow
	// message Flow
	//   1 bytes uint64
	//   2 exporter string
	// risky: Flow.exporter: removed: its number 2 must be reserved, so that it does not get another meaning
}
