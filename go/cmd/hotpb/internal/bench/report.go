package bench

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
)

// result is the output of the command.
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

// Speed is the text of MB/s.
func (r Row) Speed() string {
	if r.MBs == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", r.MBs)
}

// operations are in the order of the table.
var operations = []string{"decode", "read", "encode", "relay"}

// compared is the operation that a row is compared with: reading a view takes the place of decoding.
func compared(op string) string {
	if op == "read" {
		return "decode"
	}
	return op
}

// add adds a language's rows, and sets how they compare with its stock runtime as most programs use it: the first such row.
func (r *result) add(title, versions string, rows []Row) {
	if r.Versions == nil {
		r.Versions = map[string]string{}
	}
	r.Versions[title] = versions
	r.order = append(r.order, title)
	slices.SortStableFunc(rows, func(a, b Row) int { return slices.Index(operations, a.Op) - slices.Index(operations, b.Op) })
	for _, row := range rows {
		row.Language = title
		i := slices.IndexFunc(rows, func(s Row) bool { return s.Stock && s.Verified && s.Op == compared(row.Op) })
		if i >= 0 && row.Ns > 0 {
			row.TimesAsFast = row.Ratios[rows[i].Name][0]
		}
		r.Rows = append(r.Rows, row)
	}
}

// wide is the width of the rows' names.
const wide = 30

// best is the fastest of our rows.
func (r *result) best(language, op string, names ...string) (best Row) {
	for _, row := range r.Rows {
		if row.Language == language && row.Op == op && row.Verified && !row.Stock && (len(names) == 0 || slices.Contains(names, row.Name)) &&
			(best.Name == "" || row.Ns < best.Ns) {
			best = row
		}
	}
	return best
}

// rival is the fastest row of a language's stock runtime.
func (r *result) rival(language, op string) (rival Row) {
	for _, row := range r.Rows {
		if row.Language == language && row.Op == compared(op) && row.Verified && row.Stock && (rival.Name == "" || row.Ns < rival.Ns) {
			rival = row
		}
	}
	return rival
}

// worth is how many times as fast a face has to be to be worth other types, at the lower end of the interval.
const worth = 1.3

// advise recommends a face for each language. It compares with the fastest setting of the stock runtime.
func (r *result) advise() {
	for _, l := range r.order {
		r.Advice = append(r.Advice, l+": "+strings.Join(r.advice(l), "; "))
	}
}

func (r *result) advice(l string) (words []string) {
	// times is how many times as fast a row is at least, compared with the fastest setting of the stock runtime.
	times := func(row Row) float64 { return row.Ratios[r.rival(l, row.Op).Name][1] }
	say := func(format string, values ...any) { words = append(words, fmt.Sprintf(format, values...)) }
	pool, codec := r.best(l, "decode", "pool", "pool, borrowing"), r.best(l, "decode", "codec")
	open, check, all := r.best(l, "read", "view: open"), r.best(l, "read", "view: check everything"), r.best(l, "read", "view: read everything")
	encode, relay := r.best(l, "encode"), r.best(l, "relay")
	switch {
	case times(codec) >= worth && times(pool) < worth*times(codec):
		say("codec: your types stay as they are, decoding is %.1f times as fast", times(codec))
	case times(pool) >= worth:
		say("pool: decoding is %.1f times as fast (%s)", times(pool), pool.Name)
		if times(codec) >= worth {
			say("codec, where your types have to stay: %.1f times", times(codec))
		}
	}
	if times(all) >= worth {
		say("view: reading every field is %.1f times as fast as %s decodes", times(all), r.rival(l, "read").Name)
	}
	if times(encode) >= worth {
		say("encoding with %s is %.1f times as fast", encode.Name, times(encode))
	}
	if times(relay) >= worth {
		say("%s, where a program passes messages on: %.1f times as fast as %s", relay.Name, times(relay), r.rival(l, "relay").Name)
	}
	if len(words) == 0 {
		say("stay with the stock runtime where messages are decoded as a whole: no face is %.1f times as fast as %s there", worth, r.rival(l, "decode").Name)
	}
	if times(open) >= worth && check.Name != "" && (pool.Name == "" || open.Ns < pool.Ns) {
		say("view, where a program reads few fields: opening takes %.0f ns, checking everything %.0f ns, and reading a field comes on top", open.Ns, check.Ns)
	}
	return words
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
		fmt.Fprintf(table, "%-*s\tns\tMB/s\tallocs\tbytes\ttimes as fast\tinterval\tverified\t\n", wide, "")
		for _, row := range r.Rows {
			if row.Language != l {
				continue
			}
			verified := "yes"
			if !row.Verified {
				verified = "NO"
			}
			fmt.Fprintf(table, "%-*s\t%.0f\t%s\t%.1f\t%.0f\t%.2f\t%s\t%s\t\n", wide, fmt.Sprintf("%-6s  %s", row.Op, row.Name), row.Ns, row.Speed(), row.Allocs, row.Bytes, row.TimesAsFast, r.Interval(row), verified)
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
	s := fmt.Sprintf("%s: messages %d, bytes each on average %d; per message, the median of at most %d rounds; %s", r.Type, r.Messages, r.Bytes/r.Messages, r.Rounds, r.Machine)
	if r.Left > 0 {
		s += fmt.Sprintf("; %d more messages were read and not timed (--sample)", r.Left)
	}
	return s
}

// Interval is the text of the interval of TimesAsFast.
func (r *result) Interval(row Row) string {
	i := slices.IndexFunc(r.Rows, func(s Row) bool {
		return s.Language == row.Language && s.Stock && s.Verified && s.Op == compared(row.Op)
	})
	if i < 0 || row.Ns == 0 || r.Rows[i].Name == row.Name {
		return "-"
	}
	ratio := row.Ratios[r.Rows[i].Name]
	return fmt.Sprintf("%.2f to %.2f", ratio[1], ratio[2])
}

// share is a row's time ÷ the longest time of its language and operation.
func (r *result) share(row Row) float64 {
	longest := row.Ns
	for _, sibling := range r.Rows {
		if sibling.Language == row.Language && compared(sibling.Op) == compared(row.Op) {
			longest = max(longest, sibling.Ns)
		}
	}
	if longest == 0 {
		return 0
	}
	return row.Ns / longest
}
