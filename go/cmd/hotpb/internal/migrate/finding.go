package migrate

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

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
	kind    kind
	file    string // relative to the folder of the call
	line    int
	column  int
	subject string // as the code names it
	do      string // the change, by hand or by --write
}

// line is a line of the list: one thing to do, with all its places.
type line struct {
	Kind   kind    `json:"kind"`
	What   string  `json:"what"`
	Do     string  `json:"do"`
	Places []place `json:"places"`
}

type place struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// grouped are the findings as lines, by their first places.
func grouped(all []finding) (lines []*line) {
	slices.SortFunc(all, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column), cmp.Compare(a.subject, b.subject), cmp.Compare(a.do, b.do))
	})
	type thing struct {
		kind        kind
		subject, do string
	}
	known := map[thing]*line{}
	for _, f := range slices.Compact(all) { // the test variant of a package has its files again
		l := known[thing{f.kind, f.subject, f.do}]
		if l == nil {
			l = &line{Kind: f.kind, What: f.subject, Do: f.do}
			known[thing{f.kind, f.subject, f.do}] = l
			lines = append(lines, l)
		}
		l.Places = append(l.Places, place{f.file, f.line, f.column})
	}
	return lines
}

// count is the number of places.
func count(lines []*line, k kind) (n int) {
	for _, l := range lines {
		if l.Kind == k {
			n += len(l.Places)
		}
	}
	return n
}

// maxPlaces is how many places of a line the list shows.
const maxPlaces = 8

// text is a line of the list: FILE:LINE:COLUMN, WHAT and DO, or, with several places, WHAT, DO and the places. A line about a whole file
// is FILE and DO.
func (l *line) text(all bool) string {
	p := l.Places[0]
	switch {
	case l.What == p.File:
		return p.File + ": " + l.Do
	case len(l.Places) == 1:
		return fmt.Sprintf("%s:%d:%d: %s: %s", p.File, p.Line, p.Column, l.What, l.Do)
	}
	places := l.Places
	if len(places) > maxPlaces && !all {
		places = places[:maxPlaces]
	}
	var s strings.Builder
	fmt.Fprintf(&s, "%s: %s [%d places:", l.What, l.Do, len(l.Places))
	for _, p := range places {
		fmt.Fprintf(&s, " %s:%d:%d", p.File, p.Line, p.Column)
	}
	if more := len(l.Places) - len(places); more > 0 {
		fmt.Fprintf(&s, " and %d more, which --all lists", more)
	}
	return s.String() + "]"
}

// report writes the lines by kind, and the counts of their places. Uses that stay are only counted unless all is set.
func report(std *console.Streams, lines []*line, all bool) error {
	if std.JSON {
		return std.WriteJSON(map[string]any{
			"findings": append([]*line{}, lines...),
			"safe":     count(lines, safe), "hand": count(lines, byHand), "refused": count(lines, refused), "stays": count(lines, stays),
		})
	}
	var out bytes.Buffer
	for _, group := range headings {
		if count(lines, group.kind) == 0 || group.kind == stays && !all {
			continue
		}
		fmt.Fprintf(&out, "%s\n", group.text)
		for _, l := range lines {
			if l.Kind == group.kind {
				fmt.Fprintf(&out, "  %s\n", l.text(all))
			}
		}
	}
	fmt.Fprintf(&out, "%d safe, %d by hand, %d refused, %d stay\n", count(lines, safe), count(lines, byHand), count(lines, refused), count(lines, stays))
	_, err := io.Copy(std.Out, &out)
	return err
}
