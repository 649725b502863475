package inspect

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
	"github.com/hotpb/hotpb/go/wire"
)

// textSink writes a line for each record: offset, bytes, meaning, notes.
type textSink struct {
	w     *bufio.Writer
	b     []byte
	count int
	many  bool // the file is a stream of messages
}

// Widths of the columns.
const (
	shownBytes = 10
	bytesWidth = 3*shownBytes + 2
	mostIndent = 20 // levels; deeper records begin with their depth
)

func (s *textSink) begin(start, end int, kind string) {
	if s.many {
		if s.count > 0 {
			fmt.Fprintln(s.w)
		}
		fmt.Fprintf(s.w, "message %d at %d, %d bytes", s.count, start, end-start)
		if kind != "" {
			fmt.Fprintf(s.w, ", %s", kind)
		}
		fmt.Fprintln(s.w)
	}
	if s.count == 0 {
		fmt.Fprintf(s.w, "%9s  %-*s%s\n", "offset", bytesWidth, "bytes", "field")
	}
	s.count++
}

func (s *textSink) end() {}

func (s *textSink) open(r *Record) {
	shape := fmt.Sprintf("%s, %d bytes", r.Type, r.End-r.Payload)
	if r.Wire == wire.StartGroup {
		shape = r.Type + ", group"
		if r.Type == "group" {
			shape = "group"
		}
	}
	s.line(r.Offset, s.b[r.Offset:r.Payload], 0, r.Depth, describe(r)+": "+shape, r.Notes)
}

func (s *textSink) leaf(r *Record) {
	kind := " "
	if r.Name == "" {
		kind = " " + r.Type + " "
	}
	head := r.Payload - r.Offset
	end := min(r.End, r.Offset+max(shownBytes, head))
	s.line(r.Offset, s.b[r.Offset:end], r.End-end, r.Depth, describe(r)+":"+kind+r.Value, r.Notes)
}

func (s *textSink) close(r *Record) {
	if r.EndTag > 0 {
		s.line(r.EndTag, s.b[r.EndTag:r.End], 0, r.Depth, fmt.Sprintf("%d end of the group", r.Number), nil)
	}
}

func (s *textSink) damage(d *Damage) {
	cause, _ := fault.Causes(d.Code)
	shown := min(shownBytes, len(d.Skipped))
	s.line(d.Record, d.Skipped[:shown], len(d.Skipped)-shown, d.Depth, fmt.Sprintf("!! byte %d: %s%s", d.Offset, cause, inPath(d.Path)), nil)
}

func inPath(path string) string {
	if path == "" {
		return ""
	}
	return " (" + path + ")"
}

func (s *textSink) finish() error {
	if s.count == 0 || s.count == 1 && len(s.b) == 0 {
		fmt.Fprintln(s.w, "no bytes: a message with all fields absent")
	}
	return s.w.Flush()
}

func describe(r *Record) string {
	index := ""
	if r.Index >= 0 {
		index = fmt.Sprintf("[%d]", r.Index)
	}
	if r.Name == "" {
		return fmt.Sprint(r.Number)
	}
	return fmt.Sprintf("%d %s%s", r.Number, r.Name, index)
}

func (s *textSink) line(offset int, b []byte, more, depth int, text string, notes []Note) {
	dump := fmt.Sprintf("% x", b)
	if more > 0 {
		dump += " …"
	}
	// The ellipsis is one column wide.
	fmt.Fprintf(s.w, "%9d  %s%s", offset, dump, strings.Repeat(" ", max(1, bytesWidth-len([]rune(dump)))))
	s.w.WriteString(strings.Repeat("  ", min(depth, mostIndent)))
	if depth > mostIndent {
		fmt.Fprintf(s.w, "(level %d) ", depth)
	}
	s.w.WriteString(text)
	for i, note := range notes {
		s.w.WriteString([]string{"; ", "  # "}[b2i(i == 0)] + note.Text)
	}
	s.w.WriteByte('\n')
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
