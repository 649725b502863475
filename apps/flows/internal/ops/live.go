package ops

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// The limits of what the page shows.
const (
	shownExporters = 50
	shownTalkers   = 10
	rateWindow     = 10 // seconds: exporters send in bursts
)

// Live is what the page fetches every second.
type Live struct {
	Version   string     `json:"version"`
	Uptime    float64    `json:"uptimeSeconds"`
	Now       time.Time  `json:"now"`
	Schema    Schema     `json:"schema"`
	Problems  []string   `json:"problems"`
	Rates     Rates      `json:"rates"` // over the last seconds
	Past      []Rates    `json:"past"`  // one second each, the newest last
	Totals    Totals     `json:"totals"`
	Protocols []Protocol `json:"protocols"`
	Drops     []Drop     `json:"drops"` // reasons with losses
	Exporters []Exporter `json:"exporters"`
	More      int        `json:"moreExporters"` // exporters that are not shown
	Talkers   Talkers    `json:"talkers"`
}

// Schema is the schema in use.
type Schema struct {
	Message  string `json:"message"`
	Path     string `json:"path"`
	Hash     string `json:"hash"`
	Reloads  uint64 `json:"reloads"`
	Failures uint64 `json:"reloadFailures"`
}

// Totals are since the start.
type Totals struct {
	Datagrams uint64 `json:"datagrams"`
	Flows     uint64 `json:"flows"`
	Delivered uint64 `json:"delivered"`
	Lost      uint64 `json:"lost"` // flows decoded and not delivered
}

// Protocol has the counts of one protocol.
type Protocol struct {
	Name      string `json:"name"`
	Datagrams uint64 `json:"datagrams"`
	Flows     uint64 `json:"flows"`
}

// Drop is what was lost for one reason.
type Drop struct {
	Reason string `json:"reason"`
	Total  uint64 `json:"total"`
	Minute uint64 `json:"lastMinute"`
}

// Talkers are those of the last minute.
type Talkers struct {
	Sampled      float64  `json:"sampled"` // the share of all flows that was examined
	Unrated      float64  `json:"unrated"` // the share of these without a sampling rate
	Missing      []string `json:"missing"` // the columns that the schema lacks
	Sources      []Talker `json:"sources"`
	Destinations []Talker `json:"destinations"`
}

func (s *Server) live(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(s.snapshot()); err != nil {
		s.Log.Debug("the page has gone away", "error", err)
	}
}

func (s *Server) snapshot() *Live {
	now := time.Now()
	layout := s.Layout()
	v := &Live{
		Version: s.Version, Uptime: now.Sub(s.started).Seconds(), Now: now.UTC(), Problems: some(s.problems()),
		Schema: Schema{
			layout.Plan.Root(), layout.Path, layout.Hash, s.Counters.Reloads.Load(), s.Counters.ReloadFailures.Load(),
		},
	}
	var first, last point
	v.Rates, v.Past, first, last = s.history.recent(rateWindow)
	v.Totals = Totals{last.datagrams, last.flows, last.delivered, last.lost()}
	for p := range flow.Protocols {
		if n := s.Counters.Datagrams[p].Load(); n > 0 {
			v.Protocols = append(v.Protocols, Protocol{p.String(), n, s.Counters.Flows[p].Load()})
		}
	}
	for r := range count.Reasons {
		if n := last.dropped[r]; n > 0 {
			v.Drops = append(v.Drops, Drop{r.String(), n, n - first.dropped[r]})
		}
	}
	v.Exporters = s.Exporters()
	slices.SortFunc(v.Exporters, func(a, b Exporter) int {
		return cmp.Or(cmp.Compare(b.Flows, a.Flows), a.Address.Compare(b.Address))
	})
	v.More = max(0, len(v.Exporters)-shownExporters)
	v.Exporters = v.Exporters[:len(v.Exporters)-v.More]

	var total seen
	t := &v.Talkers
	total, t.Sources, t.Destinations, t.Missing = s.sampler.minute(shownTalkers)
	if flows := float64(last.flows - first.flows); flows > 0 {
		t.Sampled = min(1, total.flows/flows)
	}
	if total.flows > 0 {
		t.Unrated = total.unrated / total.flows
	}
	v.Protocols, v.Drops, v.Exporters, t.Missing = some(v.Protocols), some(v.Drops), some(v.Exporters), some(t.Missing)
	return v
}

// some returns an empty list for nil: [] and not null.
func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
