package dashboard

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/clickhouse"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"gopkg.in/yaml.v3"
)

const folder = "../../packaging/compose/grafana"

var (
	text    = regexp.MustCompile(`'[^']*'`)
	alias   = regexp.MustCompile(`\bAS (\w+)|\bWITH (\w+) AS \(`)
	word    = regexp.MustCompile(`[A-Za-z_]\w*\(?`)
	keyword = regexp.MustCompile(`^(SELECT|DISTINCT|FROM|WHERE|AND|OR|NOT|IN|AS|WITH|GROUP|ORDER|BY|LIMIT|DESC|INTERVAL|second)\(?$`)
)

// strangers returns the names in a query that are neither columns nor its own.
func strangers(query string, columns map[string]bool) (names []string) {
	query = text.ReplaceAllString(query, "")
	own := map[string]bool{"flows": true}
	for _, a := range alias.FindAllStringSubmatch(query, -1) {
		own[a[1]+a[2]] = true
	}
	for _, w := range word.FindAllString(query, -1) {
		if !keyword.MatchString(w) && !strings.HasSuffix(w, "(") && !own[w] && !columns[w] {
			names = append(names, w)
		}
	}
	return names
}

// columns are those of the table that `flows schema --clickhouse` creates.
func columns(t *testing.T) map[string]bool {
	l, err := layout.Load("../../flows.yaml")
	if err != nil {
		t.Fatal(err)
	}
	x, err := clickhouse.New(l, clickhouse.Options{Table: "flows", Topic: "flows"})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^  `(\\w+)` ").FindAllStringSubmatch(x.Statements()[0], -1) {
		names[m[1]] = true
	}
	if len(names) < 30 {
		t.Fatalf("only %d columns in %s", len(names), x.Statements()[0])
	}
	return names
}

func TestQueriesNameColumnsThatExist(t *testing.T) {
	boards, err := Load(folder + "/dashboards")
	if err != nil {
		t.Fatal(err)
	}
	known, queries := columns(t), 0
	check := func(title, query string) {
		queries++
		query = Expand(query, Window{Interval: time.Minute})
		if names := strangers(query, known); len(names) > 0 || strings.Contains(query, "$") {
			t.Errorf("%s: the table has no %q, or a macro is unknown:\n%s", title, names, query)
		}
	}
	for _, d := range boards {
		for _, v := range d.Templating.List {
			if query, ok := v.Query.(string); ok {
				check(d.Title+", variable "+v.Name, query)
			}
		}
		for _, p := range d.Panels {
			for _, target := range p.Targets {
				if target.RawSQL != "" {
					check(d.Title+", "+p.Title, target.RawSQL)
				}
			}
		}
	}
	if len(boards) != 2 || queries < 10 {
		t.Errorf("%d dashboards, %d queries", len(boards), queries)
	}
	if names := strangers("SELECT colour, sum(bytes) AS b FROM flows WHERE in_if > 0 ORDER BY b", known); len(names) != 1 || names[0] != "colour" {
		t.Errorf("of a wrong query, %q is found to be wrong", names)
	}
}

// Each panel has a place of its own, a query, and a data source that is provisioned.
func TestPanelsHavePlacesAndSources(t *testing.T) {
	var provisioned struct {
		Datasources []struct{ UID, Type string }
	}
	read, err := os.ReadFile(folder + "/datasources/flows.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(read, &provisioned); err != nil {
		t.Fatal(err)
	}
	sources := map[Source]bool{}
	for _, s := range provisioned.Datasources {
		sources[Source{s.Type, s.UID}] = true
	}
	boards, err := Load(folder + "/dashboards")
	if err != nil {
		t.Fatal(err)
	}
	uids := map[string]bool{}
	for _, d := range boards {
		if uids[d.UID] || d.UID == "" {
			t.Errorf("%s: its uid %q is not its own", d.Title, d.UID)
		}
		uids[d.UID] = true
		ids, places := map[int]bool{}, map[[2]int]string{}
		for _, p := range d.Panels {
			if ids[p.ID] {
				t.Errorf("%s, %s: the id %d is used twice", d.Title, p.Title, p.ID)
			}
			ids[p.ID] = true
			if len(p.Targets) == 0 || !sources[p.Datasource] {
				t.Errorf("%s, %s: %d queries of %v", d.Title, p.Title, len(p.Targets), p.Datasource)
			}
			for _, target := range p.Targets {
				if target.Datasource != p.Datasource || (target.RawSQL == "") == (target.Expr == "") {
					t.Errorf("%s, %s: the query %+v", d.Title, p.Title, target)
				}
			}
			for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
				for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
					if neighbour := places[[2]int{x, y}]; neighbour != "" || x >= 24 {
						t.Fatalf("%s: %s lies on %q, or beyond the edge", d.Title, p.Title, neighbour)
					}
					places[[2]int{x, y}] = p.Title
				}
			}
		}
	}
}
