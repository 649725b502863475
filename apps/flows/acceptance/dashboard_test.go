//go:build acceptance && linux

package acceptance

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/dashboard"
)

// ClickHouse answers every query of the dashboards, on generated flows and a capture whose exporter reports no sampling rate.
func TestClickHouseAnswersTheDashboards(t *testing.T) {
	folder := t.TempDir()
	datagrams, files := filepath.Join(folder, "generated.dgrams"), filepath.Join(folder, "out")
	for _, arguments := range [][]string{
		{"generate", "--write=" + datagrams, "--count=5000"},
		{"replay", "--output=file", "--file-folder=" + files, "--prefixes=../prefixes.csv", "--interfaces=../interfaces.csv",
			datagrams, "../testdata/softflowd_netflow5.dgrams"},
	} {
		output, err := exec.Command(program, arguments...).CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", arguments, err, output)
		}
	}
	names, err := filepath.Glob(filepath.Join(files, "*.pb"))
	must(t, err)
	var flows held
	for _, name := range names {
		b, err := os.ReadFile(name)
		must(t, err)
		flows.bytes = append(flows.bytes, b...)
	}
	boards, err := dashboard.Load("../packaging/compose/grafana/dashboards")
	must(t, err)
	w := dashboard.Window{From: time.Unix(1_700_000_000, 0), To: time.Now().Add(time.Hour), Interval: time.Hour}
	var titles, queries []string
	add := func(title, query string) {
		titles, queries = append(titles, title), append(queries, query)
	}
	for _, d := range boards {
		for _, v := range d.Templating.List {
			if query, ok := v.Query.(string); ok {
				add(v.Name, query)
			}
		}
	}
	w.Exporter = []string{"192.0.2.1", "198.19.128.3"}
	for _, d := range boards {
		for _, p := range d.Panels {
			for _, target := range p.Targets {
				if target.RawSQL != "" {
					add(p.Title, target.RawSQL)
				}
			}
		}
	}
	for i := range queries {
		queries[i] = dashboard.Expand(queries[i], w)
	}
	for i, answer := range query(t, []readBy{{"../flows.yaml", &flows}}, queries...) {
		// No exporter here reports packets that it has discarded.
		if answer == "" && titles[i] != "Discarded packets" {
			t.Errorf("%s: no row for\n%s", titles[i], queries[i])
		}
		t.Logf("%s: %.200s", titles[i], answer)
	}
}
