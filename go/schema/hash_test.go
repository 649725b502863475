package schema_test

import (
	"fmt"
	"testing"

	"github.com/hotpb/hotpb/go/schema"
)

// SCH-41, SCH-42.
func TestHashesDoNotDependOnTheOrderInWhichThingsAreAdded(t *testing.T) {
	build := func(reverse bool) *schema.Plan {
		s := schema.New("M", schema.Package("p"))
		var a, b *schema.Message
		steps := []func(){
			func() { a = s.NewMessage("A"); a.Bool("x", 1); a.NestedList("more", 2, a) },
			func() { b = s.NewMessage("B"); b.Bool("x", 1) },
		}
		if reverse {
			steps[0], steps[1] = steps[1], steps[0]
		}
		for _, step := range steps {
			step()
		}
		columns := []func(){func() { s.Nested("a", 1, a) }, func() { s.Nested("b", 2, b) }, func() { s.Uint32("c", 3) }}
		if reverse {
			columns[0], columns[2] = columns[2], columns[0]
		}
		for _, add := range columns {
			add()
		}
		return compile(t, s)
	}
	first, second := build(false), build(true)
	if first.WireHash() != second.WireHash() || first.FullHash() != second.FullHash() {
		t.Errorf("%s%s", first.FullText(), second.FullText())
	}
}

// SCH-108. Two equal messages mean on the wire what one of them used twice means.
func TestTheWireHashKnowsMessagesByTheirColumns(t *testing.T) {
	build := func(types int) string {
		s := schema.New("M")
		list := make([]*schema.Message, 2)
		for i := range types {
			list[i] = s.NewMessage(fmt.Sprintf("T%d", i))
			list[i].NestedList("t", 1, list[0])
		}
		s.Nested("a", 1, list[0])
		s.Nested("b", 2, list[types-1])
		return compile(t, s).WireHash()
	}
	if build(1) != build(2) {
		t.Error("they differ")
	}
}
