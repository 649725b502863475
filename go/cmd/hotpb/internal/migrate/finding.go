package migrate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
)

// kind says who makes a change.
type kind string

const (
	safe    kind = "safe"    // --write makes it
	byHand  kind = "hand"    // whoever migrates makes it
	refused kind = "refused" // hotpb has nothing for it
	stays   kind = "stays"   // nothing to do
)

var headings = []struct {
	kind kind
	text string
}{{safe, "safe rewrites"}, {byHand, "by hand"}, {refused, "refused"}, {stays, "stays"}}

// finding is one place of the code base.
type finding struct {
	Kind   kind   `json:"kind"`
	File   string `json:"file"` // relative to the folder of the call
	Line   int    `json:"line"`
	Column int    `json:"column"`
	What   string `json:"what"` // as the code names it
	Do     string `json:"do"`   // what to do, or what --write does
}

func sorted(all []finding) []finding {
	slices.SortFunc(all, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.What, b.What), cmp.Compare(a.Do, b.Do))
	})
	return slices.Compact(all) // the test variant of a package has its files again
}

func count(all []finding, k kind) (n int) {
	for _, f := range all {
		if f.Kind == k {
			n++
		}
	}
	return n
}

// report writes the findings, grouped by kind, and their counts. What stays is only counted unless all is set.
func report(std *console.Streams, found []finding, all bool) error {
	if std.JSON {
		text, err := json.Marshal(map[string]any{
			"findings": append([]finding{}, found...),
			"safe":     count(found, safe), "hand": count(found, byHand), "refused": count(found, refused), "stays": count(found, stays),
		})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(std.Out, "%s\n", text)
		return err
	}
	var out bytes.Buffer
	for _, group := range headings {
		if count(found, group.kind) == 0 || group.kind == stays && !all {
			continue
		}
		fmt.Fprintf(&out, "%s\n", group.text)
		for _, f := range found {
			if f.Kind == group.kind {
				fmt.Fprintf(&out, "  %s:%d:%d: %s: %s\n", f.File, f.Line, f.Column, f.What, f.Do)
			}
		}
	}
	fmt.Fprintf(&out, "%d safe, %d by hand, %d refused, %d stay\n", count(found, safe), count(found, byHand), count(found, refused), count(found, stays))
	_, err := io.Copy(std.Out, &out)
	return err
}
