package classify

import (
	"fmt"
	"strings"
	"testing"
)

// results are what rules say, in order.
type results struct{ list []string }

func (r *results) Matched(int) {}
func (r *results) Set(rule, n int, text string) {
	r.list = append(r.list, fmt.Sprintf("%d.%d=%s", rule, n, text))
}
func (r *results) Failed(rule, n int, err error) {
	r.list = append(r.list, fmt.Sprintf("%d.%d!%v", rule, n, err))
}

func rulesOf(t testing.TB, env any, expressions ...string) *Rules {
	t.Helper()
	var sources []Source
	for _, e := range expressions {
		sources = append(sources, Source{Compute: []Value{{"x", Expression{e, "f:1"}}}})
	}
	r, err := Compile(sources, env)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var port = Interface{
	Exporter: Exporter{Address: "192.0.2.1", Name: "th2-edge1.example.com", Location: "Paris", Table: map[string]string{"site": "th2"}},
	Index:    10, Name: "xe-0/0/1", Description: "Transit: Cogent 1-3834938493", Speed: 10_000_000_000, Table: map[string]string{"vrf": "7"},
}

func TestExpressionsSeeWhatIsKnown(t *testing.T) {
	for expression, want := range map[string]string{
		`name`: "xe-0/0/1", `exporter.name`: "th2-edge1.example.com", `index + 1`: "11", `speed >= 10000000000`: "true", `speed / 1e9`: "10",
		`description startsWith "Transit:"`: "true", `description matches "(?i)^transit"`: "true", `table.vrf`: "7", `table.none`: "", `exporter.table.site`: "th2",
		`capture(description, "^Transit: *([^ ]+)")`: "Cogent", `capture(description, "Cog...")`: "Cogent", `capture(name, "none")`: "",
		`within(exporter.address, "192.0.2.0/24") ? "here" : "there"`: "here", `within(exporter.address, "192.0.2.1")`: "true", `within("::ffff:192.0.2.1", "192.0.2.1")`: "true",
		`upper(split(exporter.name, "-")[0])`: "TH2", `description contains "x" ? "x" : nil`: "", `int(table.vrf) * 2`: "14",
		`let n = capture(name, "^([a-z]+)"); n in ["xe", "et"] ? "fiber" : "copper"`: "fiber",
	} {
		var got results
		rulesOf(t, Interface{}, expression).Run(port, &got)
		if text := strings.Join(got.list, " "); text != "0.0="+want && (want != "" || text != "") {
			t.Errorf("%s is %q, want %q", expression, text, want)
		}
	}
	var got results
	rulesOf(t, Exporter{}, `address + " " + name + " " + location`).Run(port.Exporter, &got)
	if got.list[0] != "0.0=192.0.2.1 th2-edge1.example.com Paris" {
		t.Error(got.list)
	}
}

// A rule that fails is reported, and the others go on.
func TestARuleThatFailsDoesNotStopTheOthers(t *testing.T) {
	r, err := Compile([]Source{
		{When: Expression{`int(name) > 1`, "f:1"}, Set: []Value{{"a", Expression{"never", "f:1"}}}},
		{Set: []Value{{"a", Expression{"constant", "f:2"}}}, Compute: []Value{{"b", Expression{`split(name, "/")[9]`, "f:2"}}, {"c", Expression{`[1, 2]`, "f:2"}}}},
		{When: Expression{`index == 11`, "f:3"}, Set: []Value{{"a", Expression{"no", "f:3"}}}},
		{Compute: []Value{{"a", Expression{`capture(name, description + "(")`, "f:4"}}, {"a", Expression{`name + name`, "f:4"}}}},
	}, Interface{})
	if err != nil {
		t.Fatal(err)
	}
	var got results
	r.Run(port, &got)
	want := []string{"0.-1!", "1.0=constant", "1.1!", "1.2!the result is of type []interface {}", "3.0!", "3.1=xe-0/0/1xe-0/0/1"}
	if len(got.list) != len(want) {
		t.Fatalf("%q", got.list)
	}
	for i, want := range want {
		if !strings.HasPrefix(got.list[i], want) || strings.Contains(got.list[i], "\n") {
			t.Errorf("%d: %q, want %q", i, got.list[i], want)
		}
	}
	got.list = nil
	long := port
	long.Name = strings.Repeat("x", maxText)
	rulesOf(t, Interface{}, "name + name").Run(long, &got)
	if len(got.list) != 1 || !strings.HasPrefix(got.list[0], "0.0!the result has 2048 bytes") {
		t.Error(got.list)
	}
}

func TestWhatIsWrongWithAnExpressionIsReportedWithItsPlace(t *testing.T) {
	for expression, want := range map[string]string{
		`nam startsWith "x"`:                       `f.yaml:7: column role: unknown name nam, at character 1 of nam startsWith "x"`,
		`index startsWith "x"`:                     "f.yaml:7: column role: invalid operation",
		`name ==`:                                  "f.yaml:7: column role: unexpected token EOF",
		`capture(name, "(")`:                       "f.yaml:7: column role: error parsing regexp: missing closing )",
		`name matches "("`:                         "f.yaml:7: column role: error parsing regexp",
		`within(exporter.address, "192.0.2.0/33")`: `f.yaml:7: column role: "192.0.2.0/33" is not a prefix`,
		`capture(name)`:                            "f.yaml:7: column role: not enough arguments",
		`all(1..1000000, true)`:                    "f.yaml:7: column role: loops over lists",
		`map(1..9, #)`:                             "f.yaml:7: column role: loops over lists",
		`repeat(name, 1000000)`:                    "f.yaml:7: column role: unknown name repeat",
		`exporter.nam`:                             "f.yaml:7: column role: type classify.Exporter has no field nam",
		strings.Repeat("1+", 1000) + "1":           "f.yaml:7: column role: compilation failed: expression exceeds maximum allowed nodes",
	} {
		_, err := Compile([]Source{{Compute: []Value{{"role", Expression{expression, "f.yaml:7"}}}}}, Interface{})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", expression, err, want)
		}
	}
	if _, err := Compile([]Source{{When: Expression{"name", "f:1"}}}, Exporter{}); err == nil || !strings.Contains(err.Error(), "f:1: when: expected bool") {
		t.Error(err)
	}
	if _, err := Compile(make([]Source, MaxRules+1), Exporter{}); err == nil {
		t.Error("there is no bound for rules")
	}
}

// A long range takes no memory worth mentioning: it is refused.
func TestMemoryIsBounded(t *testing.T) {
	var got results
	rulesOf(t, Interface{}, "len(1..(index * 100000000))").Run(port, &got)
	if len(got.list) != 1 || !strings.Contains(got.list[0], "memory budget exceeded") {
		t.Error(got.list)
	}
}

func BenchmarkTenRules(b *testing.B) {
	var rules []string
	for i := range 10 {
		rules = append(rules, fmt.Sprintf(`description startsWith "Transit%d:" ? capture(description, "^Transit: *([^ ]+)") : ""`, i))
	}
	r := rulesOf(b, Interface{}, rules...)
	var got results
	b.ReportAllocs()
	for b.Loop() {
		r.Run(port, &got)
		got.list = got.list[:0]
	}
}

// Any expression compiles and runs within the bounds, or is refused.
func FuzzExpression(f *testing.F) {
	for _, e := range []string{`name`, `capture(name, "(a)")`, `1..10`, `split(name, "")[0]`, `let a = name; a + a`, `table["x"] ?? "y"`, `[name][0]`, `{"a": 1}.a`, `name[1:3]`} {
		f.Add(e)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		r, err := Compile([]Source{{Compute: []Value{{"x", Expression{expression, "f:1"}}}}}, Interface{})
		if err == nil {
			r.Run(port, &results{})
		}
	})
}
