package schema_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hotpb/hotpb/go/schema"
)

// graph is which messages the columns of each message lead to.
type graph [][]int

// schema makes copies of each message, of columns that lead to any of the copies. Message odd, of one copy, has a column more.
func (g graph) schema(r *rand.Rand, copies, odd int) *schema.Schema {
	s := schema.New("M")
	all := make([]*schema.Message, len(g)*copies)
	for i := range all {
		if all[i] = s.Message; i > 0 {
			all[i] = s.NewMessage(fmt.Sprintf("M%d", i))
		}
	}
	for i, m := range all {
		for column, to := range g[i%len(g)] {
			m.Nested(fmt.Sprintf("c%d", column), uint32(column+1), all[to+len(g)*r.IntN(copies)])
		}
	}
	if odd >= 0 {
		all[odd].Bool("odd", 9)
	}
	return s
}

// SCH-108.
// However many copies there are of a message, and whichever of them columns lead to, the wire text is the same; a
// column more somewhere is seen.
func TestTheWireTextHasEachMessageOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 1))
	for range 300 {
		g := make(graph, 1+r.IntN(12))
		for i := range g {
			for range r.IntN(4) {
				g[i] = append(g[i], r.IntN(len(g)))
			}
		}
		text := compile(t, g.schema(r, 1, -1)).WireText()
		if got := compile(t, g.schema(r, 3, -1)).WireText(); got != text {
			t.Fatalf("%v: with copies\n%s\nwithout\n%s", g, got, text)
		}
		if got := compile(t, g.schema(r, 3, 0)).WireText(); got == text {
			t.Fatalf("%v: a column of the root makes no difference\n%s", g, text)
		}
	}
}

// Each message of a chain differs from the others only in its distance from the end.
func TestTheWireHashOfALongChainTakesNoTime(t *testing.T) {
	g := make(graph, 6000)
	for i := range len(g) - 1 {
		g[i] = []int{i + 1}
	}
	plan := compile(t, g.schema(rand.New(rand.NewPCG(1, 1)), 1, -1))
	start := time.Now()
	plan.WireHash()
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("%d messages take %v", len(g), took)
	}
}
