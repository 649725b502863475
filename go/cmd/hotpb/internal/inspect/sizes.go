package inspect

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"
	"text/tabwriter"
)

// sizesSink counts each field's share of the bytes.
type sizesSink struct {
	w      *bufio.Writer
	format string
	file   string
	most   int // rows that are shown; 0 for all
	rows   map[string]*share
	path   []string
	total  int
}

// share is a row: a field at one place of the schema, in all messages.
type share struct {
	Path     string  `json:"path"`
	Records  int     `json:"records"`
	Bytes    int     `json:"bytes"`    // with tags, lengths, and all that is inside
	Overhead int     `json:"overhead"` // tags and lengths of these records
	Percent  float64 `json:"percent"`
}

// mostPaths bounds the memory: hostile bytes without a schema may have a path for each record.
const mostPaths = 100_000

const others = "(other fields)"

func (s *sizesSink) begin(start, end int, _ string) { s.total += end - start }
func (s *sizesSink) end()                           {}
func (s *sizesSink) damage(*Damage)                 {}

func (s *sizesSink) open(r *Record) {
	s.path = append(s.path, r.label())
}

func (s *sizesSink) close(r *Record) {
	s.count(r)
	s.path = s.path[:len(s.path)-1]
}

func (s *sizesSink) leaf(r *Record) {
	s.path = append(s.path, r.label())
	s.count(r)
	s.path = s.path[:len(s.path)-1]
}

func (s *sizesSink) count(r *Record) {
	path := strings.Join(s.path, ".")
	row := s.rows[path]
	if row == nil {
		if len(s.rows) >= mostPaths {
			if path = others; s.rows[path] == nil {
				s.rows[path] = &share{Path: path}
			}
			row = s.rows[path]
		} else {
			row = &share{Path: path}
			s.rows[path] = row
		}
	}
	row.Records++
	row.Bytes += r.End - r.Offset
	row.Overhead += r.Payload - r.Offset
	if r.EndTag > 0 {
		row.Overhead += r.End - r.EndTag
	}
}

func (s *sizesSink) sorted() []*share {
	var all []*share
	for _, row := range s.rows {
		if s.total > 0 {
			row.Percent = float64(int(1000*float64(row.Bytes)/float64(s.total)+0.5)) / 10
		}
		all = append(all, row)
	}
	slices.SortFunc(all, func(a, b *share) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Path, b.Path)) })
	return all
}

func (s *sizesSink) finish() error {
	rows := s.sorted()
	hidden := 0
	if s.most > 0 && len(rows) > s.most {
		hidden, rows = len(rows)-s.most, rows[:s.most]
	}
	switch s.format {
	case "json":
		if rows == nil {
			rows = []*share{}
		}
		out, err := json.Marshal(map[string]any{"file": s.file, "bytes": s.total, "fields": rows, "hidden": hidden})
		if err != nil {
			return err
		}
		s.w.Write(append(out, '\n'))
	case "html":
		page(s.w, s.file)
		s.w.WriteString("<table><tr><th>bytes</th><th>share</th><th>records</th><th>tags and lengths</th><th>field</th></tr>\n")
		for _, row := range rows {
			fmt.Fprintf(s.w, "<tr><td>%d</td><td style=\"background:linear-gradient(90deg,#fd8 %.1f%%,transparent 0)\">%.1f %%</td><td>%d</td><td>%d</td><td>%s</td></tr>\n",
				row.Bytes, row.Percent, row.Percent, row.Records, row.Overhead, html.EscapeString(row.Path))
		}
		s.w.WriteString("</table>\n</body></html>\n")
	default:
		table := tabwriter.NewWriter(s.w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(table, "bytes\tshare\trecords\tbytes each\ttags and lengths\t  field")
		for _, row := range rows {
			fmt.Fprintf(table, "%d\t%.1f %%\t%d\t%.1f\t%d\t  %s\n", row.Bytes, row.Percent, row.Records, float64(row.Bytes)/float64(row.Records), row.Overhead, row.Path)
		}
		if err := table.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(s.w, "%d bytes in all; a field's bytes count in the message that holds it, too\n", s.total)
		if hidden > 0 {
			fmt.Fprintf(s.w, "%d more fields: --rows=0 shows all\n", hidden)
		}
	}
	return s.w.Flush()
}
