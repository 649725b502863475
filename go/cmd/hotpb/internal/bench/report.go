package bench

import (
	"bytes"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
)

// result is what the command writes.
type result struct {
	Type     string            `json:"type"`
	Messages int               `json:"messages"`
	Bytes    int               `json:"bytes"`
	Left     int               `json:"messages_not_timed"`
	Rounds   int               `json:"rounds"`
	Machine  string            `json:"machine"`
	Versions map[string]string `json:"versions"`
	Rows     []Row             `json:"rows"`
	Missing  []string          `json:"missing"`
	Advice   []string          `json:"advice"`
	Options  string            `json:"options"` // hot= and cold=

	order []string // of the languages
}

// add adds a language's rows, and sets how they compare with its stock runtime.
func (r *result) add(title, versions string, rows []Row) {
	if r.Versions == nil {
		r.Versions = map[string]string{}
	}
	r.Versions[title] = versions
	r.order = append(r.order, title)
	for _, row := range rows {
		row.Language = title
		of := row.Op
		if of == "read" {
			of = "decode"
		}
		i := slices.IndexFunc(rows, func(s Row) bool { return s.Stock && s.Op == of })
		if i >= 0 && row.Ns > 0 {
			row.TimesAsFast = rows[i].Ns / row.Ns
		}
		r.Rows = append(r.Rows, row)
	}
	slices.SortStableFunc(r.Rows, func(a, b Row) int {
		return slices.Index(r.order, a.Language) - slices.Index(r.order, b.Language)
	})
}

// wide is the width of the rows' names.
const wide = 30

// best is the fastest row of ours.
func (r *result) best(language, op string, names ...string) (best Row) {
	for _, row := range r.Rows {
		if row.Language == language && row.Op == op && row.Verified && !row.Stock && (len(names) == 0 || slices.Contains(names, row.Name)) &&
			(best.Name == "" || row.Ns < best.Ns) {
			best = row
		}
	}
	return best
}

// worth is how many times as fast a face has to be to be worth other types.
const worth = 1.3

// advise recommends a face for each language.
func (r *result) advise() {
	for _, l := range r.order {
		pool, codec, view := r.best(l, "decode", "pool", "pool, borrowing"), r.best(l, "decode", "codec"), r.best(l, "read", "view: check everything")
		encode := r.best(l, "encode")
		var words []string
		switch {
		case pool.TimesAsFast < worth && codec.TimesAsFast < worth && view.TimesAsFast < worth && encode.TimesAsFast < worth:
			words = append(words, "stay with the stock runtime: no face is 1.3 times as fast on this data")
		case codec.Name != "" && codec.TimesAsFast >= worth && pool.TimesAsFast < worth*codec.TimesAsFast:
			words = append(words, fmt.Sprintf("codec: your types stay as they are, decoding is %.1f times as fast", codec.TimesAsFast))
		case pool.TimesAsFast >= worth:
			words = append(words, fmt.Sprintf("pool: decoding is %.1f times as fast (%s)", pool.TimesAsFast, pool.Name))
			if codec.TimesAsFast >= worth {
				words = append(words, fmt.Sprintf("codec, where your types have to stay: %.1f times", codec.TimesAsFast))
			}
		}
		if encode.TimesAsFast >= worth {
			words = append(words, fmt.Sprintf("encoding with %s is %.1f times as fast", encode.Name, encode.TimesAsFast))
		}
		if open := r.best(l, "read", "view: open"); open.Name != "" && view.Name != "" && open.Ns < pool.Ns {
			words = append(words, fmt.Sprintf("view, where a program reads few fields: opening takes %.0f ns, checking everything %.0f ns, and reading a field comes on top", open.Ns, view.Ns))
		}
		if len(words) == 0 {
			words = append(words, "stay with the stock runtime for types that are decoded as a whole; view, where a program reads few fields")
		}
		r.Advice = append(r.Advice, l+": "+strings.Join(words, "; "))
	}
}

func (r *result) write(std *console.Streams) error {
	if std.JSON {
		if r.Missing == nil {
			r.Missing = []string{}
		}
		return std.WriteJSON(r)
	}
	var out bytes.Buffer
	fmt.Fprintln(&out, r.head())
	for _, l := range r.order {
		fmt.Fprintf(&out, "\n%s (%s)\n", l, r.Versions[l])
		table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintf(table, "%-*s\tns\tmedian\tMB/s\tallocs\tbytes\ttimes as fast\tverified\t\n", wide, "")
		for _, row := range r.Rows {
			if row.Language != l {
				continue
			}
			verified := "yes"
			if !row.Verified {
				verified = "NO"
			}
			fmt.Fprintf(table, "%-*s\t%.0f\t%.0f\t%.0f\t%.1f\t%.0f\t%.2f\t%s\t\n", wide, fmt.Sprintf("%-6s  %s", row.Op, row.Name), row.Ns, row.Median, row.MBs, row.Allocs, row.Bytes, row.TimesAsFast, verified)
		}
		if err := table.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(&out)
		for _, row := range r.Rows {
			if row.Language == l && row.Verified {
				fmt.Fprintf(&out, "  %-6s  %-24s %s %.0f ns\n", row.Op, row.Name, strings.Repeat("█", max(1, int(40*r.share(row)+0.5))), row.Ns)
			}
		}
	}
	fmt.Fprintln(&out)
	for _, line := range r.Missing {
		fmt.Fprintf(&out, "not run: %s\n", line)
	}
	for _, line := range r.Advice {
		fmt.Fprintln(&out, line)
	}
	if r.Options != "" {
		fmt.Fprintf(&out, "options for the generators: %s\n", r.Options)
	}
	_, err := out.WriteTo(std.Out)
	return err
}

func (r *result) head() string {
	s := fmt.Sprintf("%s: messages %d, bytes each on average %d; per message, the least of %d rounds; %s", r.Type, r.Messages, r.Bytes/r.Messages, r.Rounds, r.Machine)
	if r.Left > 0 {
		s += fmt.Sprintf("; %d more messages were read and not timed (--sample)", r.Left)
	}
	return s
}

// share is a row's time as a part of the longest of its language and operation.
func (r *result) share(row Row) float64 {
	group := func(op string) bool { return op == "encode" }
	longest := row.Ns
	for _, other := range r.Rows {
		if other.Language == row.Language && group(other.Op) == group(row.Op) {
			longest = max(longest, other.Ns)
		}
	}
	if longest == 0 {
		return 0
	}
	return row.Ns / longest
}

var page = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>hotpb bench: {{.R.Type}}</title>
<style>
:root { color-scheme: light dark } body { font: 16px/1.4 sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em }
table { border-collapse: collapse; width: 100% } td, th { padding: .2em .6em; text-align: right } td:first-child, th:first-child { text-align: left }
.bar { background: #36c; height: .9em; min-width: 1px } .stock { background: #999 } .chart { width: 30%; text-align: left }
</style>
<h1>{{.R.Type}}</h1><p>{{.Head}}</p>
{{range .Languages}}<h2>{{.Title}}</h2><p>{{.Versions}}</p>
<table><tr><th>row<th class="chart"><th>ns<th>median<th>MB/s<th>allocs<th>bytes<th>times as fast<th>verified</tr>
{{range .Rows}}<tr><td>{{.Row.Op}} {{.Row.Name}}<td class="chart"><div class="bar{{if .Row.Stock}} stock{{end}}" style="width:{{.Percent}}%"></div><td>{{printf "%.0f" .Row.Ns}}<td>{{printf "%.0f" .Row.Median}}<td>{{printf "%.0f" .Row.MBs}}<td>{{printf "%.1f" .Row.Allocs}}<td>{{printf "%.0f" .Row.Bytes}}<td>{{printf "%.2f" .Row.TimesAsFast}}<td>{{if .Row.Verified}}yes{{else}}<b>no</b>: {{.Row.Verification}}{{end}}</tr>
{{end}}</table>
{{end}}{{range .R.Advice}}<p>{{.}}</p>
{{end}}{{with .R.Options}}<p>Options for the generators: <code>{{.}}</code></p>
{{end}}{{range .R.Missing}}<p>Not run: {{.}}</p>
{{end}}</html>
`))

// html is the page.
func (r *result) html() []byte {
	type bar struct {
		Row     Row
		Percent int
	}
	type part struct {
		Title, Versions string
		Rows            []bar
	}
	var parts []part
	for _, l := range r.order {
		p := part{Title: l, Versions: r.Versions[l]}
		for _, row := range r.Rows {
			if row.Language == l {
				p.Rows = append(p.Rows, bar{row, int(100*r.share(row) + 0.5)})
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
