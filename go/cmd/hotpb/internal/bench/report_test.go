package bench

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
)

// measured has rows in an order that is not the table's.
func measured(all, relay float64, verified bool) *result {
	r := &result{Type: "app.Batch", Messages: 2, Bytes: 20, Rounds: 3, Options: "cold=app.Rare"}
	row := func(op, name string, ns float64, stock bool) Row {
		ratio := func(stock float64) Ratio { return Ratio{stock / ns, stock / ns * 0.995, stock / ns * 1.1} }
		ratios := Ratios{"libprotobuf": ratio(200), "libprotobuf (arena)": ratio(100)}
		if op == "relay" {
			ratios = Ratios{"libprotobuf": ratio(300)}
		}
		return Row{Op: op, Name: name, Ns: ns, Ratios: ratios, Stock: stock, Verified: true}
	}
	rows := []Row{row("relay", "libprotobuf", 300, true), row("relay", "view and writer", relay, false), row("decode", "libprotobuf", 200, true),
		row("decode", "libprotobuf (arena)", 100, true), row("read", "view: open", 10, false), row("read", "view: check everything", 90, false), row("read", "view: read everything", all, false)}
	for i := range rows {
		if !rows[i].Stock && !verified {
			rows[i].Verified, rows[i].Verification = false, "message 0 differs <b>"
		}
	}
	r.add("C++", "libprotobuf 1", rows)
	r.advise()
	return r
}

func TestTheTableIsInTheOrderOfOperations(t *testing.T) {
	var names []string
	for _, row := range measured(50, 100, true).Rows {
		names = append(names, row.Op)
	}
	if got := strings.Join(names, " "); got != "decode decode read read read relay relay" {
		t.Error(got)
	}
}

func TestRowsCompareWithTheFirstStockRowAndTheAdviceWithTheFastest(t *testing.T) {
	r := measured(50, 100, true)
	for _, row := range r.Rows {
		if want := map[string]float64{"view: read everything": 4, "libprotobuf (arena)": 2, "view and writer": 3}[row.Name]; want != 0 && row.TimesAsFast != want {
			t.Errorf("%s: %v", row.Name, row.TimesAsFast)
		}
	}
	want := "C++: view: reading every field is 2.0 times as fast as libprotobuf (arena) decodes; view and writer, where a program passes messages on: " +
		"3.0 times as fast as libprotobuf; view, where a program reads few fields: opening takes 10 ns, checking everything 90 ns, and reading a field comes on top"
	if len(r.Advice) != 1 || r.Advice[0] != want {
		t.Errorf("%q", r.Advice)
	}
	want = "C++: stay with the stock runtime where messages are decoded as a whole: no face is 1.3 times as fast as libprotobuf (arena) there; view, where a program reads few fields: "
	// 100 / 76.9 is 1.3, but the lower end of the interval is not.
	for _, all := range []float64{99, 76.9} {
		if r = measured(all, 290, true); !strings.HasPrefix(r.Advice[0], want) {
			t.Errorf("%q", r.Advice)
		}
	}
}

func TestARowThatIsNotVerifiedIsShownAndNotAdvised(t *testing.T) {
	r := measured(50, 100, false)
	if want := "C++: stay with the stock runtime where messages are decoded as a whole: no face is 1.3 times as fast as libprotobuf (arena) there"; len(r.Advice) != 1 || r.Advice[0] != want {
		t.Errorf("%q", r.Advice)
	}
	var out bytes.Buffer
	if err := r.write(&console.Streams{Out: &out}); err != nil || strings.Count(out.String(), "NO\n") != 4 || strings.Count(out.String(), "█ ") != 3 {
		t.Errorf("%v\n%s", err, &out)
	}
	if page := string(r.html()); strings.Count(page, "<rect ") != 3 || strings.Count(page, "<b>no</b>: message 0 differs &lt;b&gt;") != 4 {
		t.Error(page)
	}
	out.Reset()
	var value struct {
		Rows []struct {
			Verified bool
			Note     string
		}
	}
	if err := r.write(&console.Streams{Out: &out, JSON: true}); err != nil || json.Unmarshal(out.Bytes(), &value) != nil || len(value.Rows) != 7 || value.Rows[2].Note != "message 0 differs <b>" {
		t.Errorf("%v\n%s", err, &out)
	}
}
