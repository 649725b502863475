package stage

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/hotpb/hotpb/go/schema"
)

// misspelt refuses a column of a table that fills nothing, but would with one or two other letters. A table may have any other
// columns besides.
func (b *binding) misspelt(t *table, prefixes ...string) {
	if t == nil {
		return
	}
	wanted := map[string]bool{} // what a column may be called
	root := b.layout.Plan.Root()
	for _, list := range [][]schema.Column{b.columns, b.layout.Plan.ColumnsOff(root)} {
		for _, c := range list {
			for _, prefix := range prefixes {
				if name, ok := strings.CutPrefix(c.Name, prefix); ok {
					wanted[name] = true
				}
			}
		}
	}
	has := map[string]bool{"as": true}
	for _, c := range t.columns {
		has[c.name] = true
	}
	for _, c := range t.columns {
		if wanted[c.name] || c.name == "as" {
			continue
		}
		best, least := "", min(2, (len(c.name)-1)/2)
		for name := range wanted {
			n := levenshtein.ComputeDistance(strings.ToLower(c.name), strings.ToLower(name))
			if !has[name] && (n < least || n == least && (best == "" || name < best)) {
				best, least = name, n
			}
		}
		if best != "" {
			b.problems = append(b.problems, fmt.Errorf("%s: column %q fills nothing; did you mean %q, which fills %s%s?",
				t.path, c.name, best, prefixes[0], best))
		}
	}
}
