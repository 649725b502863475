package bench

import (
	"bytes"
	"html/template"
)

var page = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>hotpb bench: {{.R.Type}}</title>
<style>
:root { color-scheme: light dark } body { font: 16px/1.4 sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100% } td, th { padding: .2em .6em; text-align: right }
td:first-child, th:first-child { text-align: left } td:first-child { white-space: nowrap } svg { display: block; width: 100%; min-width: 40em; margin-bottom: 1em }
svg text { font-size: 14px; fill: currentColor } .ours { fill: #36c } .stock { fill: #999 } code { overflow-wrap: anywhere }
</style>
<h1>{{.R.Type}}</h1><p>{{.Head}}</p>
{{range .Languages}}<h2>{{.Title}}</h2><p>{{.Versions}}</p>
<div class="wide"><svg viewBox="0 0 800 {{.Height}}" role="img" aria-label="{{.Title}}: nanoseconds per message; shorter is faster">
{{range .Bars}}<text x="0" y="{{.Text}}">{{.Row.Op}} {{.Row.Name}}</text><rect class="{{if .Row.Stock}}stock{{else}}ours{{end}}" x="240" y="{{.Top}}" width="{{.Width}}" height="16"/><text x="{{.After}}" y="{{.Text}}">{{printf "%.0f" .Row.Ns}} ns</text>
{{end}}</svg></div>
<div class="wide"><table><tr><th>row<th>ns<th>MB/s<th>allocs<th>bytes<th>times as fast<th>interval<th>verified</tr>
{{range .Rows}}<tr><td>{{.Op}} {{.Name}}<td>{{printf "%.0f" .Ns}}<td>{{.Speed}}<td>{{printf "%.1f" .Allocs}}<td>{{printf "%.0f" .Bytes}}<td>{{printf "%.2f" .TimesAsFast}}<td>{{$.R.Interval .}}<td>{{if .Verified}}yes{{else}}<b>no</b>: {{.Verification}}{{end}}</tr>
{{end}}</table></div>
{{end}}{{range .R.Advice}}<p>{{.}}</p>
{{end}}{{with .R.Options}}<p>Options for the generators: <code>{{.}}</code></p>
{{end}}{{range .R.Missing}}<p>Not run: {{.}}</p>
{{end}}</html>
`))

// bar is a row of the chart, in the units of its viewBox.
type bar struct {
	Row                     Row
	Top, Text, Width, After int
}

// html is the page: a chart and a table for each language.
func (r *result) html() []byte {
	type part struct {
		Title, Versions string
		Height          int
		Bars            []bar
		Rows            []Row
	}
	const left, longest, step = 240, 440, 24
	var parts []part
	for _, l := range r.order {
		p := part{Title: l, Versions: r.Versions[l]}
		for _, row := range r.Rows {
			if row.Language != l {
				continue
			}
			p.Rows = append(p.Rows, row)
			if row.Verified {
				width := max(1, int(longest*r.share(row)+0.5))
				p.Bars = append(p.Bars, bar{row, p.Height + 4, p.Height + 17, width, left + width + 8})
				p.Height += step
			}
		}
		parts = append(parts, p)
	}
	var out bytes.Buffer
	if err := page.Execute(&out, map[string]any{"R": r, "Head": r.head(), "Languages": parts}); err != nil {
		panic(err) // the template above is wrong
	}
	return out.Bytes()
}
