package ops

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// shownSeries is how many values the chart shows by themselves.
const shownSeries = 8

// Trend is the traffic of the last hour by one column: for each of its values one number per second for each step.
// A number is null where nothing is known: before the start, and where no flow of a step was sampled.
type Trend struct {
	Columns []string `json:"columns"` // that there are
	Column  string   `json:"column"`
	Measure string   `json:"measure"`
	End     int64    `json:"end"`  // of the last step, in seconds since 1970
	Step    int      `json:"step"` // in seconds
	Series  []Series `json:"series"`
	Others  []*rate  `json:"others"`  // all other values
	Unrated float64  `json:"unrated"` // the share of the flows without a sampling rate
}

// Series is one value.
type Series struct {
	Label  string  `json:"label"`
	Values []*rate `json:"values"`
}

// rate has as many digits as a chart shows.
type rate float64

// MarshalJSON writes it.
func (r rate) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%.4g", float64(r)), nil }

// measures are what there is to see of the traffic.
var measures = map[string]struct {
	share func(*share) float64
	all   func(*seen) float64
}{
	"bits":    {func(s *share) float64 { return 8 * float64(s.bytes) }, func(s *seen) float64 { return 8 * s.bytes }},
	"packets": {func(s *share) float64 { return float64(s.packets) }, func(s *seen) float64 { return s.packets }},
	"flows":   {func(s *share) float64 { return float64(s.flows) }, func(s *seen) float64 { return s.flows }},
}

func (s *Server) trend(w http.ResponseWriter, r *http.Request) {
	column, measure := r.FormValue("column"), cmp.Or(r.FormValue("measure"), "bits")
	if _, ok := measures[measure]; !ok {
		http.Error(w, fmt.Sprintf("there is no measure %q: bits, packets or flows", measure), http.StatusBadRequest)
		return
	}
	v, ok := s.sampler.trendOf(column, measure)
	if !ok {
		http.Error(w, fmt.Sprintf("there is no column %q: %q", column, v.Columns), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		s.Log.Debug("the page has gone away", "error", err)
	}
}

// trendOf returns the trend by a column; by the first one, if it has no name. Without any flows there are no columns.
func (s *sampler) trendOf(column, measure string) (v *Trend, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &s.trends
	t.advance(s.now())
	step := int64(trendTime / time.Second)
	v = &Trend{
		Columns: []string{}, Column: column, Measure: measure, End: t.open * step, Step: int(step),
		Series: []Series{}, Others: make([]*rate, trendSlots),
	}
	for _, c := range t.columns {
		v.Columns = append(v.Columns, c.name)
	}
	if len(t.columns) == 0 {
		return v, true
	}
	if column == "" {
		v.Column = v.Columns[0]
	}
	at := slices.Index(v.Columns, v.Column)
	if at < 0 {
		return v, false
	}
	t.fill(v, t.columns[at])
	return v, true
}

// fill fills in the series.
func (t *trends) fill(v *Trend, c *trend) {
	measure := measures[v.Measure]
	sums := map[string]float64{}
	t.each(func(_ int, scale float64, _ *trendSlot, past []share) {
		for i := range past {
			sums[past[i].label] += scale * measure.share(&past[i])
		}
	}, c)
	labels := make([]string, 0, len(sums))
	for label := range sums {
		labels = append(labels, label)
	}
	slices.SortFunc(labels, func(a, b string) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b)) })
	series := map[string][]*rate{}
	for _, label := range labels[:min(len(labels), shownSeries)] {
		values := make([]*rate, trendSlots)
		series[label] = values
		v.Series = append(v.Series, Series{label, values})
	}
	var total seen
	t.each(func(i int, scale float64, at *trendSlot, past []share) {
		total.add(at.seen)
		rest := measure.all(&at.seen)
		for _, values := range series {
			values[i] = new(rate)
		}
		for j := range past {
			if values := series[past[j].label]; values != nil {
				value := measure.share(&past[j])
				*values[i] += rate(scale * value)
				rest -= value
			}
		}
		others := rate(scale * max(0, rest))
		v.Others[i] = &others
	}, c)
	if total.flows > 0 {
		v.Unrated = total.unrated / total.flows
	}
}

// each passes the slots that are over and known, the oldest first, with the factor that makes rates of their sums.
func (t *trends) each(f func(i int, scale float64, at *trendSlot, past []share), c *trend) {
	for i := range trendSlots {
		number := t.open - int64(trendSlots) + int64(i)
		index := number % int64(trendRing)
		at := &t.ring[index]
		if number < 0 || at.number != number || at.seconds == 0 || at.flows == 0 && at.all > 0 {
			continue
		}
		scale := 1.0
		if at.flows > 0 {
			scale = max(1, at.all/at.flows)
		}
		f(i, scale/at.seconds, at, c.past[index])
	}
}
