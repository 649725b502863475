package ops

import (
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

func TestHealthCountsLosses(t *testing.T) {
	for name, c := range map[string]struct {
		reason count.Reason
		lost   int
		want   string // of the answer; "" for healthy
	}{
		"sets":         {count.WaitingOverflow, 12, "12 data sets were lost in the last minute: waiting overflow"},
		"flows":        {count.QueueFull, 120, "120 flows were lost in the last minute: queue full"},
		"datagrams":    {count.Socket, 11, "11 datagrams were lost in the last minute: socket"},
		"a few sets":   {count.WaitingExpired, 5, ""},
		"a few flows":  {count.TooLarge, 50, ""},
		"only changed": {count.ClockJump, 10_000, ""},
	} {
		s := newServer(t)
		s.LossRatio = 0.01
		now := time.Now()
		s.observe(now)
		s.Counters.Datagrams[flow.IPFIX].Add(1000)
		s.Counters.Flows[flow.IPFIX].Add(10_000)
		s.Counters.Delivered.Add(9_000)
		s.Counters.Drop(c.reason, c.lost)
		s.observe(now.Add(time.Second))
		code, body, _ := get(t, s, "/healthz")
		if c.want == "" && code != 200 || c.want != "" && (code != 503 || !strings.Contains(body, c.want)) {
			t.Errorf("%s: %d %s", name, code, body)
		}
		for i := range 2 * kept { // a minute later it is over
			s.Counters.Delivered.Add(1)
			s.observe(now.Add(time.Duration(2+i) * time.Second))
		}
		if code, body, _ := get(t, s, "/healthz"); code != 200 {
			t.Errorf("%s, later: %d %s", name, code, body)
		}
	}
}

// Exporters that give way are no loss yet: the answer stays 200 and says so, for a minute.
func TestHealthTellsOfExportersThatGaveWay(t *testing.T) {
	s := newServer(t)
	s.LossRatio = 0.01
	now := time.Now()
	s.observe(now)
	s.Counters.Datagrams[flow.IPFIX].Add(1000)
	s.Counters.Evictions[count.Flowless][count.Memory].Exporters.Add(7)
	s.observe(now.Add(time.Second))
	if code, body, _ := get(t, s, "/healthz"); code != 200 || body != "ok\n" {
		t.Errorf("without flows: %d %s", code, body)
	}
	e := &s.Counters.Evictions[count.Recent][count.Memory]
	e.Exporters.Add(3)
	e.Templates.Add(12)
	e.Bytes.Add(1000)
	s.observe(now.Add(2 * time.Second))
	want := "warning: 3 exporters with flows gave way to others in the last minute, because there was not enough room: memory\n"
	if code, body, _ := get(t, s, "/healthz"); code != 200 || body != "ok\n"+want {
		t.Errorf("%d %s", code, body)
	}
	all := counters(t, s)
	for name, n := range map[string]float64{"exporters": 3, "templates": 12, "bytes": 1000} {
		if got := all["flows_evicted_"+name+`_total{rank="recent",reason="memory"}`]; got != n {
			t.Errorf("%s: %v", name, got)
		}
	}
	s.Counters.Drop(count.WaitingExpired, 50)
	s.observe(now.Add(3 * time.Second))
	if code, body, _ := get(t, s, "/healthz"); code != 503 || !strings.HasSuffix(body, "waiting expired\n"+want) {
		t.Errorf("%d %s", code, body)
	}
	for i := range 2 * kept {
		s.observe(now.Add(time.Duration(4+i) * time.Second))
	}
	if code, body, _ := get(t, s, "/healthz"); code != 200 || body != "ok\n" {
		t.Errorf("later: %d %s", code, body)
	}
}

func TestLossesOfExportersHaveMetrics(t *testing.T) {
	e := Exporter{Address: netip.MustParseAddr("192.0.2.1"), Datagrams: 1, Repeated: 6, Restarts: 5, Unsampled: 4}
	e.Losses[count.WaitingExpired], e.Losses[count.ClockJump] = 2, 3
	all := counters(t, newServer(t, e))
	for name, want := range map[string]float64{
		`flows_exporter_sets_dropped_total{exporter="192.0.2.1",reason="waiting_expired"}`: 2,
		`flows_exporter_values_adjusted_total{exporter="192.0.2.1",reason="clock_jump"}`:   3,
		`flows_exporter_sampling_unknown_total{exporter="192.0.2.1"}`:                      4,
		`flows_exporter_restarts_total{exporter="192.0.2.1"}`:                              5,
		`flows_exporter_repeated_total{exporter="192.0.2.1"}`:                              6,
	} {
		if all[name] != want {
			t.Errorf("%s is %v", name, all[name])
		}
	}
	for name := range all {
		if strings.HasPrefix(name, "flows_exporter_") && strings.Contains(name, "reason=") && all[name] == 0 {
			t.Errorf("%s is without need", name)
		}
	}
}

// What is not read has a metric by its name, once there is some.
func TestSkippedStructuresHaveMetrics(t *testing.T) {
	s := newServer(t)
	s.Counters.Skipped[count.StructureOf(1004)].Add(2)
	s.Counters.Skipped[count.StructureOf(9<<12|1)].Add(3)
	s.Counters.Skipped[count.MPLSPayload].Add(4)
	_, metrics, _ := get(t, s, "/metrics")
	for name, want := range map[string]string{"extended_user": "2", "vendor_record": "3", "mpls_payload": "4"} {
		if !strings.Contains(metrics, `flows_structures_skipped_total{structure="`+name+`"} `+want+"\n") {
			t.Error(name)
		}
	}
	if n := strings.Count(metrics, "flows_structures_skipped_total{"); n != 3 {
		t.Errorf("%d names", n)
	}
}

// An exporter that is known from a state has sent nothing that could be late. It may send to another collector.
func TestOnlyExportersThatHaveSentCanBeSilent(t *testing.T) {
	_, metrics, _ := get(t, newServer(t, Exporter{Address: netip.MustParseAddr("192.0.2.1"), Datagrams: 1}, Exporter{Address: netip.MustParseAddr("192.0.2.2")}), "/metrics")
	for name, want := range map[string]bool{
		`flows_exporter_last_seen_seconds{exporter="192.0.2.1"}`: true, `flows_exporter_last_seen_seconds{exporter="192.0.2.2"}`: false,
		`flows_exporter_datagrams_total{exporter="192.0.2.2"}`: true,
	} {
		if strings.Contains(metrics, "\n"+name+" ") != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

// Each metric of losses has one unit.
func TestAMetricHasOneUnit(t *testing.T) {
	units := map[string]string{}
	for r := range count.Reasons {
		if unit := units[r.Metric()]; unit != "" && unit != r.Unit() {
			t.Errorf("%s counts %s and %s", r.Metric(), unit, r.Unit())
		}
		units[r.Metric()] = r.Unit()
	}
	if len(units) != 8 {
		t.Errorf("%v", units)
	}
}

// The alert rules name metrics that exist, with labels that they have.
func TestAlertRulesNameWhatThereIs(t *testing.T) {
	text, err := os.ReadFile("../../alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations struct{ Summary string }
			}
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	e := Exporter{Address: netip.MustParseAddr("192.0.2.1"), Datagrams: 1}
	for r := range count.Reasons {
		e.Losses[r] = 1
	}
	_, body, _ := get(t, newServer(t, e), "/metrics")
	labels := map[string][]string{}
	for _, m := range regexp.MustCompile(`(?m)^(flows_\w+)(?:{(.*)})? `).FindAllStringSubmatch(body, -1) {
		labels[m[1]] = append([]string{"instance"}, regexp.MustCompile(`\w+=`).FindAllString(m[2], -1)...)
	}
	rules := 0
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			rules++
			names := regexp.MustCompile(`flows_\w+`).FindAllString(rule.Expr, -1)
			if len(names) == 0 || rule.Annotations.Summary == "" {
				t.Errorf("%s: no metric, or no summary", rule.Alert)
			}
			for _, name := range names {
				if labels[name] == nil {
					t.Errorf("%s: there is no %s", rule.Alert, name)
				}
			}
			for _, label := range regexp.MustCompile(`\$labels\.(\w+)`).FindAllStringSubmatch(rule.Annotations.Summary, -1) {
				if label[1] != "instance" && !slices.Contains(labels[names[0]], label[1]+"=") {
					t.Errorf("%s: %s has no label %s", rule.Alert, names[0], label[1])
				}
			}
		}
	}
	if rules < 8 {
		t.Errorf("%d rules", rules)
	}
}
