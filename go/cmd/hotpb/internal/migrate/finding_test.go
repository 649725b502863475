package migrate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
)

// A symbol is one line, with its first places, or with all of them.
func TestASymbolIsOneLine(t *testing.T) {
	var found []finding
	for i := range 46 {
		found = append(found, finding{byHand, fmt.Sprintf("p%d.go", 1+i%2), i + 1, 2, "ErrIntOverflowMetrics", "hotpb's code has no such helper"})
	}
	found = append(found, finding{byHand, "a.go", 9, 1, "ErrInvalidLengthMetrics", "hotpb's code has no such helper"}, finding{stays, "b.go", 1, 1, "ErrIntOverflowMetrics", "it stays"}, found[0])
	write := func(all, asJSON bool) string {
		var out bytes.Buffer
		if err := report(&console.Streams{Out: &out, JSON: asJSON}, grouped(slices.Clone(found)), all); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	const short = `by hand
  a.go:9:1: ErrInvalidLengthMetrics: hotpb's code has no such helper
  ErrIntOverflowMetrics: hotpb's code has no such helper [46 places: p1.go:1:2 p1.go:3:2 p1.go:5:2 p1.go:7:2 p1.go:9:2 p1.go:11:2 p1.go:13:2 p1.go:15:2 and 38 more, which --all lists]
0 safe, 47 by hand, 0 refused, 1 stay
`
	if got := write(false, false); got != short {
		t.Error(got)
	}
	if got := write(true, false); strings.Count(got, "p1.go:") != 23 || strings.Count(got, "p2.go:") != 23 || strings.Contains(got, "more") || !strings.Contains(got, "  b.go:1:1: ErrIntOverflowMetrics: it stays\n") {
		t.Error(got)
	}
	var got struct {
		Findings    []line
		Hand, Stays int
	}
	if err := json.Unmarshal([]byte(write(false, true)), &got); err != nil || len(got.Findings) != 3 || len(got.Findings[2].Places) != 46 || got.Hand != 47 || got.Stays != 1 {
		t.Error(err, got)
	}
}
