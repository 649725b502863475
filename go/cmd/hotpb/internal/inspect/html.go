package inspect

import (
	"bufio"
	"fmt"
	"html"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/fault"
)

// htmlSink writes one page without scripts and without parts elsewhere. Messages fold.
type htmlSink struct {
	w     *bufio.Writer
	b     []byte
	file  string
	begun bool
}

const style = `body{font:14px/1.5 ui-monospace,monospace;margin:1.5em;color:#222;background:#fff}
h1{font-size:1.1em}details,p{margin:0 0 0 1.6em}p,summary{white-space:pre-wrap;overflow-wrap:anywhere}summary{margin-left:-1.1em;cursor:pointer}
.o{color:#777;display:inline-block;min-width:6em}.b{color:#06c}.f{font-weight:bold}.n{background:#fe9}.e{background:#fbb}
td,th{padding:.1em 1em;text-align:right}td:last-child,th:last-child{text-align:left}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}.b{color:#6af}.n{background:#640}.e{background:#722}}`

func page(w *bufio.Writer, file string) {
	name := html.EscapeString(file)
	fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>%s</title>\n<style>%s</style></head>\n<body>\n<h1>%s</h1>\n", name, style, name)
}

func (s *htmlSink) start() {
	if !s.begun {
		page(s.w, s.file)
	}
	s.begun = true
}

func (s *htmlSink) begin(start, end int, kind string) {
	s.start()
	fmt.Fprintf(s.w, "<details open><summary>message at %d, %d bytes %s</summary>\n", start, end-start, html.EscapeString(kind))
}

func (s *htmlSink) end() { s.w.WriteString("</details>\n") }

func (s *htmlSink) head(r *Record, end int) {
	fmt.Fprintf(s.w, `<span class="o">%d</span> <span class="b">% x`, r.Offset, s.b[r.Offset:end])
	if end < r.End && !r.Inside {
		s.w.WriteString(" …")
	}
	fmt.Fprintf(s.w, `</span>  <span class="f" title="%s">%s</span>`, html.EscapeString(r.Type), html.EscapeString(describe(r)))
}

func (s *htmlSink) notes(r *Record) {
	for _, note := range r.Notes {
		fmt.Fprintf(s.w, ` <span class="n">%s</span>`, html.EscapeString(note.Text))
	}
}

func (s *htmlSink) open(r *Record) {
	state := ""
	if r.Depth < 3 {
		state = " open"
	}
	fmt.Fprintf(s.w, "<details%s><summary>", state)
	s.head(r, r.Payload)
	fmt.Fprintf(s.w, " %s, %d bytes", html.EscapeString(r.Type), r.End-r.Payload)
	s.notes(r)
	s.w.WriteString("</summary>\n")
}

func (s *htmlSink) leaf(r *Record) {
	s.w.WriteString("<p>")
	s.head(r, min(r.End, r.Offset+max(shownBytes, r.Payload-r.Offset)))
	fmt.Fprintf(s.w, " %s", html.EscapeString(r.Value))
	s.notes(r)
	s.w.WriteString("</p>\n")
}

func (s *htmlSink) close(r *Record) { s.w.WriteString("</details>\n") }

func (s *htmlSink) damage(d *Damage) {
	cause, mend := fault.Causes(d.Code)
	fmt.Fprintf(s.w, "<p><span class=\"o\">%d</span> <span class=\"b\">% x</span>  <span class=\"e\">byte %d: %s; %s</span></p>\n",
		d.Record, d.Skipped, d.Offset, html.EscapeString(cause+inPath(d.Path)), html.EscapeString(mend))
}

func (s *htmlSink) finish() error {
	s.start()
	s.w.WriteString("</body></html>\n")
	return s.w.Flush()
}
