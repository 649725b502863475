package ops

import (
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/dashboard"
)

// The dashboards name metrics that exist, and group them by labels that they have.
func TestDashboardsNameMetricsThatExist(t *testing.T) {
	boards, err := dashboard.Load("../../packaging/compose/grafana/dashboards")
	if err != nil {
		t.Fatal(err)
	}
	e := Exporter{Address: netip.MustParseAddr("192.0.2.1"), Datagrams: 1}
	for r := range count.Reasons {
		e.Losses[r] = 1
	}
	_, body, _ := get(t, newServer(t, e), "/metrics")
	queries := 0
	for _, d := range boards {
		for _, p := range d.Panels {
			for _, target := range p.Targets {
				if target.Expr == "" {
					continue
				}
				queries++
				name := regexp.MustCompile(`flows_\w+`).FindString(target.Expr)
				sample := regexp.MustCompile(`(?m)^` + name + `(?:{(.*)})? `).FindStringSubmatch(body)
				if name == "" || sample == nil {
					t.Errorf("%s: there is no %q", p.Title, name)
					continue
				}
				for _, by := range regexp.MustCompile(`by \(([\w, ]+)\)`).FindAllStringSubmatch(target.Expr, -1) {
					for _, label := range strings.Split(by[1], ", ") {
						if label != "instance" && !strings.Contains(sample[1], label+"=") {
							t.Errorf("%s: %s has no label %s", p.Title, name, label)
						}
					}
				}
			}
		}
	}
	if queries < 5 {
		t.Errorf("%d queries", queries)
	}
}
