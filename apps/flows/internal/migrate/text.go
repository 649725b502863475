package migrate

import (
	"fmt"
	"strings"
)

// Text is the plan as people read it: in full, or with the first line of each statement.
func (p *Plan) Text(full bool) string {
	var b strings.Builder
	for _, note := range p.Notes {
		fmt.Fprintf(&b, "Note: %s.\n", note)
	}
	if len(p.Steps) == 0 {
		fmt.Fprintf(&b, "Nothing to do: %s is as the schema says.\n", p.Table)
		return b.String()
	}
	fmt.Fprintf(&b, "Migration %d of %s:\n", p.ID, p.Table)
	for i := range p.Steps {
		step := &p.Steps[i]
		fmt.Fprintf(&b, "%3d. %s\n       %s\n", i+1, step.Why, indented(step.text(), full))
	}
	if p.unread != nil {
		fmt.Fprintf(&b, "Before this can be applied: %v\n", p.unread)
	}
	return b.String()
}

func indented(statement string, full bool) string {
	if line, _, more := strings.Cut(statement, "\n"); more && !full {
		return line + " …"
	}
	return strings.ReplaceAll(statement, "\n", "\n       ")
}

// UndoText is what a rollback does, as people read it.
func (m *Migration) UndoText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Migration %d of %s, taken back:\n", m.ID, m.Table)
	for i := min(m.Finished+1, len(m.Plan.Steps)) - 1; i >= 0; i-- {
		step := &m.Plan.Steps[i]
		if undo := step.undoText(); undo != "" {
			fmt.Fprintf(&b, "%3d. undo: %s\n       %s\n", i+1, step.Why, indented(undo, false))
		}
	}
	return b.String()
}
